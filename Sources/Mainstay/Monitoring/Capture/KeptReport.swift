// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A report that stands in the history and in queues at once, so that what is learned of it later
/// is known wherever it still waits.
final class KeptReport: Sendable {
  private struct State {
    var report: ErrorReport
    /// The lanes whose sinks have it as it was.
    var handedTo: Set<Int> = []
  }

  let id: UUID
  let fingerprint: Fingerprint
  let severity: Severity
  let isCritical: Bool
  private let state: Locked<State>

  init(_ report: ErrorReport) {
    id = report.id
    fingerprint = report.fingerprint
    severity = report.severity
    isCritical = report.isCritical
    state = Locked(State(report: report))
  }

  /// The report as it is now.
  var report: ErrorReport { state.withLock { $0.report } }

  /// The report as it is now, for the sink of a lane.
  func handOver(to lane: Int) -> ErrorReport {
    state.withLock { state in
      state.handedTo.insert(lane)
      return state.report
    }
  }

  /// Something was learned of it.
  ///
  /// - Returns: The lanes whose sinks have it without that.
  func update(_ change: (inout ErrorReport.Fields) -> Void) -> Set<Int> {
    state.withLock { state in
      change(&state.report.fields)
      return state.handedTo
    }
  }
}

/// What a sink is told besides new reports: only the newest few.
struct SequelBook {
  /// What is told at once.
  struct Sequels {
    var recoveries: [ErrorReport.Recovery] = []
    var updated: [KeptReport] = []
    /// How many recoveries there was no room for.
    var lostRecoveries = 0
  }

  private var recoveries = RecentRing<ErrorReport.Recovery>(capacity: 64)
  private var updated = RecentRing<KeptReport>(capacity: 64)
  private var lostRecoveries = 0

  var isEmpty: Bool { recoveries.count == 0 && updated.count == 0 }

  mutating func add(_ recovery: ErrorReport.Recovery) {
    if recoveries.count == recoveries.capacity { lostRecoveries += 1 }
    recoveries.insert(recovery)
  }

  /// A report that the sink has is another one now; it is read when it is told.
  mutating func add(_ report: KeptReport) {
    if updated.updateNewest(where: { $0 === report }, { _ in }) == nil { updated.insert(report) }
  }

  mutating func take() -> Sequels {
    defer { removeAll() }
    return Sequels(
      recoveries: recoveries.oldestFirst, updated: updated.oldestFirst,
      lostRecoveries: lostRecoveries)
  }

  /// What was taken has to be told again, before what came since.
  mutating func putBack(_ earlier: Sequels) {
    let newer = take()
    lostRecoveries = earlier.lostRecoveries + newer.lostRecoveries
    for recovery in earlier.recoveries + newer.recoveries { add(recovery) }
    for report in earlier.updated + newer.updated { add(report) }
  }

  mutating func removeAll() {
    recoveries.removeAll()
    updated.removeAll()
    lostRecoveries = 0
  }
}
