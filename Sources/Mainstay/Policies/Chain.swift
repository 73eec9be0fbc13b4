// SPDX-License-Identifier: Apache-2.0

/// Two policies, one around the other; what a ``Pipeline`` is built of.
///
/// It is a ``Policy`` where both of its parts are, so a pipeline stays with its caller unless one
/// of its stages cannot.
public struct Chain<Outer: ConcurrentPolicy, Inner: ConcurrentPolicy>: ConcurrentPolicy {
  @usableFromInline let outer: Outer
  @usableFromInline let inner: Inner

  @usableFromInline
  init(outer: Outer, inner: Inner) {
    self.outer = outer
    self.inner = inner
  }

  /// Runs an operation under the inner policy, and that under the outer one.
  @inlinable
  public func runSendable<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let inner = inner
    return try await outer.runSendable({ try await inner.runSendable(operation) })
  }
}

extension Chain: Policy where Outer: Policy, Inner: Policy {
  /// Runs an operation under the inner policy, and that under the outer one.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await outer.run { try await inner.run(operation) }
  }

  /// Runs an operation under the inner policy, and that under the outer one, and says how it ended.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    await outer.outcome(of: { await inner.outcome(of: operation) })
  }
}

/// Puts the stages of a ``Pipeline`` together; the first listed is the outermost.
@resultBuilder
public enum PipelineBuilder {
  /// A pipeline without stages.
  public static func buildBlock() -> PassThrough { PassThrough() }

  /// The first, outermost stage.
  public static func buildPartialBlock<P: ConcurrentPolicy>(first: P) -> P { first }

  /// The stages so far, with one more inside.
  public static func buildPartialBlock<Outer: ConcurrentPolicy, Inner: ConcurrentPolicy>(
    accumulated: Outer, next: Inner
  ) -> Chain<Outer, Inner> {
    Chain(outer: accumulated, inner: next)
  }
}
