// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InventoryUpstream
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct FaultTests {
  private let address = "/twins/\(twin)"

  @Test func `faults are answered with all their settings`() async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(.post, "/control/faults", #"{"mode": "flaky"}"#)
      let settings: FaultSettings = try answer.document()
      #expect(settings == FaultSettings(mode: .flaky))
      #expect(settings.rate == 0.3 && settings.delayMs == 500 && settings.retryAfter == 2)
      #expect(settings.dedupe)
      for mode in FaultMode.allCases {
        let body = #"{"mode": "\#(mode.rawValue)", "rate": 0.5}"#
        let answer = try await client.send(.post, "/control/faults", body)
        #expect(try answer.document(FaultSettings.self).mode == mode)
      }
    }
  }

  @Test(arguments: [
    ("{}", ["/mode"]), (#"{"mode": "sleepy"}"#, ["/mode"]),
    (#"{"mode": "down", "rate": 1.5}"#, ["/rate"]), (#"{"mode": "down", "rate": -0.1}"#, ["/rate"]),
    (#"{"mode": "slow", "delayMs": 60001}"#, ["/delayMs"]),
    (#"{"mode": "slow", "delayMs": "1"}"#, ["/delayMs"]),
    (#"{"mode": "rateLimited", "retryAfter": -1, "limit": 0}"#, ["/retryAfter", "/limit"]),
    (#"{"mode": "down", "dedupe": 1, "seed": -1}"#, ["/dedupe", "/seed"]),
    (#"{"mode": "down", "Rate": 1}"#, ["/Rate"]),
  ])
  func `faults that do not exist are 400`(body: String, pointers: [String]) async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(.post, "/control/faults", body)
      #expect(answer.status == 400)
      #expect(try answer.problem().errors?.map(\.pointer) == pointers)
      #expect(try await client.get("/twins").status == 200)
    }
  }

  @Test(arguments: [
    ("serverError", 500, "/server-error"), ("rateLimited", 429, "/too-many-requests"),
  ])
  func `a refusal changes nothing`(mode: String, status: Int, type: String) async throws {
    try await Service().inMemory { client in
      try await client.fault(#"{"mode": "\#(mode)", "retryAfter": 7}"#)
      let answer = try await client.send(.put, address, key: "k", emma)
      #expect(answer.status == status)
      #expect(try answer.problem().type.hasSuffix(type))
      #expect(answer.headers[.retryAfter] == (status == 429 ? "7" : nil))
      #expect(try await client.get("/books/9780141439518").status == status)
      #expect(try await client.ledger().applied.isEmpty)
      try await client.fault(#"{"mode": "healthy"}"#)
      #expect(try await client.send(.put, address, key: "k", emma).status == 201)
    }
  }

  @Test func `a limit lets so many through in each second and is announced`() async throws {
    let clock = ManualClock()
    try await Service(clock: clock).inMemory { client in
      try await client.fault(#"{"mode": "rateLimited", "limit": 2}"#)
      var statuses: [Int] = []
      for _ in 0..<3 {
        let answer = try await client.get("/twins")
        statuses.append(answer.status)
        #expect(answer.headers[.rateLimitPolicy] == "\"requests\";q=2;w=1")
      }
      #expect(statuses == [200, 200, 429])
      clock.advance(by: .seconds(1))
      #expect(try await client.get("/twins").status == 200)
    }
  }

  @Test func `a portal answers everything with 200 and a page`() async throws {
    try await Service().inMemory { client in
      try await client.fault(#"{"mode": "portal"}"#)
      let answer = try await client.send(.put, address, key: "k", emma)
      #expect(answer.status == 200)
      #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
      #expect(answer.text.hasPrefix("<!DOCTYPE html>") && answer.text.contains("<form"))
      #expect(try await client.ledger().applied.isEmpty)
    }
  }

  @Test func `a slow service answers after its delay`() async throws {
    let clock = ManualClock()
    try await Service(clock: clock).inMemory { client in
      try await client.fault(#"{"mode": "slow", "delayMs": 800}"#)
      async let read = client.get("/twins")
      async let write = client.send(.put, address, key: "k", emma)
      await clock.sleepers(atLeast: 2)
      #expect(clock.nextWakeUp == .milliseconds(800))
      #expect(try await client.ledger().applied.isEmpty)
      clock.advance(by: .milliseconds(800))
      #expect(try await (read.status, write.status) == (200, 201))
    }
  }

  @Test func `concurrent requests overtake each other`() async throws {
    let clock = ManualClock()
    try await Service(clock: clock).inMemory { client in
      try await client.fault(#"{"mode": "reorder", "delayMs": 1000, "seed": 1}"#)
      let keys = (0..<8).map { "k\($0)" }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, key) in keys.enumerated() {
          group.addTask { _ = try await client.send(.put, "/twins/\(id(index))", key: key, emma) }
          await clock.sleepers(atLeast: index + 1)
        }
        while let next = clock.nextWakeUp {
          clock.advance(by: next)
          try await group.next()
        }
      }
      let applied = try await client.ledger().applied.map(\.key)
      #expect(applied.sorted() == keys && applied != keys)
    }
  }

  private func id(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

  @Test func `a flaky service with a seed fails the same requests again`() async throws {
    // In memory a cut connection shows as an empty 500.
    func statuses() async throws -> [Int] {
      try await Service().inMemory { client in
        try await client.fault(#"{"mode": "flaky", "rate": 0.5, "seed": 11}"#)
        var statuses: [Int] = []
        for _ in 0..<40 { statuses.append(try await client.get("/twins").status) }
        return statuses
      }
    }
    let first = try await statuses()
    #expect(try await statuses() == first)
    #expect(Set(first) == [200, 503, 500])
  }
}
