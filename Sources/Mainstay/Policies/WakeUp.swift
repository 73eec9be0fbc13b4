// SPDX-License-Identifier: Apache-2.0

/// One alarm for a machine that has to be woken now and then.
///
/// Whoever moved the machine calls ``adjust(to:then:)``, from any thread and outside of locks.
final class WakeUp: Sendable {
  private let timeline: Timeline
  private let alarm = Locked<(due: Duration, ticket: AlarmTicket)?>(nil)

  init(on timeline: Timeline) { self.timeline = timeline }

  /// Sees to it that the machine is woken when it has to be.
  ///
  /// - Parameters:
  ///   - read: When that is, nil for never; read again and again until no other thread has changed
  ///     it meanwhile.
  ///   - wake: Moves the machine on, and adjusts again; it holds what it moves weakly.
  func adjust(to read: () -> Duration?, then wake: @escaping @Sendable () -> Void) {
    while true {
      let due = read()
      let (old, isRight) = alarm.withLock { alarm -> (AlarmTicket?, Bool) in
        guard alarm?.due != due else { return (nil, true) }
        defer { alarm = nil }
        return (alarm?.ticket, false)
      }
      if let old { timeline.alarms.remove(old) }
      guard !isRight, let due else { return }
      let bell = Bell { [weak self] in
        self?.alarm.withLock { if $0?.due == due { $0 = nil } }
        wake()
      }
      let ticket = timeline.alarms.add(due: due, target: bell)
      let isSpare = alarm.withLock { alarm in
        guard alarm == nil else { return true }
        alarm = (due, ticket)
        return false
      }
      // Somebody else was faster; whether that alarm is the right one is seen next.
      if isSpare { timeline.alarms.remove(ticket) }
    }
  }

  private final class Bell: AlarmTarget {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    func ring() { action() }
  }
}
