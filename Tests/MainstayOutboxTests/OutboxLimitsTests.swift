// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What the rate limit of a worker costs.
@Suite(.requirement("O11"), .ends(withinMinutes: 5)) struct OutboxLimitsTests {
  private let shop: Workshop
  private let store: FailingStore

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    shop.configuration.maximumConcurrency = 16
    store = FailingStore(now: { [day = shop.day] in day.now })
    self.shop = shop
  }

  private func open(_ limiter: RateLimiter) async throws -> Outbox {
    try await Outbox(store: store, configuration: shop.configuration, clock: shop.clock) {
      shop.worker { _, _ in }.limited(by: limiter)
    }
  }

  @Test func `no more are leased than a limit lets begin, but for one that finds it used up`()
    async throws
  {
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(10), burst: 2), clock: shop.clock)
    let outbox = try await open(limiter)
    for text in 0..<20 { try await outbox.enqueue(Note(text: "\(text)")) }
    await outbox.resume()
    for count in [18, 17, 16, 15] {
      await outbox.wait { $0.pending == count && $0.ready == count }
      await shop.log.wait(for: "succeeded", count: 20 - count)
      // Beside each set that a limit lets through, one is leased that finds it used up.
      #expect(store.count("settle") <= (20 - count) + (19 - count))
      await shop.clock.sleepers(atLeast: 1)
      shop.clock.advance(by: .seconds(10))
    }
    await outbox.shutDown()
  }

  @Test func `a limit whose next turn is far away is not asked for again and again`() async throws {
    let limiter = RateLimiter(
      "digest", .tokenBucket(rate: 1, per: .seconds(86_400), burst: 1), clock: shop.clock)
    let outbox = try await open(limiter)
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.resume()
    await store.wait(for: "settle", count: 2)
    await outbox.wait { $0.pending == 1 && $0.ready == 1 }
    let left = try #require(try await outbox.operations().first)
    #expect(try await wait(of: left, in: outbox) > .seconds(86_399))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(7_200))
    // Whoever asks now makes it look again.
    await outbox.resume()
    #expect(try await wait(of: left, in: outbox) > .seconds(79_199))
    #expect(store.count("settle") == 2, "it is leased no more before its turn")
    shop.clock.advance(by: .seconds(79_201))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  /// In what time the limit lets an operation begin.
  private func wait(of operation: StoredOperation, in outbox: Outbox) async throws -> Duration {
    let obstacles = try #require(try await outbox.explain(operation.id)?.obstacles)
    let waits = obstacles.compactMap { if case .rateLimited(let wait) = $0 { wait } else { nil } }
    return try #require(waits.first as Duration?)
  }
}
