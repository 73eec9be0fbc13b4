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
}

extension Policy {
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
}
