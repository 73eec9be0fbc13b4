// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long to wait before the next attempt.
///
/// The delay is grown, cut to the cap, and then made random below it: the cap is a promise, and
/// callers that have all reached it still spread out.
///
/// Source: M. Brooker, "Exponential backoff and jitter", AWS Architecture Blog (2015).
public struct Backoff: Sendable, Hashable {
  /// How chance spreads the delays of many callers.
  public enum Jitter: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not at all: everybody who failed together tries again together.
    case none
    /// Between zero and the whole delay.
    case full
    /// Between half of the delay and the whole.
    case equal
    /// Between the first delay and three times the previous one of the same call.
    case decorrelated
  }

  private enum Growth: Sendable, Hashable {
    case linear(step: Double)
    case exponential(factor: Double)
    case fibonacci
    case custom(CustomDelay)
  }

  private let first: Double
  private let cap: Double
  private let growth: Growth
  private let jitter: Jitter
  /// The settings that it was made from; nil where a function says the delay.
  let configuration: Configuration?

  /// Makes a backoff from settings that come from outside.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(validating configuration: Configuration) throws(ConfigurationError) {
    var found = Violations()
    configuration.check(&found)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Backoff", violations: found.all)
    }
    self.init(checked: configuration)
  }

  init(checked configuration: Configuration) {
    first = configuration.first.clamped.inSeconds
    cap = configuration.effectiveCap.clamped.inSeconds
    jitter = configuration.jitter
    self.configuration = configuration
    growth =
      switch configuration.growth {
      case .constant: .linear(step: 0)
      case .linear: .linear(step: (configuration.step ?? configuration.first).clamped.inSeconds)
      case .exponential: .exponential(factor: configuration.factor)
      case .fibonacci: .fibonacci
      }
  }

  private init(_ configuration: Configuration) {
    do throws(ConfigurationError) {
      try self.init(validating: configuration)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// No waiting at all.
  public static let none = Backoff.constant(.zero, jitter: .none)

  /// The same delay before each attempt.
  ///
  /// - Parameters:
  ///   - delay: The delay; zero or more, cut to a year.
  ///   - jitter: How it is spread; the default is `full`.
  /// - Returns: A backoff that does not grow.
  public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
    Backoff(Configuration(.constant, first: delay, jitter: jitter))
  }

  /// A delay that grows by the same step.
  ///
  /// - Parameters:
  ///   - first: The first delay; zero or more.
  ///   - step: What is added each time; zero or more, the default is the first delay.
  ///   - cap: The longest delay; at least the first one, cut to a year.
  ///   - jitter: How it is spread; the default is `full`.
  /// - Returns: A backoff that grows steadily.
  public static func linear(
    from first: Duration, by step: Duration? = nil, to cap: Duration, jitter: Jitter = .full
  ) -> Backoff {
    Backoff(Configuration(.linear, first: first, cap: cap, step: step, jitter: jitter))
  }

  /// A delay that is multiplied each time.
  ///
  /// - Parameters:
  ///   - first: The first delay; zero or more.
  ///   - cap: The longest delay; at least the first one, cut to a year.
  ///   - factor: What it is multiplied with; 1 or more and finite, the default is 2.
  ///   - jitter: How it is spread; the default is `full`.
  /// - Returns: A backoff that grows faster and faster.
  public static func exponential(
    from first: Duration, to cap: Duration, factor: Double = 2, jitter: Jitter = .full
  ) -> Backoff {
    Backoff(
      Configuration(.exponential, first: first, cap: cap, factor: factor, jitter: jitter))
  }

  /// A delay that is the sum of the two before it: the first one once and twice, then 2, 3, 5 and 8
  /// times, slower than doubling.
  ///
  /// - Parameters:
  ///   - first: The first delay; zero or more.
  ///   - cap: The longest delay; at least the first one, cut to a year.
  ///   - jitter: How it is spread; the default is `full`.
  /// - Returns: A backoff that grows as the Fibonacci numbers.
  public static func fibonacci(
    from first: Duration, to cap: Duration, jitter: Jitter = .full
  ) -> Backoff {
    Backoff(Configuration(.fibonacci, first: first, cap: cap, jitter: jitter))
  }

  /// A delay that a function of yours says.
  ///
  /// Where the delay depends on the error, let the error's ``Disposition`` carry it, or a
  /// ``Retry/Condition``. Two such backoffs are equal where one is a copy of the other.
  ///
  /// - Parameters:
  ///   - cap: The longest delay; zero or more, cut to a year.
  ///   - jitter: How it is spread; the default is `full`. `decorrelated` is not legal here, since
  ///     it has a growth of its own.
  ///   - delay: Gets how many attempts have failed, 1 after the first; what it answers is cut to
  ///     zero to the cap. It only computes, since it is asked whenever the delay is of interest.
  /// - Returns: A backoff that grows as the function says.
  public static func custom(
    to cap: Duration, jitter: Jitter = .full, _ delay: @escaping @Sendable (Int) -> Duration
  ) -> Backoff {
    precondition(cap >= .zero, "Backoff.custom(to: \(cap)) is not legal: it must be zero or more")
    precondition(
      jitter != .decorrelated,
      "Backoff.custom(jitter: decorrelated) is not legal: it must be none, full or equal")
    return Backoff(cap: cap.clamped.inSeconds, jitter: jitter, growth: .custom(.init(delay)))
  }

  private init(cap: Double, jitter: Jitter, growth: Growth) {
    first = 0
    self.cap = cap
    self.growth = growth
    self.jitter = jitter
    configuration = nil
  }

  /// The delay before the next attempt.
  ///
  /// - Parameters:
  ///   - attempt: How many attempts have failed: 1 after the first; less counts as 1.
  ///   - previous: The last delay of the same call, for `decorrelated`; nil where there was none.
  ///   - fraction: A random number in `0..<1`; anything else is cut to that.
  /// - Returns: A delay between zero and the cap.
  public func delay(attempt: Int, previous: Duration? = nil, fraction: Double) -> Duration {
    let chance = fraction > 0 ? min(fraction, 1) : 0  // not a number counts as zero
    let whole = min(grown(failures: max(attempt, 1) - 1), cap)
    let seconds =
      switch jitter {
      case .none: whole
      case .full: whole * chance
      case .equal: whole / 2 + whole / 2 * chance
      case .decorrelated: decorrelated(after: previous, chance)
      }
    return .clamped(seconds: min(seconds, cap))
  }

  /// Computed in floating point, where it saturates instead of overflowing (P18).
  private func grown(failures: Int) -> Double {
    switch growth {
    case .linear(let step): first + step * Double(failures)
    case .exponential(let factor): first == 0 ? 0 : first * pow(factor, Double(failures))
    case .fibonacci: fibonacci(failures: failures)
    case .custom(let custom): custom.delay(failures + 1).clamped.inSeconds
    }
  }

  /// Adds up to the cap and no further, which even the shortest delay reaches in some 125 steps.
  private func fibonacci(failures: Int) -> Double {
    guard first > 0 else { return 0 }
    var (last, delay) = (0.0, first)
    var step = 0
    while step < failures, delay < cap {
      (last, delay) = (delay, last + delay)
      step += 1
    }
    return delay
  }

  private func decorrelated(after previous: Duration?, _ chance: Double) -> Double {
    let last = previous?.clamped.inSeconds ?? first
    let upper = max(first, min(cap, 3 * last))
    return first + (upper - first) * chance
  }
}

// Two backoffs are the same where their delays are, by whatever settings they came to them.
extension Backoff {
  /// Whether both say the same delays.
  public static func == (left: Backoff, right: Backoff) -> Bool {
    (left.first, left.cap, left.growth, left.jitter)
      == (right.first, right.cap, right.growth, right.jitter)
  }

  /// Hashes what makes the delays.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(cap)
    hasher.combine(growth)
    hasher.combine(jitter)
  }
}

/// A function of the user's; it is itself and equals nothing else.
private final class CustomDelay: Sendable, Hashable {
  let delay: @Sendable (Int) -> Duration

  init(_ delay: @escaping @Sendable (Int) -> Duration) { self.delay = delay }

  static func == (left: CustomDelay, right: CustomDelay) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
