// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A whole outbox before a service that takes so much and no more.
@Suite(.requirement("O11"), .ends(withinMinutes: 20)) struct OutboxLearnedRateTests {
  /// Fifty calls in a second, of which it saves five; whoever sends more is to rest for a second.
  private struct Service: Sendable {
    private var saved = 5
    private var last = Duration.zero
    private(set) var refused = 0

    mutating func takes(at now: Duration) -> Bool {
      let earned = Int((now - last) / .milliseconds(20))
      last += .milliseconds(20) * earned
      saved = min(saved + earned, 5)
      guard saved > 0 else {
        refused += 1
        return false
      }
      saved -= 1
      return true
    }
  }

  @Test func `what a service with a limit takes is learned, and it refuses few`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 8
    shop.configuration.startsPaused = true
    let (service, clock) = (Box(Service()), shop.clock)
    let start = clock.now
    let outbox = try await shop.open(
      shop.worker { _, _ in
        guard service.change({ $0.takes(at: start.duration(to: clock.now)) }) else {
          throw AppError.http(status: 429, retryAfter: .seconds(1))
        }
      })
    let count = 400
    _ = try await outbox.enqueue(contentsOf: (0..<count).map { Note(text: "\($0)") })
    await outbox.resume()
    while try await outbox.ledger().count(.done) < count {
      clock.advance(by: min(clock.nextWakeUp ?? .zero, .milliseconds(10)))
      await Task.yield()
    }
    // By halves and doubles alone it is refused about as often as it is let in.
    #expect(service.value.refused < count / 5)
    let ledger = try await outbox.ledger()
    #expect(ledger.count(.done) == count && ledger.isBalanced)
    await outbox.shutDown()
  }

  @Test func `who waits for its turn is told why`() async throws {
    let shop = try Workshop()
    let refuses = Box(false)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        if refuses.value { throw AppError.http(status: 429, retryAfter: .seconds(1)) }
      })
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.pending == 0 }
    refuses.value = true
    try await outbox.enqueue(Note(text: "c"))
    await outbox.wait { $0.waiting == 1 }
    refuses.value = false
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    // It may begin again after the time that the rate leaves between two.
    let id = try await outbox.enqueue(Note(text: "last"))
    let wait = try #require(
      try await outbox.explain(id)?.obstacles.compactMap {
        if case .rateLimited(let wait) = $0 { wait } else { nil }
      }.first)
    #expect(wait > .zero && wait < .seconds(1))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
