// SPDX-License-Identifier: Apache-2.0

/// A time limit where it stands: limits with nothing between them share one child task.
///
/// Such limits begin at the same moment, so the one that is shortest then ends first. The innermost
/// runs it for all, and the others do nothing.
@usableFromInline
struct PlacedLimit: Sendable {
  @usableFromInline
  enum Way: Sendable {
    /// The operation is ended here.
    case enforced
    /// What is inside is told of the limit, and a stage further in ends the operation.
    case announced
    /// What is inside ends by itself in time.
    case heeded
    /// The operation is ended here, once no part of it has gone or come for so long.
    case patient(silence: Duration)
    /// The limit directly inside does it all.
    case left
  }

  private let own: TimeLimit
  /// The limits directly around that it runs as well, the innermost first.
  private let others: [TimeLimit]
  @usableFromInline let way: Way

  /// A limit outside of pipelines.
  init(alone limit: TimeLimit, _ way: Way = .enforced) {
    own = limit
    others = []
    self.way = way
  }

  /// A limit in a pipeline.
  ///
  /// - Parameters:
  ///   - own: The limit.
  ///   - placement: Where it stands.
  ///   - way: How it is kept where it is up to this one to end the operation.
  init(_ own: TimeLimit, _ placement: StagePlacement, _ way: Way = .enforced) {
    func isOnSameClock(_ other: Timeline?) -> Bool {
      other?.isComparable(to: own.timeline) ?? false
    }
    guard !isOnSameClock(placement.sharedLimitInside) else {
      self.own = own
      others = []
      self.way = .left
      return
    }
    let around = placement.limitsAround.filter { isOnSameClock($0.timeline) }
    self.own = own.named(ifNone: placement.pipeline)
    others = around.reversed().map { $0.named(ifNone: placement.pipeline) }
    // One that bounds an attempt ends it, whatever is inside.
    let areAllTotal = own.scope == .total && around.allSatisfy { $0.scope == .total }
    if areAllTotal && isOnSameClock(placement.timeLimitInside) {
      self.way = .announced
    } else {
      self.way = way
    }
  }

  /// The limit that ends first, by the settings of this moment; of limits that are alike, the one
  /// further in names itself.
  @usableFromInline
  var limit: TimeLimit {
    if others.isEmpty { return own }
    return others.reduce(own) { $1.duration < $0.duration ? $1 : $0 }
  }

  /// Whether one of those that it runs says that a call may have had its effect.
  @usableFromInline
  var leavesOutcomeUnknown: Bool {
    own.terms.leavesOutcomeUnknown || others.contains { $0.terms.leavesOutcomeUnknown }
  }

  /// Runs an operation under the limit.
  @inlinable
  func run<T>(_ operation: () async throws -> T) async throws -> T {
    switch way {
    case .enforced: try await limit.enforce(leavesOutcomeUnknown, operation)
    case .announced: try await limit.announce(leavesOutcomeUnknown, operation)
    case .heeded: try await limit.trust(leavesOutcomeUnknown, operation)
    case .patient(let silence):
      try await limit.enforce(movingBy: silence, leavesOutcomeUnknown, operation)
    case .left: try await operation()
    }
  }
}
