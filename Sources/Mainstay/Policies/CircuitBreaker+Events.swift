// SPDX-License-Identifier: Apache-2.0

// The events: written down under the lock, told outside of it by one caller at a time, in order.
extension CircuitBreaker {
  struct Guarded {
    var machine: CircuitBreakerStateMachine
    var configuration: Configuration
    /// Whether the settings are others than those it was made with.
    var isChanged = false
    var random: SplitMix64
    let tripCause: Rejection.Cause
    var mailbox = EventMailbox()
    /// Those who wait for the verdict of a probe.
    var queue = VerdictQueue()
    var waiters: [UInt64: Waiter] = [:]

    mutating func post(
      _ event: CircuitBreakerStateMachine.Event?, of policy: String, at reading: Duration
    ) {
      switch event {
      case nil: break
      case .opened(let failures, let breakFor, let leaseExpired):
        if leaseExpired { post(.probeExpired, of: policy, at: reading) }
        mailbox.post(
          .circuitOpened(failures: failures, breakFor: breakFor), of: policy, at: reading,
          cause: leaseExpired ? nil : tripCause.error as? AppError)
      case .halfOpened: post(.circuitHalfOpened, of: policy, at: reading)
      case .closed: post(.circuitClosed, of: policy, at: reading)
      case .isolated: post(.circuitIsolated, of: policy, at: reading)
      case .reset: post(.circuitReset, of: policy, at: reading)
      case .settingsChanged: post(.settingsChanged, of: policy, at: reading)
      case .stale(let succeeded, let admittedIn, let endedIn):
        post(
          .staleResult(succeeded: succeeded, admittedIn: admittedIn, endedIn: endedIn),
          of: policy, at: reading)
      }
    }

    mutating func post(_ what: PolicyEvent.What, of policy: String, at reading: Duration) {
      mailbox.post(what, of: policy, at: reading)
    }
  }

  /// Moves the machine, with a reading of the clock, and tells what there is to tell.
  func step(_ move: (inout Guarded, Duration) -> CircuitBreakerStateMachine.Event?) {
    let isHeard = !audience.isEmpty
    let delivers = moved { guarded, now in
      let event = move(&guarded, now)
      guard isHeard else { return false }
      guarded.post(event, of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  /// A call ends that cannot open the breaker: nothing is tried on a copy, and nobody asks what its
  /// error is.
  ///
  /// - Returns: Whether that was all; where it was not, nothing has changed.
  func settleInPlace(
    _ pass: Pass, _ verdict: CircuitBreakerStateMachine.Verdict, took: Duration?
  ) -> Bool {
    let isHeard = !audience.isEmpty
    let now = timeline.now
    let (isSettled, woken, delivers) = change { guarded -> (Bool, [Waiter], Bool) in
      if guarded.machine.mayOpen(pass.token, verdict, took: took, now: now) {
        return (false, [], false)
      }
      let fraction = guarded.random.fraction()
      let event = guarded.machine.settle(
        pass.token, verdict, took: took, now: now, fraction: fraction)
      if isHeard { guarded.post(event, of: name, at: now) }
      return (true, guarded.takeWoken(), isHeard && guarded.mailbox.beginDelivery())
    }
    for waiter in woken { waiter.end(.granted) }
    if delivers { deliver() }
    return isSettled
  }

  private enum Attempt<T: Sendable>: Sendable {
    case done(T, woken: [Waiter])
    case asks(Trip, epoch: UInt64)
  }

  /// Makes a move under the lock, with a reading of the clock.
  ///
  /// Where a function of the user's says how long breaks are, a move that would open the breaker is
  /// tried on a copy. The function is asked outside of the lock, and the move is made anew (P6). An
  /// answer holds for the epoch for which it was asked.
  @inline(__always)
  func moved<T: Sendable>(_ move: (inout Guarded, Duration) -> T) -> T {
    if let breakDuration { return moved(asking: breakDuration, move) }
    let now = timeline.now
    let (result, woken) = change { (move(&$0, now), $0.takeWoken()) }
    for waiter in woken { waiter.end(.granted) }
    return result
  }

  @inline(never)
  private func moved<T: Sendable>(
    asking breakDuration: @Sendable (Trip) -> Duration,
    _ move: (inout Guarded, Duration) -> T
  ) -> T {
    var given: CircuitBreakerStateMachine.GivenBreak?
    while true {
      let now = timeline.now
      let attempt: Attempt<T> = change { guarded in
        var next = guarded
        next.machine.given = given
        next.machine.unanswered = nil
        let result = move(&next, now)
        if let trip = next.machine.unanswered {
          return .asks(trip, epoch: guarded.machine.epoch)
        }
        guarded = next
        return .done(result, woken: guarded.takeWoken())
      }
      switch attempt {
      case .done(let result, let woken):
        for waiter in woken { waiter.end(.granted) }
        return result
      case .asks(let trip, let epoch):
        given = .init(epoch: epoch, length: breakDuration(trip))
      }
    }
  }

  func deliver() {
    audience.deliver { [self] in guarded.withLock { $0.mailbox.takeForDelivery() } }
  }
}
