// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport {
  /// Writes reports into a file, one line of JSON each, as ``Encoding/json`` does.
  ///
  /// Recoveries are lines with the one member `recovery`. What a person saw of an earlier report
  /// are lines with `presentation` and the identity of the `report`.
  ///
  /// The file is bounded: when it is full it becomes `errors.jsonl.1`, what was `.1` becomes `.2`,
  /// and the last one is deleted. It can be read by its owner alone (0600). When somebody moves or
  /// deletes it, a new one is begun. A line that a crash has cut short is ended before the next one
  /// is written. A batch is written wholly or taken back, and where it cannot be written the
  /// monitor keeps it and tries again. A critical report is the next that is written; where the
  /// sink is made for crashes, capturing it waits for that. One process writes to one file.
  public final class FileSink: ReportSink {
    /// When what was written is forced onto the disk, so that it survives a loss of power; a crash
    /// of the process it survives anyway.
    public enum Forcing: Sendable, Hashable {
      /// Whenever the system sees fit.
      case never
      /// After batches with critical reports.
      case critical
      /// After every batch.
      case always
    }

    /// The name.
    public let name: String
    /// What it is for.
    public let purpose: ErrorReport.Purpose
    /// The file that is written to.
    public let url: URL

    package let writesCriticalAtOnce: Bool
    private let forcing: Forcing
    private let writer: LineFile

    /// Makes a sink; it creates nothing before the first report.
    ///
    /// - Parameters:
    ///   - url: The file, such as `errors.jsonl`, in a folder that exists.
    ///   - name: The name in the ledger.
    ///   - purpose: What it is for; the default is the log.
    ///   - maximumBytes: How long the file grows; 4,096 or more, the default is 5 MB. A single
    ///     batch may pass it.
    ///   - maximumFiles: How many files there are, with the one that is written to; 1 or more, the
    ///     default is 3.
    ///   - forcing: When what was written is forced onto the disk; the default is `critical`.
    ///   - writesCriticalAtOnce: Whether `capture` returns only when a critical report is in the
    ///     file, so that it is there though the process ends at once. The default, nil, is true for
    ///     crashes and false for all else, where capturing never waits.
    public init(
      _ url: URL, name: String = "file", purpose: ErrorReport.Purpose = .log,
      maximumBytes: Int = 5_000_000, maximumFiles: Int = 3, forcing: Forcing = .critical,
      writesCriticalAtOnce: Bool? = nil
    ) {
      precondition(
        maximumBytes >= 4_096,
        "FileSink(maximumBytes: \(maximumBytes)) is not legal: it must be 4096 or more")
      precondition(
        maximumFiles >= 1,
        "FileSink(maximumFiles: \(maximumFiles)) is not legal: it must be 1 or more")
      self.url = url
      self.name = name
      self.purpose = purpose
      self.forcing = forcing
      self.writesCriticalAtOnce = writesCriticalAtOnce ?? (purpose == .crashes)
      writer = LineFile(path: url.path, maximumBytes: maximumBytes, maximumFiles: maximumFiles)
    }

    /// Writes a batch.
    ///
    /// - Returns: `later` where it could not be written, such as on a full disk.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      var lines: [Data] = batch.reports.map { Encoding.json.body(of: $0) }
      lines += batch.recoveries.compactMap { ReportCoding.line(RecoveryLine(recovery: $0)) }
      lines += batch.updates.compactMap { report in
        report.presentation.flatMap {
          ReportCoding.line(PresentationLine(report: report.id, presentation: $0))
        }
      }
      let forces = forces(batch.reports)
      return await writer.append(lines, forces: forces) ? .accepted : .later()
    }

    private func forces(_ reports: [ErrorReport]) -> Bool {
      switch forcing {
      case .never: false
      case .critical: reports.contains(where: \.isCritical)
      case .always: true
      }
    }
  }
}

extension ErrorReport.FileSink: KeepingSink {
  func keepAtOnce(
    _ report: ErrorReport, waits: Bool, _ done: @escaping @Sendable (_ isTaken: Bool) -> Void
  ) {
    let forces = forces([report])
    if waits {
      done(writer.appendNow([ErrorReport.Encoding.json.body(of: report)], forces: forces))
    } else {
      writer.appendSoon(forces: forces, { ErrorReport.Encoding.json.body(of: report) }, done)
    }
  }

  // What was written was handed to its reader, and nothing waits here.
  func hold() {}

  func endHold() {}

  func suspend() -> Bool { false }

  func endSuspension() {}
}
