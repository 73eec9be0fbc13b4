// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Foundation

/// Keeps encoded reports in a folder until a service has answered for each of them.
///
/// One file is one record. Whatever a disk, a service or a clock does, it throws nothing and stops
/// nothing: it counts what is lost, by reason. Make one for each folder, and give each process and
/// each service a folder of its own:
///
/// ```swift
/// let store = ReportStore(at: folder, replies: .otlp, transport: transport)
/// Task { await store.run() }
/// ```
public final class ReportStore: Sendable {
  struct Guarded {
    var index: ReportIndexStateMachine
    var sending: ReportSendingStateMachine
    /// The records that have no file, by their numbers.
    var memory: [UInt64: RecordFile] = [:]
    var condition = Status.Condition.writing
    /// Whether the folder was given back for good.
    var isShutDown = false
    /// Nil as long as the folder could not be opened.
    var lock: FolderLock?
    /// Whether it was opened before, so that its ledger is known.
    var wasOpen = false
    /// How many hold it: nothing is sent and nothing kept until all is dropped.
    var holds = 0
    /// How many have it keep what comes and send nothing, since nobody knows yet whether it may.
    var suspensions = 0
    /// What is told besides records, the first one first.
    var notes: [Note] = []
    /// How often all was dropped.
    var discards = 0
    /// Whether what is found there is to be dropped.
    var discardsFound = false
    var revision: UInt64 = 0
    /// Whether what the ledger on the disk says is what it has to say.
    var isWritten = false
    var random: SplitMix64

    /// Whether no request may begin before somebody says so.
    var isHalted: Bool { holds > 0 || suspensions > 0 }
    /// Whether something may be taken to be sent.
    var maySend: Bool { !isShutDown && !isHalted }
  }

  @TaskLocal private static var innermost: LiveScope?

  /// Whether this task is sending reports: what goes wrong in it is not reported, but counted.
  private static var isSending: Bool { innermost?.isLive ?? false }

  /// Runs what sends reports.
  static func sending<T>(_ body: () async throws -> T) async rethrows -> T {
    let scope = LiveScope(inside: innermost)
    defer { scope.end() }
    return try await $innermost.withValue(scope, operation: body)
  }

  let configuration: Configuration
  let folder: StoreFolder
  let replies: ReplyPolicy
  let transport: any ReportTransport
  let timeline: Timeline
  let timeOfDay: @Sendable () -> Date
  /// All work with files, one piece after the other; of others' code only clock, time of day and
  /// backoff run on it, outside of all locks.
  private let disk = DispatchQueue(label: "mainstay.reports", qos: .utility)
  /// On the queue of a store, that store.
  private static let here = DispatchSpecificKey<ObjectIdentifier>()
  let guarded: Locked<Guarded>
  let signal = DrainSignal()
  /// Wakes whoever waits for the round of somebody else.
  let roundEnd = DrainSignal()

  /// Makes a store from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - folder: The folder, made where it is missing; used by this store alone.
  ///   - configuration: Its limits; the default is 100 records, 5 MB and 30 days.
  ///   - replies: What the service's replies mean.
  ///   - transport: What sends the records.
  ///   - backoff: How long it waits after failures in a row, a second at least and a day at most;
  ///     the default grows from a second to 5 minutes.
  ///   - clock: The clock of waits and ages; the default is the continuous one.
  ///   - timeOfDay: The time of day, which files bear; the default is the system's.
  ///   - seed: Makes the jitter of waits repeatable, for tests; the default is a new seed.
  public convenience init(
    at folder: URL, _ configuration: Configuration = Configuration(), replies: ReplyPolicy,
    transport: any ReportTransport,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300), jitter: .equal),
    clock: some Clock<Duration> = ContinuousClock(),
    timeOfDay: @escaping @Sendable () -> Date = { Date() }, seed: UInt64? = nil
  ) {
    do throws(ConfigurationError) {
      try self.init(
        at: folder, validating: configuration, replies: replies, transport: transport,
        backoff: backoff, clock: clock, timeOfDay: timeOfDay, seed: seed)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a store from settings that come from outside.
  ///
  /// - Parameters:
  ///   - folder: The folder, made where it is missing; used by this store alone.
  ///   - configuration: Its limits.
  ///   - replies: What the service's replies mean.
  ///   - transport: What sends the records.
  ///   - backoff: How long it waits after failures in a row.
  ///   - clock: The clock of waits and ages; the default is the continuous one.
  ///   - timeOfDay: The time of day, which files bear; the default is the system's.
  ///   - seed: Makes the jitter of waits repeatable, for tests; the default is a new seed.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; never for the folder.
  public convenience init(
    at folder: URL, validating configuration: Configuration, replies: ReplyPolicy,
    transport: any ReportTransport,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300), jitter: .equal),
    clock: some Clock<Duration> = ContinuousClock(),
    timeOfDay: @escaping @Sendable () -> Date = { Date() }, seed: UInt64? = nil
  ) throws(ConfigurationError) {
    self.init(
      StoreFolder(path: folder.standardizedFileURL.path(percentEncoded: false), probe: nil),
      configuration, try configuration.checked(), replies, transport, backoff, Timeline(clock),
      timeOfDay, seed)
  }

  /// For tests that kill a process between two steps, or let the system refuse something.
  package convenience init(
    at folder: URL, _ configuration: Configuration, replies: ReplyPolicy,
    transport: any ReportTransport, probe: StoreProbe, backoff: Backoff = .none,
    clock: some Clock<Duration> = ContinuousClock()
  ) throws(ConfigurationError) {
    self.init(
      StoreFolder(path: folder.standardizedFileURL.path(percentEncoded: false), probe: probe),
      configuration, try configuration.checked(), replies, transport, backoff, Timeline(clock),
      { Date() }, nil)
  }

  private init(
    _ folder: StoreFolder, _ configuration: Configuration,
    _ settings: ReportIndexStateMachine.Settings, _ replies: ReplyPolicy,
    _ transport: any ReportTransport, _ backoff: Backoff, _ timeline: Timeline,
    _ timeOfDay: @escaping @Sendable () -> Date, _ seed: UInt64?
  ) {
    self.folder = folder
    self.configuration = configuration
    self.replies = replies
    self.transport = transport
    self.timeline = timeline
    self.timeOfDay = timeOfDay
    let sending = ReportSendingStateMachine.Settings(
      replies: replies, backoff: backoff, recordsPerRequest: configuration.recordsPerRequest)
    guarded = Locked(
      Guarded(
        index: ReportIndexStateMachine(settings), sending: ReportSendingStateMachine(sending),
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max))))
    disk.setSpecific(key: Self.here, value: ObjectIdentifier(self))
    disk.async { [self] in open() }
  }
}

// MARK: Keeping

extension ReportStore {
  /// Keeps a record, and returns when it is on the disk, or when it is clear that it cannot be.
  ///
  /// What is reported while this store sends is counted and not kept, or a failure to send would
  /// cause reports without end.
  ///
  /// - Parameter record: The record.
  /// - Returns: What became of it.
  @discardableResult public func keep(_ record: Record) async -> Fate {
    let isOwn = Self.isSending
    let fate = await onDisk { [self] in accept(record, isOwn: isOwn, isUrgent: false) }
    signal.set()
    return fate
  }

  /// Keeps a record without suspending: for critical records, and for code that knows that the
  /// process is about to end.
  ///
  /// It waits for the disk, and for work with files that has begun. It becomes a file whatever room
  /// is left on the volume. It is not for signal handlers.
  /// What the store's own backoff, clock or time of day reports is counted and not kept, like all
  /// that is reported while it works.
  ///
  /// - Parameter record: The record.
  /// - Returns: What became of it.
  @discardableResult public func keepNow(_ record: Record) -> Fate {
    // The queue is busy with whoever calls: to wait for it would be to wait for ever.
    guard DispatchQueue.getSpecific(key: Self.here) != ObjectIdentifier(self) else {
      guarded.withLock { $0.index.refuse(.ownFailure, category: record.category) }
      return .dropped(.ownFailure)
    }
    let isOwn = Self.isSending
    let fate = disk.sync { accept(record, isOwn: isOwn, isUrgent: true) }
    signal.set()
    return fate
  }

  /// Keeps a record before all that is handed over later, and waits for nothing.
  ///
  /// - Parameters:
  ///   - record: Makes the record, on the store's queue.
  ///   - done: Called there when it is clear what became of it.
  func keepSoon(_ record: @escaping @Sendable () -> Record, _ done: @escaping @Sendable () -> Void)
  {
    let isOwn = Self.isSending
    disk.async(qos: .userInitiated) { [self] in
      _ = accept(record(), isOwn: isOwn, isUrgent: true)
      done()
      signal.set()
    }
  }

  /// How it is doing, after all that was asked of it before.
  public var status: Status {
    get async {
      await onDisk { [self] in
        let now = timeline.now
        return guarded.withLock { guarded in
          Status(
            condition: guarded.condition, pending: guarded.index.entries.count,
            pendingInMemory: guarded.index.inMemory.count, bytes: guarded.index.bytes,
            pause: guarded.sending.pause(now: now), ledger: guarded.index.ledger)
        }
      }
    }
  }

  /// What became of all records, over all processes that used the folder.
  public var ledger: Ledger { get async { await status.ledger } }

  /// Gives the folder back, after all that was asked before.
  ///
  /// A request that has no answer yet is sent again by whoever opens the folder next, unless its
  /// records were to be dropped meanwhile. What is handed over from now on is dropped.
  public func shutDown() async {
    await onDisk { [self] in
      withholdWithdrawn(whileSending: true)
      writeLedger()
      guarded.withLock { guarded in
        guarded.isShutDown = true
        guarded.lock = nil
        guarded.notes = []
      }
    }
    signal.set()
  }

  /// The accounts of this process, for whoever keeps a ledger of its own.
  ///
  /// What was found counts as soon as the folder is open, which `status` waits for.
  package var books: Books { guarded.withLock { $0.index.books } }

  /// Runs work with files, after all that was asked for before, and keeps no task from running.
  func onDisk<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      disk.async { continuation.resume(returning: work()) }
    }
  }
}
