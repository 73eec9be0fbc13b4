// SPDX-License-Identifier: Apache-2.0

/// Wakes one machine when it has to be woken, and does not keep it.
///
/// Whoever moved the machine calls ``adjust(to:)``, from any thread and outside of locks.
final class WakeUp: Sendable {
  private let timeline: Timeline
  private let action: @Sendable () -> Void
  private let alarm = Locked<(due: Duration, ticket: AlarmTicket)?>(nil)

  /// - Parameters:
  ///   - timeline: The clock.
  ///   - action: Moves the machine on, and calls ``adjust(to:)``; it holds what it moves weakly.
  init(on timeline: Timeline, _ action: @escaping @Sendable () -> Void) {
    self.timeline = timeline
    self.action = action
  }

  /// Sees to it that the machine is woken when it has to be.
  ///
  /// - Parameter read: When that is, nil for never; read again and again until no other thread has
  ///   changed it meanwhile.
  func adjust(to read: () -> Duration?) {
    while true {
      let due = read()
      let (old, isRight) = alarm.withLock { alarm -> (AlarmTicket?, Bool) in
        guard alarm?.due != due else { return (nil, true) }
        defer { alarm = nil }
        return (alarm?.ticket, false)
      }
      if let old { timeline.alarms.remove(old) }
      guard !isRight, let due else { return }
      let ticket = timeline.alarms.add(due: due, target: Bell { [weak self] in self?.ring(due) })
      let isSpare = alarm.withLock { alarm in
        guard alarm == nil else { return true }
        alarm = (due, ticket)
        return false
      }
      // Somebody else was faster; whether that alarm is the right one is seen next.
      if isSpare { timeline.alarms.remove(ticket) }
    }
  }

  private func ring(_ due: Duration) {
    alarm.withLock { if $0?.due == due { $0 = nil } }
    action()
  }

  private final class Bell: AlarmTarget {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    func ring() { action() }
  }
}
