// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The newest breadcrumbs: of the whole process, or of one piece of work in it.
///
/// Those that captured errors leave stand in a ring of their own, so that a storm of errors pushes
/// out no more than a tenth of what the app has said. A trail of one breadcrumb has none of them.
package final class BreadcrumbTrail: Sendable {
  private struct Step: Sendable {
    let number: UInt64
    let breadcrumb: ErrorReport.Breadcrumb
    /// The failure that has left it; nil where the app has.
    var error: UUID?
  }

  private struct State: Sendable {
    var steps: RecentRing<Step>
    var errors: RecentRing<Step>
    var nextNumber: UInt64 = 0
    /// What both hold, for as long as nothing is added: reports share it.
    var snapshot: [ErrorReport.Breadcrumb]? = []

    mutating func number() -> UInt64 {
      nextNumber += 1
      snapshot = nil
      return nextNumber
    }

    func oldestFirst(_ capacity: Int, besides id: UUID? = nil) -> [ErrorReport.Breadcrumb] {
      let (steps, errors) = (self.steps.oldestFirst, self.errors.oldestFirst)
      var all: [Step] = []
      all.reserveCapacity(steps.count + errors.count)
      var next = 0
      for error in errors where id == nil || error.error != id {
        while next < steps.count, steps[next].number < error.number {
          all.append(steps[next])
          next += 1
        }
        all.append(error)
      }
      all += steps[next...]
      return all.suffix(capacity).map(\.breadcrumb)
    }
  }

  private let capacity: Int
  private let state: Locked<State>

  init(capacity: Int) {
    self.capacity = max(1, capacity)
    // A tenth of them: what led to an error is mostly what the app did.
    let errors = min(10, max(1, capacity / 10))
    state = Locked(
      State(steps: RecentRing(capacity: capacity), errors: RecentRing(capacity: errors)))
  }

  /// How many it holds.
  var count: Int { oldestFirst.count }

  /// What it holds, the oldest first.
  var oldestFirst: [ErrorReport.Breadcrumb] { oldestFirst(besides: nil) }

  /// What it holds besides what a failure has left itself, the oldest first.
  func oldestFirst(besides id: UUID?) -> [ErrorReport.Breadcrumb] {
    state.withLock { state in
      if let id, state.errors.newest(where: { $0.error == id }) != nil {
        return state.oldestFirst(capacity, besides: id)
      }
      if let snapshot = state.snapshot { return snapshot }
      let snapshot = state.oldestFirst(capacity)
      state.snapshot = snapshot
      return snapshot
    }
  }

  func add(_ breadcrumb: ErrorReport.Breadcrumb) {
    state.withLock { state in
      state.steps.insert(Step(number: state.number(), breadcrumb: breadcrumb))
    }
  }

  /// Adds what an error leaves, once for each failure.
  func add(_ breadcrumb: ErrorReport.Breadcrumb, of id: UUID) {
    guard capacity > 1 else { return }
    state.withLock { state in
      guard state.errors.newest(where: { $0.error == id }) == nil else { return }
      state.errors.insert(Step(number: state.number(), breadcrumb: breadcrumb, error: id))
    }
  }
}

/// Knows the trail of the work that this task does, where it has one of its own.
final class TrailScope: Sendable {
  @TaskLocal static var innermost: TrailScope?

  let monitor: ErrorMonitor
  let trail: BreadcrumbTrail
  /// The one around it, which may be of another monitor.
  let outer: TrailScope?

  init(_ monitor: ErrorMonitor, _ trail: BreadcrumbTrail) {
    self.monitor = monitor
    self.trail = trail
    outer = Self.innermost
  }

  /// The innermost trail of a monitor; nil where this task has none of its own.
  static func trail(of monitor: ErrorMonitor) -> BreadcrumbTrail? {
    var place = innermost
    while let scope = place {
      if scope.monitor === monitor { return scope.trail }
      place = scope.outer
    }
    return nil
  }
}
