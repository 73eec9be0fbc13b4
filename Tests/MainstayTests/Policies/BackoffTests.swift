// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A8", "C20", "D12", "D33")) struct BackoffTests {
  static let capped: [(Backoff, cap: Duration)] = Backoff.Jitter.allCases.flatMap { jitter in
    [
      (.constant(.seconds(3), jitter: jitter), .seconds(3)),
      (.linear(from: .seconds(1), by: .seconds(2), to: .seconds(9), jitter: jitter), .seconds(9)),
      (.exponential(from: .seconds(1), to: .seconds(20), jitter: jitter), .seconds(20)),
      (.exponential(from: .zero, to: .seconds(1), jitter: jitter), .seconds(1)),
      (.fibonacci(from: .seconds(1), to: .seconds(20), jitter: jitter), .seconds(20)),
      (.fibonacci(from: .zero, to: .seconds(1), jitter: jitter), .seconds(1)),
      (
        .fibonacci(
          from: Duration(attoseconds: 1), to: .seconds(1e15), jitter: jitter),
        .seconds(365 * 86_400)
      ),
      (
        .exponential(from: .seconds(1), to: .seconds(1e15), factor: 1e300, jitter: jitter),
        .seconds(365 * 86_400)
      ),
    ]
  }

  @Test func `grows as it says without jitter`() {
    let doubling = Backoff.exponential(from: .seconds(1), to: .seconds(10), jitter: .none)
    #expect(
      (1...6).map { doubling.delay(attempt: $0, fraction: 0.5) }
        == [1, 2, 4, 8, 10, 10].map(Duration.seconds))
    let linear = Backoff.linear(from: .seconds(1), by: .seconds(3), to: .seconds(8), jitter: .none)
    #expect(
      (1...4).map { linear.delay(attempt: $0, fraction: 0.5) }
        == [1, 4, 7, 8].map(Duration.seconds))
    let sums = Backoff.fibonacci(from: .seconds(2), to: .seconds(20), jitter: .none)
    #expect(
      (1...8).map { sums.delay(attempt: $0, fraction: 0.5) }
        == [2, 2, 4, 6, 10, 16, 20, 20].map(Duration.seconds))
    let constant = Backoff.constant(.seconds(1), jitter: .none)
    #expect(
      (1...3).map { constant.delay(attempt: $0, fraction: 0.9) } == [1, 1, 1].map(Duration.seconds))
    #expect(Backoff.none.delay(attempt: 7, fraction: 0.9) == .zero)
  }

  @Test(.requirement("P18", "P23", "T8"), arguments: capped)
  func `no attempt and no random number makes it trap or pass its cap`(
    backoff: Backoff, cap: Duration
  ) {
    for attempt in [Int.min, -1, 0, 1, 2, 36, 64, 1_024, 1_025, 1_000_000, .max] {
      for fraction in [-1, 0, 0.5, 1, 2, .infinity, -.infinity, .nan] {
        for previous in [nil, Duration.zero, .seconds(-5), .seconds(1e17), .seconds(Int64.max)] {
          let delay = backoff.delay(attempt: attempt, previous: previous, fraction: fraction)
          #expect(delay >= .zero && delay <= cap)
        }
      }
    }
  }

  @Test(.requirement("P19")) func `jitter does not collapse at the cap`() {
    var generator = SeededGenerator(seed: 19)
    for jitter in [Backoff.Jitter.full, .equal, .decorrelated] {
      let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(8), jitter: jitter)
      let delays = (0..<1_000).map { _ in
        backoff.delay(
          attempt: 50, previous: .seconds(8), fraction: .random(in: 0..<1, using: &generator))
      }
      #expect(Set(delays).count > 990)
      #expect(delays.allSatisfy { $0 <= .seconds(8) })
    }
  }

  @Test(.requirement("P20", "T9")) func `delays are spread evenly over their range`() {
    let lower: [Backoff.Jitter: Double] = [.full: 0, .equal: 4, .decorrelated: 1]
    for (jitter, low) in lower {
      let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(8), jitter: jitter)
      var generator = SeededGenerator(seed: 20)
      var counts = [Int](repeating: 0, count: 10)
      for _ in 0..<10_000 {
        let delay = backoff.delay(
          attempt: 9, previous: .seconds(8), fraction: .random(in: 0..<1, using: &generator))
        let share = (delay / .seconds(1) - low) / (8 - low)
        counts[min(9, Int(share * 10))] += 1
      }
      #expect(counts.allSatisfy { (850...1_150).contains($0) }, "\(jitter): \(counts)")
    }
  }

  @Test(.requirement("P20")) func `decorrelated jitter goes by the previous delay of the call`() {
    let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(60), jitter: .decorrelated)
    #expect(backoff.delay(attempt: 5, previous: .seconds(2), fraction: 1) == .seconds(6))
    #expect(backoff.delay(attempt: 5, previous: .seconds(10), fraction: 1) == .seconds(30))
    #expect(backoff.delay(attempt: 5, previous: .seconds(50), fraction: 1) == .seconds(60))
    #expect(backoff.delay(attempt: 1, previous: nil, fraction: 1) == .seconds(3))
    #expect(backoff.delay(attempt: 5, previous: .seconds(50), fraction: 0) == .seconds(1))
  }

  @Test(.requirement("P19")) func `without another wish every delay is spread fully`() {
    let first = Duration.seconds(1)
    #expect(Backoff.constant(first) == .constant(first, jitter: .full))
    #expect(
      Backoff.linear(from: first, to: .seconds(9))
        == .linear(from: first, by: first, to: .seconds(9), jitter: .full))
    #expect(
      Backoff.exponential(from: first, to: .seconds(9))
        == .exponential(from: first, to: .seconds(9), factor: 2, jitter: .full))
    #expect(
      Backoff.fibonacci(from: first, to: .seconds(9))
        == .fibonacci(from: first, to: .seconds(9), jitter: .full))
  }

  @Test func `illegal settings stop the program and name the option and its range`() async {
    await #expect(processExitsWith: .failure) { _ = Backoff.constant(.seconds(-1)) }
    await #expect(processExitsWith: .failure) {
      _ = Backoff.exponential(from: .seconds(2), to: .seconds(1))
    }
    await #expect(processExitsWith: .failure) {
      _ = Backoff.exponential(from: .seconds(1), to: .seconds(2), factor: .nan)
    }
    await #expect(processExitsWith: .failure) {
      _ = Backoff.fibonacci(from: .seconds(2), to: .seconds(1))
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Backoff.exponential(from: .seconds(1), to: .seconds(2), factor: 0.5)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("factor: 0.5") && said.contains("1 or more"))
  }
}
