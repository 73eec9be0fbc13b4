// SPDX-License-Identifier: Apache-2.0

extension Coalesce {
  /// A stage of a pipeline whose calls are all about the same thing, such as a token that is
  /// refreshed.
  ///
  /// Where the key differs from call to call, put ``run(_:_:)`` around the pipeline instead: it is
  /// known at the call, not where the pipeline is made.
  ///
  /// - Parameter key: The key of all calls.
  /// - Returns: The stage; calls through it and calls of `run` with this key share their runs.
  public func keyed(_ key: Key) -> Keyed { Keyed(coalesce: self, key: key) }

  /// A stage of a pipeline whose calls all have one key; made by ``Coalesce/keyed(_:)``.
  public struct Keyed: ConcurrentPolicy {
    let coalesce: Coalesce
    let key: Key

    /// Runs an operation, or waits for the run that is on its way.
    public func runSendable<T: Sendable>(
      _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
      try await coalesce.run(key, operation)
    }
  }
}

extension Coalesce.Keyed: PipelineStage {
  // A run belongs to nobody, so no limit inside ends a caller's waiting: a limit outside is
  // enforced right there.
  package var heedsDeadline: Bool { false }

  // Nor is a run an attempt of a retry outside.
  package var repeatsForThoseInside: Bool? { false }

  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> { [] }

  package var summaries: [StageSummary] {
    [
      StageSummary(
        .coalesce, name: coalesce.name, "shares the run that is on its way for the same key",
        .refuses)
    ]
  }

  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(coalesce.name, ObjectIdentifier(coalesce))]
  }

  package var isPristine: Bool { coalesce.runCount == 0 }
}
