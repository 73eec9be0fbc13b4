// SPDX-License-Identifier: Apache-2.0

/// What a stage learns about the pipeline that it stands in.
package struct StagePlacement: Sendable {
  /// The name of the pipeline, which names stages that have no name of their own.
  package var pipeline: String

  /// The clock of a time limit further in that enforces those further out as well, so that all
  /// limits of a pipeline share one child task per attempt; nil where there is none.
  package var timeLimitInside: Timeline?

  /// Whether a retry further out makes the attempts for those inside.
  package var isInsideRetry = false

  /// The budgets that a stage further out pays each call into.
  package var budgetsPaid: Set<ObjectIdentifier> = []

  /// The clock of the time limit that ends everything for those directly around it, with nothing
  /// between them; nil where the stage inside is something else.
  package var sharedLimitInside: Timeline?

  /// The time limits directly around, with nothing between them; the outermost first.
  package var limitsAround: [TimeLimit] = []
}

/// A stage of Mainstay's own: it can be told where it stands.
///
/// Stages that others write are opaque: a time limit outside of one is enforced right there, and
/// ``Pipeline/explain()`` says of them that it knows nothing.
package protocol PipelineStage: ConcurrentPolicy {
  /// The clock by which the stage, or one inside it, ends an operation at the active ``Deadline``.
  var timeLimit: Timeline? { get }

  /// The time limit, where the stage is one that others can share a child task with.
  var bareLimit: TimeLimit? { get }

  /// The time limits that stand innermost, with nothing between them; the outermost first.
  var limitsAtInnerEnd: [TimeLimit] { get }

  /// Whether nothing in the stage waits without heeding the active deadline.
  var heedsDeadline: Bool { get }

  /// The stages that keep state, which must not stand twice in one pipeline.
  var statefulParts: [(name: String, identity: ObjectIdentifier)] { get }

  /// What the stage does to calls, in words and numbers; several for what consists of stages, the
  /// outermost first.
  var summaries: [StageSummary] { get }

  /// Whether the stage makes the attempts for retries that stand inside of it; nil where it says
  /// nothing about that, so that those further out decide.
  ///
  /// It is false where what is inside belongs to nobody further out.
  var repeatsForThoseInside: Bool? { get }

  /// The budgets that each call has been paid into when it comes to those inside of the stage.
  ///
  /// It is asked of a stage that is placed.
  ///
  /// - Parameter around: Those that it has been paid into further out.
  /// - Returns: Those, and what the stage pays into; none where what is inside belongs to nobody
  ///   further out.
  func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier>

  /// Whether the stage remembers nothing, so that one made anew would do the same.
  ///
  /// A ``PolicyRegistry`` forgets only such stages.
  var isPristine: Bool { get }

  /// Whether what the stage remembers is of no use any more once nobody has called for long.
  var isPristineWhenIdle: Bool { get }

  /// The stage as it is inside the pipeline.
  func placed(_ placement: StagePlacement) -> Self
}

extension PipelineStage {
  package var timeLimit: Timeline? { nil }
  package var bareLimit: TimeLimit? { nil }
  package var limitsAtInnerEnd: [TimeLimit] { bareLimit.map { [$0] } ?? [] }
  package var heedsDeadline: Bool { true }
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] { [] }
  package var summaries: [StageSummary] { [.opaque(Self.self)] }
  package var repeatsForThoseInside: Bool? { nil }
  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> { around }
  package var isPristine: Bool { true }
  package var isPristineWhenIdle: Bool { isPristine }
  package func placed(_ placement: StagePlacement) -> Self { self }
}

extension PassThrough: PipelineStage {
  package var summaries: [StageSummary] { [] }
}

extension ConcurrentPolicy {
  package var asStage: (any PipelineStage)? { self as? any PipelineStage }

  package var summariesIfStage: [StageSummary] { asStage?.summaries ?? [.opaque(Self.self)] }

  /// Nothing is known about what others write; it is taken to remember nothing.
  package var isPristineIfStage: Bool { asStage?.isPristine ?? true }

  /// The same, once nobody has called for long.
  package var isPristineWhenIdleIfStage: Bool { asStage?.isPristineWhenIdle ?? true }

  func placedIfStage(_ placement: StagePlacement) -> Self {
    asStage?.placed(placement) as? Self ?? self
  }
}

extension Chain: PipelineStage {
  package var timeLimit: Timeline? { inner.asStage?.timeLimit ?? outer.asStage?.timeLimit }

  package var limitsAtInnerEnd: [TimeLimit] {
    guard let limit = inner.asStage?.bareLimit else { return inner.asStage?.limitsAtInnerEnd ?? [] }
    return (outer.asStage?.limitsAtInnerEnd ?? []) + [limit]
  }

  package var heedsDeadline: Bool {
    inner.asStage?.heedsDeadline ?? false && outer.asStage?.heedsDeadline ?? false
  }

  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    (outer.asStage?.statefulParts ?? []) + (inner.asStage?.statefulParts ?? [])
  }

  package var summaries: [StageSummary] { outer.summariesIfStage + inner.summariesIfStage }

  package var isPristine: Bool { outer.isPristineIfStage && inner.isPristineIfStage }

  package var isPristineWhenIdle: Bool {
    outer.isPristineWhenIdleIfStage && inner.isPristineWhenIdleIfStage
  }

  package var repeatsForThoseInside: Bool? {
    inner.asStage?.repeatsForThoseInside ?? outer.asStage?.repeatsForThoseInside
  }

  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    let between = outer.asStage?.budgetsPaid(around: around) ?? around
    return inner.asStage?.budgetsPaid(around: between) ?? between
  }

  package func placed(_ placement: StagePlacement) -> Chain {
    let stageInside = inner.asStage
    var outerPlacement = placement
    outerPlacement.timeLimitInside =
      stageInside?.heedsDeadline ?? false
      ? stageInside?.timeLimit ?? placement.timeLimitInside : nil
    var innerPlacement = placement
    if let limit = stageInside?.bareLimit {
      outerPlacement.sharedLimitInside = placement.sharedLimitInside ?? limit.timeline
      innerPlacement.limitsAround = outer.asStage?.limitsAtInnerEnd ?? []
    } else {
      outerPlacement.sharedLimitInside = nil
    }
    if let repeats = outer.asStage?.repeatsForThoseInside { innerPlacement.isInsideRetry = repeats }
    let placedOuter = outer.placedIfStage(outerPlacement)
    innerPlacement.budgetsPaid =
      placedOuter.asStage?.budgetsPaid(around: placement.budgetsPaid) ?? placement.budgetsPaid
    return Chain(outer: placedOuter, inner: inner.placedIfStage(innerPlacement))
  }
}
