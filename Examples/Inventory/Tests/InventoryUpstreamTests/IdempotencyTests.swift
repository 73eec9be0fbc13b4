// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InventoryUpstream
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct IdempotencyTests {
  private let address = "/twins/\(twin)"

  @Test func `a write without a usable key is 400`() async throws {
    try await Service().inMemory { client in
      for key in [nil, "", "two words", "é", String(repeating: "k", count: 256)] {
        let answer = try await client.send(.put, address, key: key, emma)
        #expect(answer.status == 400, "\(key ?? "none")")
        #expect(try answer.problem().type.hasSuffix("/idempotency-key-missing"))
      }
      #expect(try await client.send(.delete, address).status == 400)
      let photo = try await client.send(.put, address + "/photo", bytes: [1])
      #expect(photo.status == 400)
    }
  }

  @Test func `the same key again is answered from memory`() async throws {
    try await Service().inMemory { client in
      let headers: HTTPFields = [.ifNoneMatch: "*"]
      let first = try await client.send(.put, address, key: "k", headers: headers, emma)
      _ = try await client.send(.put, address, key: "other", #"{"title": "Persuasion"}"#)
      let again = try await client.send(.put, address, key: "k", headers: headers, emma)
      #expect(first.status == 201 && again.status == 201)
      #expect(again.bytes == first.bytes && again.headers[.eTag] == first.headers[.eTag])
      #expect(first.headers[.idempotentReplayed] == nil)
      #expect(again.headers[.idempotentReplayed] == "true")
      #expect(try await client.get(address).document(Twin.self).version == 2)

      _ = try await client.send(.delete, address, key: "d")
      let deleted = try await client.send(.delete, address, key: "d")
      #expect(deleted.status == 200 && deleted.headers[.idempotentReplayed] == "true")
    }
  }

  @Test func `the same key for something else is 422`() async throws {
    try await Service().inMemory { client in
      _ = try await client.send(.put, address, key: "k", emma)
      let others = [
        try await client.send(.put, address, key: "k", #"{"title": "Persuasion"}"#),
        try await client.send(.put, "/twins/\(otherTwin)", key: "k", emma),
        try await client.send(.delete, address, key: "k"),
        try await client.send(
          .put, address + "/photo", key: "k", headers: [.contentType: "image/png"], bytes: [1]),
      ]
      for other in others {
        #expect(other.status == 422)
        #expect(try other.problem().type.hasSuffix("/idempotency-key-reused"))
      }
      #expect(try await client.get(address).document(Twin.self).version == 1)
    }
  }

  @Test func `a refused write leaves its key free`() async throws {
    try await Service().inMemory { client in
      _ = try await client.send(.put, address, key: "1", emma)
      let stale = try await client.send(.put, address, key: "2", headers: [.ifMatch: "\"9\""], emma)
      #expect(stale.status == 412)
      #expect(try await client.get("/effects/2").status == 404)
      let fresh = try await client.send(.put, address, key: "2", headers: [.ifMatch: "\"1\""], emma)
      #expect(fresh.status == 200)
    }
  }

  @Test func `a key that is still at work is 409 with Retry-After`() async throws {
    let clock = ManualClock()
    try await Service(clock: clock).inMemory { client in
      try await client.fault(#"{"mode": "slow", "delayMs": 500}"#)
      async let first = client.send(.put, address, key: "k", emma)
      await clock.sleepers(atLeast: 1)
      let second = try await client.send(.put, address, key: "k", emma)
      #expect(second.status == 409)
      #expect(second.headers[.retryAfter] == "1")
      #expect(try second.problem().type.hasSuffix("/idempotency-in-progress"))
      clock.advance(by: .milliseconds(500))
      #expect(try await first.status == 201)
      try await client.fault(#"{"mode": "healthy"}"#)
      let third = try await client.send(.put, address, key: "k", emma)
      #expect(third.status == 201 && third.headers[.idempotentReplayed] == "true")
    }
  }

  @Test func `of many requests with one key exactly one is made`() async throws {
    try await Service().inMemory { client in
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for _ in 0..<50 {
          group.addTask { try await client.send(.put, address, key: "k", emma) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let made = answers.filter { $0.status == 201 && $0.headers[.idempotentReplayed] == nil }
      #expect(made.count == 1)
      #expect(answers.allSatisfy { [201, 409].contains($0.status) })
      let entry = try #require(try await client.ledger().applied.first)
      #expect(entry.applied == 1 && entry.version == 1 && entry.received == 50)
      #expect(entry.replayed == answers.filter { $0.status == 201 }.count - 1)
    }
  }

  @Test func `an effect can be asked after`() async throws {
    try await Service().inMemory { client in
      #expect(try await client.get("/effects/k%2F1").problem().status == 404)
      _ = try await client.send(.put, address, key: "k/1", emma)
      let effect: Effect = try await client.get("/effects/k%2F1").document()
      #expect(effect.key == "k/1" && effect.operation == .put && effect.twin == twin)
      #expect(effect.status == 201 && effect.version == 1)
      #expect(effect.document?.fields?.title == "Emma")
      #expect(effect.bodyHash == BodyHash(of: Array(emma.utf8)))
    }
  }

  @Test func `without deduplication every request is applied`() async throws {
    try await Service().inMemory { client in
      try await client.fault(#"{"mode": "healthy", "dedupe": false}"#)
      let headers: HTTPFields = [.ifNoneMatch: "*"]
      for version in 1...3 {
        let answer = try await client.send(.put, address, key: "k", headers: headers, emma)
        #expect(answer.headers[.eTag] == "\"\(version)\"")
        #expect(answer.headers[.idempotentReplayed] == nil)
      }
      let entry = try #require(try await client.ledger().applied.first)
      #expect(entry.applied == 3 && entry.received == 3 && entry.replayed == 0)
      #expect(entry.version == 3)
      #expect(try await client.get("/effects/k").status == 200)
      // Another key still has to name the right version.
      let other = try await client.send(.put, address, key: "l", headers: headers, emma)
      #expect(other.status == 412)
    }
  }

  @Test func `hashes are those of FNV-1a`() {
    #expect(BodyHash(of: []).text == "cbf29ce484222325")
    #expect(BodyHash(of: Array("a".utf8)).text == "af63dc4c8601ec8c")
    #expect(BodyHash(of: Array("foobar".utf8)).text == "85944171f73967e8")
  }
}
