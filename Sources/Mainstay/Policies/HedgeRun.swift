// SPDX-License-Identifier: Apache-2.0

/// One call under ``Hedge``: the thin shell around its machine.
///
/// Copies are child tasks. The caller waits for whatever comes first, a copy that ends or the alarm
/// for the next one; the machine is moved by the caller's task alone.
final class HedgeRun<T: Sendable>: Sendable {
  private enum Happening: Sendable {
    case ended(copy: Int, Result<T, any Error>)
    case timePassed
  }

  private struct Inbox {
    var happenings: [Happening] = []
    var reader: CheckedContinuation<Void, Never>?
  }

  private let hedge: Hedge
  private let operation: @Sendable () async throws -> T
  private let inbox = Locked(Inbox())

  init(of hedge: Hedge, _ operation: @escaping @Sendable () async throws -> T) {
    self.hedge = hedge
    self.operation = operation
  }

  /// Runs the copies; returns when all of them have ended.
  func result(isolation: isolated (any Actor)? = #isolation) async -> Result<T, any Error> {
    var copies = Copies(
      machine: HedgeStateMachine(
        maximumCopies: hedge.configuration.maximumCopies, delay: hedge.currentDelay))
    let result = await withDiscardingTaskGroup(isolation: isolation) { group in
      let result = await race(&copies, &group, isolation: isolation)
      group.cancelAll()
      return result
    }
    // What the losers did with their cancellation does not matter any more.
    if case .failure(let error) = result, error.isCancellation, Task.isCancelled {
      return .failure(CancellationError())
    }
    return result
  }

  /// What the caller's task knows about the copies.
  private struct Copies {
    var machine: HedgeStateMachine
    var starts: [Int: Duration] = [:]
    var errors: [Int: any Error] = [:]
    var doubt = EarlierDoubt()
  }

  private func race(
    _ copies: inout Copies, _ group: inout DiscardingTaskGroup,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Result<T, any Error> {
    start(&copies, &group)
    while true {
      var step = HedgeStateMachine.Step.wait
      let now = hedge.timeline.now
      if copies.machine.wantsCopy(now: now) {
        step = .start
      } else {
        let alarm = copies.machine.due.map { hedge.timeline.alarms.add(due: $0, target: self) }
        let happening = await next(isolation: isolation)
        if let alarm { hedge.timeline.alarms.remove(alarm) }
        switch happening {
        case .timePassed: continue
        case .ended(let copy, .success(let value)):
          won(copy, copies)
          return .success(value)
        case .ended(let copy, .failure(let error)):
          copies.errors[copy] = error
          let disposition = Classification.disposition(of: error)
          copies.doubt.note(error, disposition)
          step = copies.machine.failed(copy, disposition)
        }
      }
      if step == .start {
        guard let reason = reasonAgainst(copies) else {
          start(&copies, &group)
          continue
        }
        hedge.tell(.hedgeWithheld(copy: copies.machine.started + 1, reason: reason))
        step = copies.machine.withhold()
      }
      if case .fail(let copy) = step {
        return .failure(copies.doubt.told(copies.errors[copy] ?? CancellationError()))
      }
    }
  }

  /// Why no further copy may be started; nil where nothing speaks against it and it is paid for.
  private func reasonAgainst(_ copies: Copies) -> PolicyEvent.GiveUpReason? {
    if Task.isCancelled {
      return ActiveLimit.hasEndedCurrentTask ? .deadlineTooClose : .cancelled
    }
    if let left = Deadline.remaining, left <= copies.machine.delay { return .deadlineTooClose }
    // Not given back to a copy that wins, unlike a repetition that succeeds: while a dependency is
    // slow every copy wins, and all of them are load (P30).
    return hedge.budget.withdraw(hedge.budget.costOfHedge) ? nil : .budgetExhausted
  }

  private func start(_ copies: inout Copies, _ group: inout DiscardingTaskGroup) {
    let now = hedge.timeline.now
    let copy = copies.machine.start(now: now)
    copies.starts[copy] = now
    if copy > 1 {
      hedge.tell(.hedgeStarted(copy: copy, after: (now - (copies.starts[1] ?? now)).clamped))
    }
    group.addTask { [self] in
      do {
        let value = try await operation()
        post(.ended(copy: copy, .success(value)))
      } catch {
        post(.ended(copy: copy, .failure(error)))
      }
    }
  }

  private func won(_ copy: Int, _ copies: Copies) {
    let now = hedge.timeline.now
    let start = { (copy: Int) in copies.starts[copy] ?? now }
    let losers = copies.machine.running.filter { $0 != copy }.map(start)
    hedge.latencies.record(winner: start(copy), losers: losers, now: now)
    guard copies.machine.started > 1 else { return }
    hedge.tell(.hedgeWon(copy: copy))
  }
}

// The inbox: written by copies and the alarm, read by the caller's task.
extension HedgeRun: AlarmTarget {
  package func ring() { post(.timePassed) }

  private func post(_ happening: Happening) {
    let reader = inbox.withLock { inbox in
      inbox.happenings.append(happening)
      return inbox.reader.take()
    }
    reader?.resume()
  }

  private func next(isolation: isolated (any Actor)? = #isolation) async -> Happening {
    while true {
      if let first = takeFirst() { return first }
      await withCheckedContinuation(isolation: isolation) { continuation in
        let isThere = inbox.withLock { inbox in
          guard inbox.happenings.isEmpty else { return true }
          inbox.reader = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }

  private func takeFirst() -> Happening? {
    inbox.withLock { $0.happenings.isEmpty ? nil : $0.happenings.removeFirst() }
  }
}
