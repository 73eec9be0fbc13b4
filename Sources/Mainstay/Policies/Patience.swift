// SPDX-License-Identifier: Apache-2.0

/// What moves the end of an attempt's limit while its bytes go one part after the other.
///
/// Whoever sends or gets them says so by ``moved()``. The limits around it end what they end.
package final class Patience: Sendable {
  private let machine: Locked<PatienceStateMachine>
  private let timeline: Timeline
  private let first: Duration
  private let silence: Duration
  /// When the limits around it end, by the same clock; nil where there is none.
  private let bound: Duration?

  init(_ limit: Duration, silence: Duration, now: Duration, bound: Duration?, by timeline: Timeline)
  {
    machine = Locked(PatienceStateMachine(until: now + limit, silence: silence, now: now))
    self.timeline = timeline
    self.bound = bound
    (first, self.silence) = (limit, silence)
  }

  /// That of the attempt that the current task works on; nil where its limit stays as it is.
  package static var current: Patience? { ActiveLimit.current?.patienceAround }

  /// A part has gone, or has come.
  package func moved() {
    let now = timeline.now
    machine.withLock { $0.moved(now: now) }
  }

  /// How much time is left where something always moves; nil where nothing else bounds it.
  package var longestRemaining: Duration? { bound.map { max(.zero, $0 - timeline.now) } }

  /// When it ends if nothing moves any more.
  var end: Duration {
    let own = machine.withLock { $0.end } ?? timeline.now
    return bound.map { min($0, own) } ?? own
  }

  /// How long the limit is that ends the attempt, by what has moved so far.
  package var length: Duration { machine.withLock { $0.hasMoved } ? max(first, silence) : first }

  /// Looks whether the time is over.
  ///
  /// - Returns: When to look again; nil where it is.
  func look() -> Duration? {
    let now = timeline.now
    return machine.withLock { $0.look(now: now) }
  }
}

/// The alarm of a limit whose end moves: it is set again where that is later by now.
final class PatientAlarm: AlarmTarget {
  private let limit: ActiveLimit
  private let patience: Patience
  private let state = Locked((ticket: AlarmTicket?.none, isOver: false))

  init(_ limit: ActiveLimit, _ patience: Patience) {
    (self.limit, self.patience) = (limit, patience)
  }

  private var alarms: Alarms { limit.limit.timeline.alarms }

  func set(for due: Duration) {
    let ticket = alarms.add(due: due, target: self)
    let isOver = state.withLock { state in
      if !state.isOver { state.ticket = ticket }
      return state.isOver
    }
    if isOver { alarms.remove(ticket) }
  }

  func ring() {
    guard let due = patience.look() else { return limit.ring() }
    set(for: due)
  }

  /// Nobody waits for it any more.
  func stop() {
    let ticket = state.withLock { state in
      state.isOver = true
      return state.ticket
    }
    if let ticket { alarms.remove(ticket) }
  }
}
