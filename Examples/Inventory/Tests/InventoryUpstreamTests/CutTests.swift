// SPDX-License-Identifier: Apache-2.0

import InventoryUpstream
import TestSupport
import Testing

/// What really comes back, byte by byte, when the service cuts a connection.
@Suite(.ends(withinMinutes: 5)) struct CutTests {
  private let put = Wire.request("PUT /twins/\(twin)", ["Idempotency-Key: k"], emma)

  @Test func `a service that is down closes the connection without a byte`() async throws {
    try await Service().live { client in
      let port = try client.port()
      try await client.fault(#"{"mode": "down"}"#)
      #expect(try await Wire.exchange(put, port: port).isEmpty)
      #expect(try await Wire.exchange(Wire.request("GET /twins"), port: port).isEmpty)

      let ledger = try await client.ledger()
      #expect(ledger.applied.isEmpty)
      #expect(ledger.requests.map(\.key) == ["k", nil])
      #expect(ledger.requests.allSatisfy { $0.status == nil })
      try await client.fault(#"{"mode": "healthy"}"#)
      #expect(try await Wire.exchange(put, port: port).hasPrefix("HTTP/1.1 201 "))
    }
  }

  @Test func `an answer dropped after the commit leaves the effect and no byte`() async throws {
    try await Service().live { client in
      let port = try client.port()
      try await client.fault(#"{"mode": "dropAfterCommit"}"#)
      #expect(try await Wire.exchange(put, port: port).isEmpty)

      // Reads are answered, so that the effect can be asked after.
      let effect: Effect = try await client.get("/effects/k").document()
      #expect(effect.status == 201 && effect.version == 1)
      let ledger = try await client.ledger()
      #expect(ledger.applied.map(\.applied) == [1])
      #expect(ledger.requests.first { $0.key == "k" }?.status == nil)
      try await client.fault(#"{"mode": "healthy"}"#)
      let again = try await Wire.exchange(put, port: port)
      #expect(again.hasPrefix("HTTP/1.1 201 ") && again.contains("Idempotent-Replayed: true"))
    }
  }

  @Test func `a dropped write that arrives again is applied again without deduplication`()
    async throws
  {
    try await Service().live { client in
      let port = try client.port()
      try await client.fault(#"{"mode": "dropAfterCommit", "dedupe": false}"#)
      #expect(try await Wire.exchange(put, port: port).isEmpty)
      #expect(try await Wire.exchange(put, port: port).isEmpty)
      #expect(try await client.get("/effects/k").status == 200)
      #expect(try await client.ledger().applied.map(\.applied) == [2])
    }
  }

  @Test func `a rate cuts its share of connections`() async throws {
    try await Service().live { client in
      let port = try client.port()
      try await client.fault(#"{"mode": "down", "rate": 0.5, "seed": 3}"#)
      var cut = 0
      for _ in 0..<40 where try await Wire.exchange(Wire.request("GET /twins"), port: port).isEmpty
      {
        cut += 1
      }
      #expect((10...30).contains(cut))
    }
  }

  @Test func `a request that is no HTTP is answered 400 and leaves the service alive`() async throws
  {
    try await Service().live { client in
      let port = try client.port()
      let answer = try await Wire.exchange("NONSENSE\r\n\r\n", port: port)
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(try await client.get("/twins").status == 200)
    }
  }

  @Test func `a body that breaks off or is no chunk is not applied`() async throws {
    try await Service().live { client in
      let port = try client.port()
      let half = put.dropLast(10)
      #expect(try await !Wire.exchange(String(half), port: port, isOver: true).contains(" 20"))
      let noChunk = put.replacing(/Content-Length: \d+/, with: "Transfer-Encoding: chunked")
      let answer = try await Wire.exchange(noChunk, port: port)
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.split(separator: "HTTP/1.1").count == 1)
      #expect(try await client.ledger().applied.isEmpty)
    }
  }
}
