// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// A lease lasts as long as its process, however long the run takes: nothing has to extend it.
@Suite(.requirement("T5"), .ends(withinMinutes: 5)) struct LeaseTests {
  @Test func `a run of a year is never run a second time meanwhile`() async throws {
    let shop = try Workshop()
    let gate = Gate()
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { note, context in
        guard note.text == "long" else { return }
        runs.change { $0 += 1 }
        await gate.pass()
        // Still the only one that may have the effect.
        try await context.confirmLease()
      })
    try await outbox.enqueue(Note(text: "long"), orderedBy: "k")
    await shop.log.wait(for: "started")
    // Another outbox of the same file looks for leases of the dead whenever it looks for work.
    let other = try await shop.open(
      shop.worker { note, _ in if note.text == "long" { runs.change { $0 += 1 } } })
    #expect(other.opening.recovered == 0)
    for _ in 0..<12 {
      shop.day.advance(by: .seconds(30 * 86_400))
      shop.clock.advance(by: .seconds(30 * 86_400))
      try await other.enqueue(Note(text: "short"))
      await other.wait { $0.pending == 1 }
    }
    #expect(runs.value == 1)
    #expect(try await other.snapshot().running == 1)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 1 && shop.log.count("leaseLost") == 0)
    #expect(try await outbox.ledger().count(.done) == 13)
    await other.shutDown()
    await outbox.shutDown()
  }

  @Test func `a store in memory keeps its leases as long`() async throws {
    let day = TimeOfDay()
    let store = InMemoryStore(now: { day.now })
    _ = try await store.open()
    _ = try await store.insert(.note("long"))
    let lease = try #require(try await store.claim().first).lease
    day.advance(by: .seconds(365 * 86_400))
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.claim().isEmpty)
    #expect(try await store.confirms(lease))
    #expect(try await store.settle(lease, OperationVerdict(.done)))
  }
}
