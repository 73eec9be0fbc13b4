// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// The state of an app, beside an actor that does nothing else.
enum StateScenarios {
  static let all = [
    Scenario("actor", "a call of an actor that adds one to a number") { count in
      let counter = Counter()
      for _ in 0..<count { keep(await counter.add()) }
    },
    Scenario("state-update", "`StateClient.update`, a number, nobody watches") { count in
      let client = StateClient("count", 0)
      for _ in 0..<count { keep(try await client.update { $0 &+= 1 }) }
    },
    Scenario("state-update-invariants", "the same with two invariants") { count in
      let client = StateClient(
        "count", 0,
        invariants: [.init("not negative") { $0 >= 0 }, .init("not too large") { $0 < .max }])
      for _ in 0..<count { keep(try await client.update { $0 &+= 1 }) }
    },
    watched(by: 10), watched(by: 100),
  ]

  private static func watched(by number: Int) -> Scenario {
    Scenario(
      "state-update-\(number)-watch", "the same, and \(number) watch, without invariants"
    ) { count in
      let client = StateClient("count", 0)
      var watchers: [AsyncStream<Snapshot<Int>>] = []
      for _ in 0..<number { watchers.append(await client.updates) }
      for _ in 0..<count { keep(try await client.update { $0 &+= 1 }) }
      keep(watchers.count)
    }
  }

  private actor Counter {
    private var count = 0

    func add() -> Int {
      count &+= 1
      return count
    }
  }
}
