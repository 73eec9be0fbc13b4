// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// An operation that comes again, under the key that was made for its identity.
@Suite struct RepetitionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func operation(_ text: String, keyedAs other: NewOperation? = nil) throws -> NewOperation
  {
    var generator = SystemRandomNumberGenerator()
    let id = OperationID.new(at: Date(timeIntervalSince1970: 1_800_000_000), using: &generator)
    let own = try #require(IdempotencyKey(id.description))
    let note = NewOperation.note(text)
    return NewOperation(
      id: id, type: note.type, lane: note.lane, orderingKey: nil,
      idempotencyKey: other?.idempotencyKey ?? own, payload: note.payload)
  }

  @Test func `it is there once, also in a full store, as a dead letter and in one batch`()
    async throws
  {
    let store = SQLiteStore(at: folder.database, limits: StoreLimits(maximumPending: 2))
    _ = try await store.open()
    let (a, b) = (try operation("a"), try operation("b"))
    #expect(try await store.insert(contentsOf: [a, a, b, a]) == [a.id, a.id, b.id, a.id])
    #expect(try await store.insert(a) == a.id)
    #expect(try await store.snapshot().pending == 2)
    for leased in try await store.claim() where leased.operation.id == a.id {
      let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
      #expect(try await store.settle(leased.lease, verdict))
    }
    #expect(try await store.insert(a) == a.id)
    #expect(try await store.snapshot().pending == 1)
    #expect(try await store.ledger().isBalanced)
    #expect(try await store.findings() == [])
    let other = try operation("c", keyedAs: a)
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      _ = try await store.insert(other)
    }
    await store.close()
  }
}
