// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Delays that a function says.
@Suite(.requirement("A8", "D12")) struct CustomBackoffTests {
  private static let squares = Backoff.custom(to: .seconds(20), jitter: .none) {
    .seconds($0 * $0)
  }

  @Test func `it is asked how many attempts have failed, and cut to the cap`() {
    #expect(
      (0...6).map { Self.squares.delay(attempt: $0, fraction: 0.5) }
        == [1, 1, 4, 9, 16, 20, 20].map(Duration.seconds))
  }

  @Test(.requirement("P19")) func `chance spreads it over its whole length by default`() {
    let backoff = Backoff.custom(to: .seconds(10)) { _ in .seconds(99) }
    #expect(backoff.delay(attempt: 1, fraction: 0) == .zero)
  }

  @Test(.requirement("P19")) func `chance spreads it below the cap`() {
    for (jitter, shortest) in [(Backoff.Jitter.full, 0), (.equal, 5)] {
      let backoff = Backoff.custom(to: .seconds(10), jitter: jitter) { _ in .seconds(99) }
      #expect(backoff.delay(attempt: 1, fraction: 0) == .seconds(shortest))
      #expect(backoff.delay(attempt: 1, fraction: 0.5) < .seconds(10))
      #expect(backoff.delay(attempt: 1, fraction: 1) == .seconds(10))
    }
  }

  @Test(
    .requirement("P18", "P23", "T8"),
    arguments: [
      (Duration.seconds(-1), Duration.zero), (.seconds(Int64.min), .zero), (.zero, .zero),
      (.seconds(Int64.max), .seconds(365 * 86_400)),
    ])
  func `whatever it answers, and whatever it is asked, nothing traps`(
    answer: Duration, delay: Duration
  ) {
    let backoff = Backoff.custom(to: .seconds(Int64.max), jitter: .none) { _ in answer }
    for attempt in [Int.min, 0, 1, .max] {
      #expect(backoff.delay(attempt: attempt, fraction: .nan) == delay)
    }
  }

  @Test func `a retry waits as long as it says`() async {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let retry = Retry(
      maximumAttempts: 3, backoff: Self.squares, budget: .unlimited, clock: clock,
      observer: recorder)
    let call = Task { try await retry.run { throw AppError.http(status: 503, isRepeatable: true) } }
    for wait in [Duration.seconds(1), .seconds(4)] {
      await clock.sleepers(atLeast: 1)
      #expect(clock.nextWakeUp == wait)
      clock.advance(by: wait)
    }
    await #expect(throws: AppError.self) { try await call.value }
    let explanation = Pipeline("reads") { retry }.explain()
    #expect(explanation.description.contains("waiting up to 5 s in all"))
  }

  @Test func `it equals its copies and nothing else`() {
    let copy = Self.squares
    #expect(copy == Self.squares && Set([copy, Self.squares]).count == 1)
    #expect(copy != .custom(to: .seconds(20), jitter: .none) { .seconds($0 * $0) })
    #expect(copy != .none)
  }

  @Test func `a cap below zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Backoff.custom(to: .seconds(-1)) { _ in .zero }
    }
  }

  @Test func `decorrelated jitter in the code stops the program and says what is legal`() async {
    let said = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Backoff.custom(to: .seconds(1), jitter: .decorrelated) { _ in .zero }
    }
    let text = String(decoding: said?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("it must be none, full or equal"))
  }
}
