// SPDX-License-Identifier: Apache-2.0

/// One resilience rule around a call, which may run the operation beside or beyond its caller.
///
/// `Hedge` and `Coalesce` are of this kind: they need an operation that can be sent elsewhere.
/// Whatever can do without that is a ``Policy``.
public protocol ConcurrentPolicy: Sendable {
  /// Runs an operation under this policy.
  ///
  /// - Parameter operation: What is run; it may run several times, side by side.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, ``Rejection`` or ``TimedOut``.
  func runSendable<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T
}

/// One resilience rule around a call, which runs the operation where its caller is, once at a time.
///
/// A `@MainActor` caller stays on the main actor and may use its own, non-Sendable state.
public protocol Policy: ConcurrentPolicy {
  /// Runs an operation under this policy.
  ///
  /// - Parameter operation: What is run; it may run several times, one after the other.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, ``Rejection`` or ``TimedOut``.
  func run<T>(_ operation: () async throws -> T) async throws -> T

  /// Runs an operation that says how it ended, and says so in turn: the way of
  /// ``Pipeline/outcome(_:)`` through its stages, and the door for what returns outcomes itself.
  ///
  /// What is refused costs a throw and its allocation by ``run(_:)``, and neither here. A policy of
  /// one's own need not have it: by default it goes by ``run(_:)``.
  ///
  /// - Parameter operation: What is run; it may run several times, one after the other.
  /// - Returns: How the operation ended, or what the policy decided.
  func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure>
}

extension Policy {
  /// Runs an operation by ``Policy/run(_:)``, and says how that ended.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    do {
      return .success(try await run { try await operation().original() })
    } catch {
      return Outcome(ending: error)
    }
  }

  /// Runs an operation where its caller is, and another one where it failed.
  ///
  /// A ``Pipeline`` has its own; this is for one policy, and for whoever keeps `any Policy`.
  ///
  /// - Parameters:
  ///   - operation: What is run under the policy.
  ///   - fallback: What is run instead, outside of it; never entered for cancellation.
  /// - Returns: What the operation returned, or the fallback.
  /// - Throws: The cancellation, or what the fallback threw.
  @inlinable
  public func run<T>(
    _ operation: () async throws -> T, fallback: (any Error) async throws -> T
  ) async throws -> T {
    do {
      return try await run(operation)
    } catch {
      if error.isCancellation { throw error }
      return try await fallback(error)
    }
  }

  /// Runs an operation that could be sent elsewhere, right here.
  @inlinable
  public func runSendable<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await run(operation)
  }
}

/// The policy that does nothing: what an empty pipeline consists of.
public struct PassThrough: Policy {
  /// Makes the policy that does nothing.
  @inlinable
  public init() {}

  /// Runs the operation.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await operation()
  }

  /// Runs the operation, and says how it ended.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    await operation()
  }
}
