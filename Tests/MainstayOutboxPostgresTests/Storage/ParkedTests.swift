// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What a claim says of operations that nobody reads.
@Suite(.requirement("O19"), .ends(withinMinutes: 10)) struct ParkedTests {
  @Test func `a claim says how much of which types it has parked, once`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for kind in ["sh\"ip", "sh\"ip", "bill"] as [OperationKind] {
      _ = try await store.insert(.note("a", kind: kind))
    }
    _ = try await store.insert(.note("known"))
    let request = ClaimRequest(limit: 4, types: NewOperation.types, isAlone: true)
    let claim = try await store.claim(request)
    #expect(claim.operations.map(\.text) == ["known"])
    let (ship, bill) = (
      PayloadType(kind: "sh\"ip", version: 1), PayloadType(kind: "bill", version: 1)
    )
    #expect(claim.unknown == [ship: 2, bill: 1])
    #expect(try await store.claim(request).unknown.isEmpty)
    await store.close()
  }
}
