// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// The app goes to the background and comes back before everything has ended.
@Suite(.requirement("O26", "O34"), .ends(withinMinutes: 5)) struct OutboxSuspendingTests {
  /// Has "a" run, suspends, resumes while that waits for it, and enqueues "b".
  private func resume(_ outbox: Outbox, of shop: Workshop) async throws {
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    await outbox.resume()
    await end
    try await outbox.enqueue(Note(text: "b"))
  }

  @Test func `whoever resumes during a suspension takes it back`() async throws {
    let shop = try Workshop()
    let (first, second) = (Gate(), Gate())
    let cancelled = Box(0)
    let outbox = try await shop.open(
      shop.worker { note, _ in
        // Deaf to its cancellation, as a library may be.
        await (note.text == "a" ? first : second).pass()
        if Task.isCancelled { cancelled.change { $0 += 1 } }
      })
    try await resume(outbox, of: shop)
    await shop.log.wait(for: "started", count: 2)
    shop.clock.advance(by: .seconds(4))
    shop.clock.advance(by: .milliseconds(500))
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.running == 2 && snapshot.ready == 0)
    first.open()
    second.open()
    await outbox.wait { $0.pending == 0 }
    #expect(cancelled.value == 0)
    #expect(shop.log.count("started") == 2, "nothing is done twice")
    await outbox.shutDown()
  }

  @Test func `whoever resumes after the cancellation keeps what does not heed it`() async throws {
    let shop = try Workshop()
    let gate = Gate()
    let outbox = try await shop.open(shop.worker { _, _ in await gate.pass() })
    try await outbox.enqueue(Note(text: "a"), orderedBy: "k")
    await shop.log.wait(for: "started")
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(4))
    // The cancelled run has half a second more.
    await shop.clock.sleepers(atLeast: 1)
    await outbox.resume()
    await end
    shop.clock.advance(by: .milliseconds(500))
    #expect(try await outbox.snapshot().running == 1)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(shop.log.count("started") == 1, "nothing is done twice")
    await outbox.shutDown()
  }

  @Test func `the time of a suspension that was taken back is nobody's limit`() async throws {
    let shop = try Workshop()
    let (gate, left) = (Gate(), Box<Duration?>(.zero))
    let outbox = try await shop.open(
      shop.worker { note, context in
        if note.text == "a" { await gate.pass() } else { left.value = context.remainingTime }
      })
    try await resume(outbox, of: shop)
    await outbox.wait { $0.pending == 1 }
    #expect(left.value == nil)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `what is heard during a suspension is done when somebody resumes`() async throws {
    let shop = try Workshop()
    let day = shop.day
    let store = FailingStore(now: { day.now })
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    await outbox.set(.network, isMet: false)
    await outbox.suspend()
    let before = store.count("reconsider")
    await outbox.set(.network, isMet: true)
    // Time enough for a turn.
    for _ in 0..<100 { _ = try await outbox.snapshot() }
    #expect(store.count("reconsider") == before)
    await outbox.resume()
    await store.wait(for: "reconsider", count: before + 1)
    await outbox.shutDown()
  }
}
