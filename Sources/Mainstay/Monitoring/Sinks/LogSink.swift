// SPDX-License-Identifier: Apache-2.0

public import Logging

extension ErrorReport {
  /// Writes reports, recoveries and what a person saw to swift-log.
  ///
  /// The message is operation and code, which are few and the same in every language; what differs
  /// stands in the metadata. The error itself is handed over as a ``RecordedError`` by swift-log's
  /// parameter `error:`, of which its own handler makes `error.type` and `error.message`.
  ///
  /// | Metadata | Holds |
  /// |---|---|
  /// | `error.code`, `error.kind`, `error.disposition` | the stable names |
  /// | `exception.type` | the type that was thrown |
  /// | `fingerprint`, `report` | the group, and the identity of the failure, in small letters |
  /// | `time` | when it was made, in UTC |
  /// | `operation`, `category`, `site` | what was being done, where |
  /// | `text`, `suggestion` | what it means, and what the person can do, in English |
  /// | `suppressed` | how many of the group were not told before |
  /// | `presentation.style`, `.title`, `.action` | what a person saw, and what they chose |
  /// | `trace_id`, `span_id` | where ``Trace/identifiers`` stand in the report |
  /// | `metadata.…` | the other technical values of the report |
  ///
  /// File, function and line are those of the report, and the source is its module.
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
      if batch.lostRecoveries > 0 {
        logger.log(
          level: min(.warning, maximumLevel), "recoveries were not written, for want of room",
          metadata: ["count": "\(batch.lostRecoveries)"])
      }
      for report in batch.updates { writePresentation(of: report) }
      return .accepted
    }

    private func write(_ report: ErrorReport) {
      let level = min(report.severity.logLevel, maximumLevel)
      guard level >= logger.logLevel else { return }
      var values: Logger.Metadata = [
        "error.code": "\(report.code)", "error.kind": "\(report.kind)",
        "error.disposition": "\(report.disposition)", "exception.type": "\(report.type)",
        "fingerprint": "\(report.fingerprint)", "report": .string("\(report.id)".lowercased()),
        "time": "\(WireTime.iso(report.time))", "site": "\(report.site)",
        "text": "\(report.message)",
      ]
      if let suggestion = report.suggestion { values["suggestion"] = "\(suggestion)" }
      if let operation = report.operation { values["operation"] = "\(operation)" }
      if let category = report.category { values["category"] = "\(category)" }
      if let suppressed = report.suppressed { values["suppressed"] = "\(suppressed.count)" }
      values.merge(Self.metadata(report.presentation)) { $1 }
      // The task that captured it is left behind, and with it what a provider of metadata knows.
      let isTraced = report.trace != nil
      for (key, value) in report.metadata {
        let isOfTrace = isTraced && (key == Trace.traceKey || key == Trace.spanKey)
        values[isOfTrace ? key : "metadata.\(key)"] = "\(value)"
      }
      let site = report.site
      logger.log(
        level: level, "\(report.operation ?? "operation") failed: \(report.code)",
        error: RecordedError(
          type: report.type, code: report.code.rawValue, text: report.details ?? ""),
        metadata: values, source: site.module, file: site.fileID, function: site.function,
        line: UInt(clamping: site.line))
    }

    private static func metadata(_ presentation: Presentation?) -> Logger.Metadata {
      guard let presentation else { return [:] }
      var values: Logger.Metadata = ["presentation.style": "\(presentation.style)"]
      if let key = presentation.titleKey { values["presentation.title"] = "\(key)" }
      if let action = presentation.action { values["presentation.action"] = "\(action.rawValue)" }
      return values
    }

    private func writePresentation(of report: ErrorReport) {
      let level = min(Logger.Level.info, maximumLevel)
      guard level >= logger.logLevel, let presentation = report.presentation else { return }
      var values: Logger.Metadata = [
        "error.code": "\(report.code)", "fingerprint": "\(report.fingerprint)",
        "report": .string("\(report.id)".lowercased()),
      ]
      if let time = presentation.time { values["time"] = "\(WireTime.iso(time))" }
      if let operation = report.operation { values["operation"] = "\(operation)" }
      values.merge(Self.metadata(presentation)) { $1 }
      logger.log(
        level: level, "\(report.operation ?? "operation") was shown: \(report.code)",
        metadata: values, source: report.site.module, file: report.site.fileID,
        function: report.site.function, line: UInt(clamping: report.site.line))
    }

    private func write(_ recovery: ErrorReport.Recovery) {
      let level = min(recovery.succeeded ? Logger.Level.info : .warning, maximumLevel)
      guard level >= logger.logLevel else { return }
      var values: Logger.Metadata = [
        "error.code": "\(recovery.code)", "exception.type": "\(recovery.type)",
        "fingerprint": "\(recovery.fingerprint)", "report": .string("\(recovery.id)".lowercased()),
        "time": "\(WireTime.iso(recovery.time))", "succeeded": "\(recovery.succeeded)",
      ]
      if let action = recovery.action { values["action"] = "\(action.rawValue)" }
      if let operation = recovery.operation { values["operation"] = "\(operation)" }
      let outcome = recovery.succeeded ? "recovered" : "did not recover"
      logger.log(
        level: level, "\(recovery.operation ?? "operation") \(outcome): \(recovery.code)",
        metadata: values)
    }
  }
}

extension SourceSite {
  /// The module, which stands before the file; nil where none does.
  fileprivate var module: String? {
    fileID.firstIndex(of: "/").map { String(fileID[..<$0]) }
  }
}
