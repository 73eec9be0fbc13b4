// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

/// Tells the log and the monitor what was wrong when an outbox was opened: whoever opens it need
/// not look, and nothing tells of it later.
struct OpeningReports {
  private let logger: Logger
  private let monitor: ErrorMonitor?

  /// Makes one.
  ///
  /// - Parameters:
  ///   - logger: Where losses are written at `error`, and what may harm the file at `warning`.
  ///   - monitor: Who is handed the losses; nil for nobody.
  init(_ logger: Logger, monitor: ErrorMonitor?) {
    (self.logger, self.monitor) = (logger, monitor)
  }

  /// Tells what is wrong.
  func tell(_ report: OpeningReport) {
    logger.write(report)
    if let salvage = report.salvage {
      let missing = salvage.missing.map(String.init) ?? "unknown"
      capture(
        OutboxError(
          .corrupted,
          details: "What could be read was saved; missing: \(missing). The damaged file is kept: "
            + salvage.movedTo.joined(separator: ", ")),
        ["missing": .public(missing)], group: "outbox.salvaged")
    }
    if !report.isBalanced {
      capture(
        OutboxError(.corrupted, details: "The ledger does not balance."), [:],
        group: "outbox.unbalanced")
    }
  }

  private func capture(
    _ error: OutboxError, _ metadata: [String: ErrorReport.Attachment], group: String
  ) {
    monitor?.capture(
      error.appError, during: "open", category: "outbox", metadata: metadata, severity: .error,
      group: group)
  }
}
