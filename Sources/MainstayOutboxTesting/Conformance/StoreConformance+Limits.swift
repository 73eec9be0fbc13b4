// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// The payload of each note of one letter has as many bytes.
  private static let noteBytes = NewOperation.note("a").payload.count

  private static func expendable(
    _ priority: OperationPriority = .normal, isExpendable: Bool = true
  ) -> NewOperation.Wishes {
    NewOperation.Wishes(priority: priority, isExpendable: isExpendable)
  }

  private static func texts(_ store: any OutboxStore) async throws -> String {
    try await store.operations(after: nil, limit: 99).map { operation in
      String(decoding: operation.payload, as: UTF8.self).split(separator: "\"")[3]
    }.joined()
  }

  /// What a full store refuses, and what it lets go instead.
  static let limits: [Rule] = [
    Rule("payloads are counted by their bytes", limits: StoreLimits(maximumBytes: 2 * noteBytes)) {
      desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text)) }
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("c"))
      }
      let first = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(first.lease, OperationVerdict(.done))
      _ = try await desk.store.insert(.note("c"))
      desk.hold(try await texts(desk.store) == "bc")
    },
    Rule(
      "one that could never fit costs nobody its place",
      limits: StoreLimits(maximumBytes: noteBytes)
    ) { desk in
      _ = try await desk.store.insert(.note("a", wishes: expendable()))
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("too long"))
      }
      desk.hold(try await texts(desk.store) == "a")
    },
    Rule(
      "what has expired goes first, then the least important, the oldest of them first",
      limits: StoreLimits(maximumPending: 5)
    ) { desk in
      _ = try await desk.store.insert(.note("a", wishes: expendable(.high)))
      _ = try await desk.store.insert(.note("b", wishes: expendable(.low)))
      _ = try await desk.store.insert(.note("c", wishes: expendable(.low)))
      _ = try await desk.store.insert(.note("d", wishes: expendable(isExpendable: false)))
      _ = try await desk.store.insert(.note("e", timeToLive: .seconds(1)))
      desk.time.advance(by: .seconds(1))
      for (text, left) in [("f", "abcdf"), ("g", "acdfg"), ("h", "adfgh"), ("i", "dfghi")] {
        _ = try await desk.store.insert(.note(text))
        desk.hold(try await texts(desk.store) == left)
      }
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("j"))
      }
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.expired) == 1 && ledger.count(.evicted) == 3 && ledger.isBalanced)
    },
    Rule(
      "all that has expired goes before anything that has not",
      limits: StoreLimits(maximumBytes: 151 * noteBytes)
    ) { desk in
      _ = try await desk.store.insert(.note("k", wishes: expendable()))
      _ = try await desk.store.insert(
        contentsOf: (0..<150).map { _ in .note("a", timeToLive: .seconds(1)) })
      desk.time.advance(by: .seconds(1))
      // As large as 101 of them: what is looked at together first is not enough.
      let text = String(repeating: "n", count: 100 * noteBytes + 1)
      _ = try await desk.store.insert(.note(text))
      desk.hold(try await texts(desk.store) == "k" + text)
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.expired) == 150 && ledger.count(.evicted) == 0 && ledger.isBalanced)
    },
    Rule(
      "an expendable newcomer takes the place of nothing more important",
      limits: StoreLimits(maximumPending: 1)
    ) { desk in
      _ = try await desk.store.insert(.note("a", wishes: expendable(.high)))
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("b", wishes: expendable(.normal)))
      }
      _ = try await desk.store.insert(.note("c", wishes: expendable(.high)))
      desk.hold(try await texts(desk.store) == "c")
    },
    Rule(
      "what runs, what may have been sent and what others need stays",
      limits: StoreLimits(maximumPending: 4)
    ) { desk in
      _ = try await desk.store.insert(.note("a", wishes: expendable()))
      _ = try await desk.store.claim(1)
      _ = try await desk.store.insert(.note("b", effect: .sentUnknown, wishes: expendable()))
      let needed = try await desk.store.insert(.note("c", wishes: expendable()))
      var wishes = expendable(isExpendable: false)
      wishes.dependencies = .init([needed])
      _ = try await desk.store.insert(.note("d", wishes: wishes))
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("e"))
      }
      desk.hold(try await texts(desk.store) == "abcd")
    },
    Rule(
      "nothing goes where all that could go would not be enough",
      limits: StoreLimits(maximumBytes: 3 * noteBytes)
    ) { desk in
      _ = try await desk.store.insert(.note("a", wishes: expendable()))
      for text in ["b", "c"] { _ = try await desk.store.insert(.note(text)) }
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("dd"))
      }
      desk.hold(try await texts(desk.store) == "abc")
    },
    Rule(
      "one that made room for its own follower leaves it free",
      limits: StoreLimits(maximumPending: 1)
    ) { desk in
      var wishes = expendable()
      wishes.uniqueKey = .init("u", ifTaken: .append)
      _ = try await desk.store.insert(.note("a", wishes: wishes))
      _ = try await desk.store.insert(.note("b", wishes: wishes))
      desk.hold(try await desk.store.claim().map(\.text) == ["b"])
    },
    Rule(
      "a newcomer never takes the place of what it needs", limits: StoreLimits(maximumPending: 1)
    ) { desk in
      let needed = try await desk.store.insert(.note("a", wishes: expendable()))
      var wishes = expendable(isExpendable: false)
      wishes.dependencies = .init([needed])
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("b", wishes: wishes))
      }
      desk.hold(try await texts(desk.store) == "a")
      desk.same(try await desk.store.ledger().count(.evicted), 0)
    },
    Rule(
      "what replaces another makes room as any newcomer does, or is refused",
      limits: StoreLimits(maximumBytes: 3 * noteBytes)
    ) { desk in
      let wishes = NewOperation.Wishes(uniqueKey: .init("u", ifTaken: .replace))
      _ = try await desk.store.insert(.note("a", wishes: expendable()))
      let id = try await desk.store.insert(.note("b", wishes: wishes))
      _ = try await desk.store.insert(.note("c"))
      desk.same(try await desk.store.insert(.note("bb", wishes: wishes)), id)
      desk.hold(try await texts(desk.store) == "bbc")
      await desk.refuses(.full) {
        let text = String(repeating: "b", count: noteBytes + 2)
        _ = try await desk.store.insert(.note(text, wishes: wishes))
      }
      desk.hold(try await texts(desk.store) == "bbc")
      desk.same(try await desk.store.insert(.note("d", wishes: wishes)), id)
      desk.hold(try await texts(desk.store) == "dc")
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.evicted) == 1 && ledger.count(.replaced) == 2 && ledger.isBalanced)
    },
    Rule(
      "what expires to make room for its own replacement is not replaced",
      limits: StoreLimits(maximumBytes: 3 * noteBytes)
    ) { desk in
      let wishes = NewOperation.Wishes(uniqueKey: .init("u", ifTaken: .replace))
      _ = try await desk.store.insert(.note("a", timeToLive: .seconds(1), wishes: wishes))
      _ = try await desk.store.insert(.note("b", timeToLive: .seconds(1)))
      _ = try await desk.store.insert(.note("c"))
      desk.time.advance(by: .seconds(1))
      let new = NewOperation.note("aa", wishes: wishes)
      desk.same(try await desk.store.insert(new), new.id)
      desk.hold(try await texts(desk.store) == "caa")
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.expired) == 2 && ledger.count(.replaced) == 0 && ledger.isBalanced)
    },
    Rule("a lane that nothing was accepted in is still new", limits: StoreLimits(maximumPending: 1))
    { desk in
      _ = try await desk.store.insert(.note("a"))
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("b", lane: "side"))
      }
      let first = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(first.lease, OperationVerdict(.done))
      _ = try await desk.store.insert(.note("b", lane: "side"))
      desk.hold(try await desk.store.claim().map(\.text) == ["b"])
    },
  ]
}
