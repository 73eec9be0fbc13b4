// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Leases nothing while a rate of all machines holds it back, and says for how long it does.
private struct RatedStore: ForwardingStore {
  let store: any OutboxStore
  let isHeld = Box(true)

  func claim(_ request: ClaimRequest) async throws -> Claim {
    guard isHeld.value else { return try await store.claim(request) }
    var claim = Claim(operations: [])
    claim.nextTurn = .milliseconds(100)
    return claim
  }
}

/// When an outbox looks for what is due, and what it must not miss.
@Suite(.requirement("C13", "O29"), .ends(withinMinutes: 5)) struct OutboxPromotionTests {
  private let shop: Workshop

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    shop.configuration.maximumConcurrency = 1
    self.shop = shop
  }

  @Test func `promote is not asked between claims while nothing is due`() async throws {
    let store = FailingStore(now: { [day = shop.day] in day.now })
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    for number in 0..<40 { try await outbox.enqueue(Note(text: String(number))) }
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 40)
    #expect(shop.log.count("succeeded") == 40 && store.count("claim") >= 40)
    // When it begins, and when nothing is left.
    #expect((1...4).contains(store.count("promote")))
    await outbox.shutDown()
  }

  @Test func `what becomes due is made ready in time though promote was skipped`() async throws {
    let gate = Gate()
    let outbox = try await shop.open(
      shop.worker { note, _ in if note.text == "long" { await gate.pass() } })
    try await outbox.enqueue(Note(text: "late"), options: EnqueueOptions(delay: .seconds(60)))
    for text in ["a", "b", "c", "long", "d"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.resume()
    await outbox.wait { $0.pending == 3 && $0.running == 1 && $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(60))
    // No place is free meanwhile, so nothing but the time has it look.
    await outbox.wait { $0.ready == 2 && $0.running == 1 }
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  /// Lets all run but one, which is ready after its delay, and returns when that has run, too.
  private func runsLast(after delay: Duration, in outbox: Outbox) async {
    await outbox.resume()
    await outbox.wait { $0.pending == 1 && $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: delay)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O9"))
  func `a follower that was delayed is waited for though what stood before it only ended well`()
    async throws
  {
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "head"), options: EnqueueOptions(orderedBy: "k"))
    try await outbox.enqueue(
      Note(text: "follower"), options: EnqueueOptions(orderedBy: "k", delay: .seconds(60)))
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await runsLast(after: .seconds(60), in: outbox)
  }

  @Test func `what needs others and was delayed is waited for once those have ended`()
    async throws
  {
    let outbox = try await shop.open(shop.worker { _, _ in })
    let first = try await outbox.enqueue(Note(text: "first"))
    try await outbox.enqueue(
      Note(text: "second"),
      options: EnqueueOptions(delay: .seconds(60), dependencies: .init([first])))
    try await outbox.enqueue(Note(text: "other"))
    await runsLast(after: .seconds(60), in: outbox)
  }

  @Test func `a time to live that begins while all places are taken ends in time`() async throws {
    let gate = Gate()
    let outbox = try await shop.open(shop.worker { _, _ in await gate.pass() })
    try await outbox.enqueue(Note(text: "long"))
    await outbox.resume()
    await shop.log.wait(for: "started")
    let options = EnqueueOptions(timeToLive: .seconds(60))
    try await outbox.enqueue(Note(text: "short"), options: options)
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(60))
    await outbox.wait { $0.pending == 1 }
    #expect(try await outbox.ledger().count(.expired) == 1)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `what a rate of all machines held back begins when its turn comes`() async throws {
    let store = RatedStore(store: InMemoryStore(now: { [day = shop.day] in day.now }))
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    try await outbox.enqueue(Note(text: "a"))
    await outbox.resume()
    await shop.clock.sleepers(atLeast: 1)
    store.isHeld.value = false
    // Nothing but that turn has it claim once more.
    shop.clock.advance(by: .milliseconds(100))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
