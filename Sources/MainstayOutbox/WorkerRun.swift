// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// One run of one operation, from its lease to its recorded end.
struct WorkerRun: Sendable {
  let leased: LeasedOperation
  let worker: Worker
  let store: any OutboxStore
  let settings: Drainer.Settings
  /// When it began, by the clock of the settings.
  let start: Duration
  /// Whether it tries out a lane that waits for a person.
  let isTrial: Bool
  let cancel: @Sendable () async -> Void
  /// Told when the work has ended well, and nothing is left but to record that.
  let workEnded: @Sendable () async -> Void
  /// Whether somebody has signed in since it began.
  let isOfBefore: @Sendable () async -> Bool
  /// Whether the outbox is being shut down: the store gives back what is left when it is closed.
  let isEnding: @Sendable () async -> Bool
  /// What its calls say about it, beside the error that it ends with.
  let use = NetworkUse()
  /// Whether its worker has noted how far it is.
  let steps = StepNotes()

  /// Runs the operation and records its end.
  ///
  /// - Returns: What the end says about others.
  @concurrent func execute() async -> Ended {
    let end = await end()
    // Any other end may close the lane or change the pace, so nothing begins before it is recorded.
    if end.verdict.isCompletion { await workEnded() }
    let lane = await settle(end)
    await settings.stalls.ended(
      leased.operation, end.event?.error, isAnswered: end.verdict.letsIn(end.event?.error),
      at: settings.timeline.now, of: store)
    return Ended(
      signal: end.signal, isCompletion: end.verdict.isCompletion,
      rest: end.signal == .pushedBack ? end.verdict.closesLane?.rest : nil,
      lane: lane, error: end.event?.error)
  }

  /// What a recorded end says about others.
  struct Ended: Sendable {
    /// What it says about the way to the other side.
    let signal: DrainPaceStateMachine.Signal
    /// Whether it ended well, and nothing else.
    let isCompletion: Bool
    /// For how long the other side wants to be left alone; nil where it did not ask for that.
    let rest: Duration?
    /// What it says about its lane.
    let lane: LaneTrialStateMachine.End
    /// What it failed with, and is to be tried again after.
    let error: AppError?
  }

  /// How a run ended, and what is told about it once that is recorded.
  struct End {
    let verdict: OperationVerdict
    let event: OutboxEvent.What?
    var signal = DrainPaceStateMachine.Signal.neutral
  }

  private var context: WorkerContext {
    WorkerContext(
      id: leased.lease.id, kind: kind, idempotencyKey: leased.operation.idempotencyKey,
      leaseToken: leased.lease.token, attempt: leased.operation.attempts + 1,
      orderingKey: leased.operation.orderingKey, lane: leased.operation.lane,
      run: RunAccess(
        checkpoint: leased.operation.checkpoint
          .map { noted in Result { try settings.vault.opened(noted, as: .checkpoint(kind)) } },
        latest: { try await latest() },
        confirm: { try await confirm() },
        keep: { try await keep($0) },
        report: { [settings, lease = leased.lease] progress in
          guard settings.progress.report(progress, by: lease) else { return }
          settings.report(lease.id, progress)
        },
        granted: { [settings] in
          settings.granted.end.map { max($0 - settings.timeline.now, .zero) }
        },
        connectivity: { [settings] in settings.connectivity?.current },
        logger: settings.logger))
  }

  private func end() async -> End {
    var machine = OperationStateMachine(leased.operation, rules: worker.rules)
    let (operation, context) = (leased.operation, context)
    let payload: Data
    do {
      payload = try settings.vault.opened(operation.payload, as: .payload(operation.type))
    } catch {
      return unreadable(UnreadablePayload(cause: error), machine)
    }
    // Not sent yet: a cancelled run that had not begun leaves nothing in doubt.
    if Task.isCancelled { return End(verdict: machine.notBegun(), event: .released) }
    let canAsk = machine.mustReconcile && worker.reconcile != nil
    if leased.operation.isCancelled, !canAsk {
      return End(verdict: machine.cancelled(), event: .cancelled)
    }
    if let wait = waitForBudget() {
      return End(verdict: machine.heldBack(for: wait), event: .heldBack(wait))
    }
    if machine.mustReconcile, let ask = worker.reconcile,
      let end = await reconciled(by: ask, payload, context, &machine)
    {
      return end
    }
    return await perform(payload, context, &machine)
  }

  /// Asks the other side what became of an earlier run; nil where the worker may run now.
  private func reconciled(
    by ask: Worker.Ask, _ payload: Data, _ context: WorkerContext,
    _ machine: inout OperationStateMachine
  ) async -> End? {
    do {
      // Before it asks: what fails now leaves the outcome as unknown as it was.
      let latest = worker.applied == nil ? nil : try await latest()
      let answer = try await leased.operation.idempotencyKey.active {
        try await inTime { try await ask(payload, context) }
      }
      tell(.reconciled(answer))
      if var verdict = machine.reconciled(answer, fraction: settings.chance.fraction()) {
        if answer == .applied {
          // Without news the store outdates what it knew, and what follows goes by its own base.
          let left = try? worker.applied?(payload, latest)
          verdict.news = left.flatMap(sealedRecord).map { RecordNews(latest: $0) }
          refund()
        }
        return ended(verdict, nil)
      }
      guard leased.operation.isCancelled else { return nil }
      return End(verdict: machine.cancelled(), event: .cancelled)
    } catch let error as UnreadablePayload {
      return unreadable(error, machine)
    } catch {
      let mapped = classify(error)
      let verdict = machine.reconcilingFailed(
        mapped, isRunCancelled: Task.isCancelled, fraction: settings.chance.fraction())
      return ended(verdict, mapped)
    }
  }

  /// Lets the worker have its effect.
  private func perform(
    _ payload: Data, _ context: WorkerContext, _ machine: inout OperationStateMachine
  ) async -> End {
    // Only the task of this run writes it.
    let hasBegun = Locked(false)
    do {
      let answer = try await guarded {
        hasBegun.withLock { $0 = true }
        tell(.started(attempt: context.attempt))
        settings.probe?.reached(.beforeEffect, nil)
        return try await RetryScope.worker(budget: settings.budget) {
          try await leased.operation.idempotencyKey.active {
            try await use.during {
              try await inTime { try await worker.perform(payload, context) }
            }
          }
        }
      }
      settings.probe?.reached(.afterEffect, nil)
      if usesNetwork {
        settings.connectivity?.record(
          .delivered, from: leased.operation.lane.rawValue, lasting: settings.timeline.now - start)
      }
      refund()
      var verdict = machine.succeeded()
      verdict.output = answer.output.flatMap { sealed($0, as: .output(kind)) }
      verdict.news = answer.latest.flatMap(sealedRecord).map { RecordNews(latest: $0) }
      return ended(verdict, nil)
    } catch let error as UnreadablePayload {
      return unreadable(error, machine)
    } catch let error as NotSent {
      var verdict = machine.notSent(error.step, latest: error.latest.flatMap(sealedRecord))
      // Nothing was sent, so what is known stays. What cannot be read is forgotten.
      if verdict.next == .done, let kept = try? await store.latest(for: leased.operation) {
        verdict.news = RecordNews(latest: kept, merges: leased.operation.merges)
      }
      return merged(verdict, error.step)
    } catch let rejection as Rejection where !hasBegun.withLock({ $0 }) {
      // The circuit is open: its whole lane waits until it lets a probe through.
      refund()
      let wait = rejection.retryAfter ?? OperationStateMachine.throttledWait
      return End(verdict: machine.heldBack(for: wait), event: .heldBack(wait))
    } catch {
      return await failed(error, payload, &machine)
    }
  }

  private func guarded(
    _ body: @Sendable () async throws -> WorkerAnswer
  ) async throws -> WorkerAnswer {
    guard let circuit = worker.gates.circuit else { return try await body() }
    let admission = try circuit.admit()
    do {
      // The client inside may stand behind the same breaker.
      let answer = try await admission.surrounding(body)
      admission.succeed()
      return answer
    } catch {
      // What came to no call says nothing about the other side.
      if !(error is NotSent || error is UnreadablePayload) { admission.fail(error) }
      throw error
    }
  }

  private func inTime<T: Sendable>(
    _ body: @Sendable () async throws -> T
  ) async throws -> T {
    // Of two limits the one that is over first ends the run.
    guard let own = leased.operation.timeout.map(settings.limit) else {
      return try await inTimeOfWorker(body)
    }
    return try await own.run { try await inTimeOfWorker(body) }
  }

  private func inTimeOfWorker<T: Sendable>(
    _ body: @Sendable () async throws -> T
  ) async throws -> T {
    guard let timeout = worker.gates.timeout else { return try await body() }
    return try await timeout.run(body)
  }

  private var kind: OperationKind { leased.operation.type.kind }

  /// What cannot be sealed is not kept: the effect has happened, or somebody decides without it.
  private func sealed(_ plain: Data, as content: Vault.Content) -> Data? {
    try? settings.vault.sealed(plain, as: content)
  }

  func sealedRecord(_ plain: Data) -> Data? {
    sealed(plain, as: .record(leased.operation.record))
  }

  func latest() async throws -> Data? {
    let latest = try await store.latest(for: leased.operation)
    do {
      let record = leased.operation.record
      let plain = try latest.map { try settings.vault.opened(kept: $0, of: record) }
      return plain?.news(to: leased.lease.id)
    } catch {
      // It waits, like one whose payload cannot be opened.
      throw UnreadablePayload(cause: error)
    }
  }

  /// Whether this run is known to go over the network: only such a one says that it works.
  ///
  /// What fails for want of a network has shown that its kind needs one: who is heard when it fails
  /// is heard when it works as well.
  private var usesNetwork: Bool {
    let needed: Set<OperationConstraint> = [.network, .unmetered]
    return worker.gates.host != nil || !leased.operation.constraints.isDisjoint(with: needed)
      || use.isAnswered || settings.networkKinds.contains(kind)
  }

  /// Whether it has been tried before; a run that was put off has tried nothing.
  private var isRepetition: Bool {
    let operation = leased.operation
    let wasTried = operation.failure != nil && operation.effect != .notSent
    return wasTried || operation.attempts > 0 || operation.unreachable > 0 || operation.lostRuns > 0
  }

  /// Gives back what the run has cost, where it was not made or has succeeded.
  func refund() {
    if isRepetition, let budget = settings.budget { budget.refund(budget.costOfRun) }
  }

  /// How long the run has to wait until it can be paid for; nil where it is paid.
  private func waitForBudget() -> Duration? {
    guard let budget = settings.budget else { return nil }
    guard isRepetition else {
      // Each look of one that is put off again and again would pay in.
      if leased.operation.failure == nil { budget.deposit() }
      return nil
    }
    guard !budget.withdraw(budget.costOfRun) else { return nil }
    // Where time pays nothing in, calls may: it asks again now and then.
    return budget.wait(for: budget.costOfRun) ?? OperationStateMachine.throttledWait
  }

  func ended(_ verdict: OperationVerdict, _ error: AppError?) -> End {
    let event: OutboxEvent.What? =
      switch verdict.next {
      case .done: .succeeded
      case .dead(let reason, _): .gaveUp(reason, error)
      case .ready where verdict.closesLane == nil: .released
      default: error.map { .failed($0, next: verdict.next) }
      }
    let isDone = error == nil && verdict.next == .done
    return End(verdict: verdict, event: event, signal: isDone ? .succeeded : .init(error))
  }

  func classify(_ error: any Error) -> AppError {
    let mapped = (settings.mapping ?? .current).map(error, at: worker.site)
    if mapped.isOfConnection(usesNetwork: usesNetwork) {
      settings.networkKinds.insert(kind)
      settings.connectivity?.record(
        mapped, from: leased.operation.lane.rawValue, lasting: settings.timeline.now - start)
    }
    guard mapped.disposition == .unclassified else { return mapped }
    let gap = ClassificationGap(error)
    if settings.unclassified.isNew(gap) {
      tell(.unclassified(type: gap.type, cure: gap.cure + "; until then it is tried three times."))
    }
    return mapped
  }

  private func unreadable(_ error: UnreadablePayload, _ machine: OperationStateMachine) -> End {
    // Nobody can ask what became of it, and nobody wants it.
    if leased.operation.isCancelled { return End(verdict: machine.cancelled(), event: .cancelled) }
    let mapped = OutboxError(
      .unreadablePayload, details: "", underlying: error.cause
    ).appError
    var machine = machine
    heedCalls(in: &machine)
    return ended(machine.unreadable(mapped), mapped)
  }

  /// Records the end; a store that fails is asked again until it takes it.
  ///
  /// An end that is not recorded has to be reconciled after the next start. A run that was
  /// cancelled goes on asking, too: its process lives, so nobody else would ever end the lease.
  ///
  /// - Returns: What became of the lane.
  private func settle(_ end: End) async -> LaneTrialStateMachine.End {
    var failures = 0
    var recorded: (isHeld: Bool, closesLane: Bool)?
    while true {
      do {
        if recorded == nil {
          let verdict = await withoutLateClosure(end.verdict)
          let isHeld = try await store.settle(leased.lease, verdict)
          recorded = (isHeld, isHeld && verdict.closesLane?.cause == .needsUser)
        }
        if failures > 0 { settings.storage.worked(.run(leased.lease)) }
        // Somebody may have signed in while that was on its way, and opened the lane before it.
        let isLate = recorded?.closesLane == true ? await isOfBefore() : false
        let isLetIn = isTrial && recorded?.isHeld == true && end.verdict.letsIn(end.event?.error)
        if isLate || isLetIn {
          try await store.reopen(leased.operation.lane, closedFor: .needsUser)
        }
        settings.report(leased.lease.id, nil)
        if recorded?.isHeld == true { settings.parked.ended(leased.operation, end.event) }
        tell(recorded?.isHeld == true ? end.event : .leaseLost)
        settings.probe?.reached(.afterSettleCommit, nil)
        if isLate || isLetIn { return .opened }
        return recorded?.closesLane == true ? .refused : .neutral
      } catch {
        let error = OutboxError(error)
        failures = error.failures(after: failures)
        let end = settings.timeline.now + .milliseconds(500 << failures)
        settings.storage.failed(.run(leased.lease), error)
        tell(.storageFailed(error))
        if error.code == .shutDown { return gaveUp() }
        guard Task.isCancelled else {
          try? await settings.timeline.sleep(until: end)
          continue
        }
        if await isEnding() { return gaveUp() }
        // A task of its own, since this one does not sleep any more.
        _ = await Task { [timeline = settings.timeline] in
          try? await timeline.sleep(until: end)
        }.value
      }
    }
  }

  /// Who was refused before somebody signed in is tried again, and closes nothing.
  private func withoutLateClosure(_ verdict: OperationVerdict) async -> OperationVerdict {
    guard verdict.closesLane?.cause == .needsUser, await isOfBefore() else { return verdict }
    var verdict = verdict
    verdict.closesLane = nil
    return verdict
  }

  private func confirm() async throws {
    if try await store.confirms(leased.lease) { return }
    await cancel()
    throw CancellationError()
  }

  private func keep(_ data: Data) async throws {
    steps.note()
    let sealed = try settings.vault.sealed(data, as: .checkpoint(kind))
    if try await store.checkpoint(leased.lease, sealed) { return }
    await cancel()
    throw CancellationError()
  }

  private func tell(_ what: OutboxEvent.What?) {
    guard let what, let observer = settings.observer else { return }
    observer.observe(OutboxEvent(what, leased.operation))
  }
}
