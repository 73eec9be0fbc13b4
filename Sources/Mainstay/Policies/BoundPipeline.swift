// SPDX-License-Identifier: Apache-2.0

/// A function under a ``Pipeline``: the form to keep in a property and to hand to others.
///
/// A pipeline names all of its stages in its type; a bound one names only what goes in and what
/// comes out, so whoever calls it needs to know nothing about policies:
///
/// ```swift
/// struct Catalog { let book: BoundPipeline<String, Book> }
/// let book = try await catalog.book("978-3-16-148410-0")
/// ```
///
/// It is made by `bind` of the pipeline. It costs one closure when it is made, and what its
/// pipeline costs when it is called.
public struct BoundPipeline<Input, Output>: Sendable {
  /// The name of the pipeline.
  public let name: String

  private let call: @Sendable (Input) async throws -> Output
  private let explanation: @Sendable () -> PipelineExplanation

  init<P>(
    _ pipeline: Pipeline<P>, hasFallback: Bool = false,
    _ call: @escaping @Sendable (Input) async throws -> Output
  ) {
    name = pipeline.name
    self.call = call
    explanation = {
      PipelineExplanation(
        name: pipeline.name, summaries: pipeline.summaries, hasFallback: hasFallback,
        hasOtherClock: pipeline.reports.hasOtherClock)
    }
  }

  /// Calls the function under all stages of its pipeline, where the caller is.
  ///
  /// - Parameter input: What the function gets.
  /// - Returns: What it returned, or its fallback.
  /// - Throws: What it threw, ``Rejection`` or ``TimedOut``; with a fallback, the cancellation or
  ///   what the fallback threw.
  public func callAsFunction(_ input: Input) async throws -> Output { try await call(input) }

  /// Says what the pipeline does to a call, and what about it looks like a mistake.
  ///
  /// A fallback is the first stage, and since nothing bounds it there is no longest time.
  public func explain() -> PipelineExplanation { explanation() }
}

extension BoundPipeline where Input == Void {
  /// Calls the function under all stages of its pipeline, where the caller is.
  ///
  /// - Returns: What it returned, or its fallback.
  /// - Throws: What it threw, ``Rejection`` or ``TimedOut``; with a fallback, the cancellation or
  ///   what the fallback threw.
  public func callAsFunction() async throws -> Output { try await call(()) }
}

extension Pipeline where P: Policy {
  /// Makes a function that is always called under this pipeline.
  ///
  /// - Parameter operation: The function; what it depends on at each call is its parameter.
  /// - Returns: The function, to be stored and called like one.
  public func bind<Input, Output>(
    _ operation: @escaping @Sendable (Input) async throws -> Output
  ) -> BoundPipeline<Input, Output> {
    BoundPipeline(self) { input in try await run { try await operation(input) } }
  }

  /// Makes a function that is always called under this pipeline, and another one where it failed.
  ///
  /// - Parameters:
  ///   - operation: The function; what it depends on at each call is its parameter.
  ///   - fallback: What is called instead, outside of all stages; never for a cancellation.
  /// - Returns: The function, to be stored and called like one.
  public func bind<Input, Output>(
    _ operation: @escaping @Sendable (Input) async throws -> Output,
    fallback: @escaping @Sendable (Input, any Error) async throws -> Output
  ) -> BoundPipeline<Input, Output> {
    BoundPipeline(self, hasFallback: true) { input in
      try await run {
        try await operation(input)
      } fallback: { error in
        try await fallback(input, error)
      }
    }
  }
}

extension Pipeline {
  /// Makes a function that is always called under this pipeline, beside or beyond its caller.
  ///
  /// - Parameter operation: The function; what it depends on at each call is its parameter.
  /// - Returns: The function, to be stored and called like one.
  @_disfavoredOverload
  public func bind<Input: Sendable, Output: Sendable>(
    _ operation: @escaping @Sendable (Input) async throws -> Output
  ) -> BoundPipeline<Input, Output> {
    BoundPipeline(self) { input in try await runSendable { try await operation(input) } }
  }

  /// Makes a function that is always called under this pipeline, beside or beyond its caller, and
  /// another one where it failed.
  ///
  /// - Parameters:
  ///   - operation: The function; what it depends on at each call is its parameter.
  ///   - fallback: What is called instead, outside of all stages; never for a cancellation.
  /// - Returns: The function, to be stored and called like one.
  @_disfavoredOverload
  public func bind<Input: Sendable, Output: Sendable>(
    _ operation: @escaping @Sendable (Input) async throws -> Output,
    fallback: @escaping @Sendable (Input, any Error) async throws -> Output
  ) -> BoundPipeline<Input, Output> {
    BoundPipeline(self, hasFallback: true) { input in
      do {
        return try await runSendable { try await operation(input) }
      } catch {
        if error.isCancellation { throw error }
        return try await fallback(input, error)
      }
    }
  }
}
