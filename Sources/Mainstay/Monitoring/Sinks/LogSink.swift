// SPDX-License-Identifier: Apache-2.0

public import Logging

extension ErrorReport {
  /// Writes reports and recoveries to swift-log.
  ///
  /// The message is operation and code, which are few and the same in every language; what differs
  /// stands in the metadata. The error itself is handed over as a ``RecordedError`` by swift-log's
  /// parameter `error:`, of which its own handler makes `error.type` and `error.message`.
  ///
  /// | Metadata | Holds |
  /// |---|---|
  /// | `error.code`, `error.kind`, `error.disposition` | the stable names |
  /// | `exception.type` | the type that was thrown |
  /// | `fingerprint`, `report` | the group, and the identity of the failure |
  /// | `time` | when it was made, in UTC |
  /// | `operation`, `category`, `site` | what was being done, where |
  /// | `text` | what it means, in English |
  /// | `suppressed` | how many of the group were not told before |
  /// | `metadata.…` | the technical values of the report |
  public struct LogSink: ReportSink {
    /// The name.
    public let name: String
    /// Its own logs: handed everything.
    public var purpose: ErrorReport.Purpose { .log }

    private let logger: Logger
    private let maximumLevel: Logger.Level

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - logger: Where to write; the default has the label `mainstay.errors`.
    ///   - name: The name in the ledger.
    ///   - maximumLevel: What is worse is written as this; the default is `critical`, as it is. A
    ///     library says `info`, since how bad it is, the app decides.
    public init(
      _ logger: Logger = Logger(label: "mainstay.errors"), name: String = "log",
      maximumLevel: Logger.Level = .critical
    ) {
      self.logger = logger
      self.name = name
      self.maximumLevel = maximumLevel
    }

    /// Writes a batch.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      for report in batch.reports { write(report) }
      for recovery in batch.recoveries { write(recovery) }
      return .accepted
    }

    private func write(_ report: ErrorReport) {
      let level = min(report.severity.logLevel, maximumLevel)
      guard level >= logger.logLevel else { return }
      var values: Logger.Metadata = [
        "error.code": "\(report.code)", "error.kind": "\(report.kind)",
        "error.disposition": "\(report.disposition)", "exception.type": "\(report.type)",
        "fingerprint": "\(report.fingerprint)", "report": "\(report.id)",
        "time": "\(WireTime.iso(report.time))", "site": "\(report.site)",
        "text": "\(report.message)",
      ]
      if let operation = report.operation { values["operation"] = "\(operation)" }
      if let category = report.category { values["category"] = "\(category)" }
      if let suppressed = report.suppressed { values["suppressed"] = "\(suppressed.count)" }
      for (key, value) in report.metadata { values["metadata.\(key)"] = "\(value)" }
      logger.log(
        level: level, "\(report.operation ?? "operation") failed: \(report.code)",
        error: RecordedError(
          type: report.type, code: report.code.rawValue, text: report.details ?? ""),
        metadata: values)
    }

    private func write(_ recovery: ErrorReport.Recovery) {
      let level = min(recovery.succeeded ? Logger.Level.info : .warning, maximumLevel)
      guard level >= logger.logLevel else { return }
      var values: Logger.Metadata = [
        "error.code": "\(recovery.code)", "exception.type": "\(recovery.type)",
        "fingerprint": "\(recovery.fingerprint)", "report": "\(recovery.id)",
        "time": "\(WireTime.iso(recovery.time))", "succeeded": "\(recovery.succeeded)",
      ]
      if let action = recovery.action { values["action"] = "\(action)" }
      if let operation = recovery.operation { values["operation"] = "\(operation)" }
      let outcome = recovery.succeeded ? "recovered" : "did not recover"
      logger.log(
        level: level, "\(recovery.operation ?? "operation") \(outcome): \(recovery.code)",
        metadata: values)
    }
  }
}
