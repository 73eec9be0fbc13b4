// SPDX-License-Identifier: Apache-2.0

/// What an alarm wakes.
package protocol AlarmTarget: AnyObject, Sendable {
  /// The time has come; called on a thread of its own, outside of all locks.
  func ring()
}

/// One timer for all time limits of a clock.
package final class Alarms: Sendable {
  private let clock: any ErasedClock
  private let queue = Locked(AlarmQueue<any AlarmTarget>())

  init(clock: any ErasedClock) { self.clock = clock }

  /// Rings the target when the clock reads `due`.
  package func add(due: Duration, target: any AlarmTarget) -> AlarmTicket {
    let (ticket, sleepUntil) = queue.withLock { $0.add(due: due, target: target) }
    if let sleepUntil {
      Task.detached(priority: .high) { await self.sleep(until: sleepUntil) }
    }
    return AlarmTicket(ticket: ticket)
  }

  /// Takes an alarm back; one that has rung is left alone.
  package func remove(_ ticket: AlarmTicket) { queue.withLock { $0.remove(ticket.ticket) } }

  private func sleep(until first: Duration) async {
    var wakeUp: Duration? = first
    while let until = wakeUp {
      // A clock that ends a sleep early, or throws, only costs another look.
      do { try await clock.sleep(until: until) } catch { await Task.yield() }
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
