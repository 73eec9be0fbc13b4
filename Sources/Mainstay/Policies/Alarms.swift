// SPDX-License-Identifier: Apache-2.0

/// What an alarm wakes.
package protocol AlarmTarget: AnyObject, Sendable {
  /// The time has come; called on a thread of its own, outside of all locks.
  func ring()
}

/// A clock that knows who has set an alarm on it, for tests; the live one does not.
package protocol AlarmCountingClock: Sendable {
  /// Alarms are going to be set on this clock; it holds them weakly.
  func follow(_ alarms: Alarms)
  /// There are no such alarms any more.
  func alarmsEnded(_ id: ObjectIdentifier)
  /// An alarm was set; called outside of the lock of the alarms.
  func alarmWasAdded()
}

/// One timer for all time limits of a clock.
package final class Alarms: Sendable {
  private let clock: any ErasedClock
  private let queue = Locked(AlarmQueue<any AlarmTarget>())
  private let counter: (any AlarmCountingClock)?

  /// Whether the current task sleeps for alarms; set for a clock alone that counts them.
  package static let isSleeping = TaskLocal<Bool>(wrappedValue: false)

  init(clock: any ErasedClock) {
    self.clock = clock
    counter = clock.alarmCounter
    counter?.follow(self)
  }

  deinit { counter?.alarmsEnded(ObjectIdentifier(self)) }

  /// Rings the target when the clock reads `due`.
  package func add(due: Duration, target: any AlarmTarget) -> AlarmTicket {
    let (ticket, sleepUntil) = queue.withLock { $0.add(due: due, target: target) }
    if let sleepUntil {
      Task.detached(priority: .high) { await self.sleep(until: sleepUntil) }
    }
    counter?.alarmWasAdded()
    return AlarmTicket(ticket: ticket)
  }

  /// Takes an alarm back; one that has rung is left alone.
  package func remove(_ ticket: AlarmTicket) { queue.withLock { $0.remove(ticket.ticket) } }

  /// How long each alarm still waits that has not rung and was not taken back.
  package var waits: [Duration] {
    let now = clock.now
    return queue.withLock { $0.dues }.map { $0 - now }
  }

  private func rest(until reading: Duration) async throws {
    guard counter != nil else { return try await clock.sleep(until: reading) }
    try await Self.isSleeping.withValue(true) { try await clock.sleep(until: reading) }
  }

  private func sleep(until first: Duration) async {
    var wakeUp: Duration? = first
    while let until = wakeUp {
      // A clock that ends a sleep early, or throws, only costs another look.
      do { try await rest(until: until) } catch _ { await Task.yield() }
      let now = clock.now
      let (ringing, next) = queue.withLock { $0.wake(sleeperUntil: until, now: now) }
      for target in ringing { target.ring() }
      wakeUp = next
    }
  }
}

/// Names an alarm to take it back.
package struct AlarmTicket: Sendable {
  fileprivate let ticket: AlarmQueue<any AlarmTarget>.Ticket
}
