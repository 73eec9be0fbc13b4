// SPDX-License-Identifier: Apache-2.0

extension Chaos {
  /// What is done to a call on purpose; the set is open.
  public struct Disturbance: Sendable {
    enum Kind: Sendable {
      case latency(ClosedRange<Duration>)
      case error(@Sendable () -> any Error)
      /// An error after a wait, as of a service that is slow to fail.
      case lateError(ClosedRange<Duration>, @Sendable () -> any Error)
      case outcome(@Sendable () -> any Sendable)
      case behavior(@Sendable () async throws -> Void)
    }

    let kind: Kind

    /// Makes the call wait before it is made.
    ///
    /// - Parameter delay: How long; zero or more, cut to a year.
    /// - Returns: The disturbance.
    public static func latency(_ delay: Duration) -> Disturbance { latency(delay...delay) }

    /// Makes the call wait before it is made, for a time chosen by chance.
    ///
    /// - Parameter delay: The shortest and the longest wait; zero or more, cut to a year.
    /// - Returns: The disturbance.
    public static func latency(_ delay: ClosedRange<Duration>) -> Disturbance {
      precondition(
        delay.lowerBound >= .zero,
        "Chaos.Disturbance.latency(\(delay)) is not legal: it must be zero or more")
      return Disturbance(kind: .latency(delay.lowerBound.clamped...delay.upperBound.clamped))
    }

    /// Makes the call fail without being made.
    ///
    /// - Parameter error: The error; made anew for each call.
    /// - Returns: The disturbance.
    public static func error(
      _ error: @escaping @autoclosure @Sendable () -> any Error
    ) -> Disturbance { Disturbance(kind: .error(error)) }

    /// Makes the call return something without being made.
    ///
    /// A call that returns another type is left alone.
    ///
    /// - Parameter value: What it returns; made anew for each call.
    /// - Returns: The disturbance.
    public static func outcome(
      _ value: @escaping @autoclosure @Sendable () -> any Sendable
    ) -> Disturbance { Disturbance(kind: .outcome(value)) }

    /// Does something before the call is made, such as emptying a cache.
    ///
    /// - Parameter act: What is done; where it throws, the call is not made and throws the same.
    /// - Returns: The disturbance.
    public static func behavior(
      _ act: @escaping @Sendable () async throws -> Void
    ) -> Disturbance { Disturbance(kind: .behavior(act)) }
  }
}

extension Chaos.Disturbance: CustomStringConvertible {
  /// What it does, in words.
  public var description: String {
    switch kind {
    case .latency(let range) where range.lowerBound == range.upperBound:
      "latency of \(range.lowerBound.inWords)"
    case .latency(let range):
      "latency of \(range.lowerBound.inWords) to \(range.upperBound.inWords)"
    case .error: "error"
    case .lateError(let range, _):
      "error after \(Chaos.Disturbance(kind: .latency(range)))"
    case .outcome: "outcome"
    case .behavior: "behavior"
    }
  }
}
