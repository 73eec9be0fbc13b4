// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Runs what is ready: one loop, however often it is woken.
actor Drainer {
  /// One run that has begun.
  struct Run {
    let operation: StoredOperation
    let task: Task<Void, Never>
    /// The circuit that it tries out; nil where that was closed as it began.
    let probes: CircuitBreaker?
    let began: Duration
    /// Whether somebody has signed in since it began: what it is told is about what was before.
    var isOfBefore = false
  }

  /// How long a cancelled run may take to notice, when the app is suspended.
  static let grace = Duration.milliseconds(500)
  /// The same when it is shut down: whoever waits for that has the time.
  static let longGrace = Duration.seconds(5)

  let store: any OutboxStore
  nonisolated let workers: [PayloadType: Worker]
  nonisolated let settings: Settings
  nonisolated let wakes = DrainWake()
  /// What is leased here, until its end is recorded.
  var running: [Lease: Run] = [:]
  /// What of that has ended well, and has left its place to others.
  var settling: Set<Lease> = []
  /// Who waits until nothing runs.
  var idleWaiters: [CheckedContinuation<Void, Never>] = []
  var loop: Task<Void, Never>?
  /// What does not hold now.
  private(set) var unmet: Set<OperationConstraint> = []
  /// Also at the start: what an earlier process held back is nobody's business now.
  private var mustReconsider = true
  /// How long what is less important than `normal` waits, where the network is better and the store
  /// does not know it yet; nil where it knows.
  private var mustExpedite: Duration?
  /// Whether others have done something since it was asked what they cancelled.
  var mustHeedOthers = false
  var usedUp = UsedUpLimits()
  private var promotion = PromotionStateMachine()
  var pace: DrainPaceStateMachine
  var rate = DrainRate()
  /// Whether others know what is read here.
  var isKnown = false
  var suspects = SuspectsStateMachine()
  /// The lanes that wait for a person, and when they are tried.
  var trials = LaneTrialStateMachine()
  /// What is to be done with such lanes: at the start those of an earlier process are found.
  var laneWork = LaneWork()
  /// When it looked last whether something may begin.
  private var lastTurn = Duration.zero
  /// How long it does nothing, unless it is woken; nil while it looks.
  private(set) var rest: DrainRest?
  /// When a rate that all machines share lets one more begin, as far as the last claim knows.
  private var nextTurn: Duration?
  var isPaused = false
  /// How often it went on after a pause: a suspension that waits notices it by that.
  var resumptions = 0
  var isEnding = false
  /// Whether it leaves the store alone until somebody resumes.
  var isSuspended = false {
    didSet { (store as? any SharedStore)?.setSuspended(isSuspended) }
  }
  /// Whether a look at the store is on its way, and who waits until it is over.
  var isLooking = false
  var lookWaiters: [CheckedContinuation<Void, Never>] = []
  /// Whether the claim of that look is on its way.
  private var isClaiming = false
  /// Who waits for a whole turn that begins after they came.
  var turnWaiters: [AsyncStream<Never>.Continuation] = []
  /// Who waits until it is paused, by numbers, and the last number that was given.
  var pauseWaiters: (last: Int, streams: [Int: AsyncStream<Never>.Continuation]) = (0, [:])
  /// What somebody has cancelled while a claim was on its way that may have leased it before.
  private var cancelledMeanwhile: Set<OperationID> = []
  /// What was given up on, which is given back.
  let owed: OwedLeases
  private var storageFailures = 0
  /// Whether the store belongs to a newer build, as far as its last answer says.
  var isOutdated = false

  init(store: any OutboxStore, workers: [PayloadType: Worker], settings: Settings) {
    self.store = store
    self.workers = workers
    self.settings = settings
    owed = OwedLeases(
      store: store, timeline: settings.timeline, observer: settings.observer,
      storage: settings.storage,
      givenBack: { [wakes] in wakes.set(for: .times) })
    pace = DrainPaceStateMachine(maximum: settings.live.now.maximumConcurrency)
    for worker in workers.values { worker.gates.limiter?.ringWhenChanged(wakes.signal) }
  }

  func start() {
    guard loop == nil else { return }
    // Somebody may open an outbox within a deadline, which says nothing about its operations.
    loop = RetryScope.outlivingCaller { Task { await run() } }
  }

  private func turnEnded(for count: Int) {
    for waiter in turnWaiters.prefix(count) { waiter.finish() }
    turnWaiters.removeFirst(count)
  }

  /// Says whether a constraint holds from now on.
  func set(_ constraint: OperationConstraint, isMet: Bool) {
    if !isMet {
      unmet.insert(constraint)
    } else if unmet.remove(constraint) != nil {
      mustReconsider = true
      wake()
    }
  }

  /// Tries what waits because of the network, which has become better.
  func expedite(unimportantAfter delay: Duration) {
    mustExpedite = delay
    wake()
  }

  /// Ends the run of an operation that somebody has cancelled.
  func cancelRun(of id: OperationID) {
    for (lease, run) in running where lease.id == id { run.task.cancel() }
    if isClaiming { cancelledMeanwhile.insert(id) }
  }

  /// When what runs has begun.
  var starts: [Duration] { running.values.map(\.began) }

  var places: DrainPlaces { places(at: settings.timeline.now) }

  func working(_ type: PayloadType) -> Int {
    running.count { $1.operation.type == type && !settling.contains($0) }
  }

  /// How many of a type run at once; nil for as many as run at all.
  func maximumConcurrency(of type: PayloadType) -> Int? {
    settings.live.now.maximumConcurrencyOfKinds[type.kind]
      ?? workers[type]?.rules.maximumConcurrency
  }

  /// How many more of a type may try out its circuit; nil where that is closed.
  func probesLeft(of type: PayloadType) -> Int? {
    guard let circuit = workers[type]?.gates.circuit, let permits = circuit.probePermits else {
      return nil
    }
    let taken = running.count { $1.probes === circuit && !settling.contains($0) }
    return max(permits - taken, 0)
  }

  /// Goes by the settings as they are now.
  func followSettings() {
    let maximum = settings.live.now.maximumConcurrency
    if maximum != pace.maximum { pace.update(maximum: maximum) }
    usedUp.pass(workers, on: settings.timeline)
  }

  /// Returns after a time, or when the task is cancelled.
  nonisolated func pass(_ time: Duration) async {
    try? await settings.timeline.sleep(until: settings.timeline.now + time.clamped)
  }

  private func run() async {
    defer { turnEnded(for: turnWaiters.count) }
    while !isEnding {
      do {
        // Whoever comes while this turn is on its way waits for the next one.
        let (waiting, start) = (turnWaiters.count, settings.timeline.now)
        guard !isSuspended else {
          turnEnded(for: waiting)
          await wakes.signal.wait(until: nil, on: settings.timeline)
          continue
        }
        try await look()
        turnEnded(for: waiting)
        settings.changed()
        (storageFailures, isOutdated) = (0, false)
        if isEnding { return }
        if promotion.mustLookAgain, !isPaused { continue }
        let times = [
          usedUp.next(at: start), nextTurn,
          isPaused ? nil : nextPlace(after: lastTurn),
          isPaused ? nil : promotion.nextLook,
          isPaused ? nil : suspects.nextLook(besides: starts, at: lastTurn),
          isPaused ? nil : trials.nextLook(at: start),
        ]
        rest = DrainRest(end: times.compactMap { $0 }.min())
        await wakes.signal.wait(until: rest?.end, on: settings.timeline)
        rest = nil
      } catch {
        // Nothing that the store does ends the loop.
        let error = OutboxError(error)
        isOutdated = error.code == .newerFormat
        storageFailures = error.failures(after: storageFailures)
        wakes.failed()
        // Read before anybody is told: whoever hears of it may take time, or move a test's clock.
        let end = settings.timeline.now + .milliseconds(500 << storageFailures)
        settings.storage.failed(.loop, error)
        tell(.storageFailed(error))
        turnEnded(for: turnWaiters.count)
        await wakes.rest(until: end, on: settings.timeline)
      }
    }
  }

  /// Does all that is to be done with the store, and begins what can begin.
  private func look() async throws {
    isLooking = true
    defer {
      isLooking = false
      for waiter in lookWaiters { waiter.resume() }
      lookWaiters = []
    }
    try await attend()
    try await reconsider()
    try await expedite()
    try await heedOthers()
    try await workOnLanes()
    followSettings()
    try await promote()
    try await turn()
  }

  /// Looks anew at what a constraint held back that holds now.
  private func reconsider() async throws {
    guard mustReconsider, !isSuspended else { return }
    mustReconsider = false
    do {
      try await store.reconsider()
    } catch {
      mustReconsider = true
      throw error
    }
  }

  /// Makes ready what waits because of the network, where that has become better.
  private func expedite() async throws {
    guard let delay = mustExpedite, !isSuspended else { return }
    mustExpedite = nil
    do {
      try await store.expedite(unimportantAfter: delay)
      promotion.heard(.times)
    } catch {
      mustExpedite = mustExpedite ?? delay
      throw error
    }
  }

  /// Makes ready what is due, where there may be something.
  private func promote() async throws {
    if let news = wakes.take() { promotion.heard(news) }
    // Read before the store is asked: a wait must not begin anew while that takes its time.
    let now = settings.timeline.now
    guard !isPaused, promotion.looks(at: now) else { return }
    promotion.asks(at: now)
    do {
      promotion.found(try await store.promote(Set(workers.keys)))
    } catch {
      promotion.failed()
      throw error
    }
  }

  /// Starts what can be started.
  private func turn() async throws {
    // Read before the store is asked, as that of a look.
    let start = settings.timeline.now
    let free = places(at: start).free
    (nextTurn, lastTurn) = (nil, start)
    let turn = suspects.turn(besides: starts, at: start)
    if free == 0 { promotion.claimed(0, of: 0) }  // What there is beside is not known then.
    guard free > 0, !isPaused, !isEnding, turn != .nothing else { return }
    isClaiming = true
    defer { claimEnded() }
    let (tried, closed) = (trials.due(at: start), trials.lanes)
    let claim = try await claim(
      ClaimRequest(
        limit: free, types: Set(workers.keys), isAlone: turn == .alone, limits: limits,
        unmet: unmet, passesSuspects: turn == .passing), trying: tried)
    // A turn of an outbox that is paused asks nothing, so it says nothing about the store.
    settings.storage.worked(.loop)
    isKnown = true
    settings.parked.setAside(claim.unknown, at: start)
    promotion.claimed(claim.operations.count, of: free)
    claimed(claim, in: closed.subtracting(tried))
    if claim.isPartial { wake() }
    suspects.claimed(turn, isExclusive: claim.isExclusive, at: start)
    nextTurn = claim.nextTurn.map { start + $0 }
    var hasGivenBack = false
    for leased in claim.operations {
      // It may have been paused meanwhile; what cannot be given back is run rather than forgotten.
      let isUnwanted =
        isEnding || isPaused || isSurplus(leased, trying: tried, at: start)
        || !isWithinLimit(leased)
      let isGivenBack = isUnwanted ? await leased.giveBack(to: store) : false
      if isGivenBack { trials.gaveBack(leased.lease, in: leased.operation.lane, at: start) }
      if !isGivenBack, !isEnding { begin(leased.asItIsNow(cancelledMeanwhile)) }
      hasGivenBack = hasGivenBack || isGivenBack
    }
    // A place is free, and others may be ready: the next claim leaves out what is used up.
    if hasGivenBack, !isPaused { wakes.signal.set() }
  }

  private func claimEnded() {
    isClaiming = false
    cancelledMeanwhile = []
  }

  /// How many more operations of a type may run, for types with a limit of their own.
  private var limits: [PayloadType: Int] {
    var limits: [PayloadType: Int] = [:]
    let (now, free) = (settings.timeline.now, places.free)
    for (type, worker) in workers {
      if let most = maximumConcurrency(of: type) { limits[type] = max(most - working(type), 0) }
      let rated = usedUp.places(of: worker, atMost: free, at: now)
      for left in [probesLeft(of: type), rated].compactMap(\.self) {
        limits[type] = min(limits[type] ?? left, left)
      }
    }
    return limits
  }

  /// Whether nothing of a type may begin now.
  func isHeldBack(_ type: PayloadType) -> Bool {
    followSettings()
    return limits[type] == 0
  }

  private func isWithinLimit(_ leased: LeasedOperation) -> Bool {
    let type = leased.operation.type
    guard let worker = workers[type], probesLeft(of: type) != 0 else { return false }
    return usedUp.admit(worker, on: settings.timeline)
  }

  private func begin(_ leased: LeasedOperation) {
    guard let worker = workers[leased.operation.type] else { return }
    let circuit = worker.gates.circuit
    rate.began(at: settings.timeline.now)
    usedUp.began(leased.operation.type.kind, at: settings.timeline.now)
    settings.progress.begin(leased.lease)
    settings.report(leased.lease.id, nil)
    let task = Task {
      let run = WorkerRun(
        leased: leased, worker: worker, store: store, settings: settings,
        start: settings.timeline.now,
        isTrial: trials.isTrial(leased.lease, in: leased.operation.lane),
        cancel: { [weak self] in await self?.cancel(leased.lease) },
        workEnded: { [weak self] in await self?.workEnded(leased.lease) },
        isOfBefore: { [weak self] in await self?.running[leased.lease]?.isOfBefore ?? false },
        isEnding: { [weak self] in await self?.isEnding ?? true })
      ended(leased.lease, await run.execute())
    }
    running[leased.lease] = Run(
      operation: leased.operation, task: task, probes: circuit?.probePermits == nil ? nil : circuit,
      began: settings.timeline.now)
  }

  /// Nothing is left of a run but to record its good end: another one may begin meanwhile.
  private func workEnded(_ lease: Lease) {
    // It may have been given up on.
    guard let type = running[lease]?.operation.type else { return }
    settling.insert(lease)
    // Where the last claim found all that there was, a place alone brings no more.
    let wasAtLimit = maximumConcurrency(of: type).map { working(type) + 1 >= $0 } ?? false
    let mayBeMore = isClaiming || !promotion.isShort || wasAtLimit
    if mayBeMore, places.free > 0 { wakes.signal.set() }
  }

  private func ended(_ lease: Lease, _ end: WorkerRun.Ended) {
    // It may have been given up on.
    guard let run = running.removeValue(forKey: lease) else { return }
    settling.remove(lease)
    settings.progress.end(lease)
    if running.isEmpty { wakeIdleWaiters() }
    pace.ended(end.signal)
    usedUp.ended(run.operation, end, at: settings.timeline.now)
    laneEnded(run.operation, lease, end)
    rate.ended(well: end.signal == .succeeded, at: settings.timeline.now)
    settings.changed()
    wake(for: end.isCompletion ? .work : .times)
  }

  private func cancel(_ lease: Lease) { running[lease]?.task.cancel() }

  private nonisolated func tell(_ what: OutboxEvent.What) {
    settings.observer?.observe(OutboxEvent(what))
  }
}
