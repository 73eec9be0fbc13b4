// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Where the app or service tells the team what went wrong.
///
/// It is built once, when the program starts, and handed down:
///
/// ```swift
/// let monitor = ErrorMonitor(sinks: [sink], facts: ["app.version": "1.4"])
/// ```
///
/// Capturing never throws and uses a bounded amount of memory whatever it is handed. It waits for
/// nothing but sinks that were made to write critical reports at once. What is kept has been
/// redacted. Cancellations are not errors and are not kept.
public final class ErrorMonitor: Sendable {
  struct Memory: Sendable {
    var history: RecentRing<KeptReport>
    var kept = 0
    /// How many of those were counted as suppressed before.
    var closings = 0
  }

  /// The settings.
  public let configuration: Configuration
  /// What holds for the whole process, redacted.
  public let facts: [String: String]

  let mapping: ErrorMapping?
  let timeline: Timeline
  let wallClock: @Sendable () -> Date
  let enrich: (@Sendable (AppError) -> [String: ErrorReport.Attachment])?
  let decide: (@Sendable (ErrorReport) -> Decision)?
  let fingerprints = FingerprintMemo()
  let identities: [IdentityShard]
  let shards: [CaptureShard]
  let lanes: [SinkLane]
  /// The sinks that see each error, also one that is counted alone.
  let noting: [any CaptureNoting]
  let memory: Locked<Memory>
  /// The breadcrumbs of all that has no trail of its own.
  let trail: BreadcrumbTrail
  let recoveries = Locked(RecoveryBook<ErrorCode>())
  let keeper: LedgerKeeper?
  /// When what was counted and not told is told by itself; nil while there is nothing.
  let nextClosing = Locked<Duration?>(nil)
  let closingAlarm: WakeUp
  private let agreed: Locked<Consent>
  /// As it was handed over or found: what sinks find of it may come to be known later.
  private let earlier: Ledger
  private let isClosed = Atomic(false)

  /// Makes a monitor with settings that stand in the code; stops the program where they are not
  /// legal.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - sinks: Where reports go; each has a name of its own. The default is nowhere: the history
  ///     and the groups are kept all the same.
  ///   - consent: What the person has agreed to; what sinks still keep from earlier processes and
  ///     is not agreed to now is dropped, so read what was agreed before the monitor is made.
  ///   - facts: What holds for the whole process, such as the version of the app; in each report.
  ///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
  ///   - ledger: The ledger of the process before this one, where the app keeps it itself; the
  ///     monitor goes on with it, unless there is a file.
  ///   - ledgerFile: Where the ledger is kept, in a folder that exists, so that it goes on after a
  ///     restart. It is read here, which waits for the disk. It is written when something has
  ///     changed, at most each second, and by `flush` and `shutDown`. One monitor to a file; the
  ///     default, nil, is that the ledger ends with the process.
  ///   - enrich: Adds technical values to each report; called where the error is captured, outside
  ///     of all locks.
  ///   - decide: Has the last word on each report, redacted, before any sink: whether it is told,
  ///     and how bad it is. Called like `enrich`; the default is to keep them all as they are.
  ///   - clock: What limits and pauses are measured with.
  ///   - wallClock: The time of day, told to people; the default is that of the system.
  public convenience init(
    _ configuration: Configuration = Configuration(), sinks: [any ReportSink] = [],
    consent: Consent = Consent(), facts: [String: String] = [:], mapping: ErrorMapping? = nil,
    ledger: Ledger? = nil, ledgerFile: URL? = nil,
    enrich: (@Sendable (AppError) -> [String: ErrorReport.Attachment])? = nil,
    decide: (@Sendable (ErrorReport) -> Decision)? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) {
    let names = sinks.map(\.name)
    self.init(
      checked: configuration.required(sinks: names), sinks: Array(zip(names, sinks)),
      consent: consent, facts: facts, mapping: mapping, ledger: ledger, file: ledgerFile,
      probe: nil, timeline: Timeline(clock), wallClock: wallClock, enrich: enrich,
      decide: decide)
  }

  /// Makes a monitor with settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - sinks: Where reports go; each has a name of its own.
  ///   - consent: What the person has agreed to; what sinks still keep from earlier processes and
  ///     is not agreed to now is dropped.
  ///   - facts: What holds for the whole process, such as the version of the app.
  ///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
  ///   - ledger: The ledger of the process before this one, where the app keeps it itself; the
  ///     monitor goes on with it, unless there is a file.
  ///   - ledgerFile: Where the ledger is kept, in a folder that exists, so that it goes on after a
  ///     restart. It is read here, which waits for the disk. It is written when something has
  ///     changed, at most each second, and by `flush` and `shutDown`. One monitor to a file; the
  ///     default, nil, is that the ledger ends with the process.
  ///   - enrich: Adds technical values to each report.
  ///   - decide: Has the last word on each report before any sink; the default is to keep them all
  ///     as they are.
  ///   - clock: What limits and pauses are measured with.
  ///   - wallClock: The time of day, told to people; the default is that of the system.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public convenience init(
    validating configuration: Configuration, sinks: [any ReportSink] = [],
    consent: Consent = Consent(), facts: [String: String] = [:], mapping: ErrorMapping? = nil,
    ledger: Ledger? = nil, ledgerFile: URL? = nil,
    enrich: (@Sendable (AppError) -> [String: ErrorReport.Attachment])? = nil,
    decide: (@Sendable (ErrorReport) -> Decision)? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ConfigurationError) {
    let names = sinks.map(\.name)
    self.init(
      checked: try configuration.checked(sinks: names), sinks: Array(zip(names, sinks)),
      consent: consent, facts: facts, mapping: mapping, ledger: ledger, file: ledgerFile,
      probe: nil, timeline: Timeline(clock), wallClock: wallClock, enrich: enrich,
      decide: decide)
  }

  /// For tests that kill a process between two steps, or let the system refuse something.
  package convenience init(
    _ configuration: Configuration = Configuration(), sinks: [any ReportSink], consent: Consent,
    ledgerFile: URL, probe: StoreProbe, clock: some Clock<Duration> = ContinuousClock()
  ) {
    let names = sinks.map(\.name)
    self.init(
      checked: configuration.required(sinks: names), sinks: Array(zip(names, sinks)),
      consent: consent, facts: [:], mapping: nil, ledger: nil, file: ledgerFile, probe: probe,
      timeline: Timeline(clock), wallClock: { Date() }, enrich: nil, decide: nil)
  }

  private init(
    checked configuration: Configuration, sinks: [(String, any ReportSink)], consent: Consent,
    facts: [String: String], mapping: ErrorMapping?, ledger: Ledger?, file: URL?,
    probe: StoreProbe?, timeline: Timeline, wallClock: @escaping @Sendable () -> Date,
    enrich: (@Sendable (AppError) -> [String: ErrorReport.Attachment])?,
    decide: (@Sendable (ErrorReport) -> Decision)?
  ) {
    self.configuration = configuration
    self.facts = BoundedText.redacted(facts)
    self.mapping = mapping
    self.timeline = timeline
    self.wallClock = wallClock
    self.enrich = enrich
    self.decide = decide
    identities = (0..<configuration.shardCount).map { _ in
      IdentityShard(capacity: configuration.identityCount)
    }
    shards = (0..<configuration.shardCount).map { _ in
      CaptureShard(configuration.machineSettings)
    }
    let keeper = file.map { LedgerKeeper(at: $0, timeline: timeline, probe: probe) }
    self.keeper = keeper
    closingAlarm = WakeUp(on: timeline)
    lanes = sinks.enumerated().map { number, sink in
      SinkLane(
        sink.1, name: sink.0, number: number,
        settings: .init(capacity: configuration.queue, batchSize: configuration.batch),
        consent: consent, timeline: timeline, keeper: keeper)
    }
    noting = lanes.compactMap(\.noting)
    memory = Locked(Memory(history: RecentRing(capacity: configuration.history)))
    trail = BreadcrumbTrail(capacity: configuration.breadcrumbs)
    agreed = Locked(consent)
    var earlier = keeper?.found.ledger ?? ledger ?? Ledger()
    if keeper?.found.wasInterrupted == true { earlier.interruptions += 1 }
    self.earlier = earlier
    for lane in lanes { lane.update(consent)?() }
    keeper?.begin { [weak self] in self?.account }
  }
}

extension ErrorMonitor {
  /// What the person has agreed to.
  ///
  /// What is no longer agreed to is dropped wherever it waits, also in the stores of sinks, and
  /// counted as `withheld`; what is on its way is not sent again. `flush()` returns after that.
  /// What was captured while the answer was ``Consent/pending`` is sent or dropped by it.
  public var consent: Consent {
    get { agreed.withLock { $0 } }
    set {
      // Under one lock: of two who set it, the later one has the last word everywhere.
      let woken = agreed.withLock { agreed in
        agreed = newValue
        return lanes.compactMap { $0.update(newValue) }
      }
      for wake in woken { wake() }
    }
  }

  /// Where every captured error is.
  ///
  /// It balances at any time, also while errors are captured.
  public var ledger: Ledger { account.ledger }

  /// The ledger, with what is needed to go on with it.
  private var account: LedgerKeeper.Account {
    var ledger = Ledger()
    var inherited: [String: Int] = [:]
    var before: [String: Ledger.Account] = [:]
    var accounts: [String: Ledger.Account] = [:]
    // Before the others: what is counted there was kept earlier.
    for lane in lanes {
      let (own, books) = (lane.books, lane.sink.books)
      ledger.sinks[lane.name] = own.applying(books)
      // From the same books: a store may find its files long after the monitor was made.
      inherited[lane.name] = books?.inherited ?? 0
      before[lane.name] = books?.before
      accounts[lane.name] = books?.now
    }
    let (kept, closings) = memory.withLock { ($0.kept, $0.closings) }
    ledger.kept = kept
    let duplicates = identities.reduce(0) { $0 + $1.duplicates }
    if duplicates > 0 { ledger.dropped[.duplicate] = duplicates }
    for shard in shards { ledger.dropped.merge(shard.losses, uniquingKeysWith: +) }
    if let suppressed = ledger.dropped[.suppressed], closings > 0 {
      ledger.dropped[.suppressed] = suppressed > closings ? suppressed - closings : nil
    }
    let found = keeper?.found
    let isKilled = found?.wasInterrupted == true
    let continued =
      earlier
      .settled(from: found?.accounts ?? [:], to: before)
      .continued(inheriting: inherited, losing: isKilled ? .unaccounted : .lost)
    return .init(ledger: continued.adding(ledger), accounts: accounts)
  }

  /// How many reports wait in memory for a sink: counted where they wait, not computed from what
  /// became of the others as the ledger does.
  package func waiting(for sink: String) -> Int {
    lanes.first { $0.name == sink }?.stored ?? 0
  }

  /// Waits until every sink was handed what was captured so far, or has asked to wait, and the
  /// ledger is in its file where it has one.
  ///
  /// - Parameter limit: How long at most it waits for sinks; the default is 5 seconds, cut to a
  ///   year.
  /// - Returns: Whether nothing is left in memory, and the file could be written.
  @discardableResult
  public func flush(within limit: Duration = .seconds(5)) async -> Bool {
    await settle(within: limit)
    let isWritten = await keeper?.write() ?? true
    return isWritten && lanes.allSatisfy { $0.stored == 0 }
  }

  private func settle(within limit: Duration) async {
    let end = timeline.now + limit.clamped
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for lane in self.lanes { await lane.settled() } }
      group.addTask { try? await self.timeline.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Flushes, then drops what is left and everything that is captured from now on.
  ///
  /// Of errors that came in floods, what was counted and not told is told first. What is captured
  /// afterwards does not come into the file of the ledger. Whether that could be written, a
  /// `flush()` says, and tries again.
  ///
  /// - Parameter limit: How long it waits at most; the default is 5 seconds.
  public func shutDown(within limit: Duration = .seconds(5)) async {
    isClosed.store(true, ordering: .releasing)
    closeAllGroups()
    await settle(within: limit)
    for lane in lanes { lane.shutDown() }
    _ = await keeper?.write(isEnd: true)
  }

  /// Whether it was shut down.
  var isShutDown: Bool { isClosed.load(ordering: .acquiring) }
}
