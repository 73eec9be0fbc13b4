// SPDX-License-Identifier: Apache-2.0

/// The newest breadcrumbs: of the whole process, or of one piece of work in it.
package final class BreadcrumbTrail: Sendable {
  private struct State: Sendable {
    var ring: RecentRing<ErrorReport.Breadcrumb>
    /// What the ring holds, for as long as nothing is added: reports share it.
    var snapshot: [ErrorReport.Breadcrumb]? = []
  }

  private let state: Locked<State>

  init(capacity: Int) { state = Locked(State(ring: RecentRing(capacity: capacity))) }

  /// How many it holds.
  var count: Int { state.withLock { $0.ring.count } }

  /// What it holds, the oldest first.
  var oldestFirst: [ErrorReport.Breadcrumb] {
    state.withLock { state in
      if let snapshot = state.snapshot { return snapshot }
      let snapshot = state.ring.oldestFirst
      state.snapshot = snapshot
      return snapshot
    }
  }

  func add(_ breadcrumb: ErrorReport.Breadcrumb) {
    state.withLock { state in
      state.ring.insert(breadcrumb)
      state.snapshot = nil
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
