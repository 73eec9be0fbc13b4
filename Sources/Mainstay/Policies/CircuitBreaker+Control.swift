// SPDX-License-Identifier: Apache-2.0

// What is done by hand.
extension CircuitBreaker {
  /// Refuses all calls from now on, such as during maintenance, until the isolation is ended.
  ///
  /// Several may isolate the same breaker; it closes when the last of them has ended that. A
  /// ``reset()`` does not end it. A breaker that is not `enabled` refuses nothing meanwhile.
  ///
  /// - Returns: The hold on the breaker: keep it, since releasing it ends it.
  public func isolate() -> Isolation {
    step { guarded, _ in guarded.machine.isolate() }
    return Isolation(of: self)
  }

  /// How many hold the breaker isolated.
  package var isolationCount: Int { guarded.withLock { $0.machine.isolations } }

  /// How many calls may try the dependency out at the same time; nil while nothing has to be tried
  /// out, since the breaker is closed or refuses nothing.
  package var probePermits: Int? {
    guarded.withLock { guarded in
      let machine = guarded.machine
      guard machine.settings.mode == .enabled, machine.state != .closed else { return nil }
      return machine.settings.permits
    }
  }

  /// Forgets all failures and closes, unless somebody holds an ``Isolation``.
  ///
  /// What becomes of the calls that are on their way changes nothing any more.
  public func reset() { step { guarded, _ in guarded.machine.reset() } }

  /// Opens the breaker, such as when a health check has failed before any call has.
  ///
  /// It does nothing while somebody holds an ``Isolation``, which is what other libraries call
  /// forced open. What becomes of the calls that are on their way changes nothing any more.
  ///
  /// - Parameter duration: How long the break is, in place of one that goes on; zero or more, cut
  ///   to a year, and the breaks after it grow as without it. The default, nil, is a break as after
  ///   a failure, and leaves one that goes on as it is.
  public func open(for duration: Duration? = nil) {
    step { guarded, now in
      let fraction = guarded.random.fraction()
      let event = guarded.machine.forceOpen(for: duration, now: now, fraction: fraction)
      if event != nil { tripCause.keep(nil) }
      return event
    }
  }

  /// Lets probes through from now on, whatever is left of the break, such as when the network came
  /// back.
  ///
  /// It does nothing while half-open already, nor while somebody holds an ``Isolation``. A closed
  /// breaker has to be tried out, too: look at ``state`` where only an open one is meant.
  public func halfOpen() { step { guarded, _ in guarded.machine.forceHalfOpen() } }

  /// Closes the breaker as a successful probe does, such as when a health check has succeeded.
  ///
  /// It does nothing while closed already, where ``reset()`` would forget the failures, nor while
  /// somebody holds an ``Isolation``.
  public func close() { step { guarded, _ in guarded.machine.forceClosed() } }

  /// A hold that keeps a breaker isolated until ``end()`` is called or the hold is released.
  public final class Isolation: Sendable {
    private let breaker: Locked<CircuitBreaker?>

    fileprivate init(of breaker: CircuitBreaker) { self.breaker = Locked(breaker) }

    deinit { end() }

    /// Ends this hold; the last one closes the breaker, and a second call does nothing.
    public func end() {
      let breaker = breaker.withLock { $0.take() }
      breaker?.step { guarded, _ in guarded.machine.endIsolation() }
    }
  }

  /// Whether the breaker acts on its states.
  public var mode: Mode { guarded.withLock { $0.machine.settings.mode } }

  /// Lets the breaker act on its states from now on, or not.
  ///
  /// What it knows is kept: an open break goes on. What becomes of the calls that are on their way
  /// changes nothing any more.
  ///
  /// - Parameter mode: The mode; the same one again does nothing.
  public func setMode(_ mode: Mode) {
    step { guarded, _ in
      if guarded.configuration.mode != mode { guarded.isChanged = true }
      guarded.configuration.mode = mode
      return guarded.machine.setMode(mode)
    }
  }

  /// The settings, as they were given.
  public var configuration: Configuration { guarded.withLock { $0.configuration } }

  /// Goes on with other settings, without losing what the breaker knows.
  ///
  /// The state stays; so does the end of a break, since it was promised to those who were refused.
  /// Calls that are on their way still count, unless the mode is another one. Of the samples only
  /// those are forgotten that belong to a window of which no rule says the span any longer.
  ///
  /// ```swift
  /// var settings = breaker.configuration
  /// settings.breakFor = .seconds(20)
  /// try breaker.update(settings)
  /// ```
  ///
  /// - Parameter configuration: The settings; the name has to be that of the breaker.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    let settings = try configuration.checked(named: name)
    step { guarded, _ in
      if guarded.configuration != configuration { guarded.isChanged = true }
      guarded.configuration = configuration
      return guarded.machine.update(settings)
    }
  }
}
