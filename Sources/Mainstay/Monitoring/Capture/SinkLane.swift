// SPDX-License-Identifier: Apache-2.0

/// The way to one sink: a bounded queue, and at most one task that empties it.
///
/// The task begins with the first report and ends when there is nothing left, so a lane that has
/// nothing to do holds nothing.
final class SinkLane: Sendable {
  private struct Waiter {
    let id: UInt64
    /// Whether it came when a pause was over and its task had not been told yet: it waits for what
    /// is sent then.
    var isBeyondPause: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct Guarded {
    var queue: SinkQueueStateMachine<KeptReport>
    var sequels = SequelBook()
    var sequelsInFlight = SequelBook.Sequels()
    /// What was dropped by the last batch that the sink took, and by the one that it is handed.
    var toldLosses: [ErrorReport.DropReason: Int] = [:]
    var lossesInFlight: [ErrorReport.DropReason: Int] = [:]
    var consent: ErrorMonitor.Consent
    var task: Task<Void, Never>?
    /// When the pause that the sink has asked for is over; nil outside of one.
    var pauseEnd: Duration?
    /// Tells the sink that consent was withdrawn; nothing is sent before that has ended.
    var withdrawal: Task<Void, Never>?
    /// How many of those were begun.
    var withdrawals = 0
    /// Whether the sink has to be told as soon as it has answered.
    var mustWithdraw = false
    /// How often the sink was told to hold, and not yet to go on.
    var holds = 0
    /// Whether the sink keeps what it is handed and sends nothing, since nobody has answered yet.
    var isSuspended = false
    var waiters: [Waiter] = []
    /// Resumed when no critical report is handed over besides the others.
    var urgentWaiters: [CheckedContinuation<Void, Never>] = []
    var cancelledEarly: Set<UInt64> = []
    var nextWaiter: UInt64 = 0
  }

  let sink: any ReportSink
  let name: String
  /// Its place among the lanes of the monitor.
  let number: Int
  private let purpose: ErrorReport.Purpose
  /// The sink, where it sees each error; such a one is the app's own, so nobody has to agree.
  let noting: (any CaptureNoting)?
  private let keeping: (any KeepingSink)?
  private let timeline: Timeline
  private let keeper: LedgerKeeper?
  private let state: Locked<Guarded>

  init(
    _ sink: any ReportSink, name: String, number: Int,
    settings: SinkQueueStateMachine<KeptReport>.Settings,
    consent: ErrorMonitor.Consent, timeline: Timeline, keeper: LedgerKeeper?
  ) {
    self.sink = sink
    self.keeper = keeper
    self.name = name
    self.number = number
    self.timeline = timeline
    purpose = sink.purpose
    noting = sink as? any CaptureNoting
    keeping = sink as? any KeepingSink
    state = Locked(Guarded(queue: SinkQueueStateMachine(settings), consent: consent))
    noting?.beginNoting()
  }

  /// What became of all that was offered; `sent` counts what the sink has taken over.
  var books: ErrorMonitor.Ledger.Delivery { state.withLock { $0.queue.books } }

  /// How many are here: waiting, or being sent.
  var stored: Int { state.withLock { $0.queue.stored } }

  /// How soon a report has to be with the sink.
  enum Urgency {
    /// Behind those that wait, in nobody's call: what is told afterwards.
    case inTurn
    /// As its severity says.
    case usual
    /// On the disk before the call returns, where the sink writes files.
    case now
  }

  /// Which way a report goes.
  private enum Way {
    case none, queue
    case besides(any KeepingSink, waits: Bool)
  }

  /// A report was kept.
  func offer(_ kept: KeptReport, _ urgency: Urgency) {
    let way = state.withLock { state in
      guard state.consent.allows(purpose, isCritical: kept.isCritical) else {
        state.queue.withhold()
        return Way.none
      }
      let isUrgent = urgency == .now || urgency == .usual && kept.isCritical
      let isOpen = state.withdrawal == nil && !state.mustWithdraw && !state.queue.isHeld
      if isUrgent, isOpen, let keeping {
        let waits = urgency == .now || keeping.writesCriticalAtOnce
        // Of those that wait there are as many as callers.
        if state.queue.beginUrgent(isBounded: !waits) { return .besides(keeping, waits: waits) }
      }
      enqueue(kept, &state)
      return .queue
    }
    switch way {
    case .none: return
    case .queue:
      guard let noting, urgency != .inTurn else { return }
      CaptureScope.enter { noting.noteCaptured(kept.report) }
    case .besides(let keeping, let waits):
      keeping.keepAtOnce(kept.handOver(to: number), waits: waits) { isTaken in
        self.endUrgent(kept, isTaken: isTaken)
      }
    }
  }

  private func enqueue(_ kept: KeptReport, _ state: inout Guarded) {
    let severity = kept.isCritical ? Severity.critical : kept.severity
    if state.queue.offer(kept, severity: severity) { begin(&state, isUrgent: kept.isCritical) }
  }

  private func endUrgent(_ kept: KeptReport, isTaken: Bool) {
    let (waiters, urgentWaiters) = state.withLock { state in
      state.queue.endUrgent(isTaken: isTaken)
      // It waits like the others then, unless it may not be told any more.
      if !isTaken {
        if state.consent.allows(purpose, isCritical: kept.isCritical) {
          enqueue(kept, &state)
        } else {
          state.queue.withhold()
        }
      }
      var urgentWaiters: [CheckedContinuation<Void, Never>] = []
      if state.queue.urgentCount == 0 { swap(&urgentWaiters, &state.urgentWaiters) }
      return (Self.takeWaiters(&state), urgentWaiters)
    }
    keeper?.note()
    for waiter in waiters { waiter.continuation.resume() }
    for waiter in urgentWaiters { waiter.resume() }
  }

  /// Returns when no critical report is handed over besides the others.
  private func urgentEnded() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.queue.urgentCount == 0 { return true }
        state.urgentWaiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// An error that was reported was recovered from, or was not.
  func offer(_ recovery: ErrorReport.Recovery, ofCritical isCritical: Bool) {
    guard tell(isCritical: isCritical, { $0.add(recovery) }), let noting else { return }
    CaptureScope.enter { noting.noteRecovery(recovery) }
  }

  /// A report that the sink has is another one now.
  func offer(update kept: KeptReport) { _ = tell(isCritical: kept.isCritical) { $0.add(kept) } }

  /// False where the person has not agreed to its being told.
  private func tell(isCritical: Bool, _ add: (inout SequelBook) -> Void) -> Bool {
    state.withLock { state in
      guard state.consent.allows(purpose, isCritical: isCritical) else { return false }
      add(&state.sequels)
      if state.queue.wake() { begin(&state, isUrgent: false) }
      return true
    }
  }

  /// The person has agreed to this, and to nothing else.
  ///
  /// - Returns: What the sink is still to be told, outside of all locks; nil where that is nothing.
  func update(_ consent: ErrorMonitor.Consent) -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.consent = consent
      switch consent.answer(to: purpose) {
      case .pending:
        suspend(&state)
        return nil
      case .agreed:
        if state.queue.release(hasMore: !state.sequels.isEmpty) { begin(&state, isUrgent: false) }
      case .refused:
        withdraw(&state)
        _ = state.queue.release(hasMore: false)
      }
      guard state.isSuspended, let keeping else { return nil }
      state.isSuspended = false
      return { keeping.endSuspension() }
    }
  }

  /// Keeps what comes until there is an answer: where the sink keeps it, else here.
  private func suspend(_ state: inout Guarded) {
    guard !state.isSuspended, !state.queue.isHeld else { return }
    if let keeping, keeping.suspend() {
      state.isSuspended = true
    } else {
      state.queue.hold()
    }
  }

  private func withdraw(_ state: inout Guarded) {
    // At once: a store may be sending, and writing the rest of a batch.
    if let keeping {
      keeping.hold()
      state.holds += 1
    }
    let isSending = state.queue.isSending
    state.queue.withdraw()
    state.sequels.removeAll()
    state.sequelsInFlight = .init()
    if isSending { state.mustWithdraw = true } else { beginWithdrawal(&state) }
  }

  /// Tells the sink, after it was told before.
  private func beginWithdrawal(_ state: inout Guarded) {
    let earlier = state.withdrawal
    state.withdrawals += 1
    let number = state.withdrawals
    state.withdrawal = Task.detached(priority: .utility) {
      await earlier?.value
      await self.urgentEnded()
      await CaptureScope.enter { await self.sink.withdraw() }
      self.endWithdrawal(number)
    }
  }

  private func endWithdrawal(_ number: Int) {
    let (waiters, holds) = state.withLock { state in
      guard number == state.withdrawals else { return ([Waiter](), 0) }
      state.withdrawal = nil
      // Another one may be due as soon as the sink has answered.
      let holds = state.mustWithdraw ? 0 : state.holds
      state.holds -= holds
      return (Self.takeWaiters(&state), holds)
    }
    for _ in 0..<holds { keeping?.endHold() }
    keeper?.note()
    for waiter in waiters { waiter.continuation.resume() }
  }

  /// Drops what waits and ends the task.
  func shutDown() {
    let task = state.withLock { state in
      state.queue.shutDown()
      state.sequels.removeAll()
      return state.task
    }
    task?.cancel()
  }

  /// Begins the task, under the lock: of two tasks the later one must be the one that is kept.
  private func begin(_ state: inout Guarded, isUrgent: Bool) {
    // Detached: what is sent has nothing to do with the task that captured it.
    state.task = Task.detached(priority: isUrgent ? .high : .utility) { await self.drain() }
  }

  /// What the task does next.
  private enum Turn {
    case send(ErrorReport.Batch)
    case wait(Task<Void, Never>)
    case end
  }

  private func drain() async {
    while true {
      switch takeTurn() {
      case .end: return
      case .wait(let withdrawal): await withdrawal.value
      case .send(let batch):
        let outcome = await CaptureScope.enter { await sink.send(batch) }
        let now = timeline.now
        guard case .pause(let pause) = finish(outcome, at: now) else { continue }
        // Ended early only when the monitor is shut down, and then nothing waits any more.
        try? await timeline.sleep(until: now + pause)
        state.withLock { state in
          state.pauseEnd = nil
          state.queue.resume()
          for index in state.waiters.indices { state.waiters[index].isBeyondPause = false }
        }
      }
    }
  }

  private func takeTurn() -> Turn {
    let (turn, waiters) = state.withLock { state in
      if let withdrawal = state.withdrawal { return (Turn.wait(withdrawal), [Waiter]()) }
      let kept = state.queue.next(hasMore: !state.sequels.isEmpty)
      guard let kept else { return (.end, Self.takeWaiters(&state)) }
      let sequels = state.sequels.take()
      state.sequelsInFlight = sequels
      state.lossesInFlight = state.queue.books.dropped
      let losses = state.lossesInFlight.merging(state.toldLosses) { $0 - $1 }.filter { $1 > 0 }
      return (.send(batch(kept, sequels, losses)), [])
    }
    for waiter in waiters { waiter.continuation.resume() }
    return turn
  }

  /// All as it is now; what is handed over anew needs no update.
  private func batch(
    _ kept: [KeptReport], _ sequels: SequelBook.Sequels, _ losses: [ErrorReport.DropReason: Int]
  ) -> ErrorReport.Batch {
    let updated = sequels.updated.filter { report in !kept.contains { $0 === report } }
    return ErrorReport.Batch(
      reports: kept.map { $0.handOver(to: number) }, recoveries: sequels.recoveries,
      updates: updated.map(\.report), losses: losses, lostRecoveries: sequels.lostRecoveries)
  }

  private func finish(
    _ outcome: ErrorReport.SendOutcome, at now: Duration
  ) -> SinkQueueStateMachine<KeptReport>.Next {
    let (next, waiters) = state.withLock { state in
      let next = state.queue.end(outcome)
      if case .pause(let pause) = next {
        state.pauseEnd = now + pause
        state.sequels.putBack(state.sequelsInFlight)
      } else {
        state.toldLosses = state.lossesInFlight
      }
      state.sequelsInFlight = .init()
      if state.mustWithdraw {
        state.mustWithdraw = false
        beginWithdrawal(&state)
      }
      return (next, Self.takeWaiters(&state))
    }
    keeper?.note()
    for waiter in waiters { waiter.continuation.resume() }
    return next
  }

  private static func isSettled(_ state: Guarded, isBeyondPause: Bool) -> Bool {
    state.withdrawal == nil
      && (isBeyondPause ? state.queue.isSettledBeyondPause : state.queue.isSettled)
  }

  private static func takeWaiters(_ state: inout Guarded) -> [Waiter] {
    // No two lists where nobody waits, as nearly always.
    guard !state.waiters.isEmpty else { return [] }
    let waiters = state.waiters
    state.waiters = waiters.filter { !isSettled(state, isBeyondPause: $0.isBeyondPause) }
    return waiters.filter { isSettled(state, isBeyondPause: $0.isBeyondPause) }
  }

  /// Returns as soon as there is nothing to do before something is offered or a pause is over, or
  /// the caller is cancelled.
  func settled() async {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let now = timeline.now
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isCancelled = state.cancelledEarly.remove(id) != nil
          // A pause whose time has come is over, also where its task has not been told yet.
          let isDue = state.pauseEnd.map { $0 <= now } ?? false
          guard !isCancelled, !Self.isSettled(state, isBeyondPause: isDue) else { return true }
          state.waiters.append(
            Waiter(id: id, isBeyondPause: isDue, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        if let index = state.waiters.firstIndex(where: { $0.id == id }) {
          return Waiter?.some(state.waiters.remove(at: index))
        }
        state.cancelledEarly.insert(id)
        return nil
      }
      waiter?.continuation.resume()
    }
    state.withLock { _ = $0.cancelledEarly.remove(id) }
  }
}
