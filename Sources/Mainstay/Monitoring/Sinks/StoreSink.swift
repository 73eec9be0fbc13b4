// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ErrorReport {
  /// Keeps reports in a ``ReportStore``, which sends them when that is possible.
  ///
  /// A report is on the disk when the monitor lets go of it, and the monitor's ledger says what the
  /// store's ledger says: sent means that the service has answered. A critical one is the next that
  /// is written, whatever waits; where the sink is made for crashes, capturing it waits for that.
  ///
  /// What a person saw and did of a report that was handed over before follows it, for
  /// ``Encoding/otlp`` and ``Encoding/json``: Sentry never changes an event. How many reports were
  /// lost, Sentry is told with the next ones. Both are sent from memory, when no report is left to
  /// be sent: they count as no report, and end with the process.
  public struct StoreSink: ReportSink {
    /// The name.
    public let name: String
    /// What it is for.
    public let purpose: ErrorReport.Purpose

    private let store: ReportStore
    private let encoding: Encoding
    package let writesCriticalAtOnce: Bool
    private let untold = LossBook()

    /// Makes a sink, and returns when the store has opened its folder: a monitor that is made
    /// afterwards knows what was found there.
    ///
    /// - Parameters:
    ///   - store: Where reports are kept; run it with ``ReportStore/run()``, and hand it to no
    ///     other sink.
    ///   - encoding: How they are written.
    ///   - name: The name in the ledger.
    ///   - purpose: What it is for; the default is analytics.
    ///   - writesCriticalAtOnce: Whether `capture` returns only when a critical report is on the
    ///     disk, so that it is there though the process ends at once. The default, nil, is true for
    ///     crashes and false for all else, where capturing never waits.
    public init(
      _ store: ReportStore, as encoding: Encoding, name: String,
      purpose: ErrorReport.Purpose = .analytics, writesCriticalAtOnce: Bool? = nil
    ) async {
      self.store = store
      self.encoding = encoding
      self.name = name
      self.purpose = purpose
      self.writesCriticalAtOnce = writesCriticalAtOnce ?? (purpose == .crashes)
      _ = await store.status  // waits for the folder
    }

    /// Keeps a batch; what becomes of it, the books say.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      for (index, report) in batch.reports.enumerated() {
        guard !store.isHeld else {
          await store.withhold(batch.reports.count - index, category: encoding.category)
          break
        }
        await store.keep(encoding.record(of: report))
      }
      tell(batch)
      return .accepted
    }

    /// Tells the service what belongs to no report of the batch.
    private func tell(_ batch: ErrorReport.Batch) {
      func note(
        _ name: String?, _ category: String, _ body: @escaping @Sendable () -> Data?
      ) -> ReportStore.Note {
        .init(name: name, contentType: encoding.contentType, category: category, body: body)
      }
      if let updates = encoding.updates, !batch.updates.isEmpty {
        store.tell(note(nil, encoding.category) { updates(batch.updates) })
      }
      guard let losses = encoding.losses else { return }
      untold.add(batch.losses)
      guard untold.holdsAny(besides: Self.books(of: store).delivery.dropped) else { return }
      store.tell(
        // Weak: the store holds the note.
        note("losses", "internal") { [weak store, untold] in
          guard let store else { return nil }
          let own = Self.books(of: store).delivery.dropped
          return losses(untold.take(besides: own), store.timeOfDay())
        })
    }

    /// Drops all that waits in the store, counted as `withheld`.
    public func withdraw() async { await store.discard() }

    /// What the store says about what it found and was handed.
    public var books: ErrorMonitor.Ledger.Books? { Self.books(of: store) }

    private static func books(of store: ReportStore) -> ErrorMonitor.Ledger.Books {
      let books = store.books
      var own = ErrorMonitor.Ledger.Books(
        inherited: books.inherited, delivery: delivery(in: books.since))
      let now = books.before.adding(books.since)
      own.before = .init(accepted: books.before.captured, delivery: delivery(in: books.before))
      own.now = .init(accepted: now.captured, delivery: delivery(in: now))
      return own
    }

    private static func delivery(
      in ledger: ReportStore.Ledger
    ) -> ErrorMonitor.Ledger.Delivery {
      var delivery = ErrorMonitor.Ledger.Delivery()
      delivery.sent = ledger.sent
      for reason in ledger.dropped.keys {
        let count = ledger.dropped(reason)
        if count > 0 { delivery.dropped[.init(reason.rawValue), default: 0] += count }
      }
      if ledger.quarantined > 0 { delivery.dropped[.init("quarantined")] = ledger.quarantined }
      return delivery
    }
  }
}

/// What was lost and not told so far: on the way to a store, and by the store.
private final class LossBook: Sendable {
  private struct State {
    var losses: [ErrorReport.DropReason: Int] = [:]
    /// What the store had lost when that was told.
    var told: [ErrorReport.DropReason: Int] = [:]

    func all(besides own: [ErrorReport.DropReason: Int]) -> [ErrorReport.DropReason: Int] {
      let new = own.merging(told) { $0 - $1 }.filter { $1 > 0 && own[$0] != nil }
      return losses.merging(new, uniquingKeysWith: +)
    }
  }

  private let state = Locked(State())

  func add(_ losses: [ErrorReport.DropReason: Int]) {
    state.withLock { $0.losses.merge(losses, uniquingKeysWith: +) }
  }

  func holdsAny(besides own: [ErrorReport.DropReason: Int]) -> Bool {
    state.withLock { !$0.all(besides: own).isEmpty }
  }

  /// All that was not told so far; it is told then.
  ///
  /// - Parameter own: What the store has lost.
  /// - Returns: How many were lost, by reason.
  func take(besides own: [ErrorReport.DropReason: Int]) -> [ErrorReport.DropReason: Int] {
    state.withLock { state in
      let all = state.all(besides: own)
      (state.losses, state.told) = ([:], own)
      return all
    }
  }
}

/// A sink that keeps reports itself: it can keep one besides the batch that it is handed, and can
/// be held at once.
protocol KeepingSink: ReportSink {
  /// Whether whoever captures a critical report waits for the disk.
  var writesCriticalAtOnce: Bool { get }

  /// Keeps a report before all that is handed over later.
  ///
  /// It is asked outside of all locks and while the caller waits.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - waits: Whether it is on the disk when this returns.
  ///   - done: Called when it was taken over, with true, or could not be written.
  func keepAtOnce(
    _ report: ErrorReport, waits: Bool, _ done: @escaping @Sendable (_ isTaken: Bool) -> Void)

  /// Sends and keeps nothing more, from when this returns: consent was withdrawn, and
  /// ``withdraw()`` will be called.
  func hold()

  /// Goes on; called once for each ``hold()``.
  func endHold()

  /// Sends nothing more, but keeps what it is handed: nobody has said yet whether it may be sent.
  ///
  /// - Returns: False where what it keeps is as good as sent, so that it must be handed nothing.
  func suspend() -> Bool

  /// Sends again; called once for each ``suspend()`` that was true.
  func endSuspension()
}

extension ErrorReport.StoreSink: KeepingSink {
  func keepAtOnce(
    _ report: ErrorReport, waits: Bool, _ done: @escaping @Sendable (_ isTaken: Bool) -> Void
  ) {
    // The store counts what becomes of it, also where its folder cannot be written.
    if waits {
      store.keepNow(encoding.record(of: report))
      done(true)
    } else {
      store.keepSoon({ [encoding] in encoding.record(of: report) }, { done(true) })
    }
  }

  func hold() { store.hold() }

  func endHold() { store.endHold() }

  func suspend() -> Bool {
    store.suspend()
    return true
  }

  func endSuspension() { store.endSuspension() }
}

extension ErrorReport.Encoding {
  /// A report as a store keeps it, with a shorter form where there is one.
  ///
  /// - Parameter report: The report.
  /// - Returns: The record.
  public func record(of report: ErrorReport) -> ReportStore.Record {
    let trimmed = report.trimmed
    return ReportStore.Record(
      id: report.id, time: report.time, severity: report.severity, category: category,
      fingerprint: report.fingerprint.description, contentType: contentType,
      body: body(of: report), trimmed: trimmed == report ? nil : body(of: trimmed))
  }
}
