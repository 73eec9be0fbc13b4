// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// What becomes of a report, as the app has the last word on it: the `decide` of a monitor.
  ///
  /// ```swift
  /// ErrorMonitor(sinks: sinks, decide: { report in
  ///   report.code == "sync.conflict" ? .as(.info) : .keep
  /// })
  /// ```
  public enum Decision: Sendable, Hashable {
    /// It is kept and told as it is.
    case keep
    /// It is kept and told with this severity, from which follows, as from any other, whether it
    /// is ``ErrorReport/isCritical``.
    case `as`(Severity)
    /// Nobody is told, and the history does not have it: its group counts it, and the ledger by
    /// this reason.
    ///
    /// Of an app's own reasons the first 16 are told apart, the others count as `other`.
    case drop(ErrorReport.DropReason)
  }
}
