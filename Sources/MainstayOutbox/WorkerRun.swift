// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// One run of one operation, from its lease to its recorded end.
struct WorkerRun: Sendable {
  let leased: LeasedOperation
  let worker: Worker
  let store: any OutboxStore
  let settings: Drainer.Settings
  let cancel: @Sendable () async -> Void

  /// Runs the operation and records its end.
  ///
  /// - Returns: What the end says about the way to the other side.
  @concurrent func execute() async -> DrainPaceStateMachine.Signal {
    let end = await end()
    await settle(end)
    return end.signal
  }

  /// How a run ended, and what is told about it once that is recorded.
  private struct End {
    let verdict: OperationVerdict
    let event: OutboxEvent.What?
    var signal = DrainPaceStateMachine.Signal.neutral
  }

  private var context: WorkerContext {
    WorkerContext(
      id: leased.lease.id, idempotencyKey: leased.operation.idempotencyKey,
      leaseToken: leased.lease.token, attempt: leased.operation.attempts + 1,
      orderingKey: leased.operation.orderingKey, lane: leased.operation.lane,
      confirm: { try await confirm() })
  }

  private func end() async -> End {
    var machine = OperationStateMachine(leased.operation, rules: worker.rules)
    let (payload, context) = (leased.operation.payload, context)
    // Not sent yet: a cancelled run that had not begun leaves nothing in doubt.
    if Task.isCancelled { return End(verdict: machine.notBegun(), event: .released) }
    let canAsk = machine.mustReconcile && worker.reconcile != nil
    if leased.operation.isCancelled, !canAsk {
      return End(verdict: machine.cancelled(), event: .cancelled)
    }
    if let wait = waitForBudget() {
      return End(verdict: machine.heldBack(for: wait), event: .heldBack(wait))
    }
    if machine.mustReconcile, let ask = worker.reconcile {
      do {
        let answer = try await leased.operation.idempotencyKey.active {
          try await ask(payload, context)
        }
        tell(.reconciled(answer))
        if let verdict = machine.reconciled(answer, fraction: settings.chance.fraction()) {
          return ended(verdict, nil)
        }
        if leased.operation.isCancelled {
          return End(verdict: machine.cancelled(), event: .cancelled)
        }
      } catch let error as UnreadablePayload {
        return unreadable(error, machine)
      } catch {
        let mapped = classify(error)
        let fraction = settings.chance.fraction()
        return ended(machine.reconcilingFailed(mapped, fraction: fraction), mapped)
      }
    }
    do {
      tell(.started(attempt: context.attempt))
      settings.probe?.reached(.beforeEffect, nil)
      try await RetryScope.worker(budget: settings.budget) {
        try await leased.operation.idempotencyKey.active {
          try await worker.perform(payload, context)
        }
      }
      settings.probe?.reached(.afterEffect, nil)
      settings.connectivity?.record(.delivered, from: leased.operation.lane.rawValue)
      if isRepetition { settings.budget?.refund(settings.budget?.costOfRun ?? 0) }
      return ended(machine.succeeded(), nil)
    } catch let error as UnreadablePayload {
      return unreadable(error, machine)
    } catch {
      let mapped = classify(error)
      let verdict = machine.failed(
        mapped, remote: remote(of: error), fraction: settings.chance.fraction())
      return ended(verdict, mapped)
    }
  }

  /// Whether it has run before.
  private var isRepetition: Bool {
    leased.operation.failure != nil || leased.operation.lostRuns > 0
  }

  /// How long the run has to wait until it can be paid for; nil where it is paid.
  private func waitForBudget() -> Duration? {
    guard let budget = settings.budget else { return nil }
    guard isRepetition else {
      budget.deposit()
      return nil
    }
    guard !budget.withdraw(budget.costOfRun) else { return nil }
    // Where time pays nothing in, calls may: it asks again now and then.
    return budget.wait(for: budget.costOfRun) ?? OperationStateMachine.throttledWait
  }

  private func ended(_ verdict: OperationVerdict, _ error: AppError?) -> End {
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

  private func classify(_ error: any Error) -> AppError {
    let mapped = (settings.mapping ?? .current).map(error)
    settings.connectivity?.record(mapped, from: leased.operation.lane.rawValue)
    if mapped.disposition == .unclassified, settings.unclassified.isNew(type(of: error)) {
      tell(
        .unclassified(
          type: String(reflecting: type(of: error)),
          cure: """
            Let \(type(of: error)) conform to AppErrorConvertible, or add it to the ErrorMapping \
            set by ErrorMapping.bootstrap; until then it is tried three times.
            """))
    }
    return mapped
  }

  /// The document of the other side, wherever in the chain of causes it stands.
  private func remote(of error: any Error) -> Data? {
    if let conflict = error as? RemoteConflict { return conflict.remote }
    return (error as? AppError)?.cause(as: RemoteConflict.self)?.remote
  }

  private func unreadable(_ error: UnreadablePayload, _ machine: OperationStateMachine) -> End {
    let mapped = OutboxError(
      .unreadablePayload, details: "", underlying: error.cause
    ).appError
    return ended(machine.unreadable(mapped), mapped)
  }

  /// Records the end; a store that fails is asked again until it takes it, since an end that is not
  /// recorded has to be reconciled after the next start.
  private func settle(_ end: End) async {
    var failures = 0
    while true {
      do {
        let isHeld = try await store.settle(leased.lease, end.verdict)
        tell(isHeld ? end.event : .leaseLost)
        settings.probe?.reached(.afterSettleCommit, nil)
        return
      } catch {
        let error = OutboxError(error)
        failures = min(failures + 1, 6)
        let end = settings.timeline.now + .milliseconds(500 << failures)
        tell(.storageFailed(error))
        if Task.isCancelled || error.code == .shutDown { return }
        try? await settings.timeline.sleep(until: end)
      }
    }
  }

  private func confirm() async throws {
    if try await store.confirms(leased.lease) { return }
    await cancel()
    throw CancellationError()
  }

  private func tell(_ what: OutboxEvent.What?) {
    guard let what, let observer = settings.observer else { return }
    observer.observe(OutboxEvent(what, leased.operation))
  }
}
