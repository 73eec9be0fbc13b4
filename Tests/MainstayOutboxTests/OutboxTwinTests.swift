// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an outbox tells of an operation that it has already.
@Suite(.ends(withinMinutes: 5)) struct OutboxTwinTests {
  private let shop: Workshop

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private func open(isInMemory: Bool) async throws -> Outbox {
    guard isInMemory else { return try await shop.open(shop.worker { _, _ in }) }
    let day = shop.day
    return try await Outbox(
      store: InMemoryStore(now: { day.now }), configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
  }

  @Test(arguments: [true, false])
  func `what is there already is told once, and what is new each time`(
    _ isInMemory: Bool
  ) async throws {
    let outbox = try await open(isInMemory: isInMemory)
    let keyed = EnqueueOptions(idempotencyKey: IdempotencyKey())
    let first = try await outbox.enqueue(Note(text: "a"), options: keyed)
    #expect(try await outbox.enqueue(Note(text: "a"), options: keyed) == first)
    #expect(try await outbox.enqueue(contentsOf: [Note(text: "a")]) { _ in keyed } == [first])
    let unique = EnqueueOptions(uniqueKey: .init("u"))
    let second = try await outbox.enqueue(Note(text: "b"), options: unique)
    #expect(try await outbox.enqueue(Note(text: "c"), options: unique) == second)
    let replacing = EnqueueOptions(uniqueKey: .init("u", ifTaken: .replace))
    #expect(try await outbox.enqueue(Note(text: "d"), options: replacing) == second)
    let appended = try await outbox.enqueue(
      Note(text: "e"), options: EnqueueOptions(uniqueKey: .init("u", ifTaken: .append)))
    let told = shop.log.events.filter { $0.name == "enqueued" }.map(\.id)
    #expect(told == [first, second, second, appended])
    #expect(try await outbox.ledger().enqueued == told.count)
    await outbox.shutDown()
  }
}
