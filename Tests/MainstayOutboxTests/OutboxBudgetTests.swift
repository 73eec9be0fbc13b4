// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// An outbox that pays for its repetitions.
@Suite(.requirement("P15"), .ends(withinMinutes: 5)) struct OutboxBudgetTests {
  @Test func `a run that cannot be paid for waits, and counts no attempt`() async throws {
    var shop = try Workshop()
    let budget = RetryBudget(
      ratio: 0.001, minimumPerSecond: 0.1, initial: 0, clock: shop.clock)
    shop.configuration.budget = budget
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        runs.change { $0 += 1 }
        if runs.value == 1 { throw AppError.test(.transient()) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    #expect(runs.value == 1, "the first run is always made")
    await outbox.wait { $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await shop.log.wait(for: "heldBack")
    await outbox.wait { $0.waiting == 1 }
    await shop.clock.sleepers(atLeast: 1)
    let waiting = try #require(try await outbox.operations().first)
    #expect(waiting.attempts == 1 && runs.value == 1)
    shop.clock.advance(by: .seconds(9))
    await shop.log.wait(for: "succeeded")
    #expect(runs.value == 2)
    #expect(budget.available > 1, "a repetition that succeeds gets its cost back")
    await outbox.shutDown()
  }

  @Test(.requirement("P16")) func `a retry inside a worker spends from the outbox's budget`()
    async throws
  {
    var shop = try Workshop()
    let budget = RetryBudget(
      ratio: 0.001, minimumPerSecond: 0, initial: 2, clock: shop.clock)
    shop.configuration.budget = budget
    let calls = Box(0)
    let retry = Retry(maximumAttempts: 9, backoff: .none)
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 1) { _, _ in
        try await retry.run {
          calls.change { $0 += 1 }
          throw AppError.test(.transient())
        }
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    #expect(calls.value == 3)
    #expect(budget.available < 1)
    await outbox.shutDown()
  }

  @Test func `a run that was put off is no repetition, and costs nothing`() async throws {
    var shop = try Workshop()
    let budget = RetryBudget(
      ratio: 0.001, minimumPerSecond: 0, initial: 2, clock: shop.clock)
    shop.configuration.budget = budget
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        runs.change { $0 += 1 }
        if runs.value <= 5 { throw Snooze(for: .seconds(30)) }
      })
    try await outbox.enqueue(Note(text: "a"))
    for run in 1...5 {
      await shop.log.wait(for: "failed", count: run)
      await outbox.wait { $0.waiting == 1 }
      await shop.clock.sleepers(atLeast: 1)
      shop.clock.advance(by: .seconds(30))
    }
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.count("heldBack") == 0 && budget.available >= 2)
    await outbox.shutDown()
  }
}
