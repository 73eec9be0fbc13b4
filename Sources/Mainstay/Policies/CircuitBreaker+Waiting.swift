// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// What becomes of a call that comes while all places for probes are taken.
  public enum WhileProbing: Sendable, Hashable {
    /// It is refused at once; the default.
    case reject
    /// It waits until the probes have decided, or a place comes free, and asks again.
    ///
    /// - Parameters:
    ///   - atMost: How long; more than zero, cut to a year. The active ``Deadline`` may end it
    ///     earlier.
    ///   - callers: How many wait at the same time; 1 to 10,000, the default is 100. All of them
    ///     go on as soon as the breaker closes.
    case wait(atMost: Duration, callers: Int = 100)
  }

  /// How many calls wait for the verdict of a probe right now.
  public var waiting: Int { guarded.withLock { $0.queue.places.count } }
}

extension CircuitBreaker.Guarded {
  /// Takes out who has reason to ask again: all, once nobody is probing, else the oldest, as many
  /// as there are free places.
  mutating func takeWoken() -> [Waiter] {
    guard !queue.places.isEmpty else { return [] }
    return queue.wake(machine.freePlaces ?? .max).compactMap { waiters.removeValue(forKey: $0) }
  }

  fileprivate mutating func forget(_ place: UInt64) {
    queue.leave(place)
    waiters[place] = nil
  }
}

extension CircuitBreaker {
  private enum Answer: Sendable {
    case passes(CircuitBreakerStateMachine.Token, isTimed: Bool, at: Duration)
    case refused(Rejection)
    case waits(Waiter, until: Duration)
  }

  /// One call that is willing to wait, from the first time that it asked.
  private struct Willing {
    let start: Duration
    let end: Duration
    let reason: Rejection.Reason
    let callers: Int
    var place: UInt64?
  }

  /// Whether waiting is of use to a call that was refused.
  @usableFromInline
  func mayWait(insteadOf refusal: Rejection) -> Bool {
    gate.letsWait && refusal.reason == .circuitProbing
  }

  /// Lets a call that was refused through once the probes have decided, where the settings say so.
  @usableFromInline
  func enterAfterVerdict(
    insteadOf refusal: Rejection, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Pass {
    guard var willing = try willing() else { throw refusal }
    while true {
      switch ask(&willing) {
      case .passes(let token, let isTimed, let now):
        let time = now - willing.start
        if time > .zero { tell { .waited(time) } }
        return pass(token, isTimed: isTimed)
      case .refused(let rejection): throw rejection
      case .waits(let waiter, let due):
        let ending = await waiter.ending(alarm: (due, timeline), isolation: isolation) {
          waiter.end(.cancelled)
        }
        guard ending == .granted, !Task.isCancelled else {
          // Whom it was woken instead of is woken by this move.
          moved { guarded, _ in guarded.forget(waiter.id) }
          throw CancellationError()
        }
      }
    }
  }

  /// Tells of a refusal of which nothing was told, since the call might have waited.
  func tellIfUntold(_ refusal: Rejection) {
    guard mayWait(insteadOf: refusal) else { return }
    tell { .rejected(refusal) }
  }

  private func willing() throws -> Willing? {
    guard let waiting = guarded.withLock({ $0.machine.settings.waiting }) else { return nil }
    try Task.checkCancellation()
    let now = timeline.now
    let timeLeft = Deadline.remaining ?? .aYear
    guard timeLeft > .zero else {
      let rejection = Rejection(policy: name, reason: .deadlineTooClose)
      tell { .rejected(rejection) }
      throw rejection
    }
    return Willing(
      start: now, end: now + min(waiting.atMost, timeLeft),
      reason: timeLeft < waiting.atMost ? .deadlineTooClose : .waitedTooLong,
      callers: waiting.callers)
  }

  private func ask(_ willing: inout Willing) -> Answer {
    let isHeard = !audience.isEmpty
    let asker = willing
    let (answer, delivers): (Answer, Bool) = moved { guarded, now in
      if let place = asker.place { guarded.forget(place) }
      let fraction = guarded.random.fraction()
      let (decision, event) = guarded.machine.admit(now: now, fraction: fraction)
      let answer = self.answer(to: asker, decision, &guarded, now)
      guard isHeard else { return (answer, false) }
      guarded.post(event, of: name, at: now)
      if case .refused(let rejection) = answer {
        guarded.post(.rejected(rejection), of: name, at: now)
      }
      return (answer, guarded.mailbox.beginDelivery())
    }
    if delivers { deliver() }
    if case .waits(let waiter, _) = answer { willing.place = waiter.id }
    return answer
  }

  private func answer(
    to asker: Willing, _ decision: CircuitBreakerStateMachine.Decision, _ guarded: inout Guarded,
    _ now: Duration
  ) -> Answer {
    switch decision {
    case .admitted(let token), .admittedAnyway(let token, _):
      return .passes(token, isTimed: guarded.machine.isTimed, at: now)
    case .refused(.probing) where now >= asker.end:
      return .refused(Rejection(policy: name, reason: asker.reason))
    case .refused(.probing):
      if let place = asker.place { guarded.queue.rejoin(place) }
      guard let place = asker.place ?? guarded.queue.join(atMost: asker.callers) else {
        return .refused(rejection(.probing))
      }
      let waiter = Waiter(id: place)
      guarded.waiters[place] = waiter
      // A probe whose lease passes decides as well.
      return .waits(waiter, until: min(asker.end, guarded.machine.nextLease ?? asker.end))
    case .refused(let refusal): return .refused(rejection(refusal))
    }
  }

  private func tell(_ what: () -> PolicyEvent.What) {
    guard !audience.isEmpty else { return }
    let now = timeline.now
    let event = what()
    let delivers = guarded.withLock { guarded in
      guarded.post(event, of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }
}
