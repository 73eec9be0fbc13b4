// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Logging
public import Mainstay

/// A durable queue of operations: what it accepted is done, or still there, or accounted for.
///
/// ```swift
/// let outbox = try await Outbox(at: url) {
///   Worker(for: SyncTwin.self) { twin, context in
///     try await api.put(twin, key: context.idempotencyKey)
///   }
/// }
/// try await outbox.enqueue(SyncTwin(id: id), orderedBy: id)   // returns when it is on disk
/// ```
///
/// Operations run **at least once**; <doc:OperationLifecycle> says when a second run can happen and
/// what keeps it harmless. It never asks whether there is a network: it tries, and what happened
/// decides.
public final class Outbox: Sendable {
  /// What tests replace.
  package struct Surroundings: Sendable {
    package var timeline = Timeline.live
    package var seed: UInt64?
    package var probe: DurabilityProbe?
    /// Makes the circuit of a host where the settings do not say how.
    var circuitOfHost: @Sendable (_ host: String) -> CircuitBreaker = { CircuitBreaker($0) }

    /// Makes the limit of one attempt.
    var limit: @Sendable (Duration) -> Timeout = { Timeout($0, name: "operation") }

    package init() {}

    init(_ clock: some Clock<Duration>) {
      timeline = Timeline(clock)
      limit = { Timeout($0, name: "operation", clock: clock) }
      circuitOfHost = { CircuitBreaker($0, clock: clock) }
    }

    /// The time of day as it goes on by the clock from a date; by the system's where there is none,
    /// unless time is somebody's own.
    func fileClock(_ date: Date?) -> FileClock {
      if date == nil, timeline.isComparable(to: .live) { return FileClock() }
      let (timeline, start, date) = (timeline, timeline.now, date ?? Date())
      return FileClock({ date.addingTimeInterval((timeline.now - start).inSeconds) })
    }
  }

  /// Who works, until the work ends.
  private final class Working: Sendable {
    private let state = Locked<Drainer?>(nil)

    var drainer: Drainer? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// What was found when the outbox was opened.
  public let opening: OpeningReport
  /// The circuit breakers of the hosts that its workers call, by their names in small letters; see
  /// ``Worker/calling(_:)``.
  ///
  /// For a page that shows them, and for other calls of the same host. A breaker that a worker is
  /// guarded by on its own account is not among them.
  public let circuits: [String: CircuitBreaker]
  let store: any OutboxStore
  let drainer: Drainer
  /// What it was opened with; ``configuration`` is what holds now.
  let opened: Configuration
  let live: SettingsInForce
  /// Whether the store was made here, and goes by the limits of the settings.
  let isStoreOwn: Bool
  let changeFeed: Changes
  let progress: ProgressBoard
  let chance: Chance
  /// Who is asked for estimates; let go when the work ends, since it knows the feed that asks.
  private let working = Working()
  private let foreign: Task<Void, Never>?
  private let network: Task<Void, Never>?
  private let signIns: Task<Void, Never>?

  /// Opens an outbox in a file, takes back what a dead process had begun, and starts to work.
  ///
  /// On Apple platforms what it creates can be used from the first unlock of the device on, and a
  /// file in an app group has to be asked for: see <doc:AppleLifecycle>.
  ///
  /// - Parameters:
  ///   - url: The SQLite file; it and its folder are created where they are missing. Locks lie
  ///     beside it.
  ///   - configuration: How it behaves; illegal settings stop the program.
  ///   - clock: What waits are measured with; the default is `ContinuousClock`.
  ///   - now: The time of day, read once: from then on the clock tells how much time has passed.
  ///     Nil, the default, for the system's: setting that neither freezes nor hurries anything, and
  ///     nothing expires by it, unless the device was off meanwhile.
  ///   - workers: What runs the operations, one for each kind and version.
  /// - Throws: ``OutboxError``, naming the path.
  public convenience init(
    at url: URL, configuration: Configuration = Configuration(),
    clock: some Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
    @WorkerBuilder workers: () -> [Worker]
  ) async throws(OutboxError) {
    try await self.init(
      at: url, configuration: configuration, surroundings: Surroundings(clock), now: now?(),
      workers: workers())
  }

  package convenience init(
    at url: URL, configuration: Configuration, surroundings: Surroundings, now: Date?,
    workers: [Worker]
  ) async throws(OutboxError) {
    try AppGroup.check(url, isAllowed: configuration.allowsAppGroup)
    let live = SettingsInForce(configuration)
    let store = SQLiteStore(
      at: url, host: nil, limits: { live.now.limits }, clock: surroundings.fileClock(now),
      probe: surroundings.probe)
    let protection = FileProtection.begun(for: store.url)
    try await self.init(
      store: store, configuration: configuration, ownLimits: live, surroundings: surroundings,
      workers: workers)
    protection?.end()
  }

  /// Opens an outbox on a store of your own.
  ///
  /// - Parameters:
  ///   - store: Where the operations are kept; not opened yet.
  ///   - configuration: How it behaves; the store itself limits how many it takes. Illegal
  ///     settings stop the program.
  ///   - clock: What waits are measured with; the default is `ContinuousClock`.
  ///   - workers: What runs the operations, one for each kind and version.
  /// - Throws: ``OutboxError``.
  public convenience init(
    store: some OutboxStore, configuration: Configuration = Configuration(),
    clock: some Clock<Duration> = ContinuousClock(), @WorkerBuilder workers: () -> [Worker]
  ) async throws(OutboxError) {
    try await self.init(
      store: store, configuration: configuration, surroundings: Surroundings(clock),
      workers: workers())
  }

  package convenience init(
    store: some OutboxStore, configuration: Configuration, surroundings: Surroundings,
    workers: [Worker]
  ) async throws(OutboxError) {
    try await self.init(
      store: store, configuration: configuration, ownLimits: nil, surroundings: surroundings,
      workers: workers)
  }

  // Where there are `ownLimits`, the store goes by them; nil is for a store of somebody else.
  init(
    store: some OutboxStore, configuration: Configuration, ownLimits: SettingsInForce?,
    surroundings: Surroundings, workers: [Worker]
  ) async throws(OutboxError) {
    configuration.mustBeLegal()
    var circuits = HostCircuits(configuration.circuitOfHost ?? surroundings.circuitOfHost)
    let byType = try circuits.guarding(workers)
    do { opening = try await store.open() } catch { throw OutboxError(error) }
    self.store = store
    self.circuits = circuits.all
    opened = configuration
    isStoreOwn = ownLimits != nil
    let live = ownLimits ?? SettingsInForce(configuration)
    self.live = live
    let chance = Chance(seed: surroundings.seed)
    self.chance = chance
    let changes = Changes { [working] in
      guard let snapshot = try? await store.snapshot() else { return nil }
      return await working.drainer?.estimated(snapshot) ?? snapshot
    }
    changeFeed = changes
    let progress = ProgressBoard()
    self.progress = progress
    let logger = configuration.logger ?? Logger(label: "mainstay.outbox")
    OpeningReports(logger, monitor: configuration.monitor).tell(opening)
    let reports = GivenUpReports(
      logger, monitor: configuration.monitor, observer: configuration.observer)
    let drainer = Drainer(
      store: store, workers: byType,
      settings: Drainer.Settings(
        live: live, timeline: surroundings.timeline,
        mapping: configuration.mapping, observer: reports, chance: chance,
        probe: surroundings.probe, budget: configuration.budget,
        connectivity: configuration.connectivity, changed: { changes.changed() },
        vault: Vault(codec: configuration.codec),
        progress: progress, report: { id, _ in changes.ring([id]) },
        logger: logger, storage: StorageReports(logger, by: surroundings.timeline),
        lanes: LaneReports(logger, monitor: configuration.monitor),
        stalls: StallReports(logger, patience: configuration.stallWarning),
        parked: ParkedReports(logger), limit: surroundings.limit))
    self.drainer = drainer
    working.drainer = drainer
    if configuration.startsPaused { await drainer.pause() }
    // Before a monitor says what it knows, which is newer.
    for constraint in configuration.unmetConstraints {
      await drainer.set(constraint, isMet: false)
    }
    foreign = (store as? any SharedStore).map { Self.follow($0, drainer, changes, reports) }
    network = configuration.connectivity.map { monitor in
      ConnectivityLink.follow(
        monitor, isUnmetered: !configuration.unmetConstraints.contains(.unmetered),
        improved: { await drainer.expedite(unimportantAfter: Self.spread(chance)) },
        set: { await drainer.set($0, isMet: $1) })
    }
    signIns = configuration.signedIn.map { SignInLink.follow($0) { await drainer.openLanes() } }
    await drainer.start()
  }

  /// Hears of what others do with a store that several processes share.
  private static func follow(
    _ store: any SharedStore, _ drainer: Drainer, _ changes: Changes, _ reports: GivenUpReports
  ) -> Task<Void, Never> {
    Task {
      async let leases: Void = store.watchLeases { await drainer.cancelAll() }
      async let givenUp: Void = store.watchGivenUp { operation in
        let what = OutboxEvent.What.gaveUp(operation.reason, nil)
        reports.observe(OutboxEvent(what, id: operation.id, kind: operation.kind))
      }
      await store.watchOthers {
        drainer.hint()
        changes.changed()
      }
      _ = await (leases, givenUp)
    }
  }

  /// Dropping the last reference shuts it down too, some time later.
  deinit {
    let (drainer, changes, store) = (drainer, changeFeed, store)
    working.drainer = nil
    foreign?.cancel()
    network?.cancel()
    signIns?.cancel()
    Task {
      await drainer.shutDown()
      await changes.settle()
      changes.end()
      await store.close()
    }
  }

  /// Stops the work and leaves the file: what runs is cancelled and given back, at no cost.
  ///
  /// It waits five seconds for workers that do not heed their cancellation; their operations count
  /// as of unknown outcome then.
  public func shutDown() async {
    foreign?.cancel()
    network?.cancel()
    signIns?.cancel()
    await drainer.shutDown()
    await changeFeed.settle()
    changeFeed.end()
    working.drainer = nil
    await store.close()
  }
}

extension Outbox {
  /// Accepts an operation; returns when it survives a power cut.
  ///
  /// Cancelling the caller does not take it back.
  ///
  /// - Parameter operation: What is to be done.
  /// - Returns: Its identity.
  /// - Throws: ``OutboxError``: then nothing was accepted, unless it is `failed` or `unavailable`,
  ///   where the disk itself may have kept it; enqueueing again under the same key is harmless.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    _ operation: Operation
  ) async throws(OutboxError) -> OperationID {
    try await enqueue(operation, options: EnqueueOptions())
  }

  /// Accepts an operation that runs in order with others of the same key.
  ///
  /// - Parameters:
  ///   - operation: What is to be done.
  ///   - orderingKey: What it changes, such as the id of an item: operations with equal keys run
  ///     one after the other, in the order in which they were enqueued. Any text is legal; on
  ///     PostgreSQL, of at most 2,500 bytes.
  /// - Returns: Its identity.
  /// - Throws: ``OutboxError``, as ``enqueue(_:)``.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    _ operation: Operation, orderedBy orderingKey: some CustomStringConvertible
  ) async throws(OutboxError) -> OperationID {
    try await enqueue(operation, options: EnqueueOptions(orderedBy: orderingKey.description))
  }

  /// Accepts an operation with further wishes.
  ///
  /// An operation with sets in it should be `Equatable`: by that it is known again under its
  /// idempotency key, since each process writes a set in another order. The same holds for a
  /// dictionary whose keys are neither texts nor integers.
  ///
  /// - Parameters:
  ///   - operation: What is to be done.
  ///   - options: The wishes.
  /// - Returns: Its identity; that of the operation that is there already under the same
  ///   idempotency key, kind and payload, under the same unique key, or with which it was put
  ///   together.
  /// - Throws: ``OutboxError``, as ``enqueue(_:)``, `keyReused` where the idempotency key belongs
  ///   to another payload, and `duplicate` where the unique key is taken and says `reject`.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    _ operation: Operation, options: EnqueueOptions
  ) async throws(OutboxError) -> OperationID {
    let (new, payload) = try prepared(operation, options)
    let id: OperationID
    do {
      id = try await insert(new, payload, of: Operation.self, options)
    } catch {
      throw OutboxError(error)
    }
    accepted([id], of: [new])
    return id
  }

  /// Operations are there: they are told, and run.
  func accepted(_ ids: [OperationID], of new: [NewOperation]) {
    guard let kind = new.first?.type.kind else { return }
    if let observer = opened.observer {
      for (id, new) in zip(ids, new) where new.isKept(as: id) {
        observer.observe(OutboxEvent(.enqueued, id: id, kind: kind))
      }
    }
    drainer.wake(for: new.contains(where: \.hasTimes) ? .times : .work)
    changeFeed.ring(ids)
    changeFeed.changed()
  }

  /// What is handed to the store, and its payload before it was sealed.
  func prepared<Operation: QueuedOperation>(
    _ operation: Operation, _ options: EnqueueOptions
  ) throws(OutboxError) -> (new: NewOperation, plain: Data) {
    let payload = try operation.encoded()
    let most = live.now.maximumPayloadBytes
    guard payload.count <= most else {
      throw OutboxError(
        .tooLarge, details: "\(Operation.kind): \(payload.count) of \(most) bytes")
    }
    let sealed = try sealed(payload, as: .payload(Operation.payloadType))
    var generator = SystemRandomNumberGenerator()
    let id = OperationID.new(at: Date(), using: &generator)
    var wishes = wishes(options, of: Operation.self)
    wishes.base = try sealedBase(of: operation, id, options)
    let new = NewOperation(
      id: id, type: Operation.payloadType,
      lane: options.lane ?? Operation.lane, orderingKey: options.orderingKey,
      idempotencyKey: options.idempotencyKey ?? IdempotencyKey(id), payload: sealed,
      timeToLive: options.timeToLive,
      effect: options.mayHaveBeenSent ? .sentUnknown : .notSent,
      wishes: wishes)
    return (new, payload)
  }

  var vault: Vault { Vault(codec: opened.codec) }

  func sealed(_ plain: Data, as content: Vault.Content) throws(OutboxError) -> Data {
    do {
      return try vault.sealed(plain, as: content)
    } catch {
      throw OutboxError(.unencodable, details: "it cannot be sealed", underlying: error)
    }
  }

  private func wishes<Operation: QueuedOperation>(
    _ options: EnqueueOptions, of type: Operation.Type
  ) -> NewOperation.Wishes {
    let priority = options.priority ?? type.priority
    return NewOperation.Wishes(
      priority: priority, handicap: priority.handicap(ageing: live.now.ageing),
      delay: options.delay, uniqueKey: options.uniqueKey, dependencies: options.dependencies,
      constraints: options.constraints,
      isExpendable: options.isExpendable ?? type.isExpendable, timeout: options.timeout?.clamped)
  }
}
