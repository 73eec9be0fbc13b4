// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InventoryUpstream
import Testing

@Suite struct LedgerTests {
  @Test func `each request is there with its key and what it was answered`() async throws {
    try await Service().inMemory { client in
      let address = "/twins/\(twin)"
      _ = try await client.get(address)
      _ = try await client.send(.put, address, key: "a", emma)
      _ = try await client.send(.put, address, key: "a", emma)
      _ = try await client.send(.put, address, key: "b", headers: [.ifMatch: "\"9\""], emma)
      _ = try await client.send(.put, address, emma)
      _ = try await client.send(.delete, address, key: "c")
      let ledger = try await client.ledger()
      #expect(ledger.requests.map(\.key) == [nil, "a", "a", "b", nil, "c"])
      #expect(ledger.requests.map(\.status) == [404, 201, 201, 412, 400, 200])
      #expect(ledger.requests.allSatisfy { $0.at == Service.moment })
      #expect(ledger.applied.map(\.key) == ["a", "c"])
      #expect(ledger.applied.map(\.received) == [2, 1])
      #expect(ledger.applied.map(\.replayed) == [1, 0])
      #expect(ledger.applied.map(\.version) == [1, 2])
      #expect(ledger.applied.map(\.twin) == [twin, twin])
      #expect(ledger.applied[0].bodyHash == BodyHash(of: Array(emma.utf8)))
    }
  }

  @Test func `times are ISO 8601 with milliseconds`() throws {
    #expect(Service.moment.text == "2026-01-02T03:04:05.678Z")
    for milliseconds in 0..<1000 {
      let time = Timestamp(Date(timeIntervalSince1970: 1_767_323_045 + Double(milliseconds) / 1000))
      let read = try JSONDecoder().decode(Timestamp.self, from: JSONEncoder().encode(time))
      #expect(read == time)
    }
  }
}
