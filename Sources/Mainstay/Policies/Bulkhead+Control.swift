// SPDX-License-Identifier: Apache-2.0

// What is done by hand.
extension Bulkhead {
  /// The settings in force; spans of time are cut to what is useful.
  public var configuration: Configuration {
    let settings = guarded.withLock { $0.machine.settings }
    return Configuration(
      name: name, limit: settings.limit, queue: settings.queue, maximumWait: settings.maximumWait,
      order: settings.order)
  }

  /// Goes on with other settings, without losing who runs and who waits.
  ///
  /// A lower limit lets the calls that run finish, a higher one lets waiters in at once. Those who
  /// wait stay, however short the queue is now, and wait as long as they were willing to.
  ///
  /// ```swift
  /// var settings = bulkhead.configuration
  /// settings.queue = 50
  /// try bulkhead.update(settings)
  /// ```
  ///
  /// - Parameter configuration: The settings; the name has to be that of the bulkhead.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    let settings = try configuration.checked(named: name)
    change(tells: true, byHand: true) { _ in settings }
  }

  /// Moves the limit; a lower one lets the calls that run finish, a higher one lets waiters in.
  ///
  /// - Parameter limit: How many calls may run at the same time from now on; 1 or more.
  /// - Throws: ``ConfigurationError`` where that is not legal; nothing is changed then.
  public func setLimit(_ limit: Int) throws(ConfigurationError) {
    var found = Violations()
    found.checkLimit(limit)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Bulkhead", violations: found.all)
    }
    change(tells: false, byHand: true) { settings in
      var settings = settings
      settings.limit = limit
      return settings
    }
  }

  /// Goes on with other settings.
  ///
  /// - Parameters:
  ///   - tells: Whether it is told that the settings were changed, and not just that the limit was.
  ///   - isByHand: Whether somebody wants it so, and not what was learned.
  ///   - settings: Made of those before under the lock, so that of two who change them the later
  ///     one wins; no code of the user's.
  func change(
    tells: Bool, byHand isByHand: Bool = false,
    to settings: (BulkheadStateMachine.Settings) -> BulkheadStateMachine.Settings
  ) {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let (granted, delivers): ([Waiter], Bool) = guarded.withLock { guarded in
      let before = guarded.machine.settings.limit
      let new = settings(guarded.machine.settings)
      if isByHand, new != guarded.machine.settings { guarded.isChanged = true }
      let granted = guarded.machine.update(new, now: now)
        .compactMap { guarded.waiters.removeValue(forKey: $0) }
      guard isHeard else { return (granted, false) }
      let limit = guarded.machine.settings.limit
      if tells { guarded.mailbox.post(.settingsChanged, of: name, at: now) }
      if before != limit {
        guarded.mailbox.post(.limitChanged(from: before, to: limit), of: name, at: now)
      }
      return (granted, guarded.mailbox.beginDelivery())
    }
    for waiter in granted { waiter.end(.granted) }
    if delivers { deliver() }
  }
}

extension Bulkhead: ObservedPolicy {
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T {
    guarded.withLock { body(&$0.mailbox) }
  }
}
