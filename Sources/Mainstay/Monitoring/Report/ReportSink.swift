// SPDX-License-Identifier: Apache-2.0

/// Where reports go: a log, a service for analytics, a service for crashes, a folder on disk.
///
/// The monitor hands over batches, one at a time, in a task of the sink's own: a sink that takes
/// long, or never answers, holds up nobody, and what waits for it is bounded. What it is handed has
/// been redacted, and the person has agreed to what it is for.
public protocol ReportSink: Sendable {
  /// The name under which the ledger counts what became of the reports; one for each sink of a
  /// monitor.
  var name: String { get }

  /// What it is for, which decides what it is handed; the default is analytics.
  var purpose: ErrorReport.Purpose { get }

  /// Takes a batch.
  ///
  /// Errors that are captured meanwhile are counted and not reported. What a task that it leaves
  /// behind captures afterwards is reported like any other: one that sends must be waited for.
  ///
  /// - Parameter batch: At least one report, recovery or update.
  /// - Returns: What became of all its reports.
  func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome

  /// Drops what it keeps and has not sent, since the person does not agree, or no longer, to what
  /// it is for; the default does nothing, which is right for a sink that keeps nothing.
  ///
  /// It is called when consent is withdrawn, also for what was kept by an earlier process: when a
  /// monitor is made without it. It is never called while a batch is being taken, and no batch is
  /// handed over before it returns.
  func withdraw() async

  /// What became of the reports that it accepted, where it keeps them itself before it sends them;
  /// nil, the default, where an accepted report was sent.
  var books: ErrorMonitor.Ledger.Books? { get }
}

extension ReportSink {
  /// Analytics.
  public var purpose: ErrorReport.Purpose { .analytics }

  /// Nothing is kept, so nothing is dropped.
  public func withdraw() async {}

  /// An accepted report was sent.
  public var books: ErrorMonitor.Ledger.Books? { nil }
}

extension ErrorReport {
  /// What a sink is for.
  public enum Purpose: String, Sendable, Hashable, Codable, CaseIterable {
    /// The logs of the app or service itself; handed everything, always.
    case log
    /// Learning how the app is used and fails; handed everything, once the person has agreed.
    case analytics
    /// Learning of crashes and of data in danger; handed ``ErrorReport/isCritical`` reports, unless
    /// the person has forbidden it.
    case crashes
  }

  /// What is sent at once.
  public struct Batch: Sendable {
    /// Reports, the oldest first.
    public let reports: [ErrorReport]
    /// Each attempt to recover from errors that were reported, or counted with one that was; the
    /// newest 64 of those that came since the last batch that it took.
    public let recoveries: [Recovery]
    /// Reports of earlier batches as they are now, since somebody saw them or tried to recover
    /// since: with ``ErrorReport/presentation``, ``ErrorReport/recovery`` or both, each once.
    public let updates: [ErrorReport]
    /// How many reports that were meant for the sink were dropped before they came to it, since the
    /// last batch that it took, by reason; what was dropped for all sinks is not among them.
    public let losses: [DropReason: Int]
    /// How many attempts to recover came besides those in ``recoveries``, for which there was no
    /// room; zero or more.
    public let lostRecoveries: Int

    /// Makes a batch.
    public init(
      reports: [ErrorReport], recoveries: [Recovery] = [], updates: [ErrorReport] = [],
      losses: [DropReason: Int] = [:], lostRecoveries: Int = 0
    ) {
      self.reports = reports
      self.recoveries = recoveries
      self.updates = updates
      self.losses = losses
      self.lostRecoveries = lostRecoveries
    }
  }

  /// What became of the reports of a batch.
  public enum SendOutcome: Sendable, Hashable {
    /// The sink has taken them over.
    case accepted
    /// They will never be accepted, for this reason.
    case rejected(DropReason = .rejected)
    /// They are handed over again, after the hint where there is one.
    case later(after: Duration? = nil)
  }
}
