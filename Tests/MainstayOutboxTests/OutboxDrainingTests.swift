// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A drain ends before its time where nothing more is to be begun.
@Suite(.ends(withinMinutes: 5)) struct OutboxDrainingTests {
  private let shop: Workshop

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  @Test func `the system takes the time back, and a suspension ends the drain`() async throws {
    let outbox = try await shop.open(shop.worker { _, _ in try await untilCancelled() })
    try await outbox.enqueue(Note(text: "a"))
    let drain = Task { try await outbox.drain(for: .seconds(25)) }
    await shop.log.wait(for: "started")
    await outbox.suspend(within: .zero)
    // The clock stands still.
    #expect(try await drain.value.pending == 1)
    #expect(try await outbox.snapshot().ready == 1)
    await outbox.shutDown()
  }

  @Test func `a pause ends it, and what runs goes on`() async throws {
    let gate = Gate()
    let outbox = try await shop.open(shop.worker { _, _ in await gate.pass() })
    try await outbox.enqueue(Note(text: "a"))
    let drain = Task { try await outbox.drain(for: .seconds(25)) }
    await shop.log.wait(for: "started")
    await outbox.pause()
    #expect(try await drain.value.running == 1)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    // The next one has time of its own.
    try await outbox.enqueue(Note(text: "b"))
    #expect(try await outbox.drain(for: .seconds(25)).pending == 0)
    await outbox.shutDown()
  }

  @Test func `it ends where a limit holds back all that is left for longer than it lasts`()
    async throws
  {
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(60), burst: 2), clock: shop.clock)
    let outbox = try await shop.open(shop.worker { _, _ in }.limited(by: limiter))
    for text in ["a", "b", "c", "d", "e"] { try await outbox.enqueue(Note(text: text)) }
    // The clock stands still.
    let left = try await outbox.drain(for: .seconds(25))
    #expect(left.ready == 3 && left.pending == 3)
    // The next one begins while this lasts, and the one after that does not.
    async let rest = outbox.drain(for: .seconds(90))
    await shop.clock.sleepers(atLeast: 2)
    shop.clock.advance(by: .seconds(60))
    #expect(try await rest.pending == 2)
    await outbox.shutDown()
  }
}
