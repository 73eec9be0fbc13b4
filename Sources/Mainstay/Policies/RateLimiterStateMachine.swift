// SPDX-License-Identifier: Apache-2.0

/// Who may run when, at a ``RateLimiter``.
///
/// It has no clock and no lock of its own. A reading that is not later than the latest one means
/// that no time has passed. A call that has to wait gets a promise: a turn at a reading that is
/// known from the start. A promise that is given back makes the turns after it come earlier, where
/// the law allows it; one whose turn has come is used up, whatever becomes of it.
struct RateLimiterStateMachine: Sendable {
  /// What becomes of a call.
  enum Answer: Sendable, Equatable {
    /// It may run now.
    case granted
    /// Its turn comes later; the promise has this name.
    case promised(UInt64, wait: Duration)
    /// It would have to wait for so long, which is more than it is willing to.
    case refused(wait: Duration)
    /// It costs more than is ever allowed at once.
    case never
  }

  private struct Promise {
    let id: UInt64
    var cost: Int
    var turn: Nanoseconds
  }

  /// What was let through and what is promised.
  private var schedule: RateSchedule
  /// What was let through; nil while nothing is promised.
  private var served: RateSchedule?
  /// In order: from `front` on those whose turn was not taken, from `due` on those whose turn has
  /// not come, which `served` does not count.
  private var promises: [Promise] = []
  private var front = 0
  private var due = 0
  private var nextID: UInt64 = 0
  private var latest: Nanoseconds = .min / 8

  init(_ kind: RateLimiter.Kind) { schedule = RateSchedule(kind) }

  /// How many wait for their turn.
  var waiting: Int { promises.count - front }

  /// How many promises are kept, those included whose turn was taken.
  var promiseCount: Int { promises.count }

  /// When the next turn comes; nil where nobody waits.
  var nextTurn: Duration? {
    front < promises.endIndex ? .exactly(promises[front].turn) : nil
  }

  /// Whether one made anew would let the same calls through: nobody waits, and nothing that was let
  /// through still counts.
  mutating func isPristine(now: Duration) -> Bool {
    advance(to: now)
    return waiting == 0 && schedule.earliest(schedule.highestCost, from: latest) <= latest
  }

  /// When the turn of a promise comes; nil where it was taken or given back.
  func turn(of id: UInt64) -> Duration? { index(of: id).map { .exactly(promises[$0].turn) } }
}

extension RateLimiterStateMachine {
  /// Lets a call through if that is possible at once and nobody waits; ``ask(cost:now:atMost:)``
  /// says the same, and more.
  mutating func grant(_ cost: Int, now: Duration) -> Bool {
    advance(to: now)
    return promises.isEmpty && schedule.admitAtOnce(cost, at: latest)
  }

  /// A call asks for its turn.
  ///
  /// - Parameters:
  ///   - cost: What it costs; zero or less costs nothing.
  ///   - now: The reading.
  ///   - wait: How long it is willing to wait at most.
  /// - Returns: What becomes of it; nothing is taken where it is refused.
  mutating func ask(cost: Int, now: Duration, atMost wait: Duration) -> Answer {
    advance(to: now)
    guard cost <= schedule.highestCost else { return .never }
    guard cost > 0 else { return .granted }
    let turn = schedule.earliest(cost, from: max(latest, promises.last?.turn ?? latest))
    let needed = Duration.exactly(turn - latest)
    guard needed > .zero else {
      schedule.admit(cost, at: turn)
      served?.admit(cost, at: turn)
      return .granted
    }
    guard needed <= wait else { return .refused(wait: needed) }
    if waiting == 0 { served = schedule }
    schedule.admit(cost, at: turn)
    promises.append(Promise(id: nextID, cost: cost, turn: turn))
    nextID += 1
    return .promised(nextID - 1, wait: needed)
  }

  /// Whose turn has come; each is named once.
  mutating func takeTurns(now: Duration) -> [UInt64] {
    advance(to: now)
    let taken = promises[front..<due].map(\.id)
    front = due
    tidy()
    return taken
  }

  /// A promise is given back.
  ///
  /// - Returns: Whether its turn had not come; if it had, it is used up.
  mutating func giveBack(_ id: UInt64, now: Duration) -> Bool {
    advance(to: now)
    guard let index = index(of: id), index >= due, var rest = served else { return false }
    promises.remove(at: index)
    for other in promises[due..<index] { rest.admit(other.cost, at: other.turn) }
    schedule = rest
    promise(again: index)
    tidy()
    return true
  }

  /// Another law holds from now on; what is used up stays used up, and those who wait keep their
  /// places, though their turns may come at another time.
  mutating func change(to kind: RateLimiter.Kind, now: Duration) {
    advance(to: now)
    schedule = (served ?? schedule).changed(to: kind, at: latest)
    if served != nil { served = schedule }
    let highest = schedule.highestCost
    for index in promises.indices { promises[index].cost = min(promises[index].cost, highest) }
    promise(again: due)
  }

  /// Gives turns to the promises from an index on, after those that the schedule counts.
  private mutating func promise(again index: Int) {
    var previous = index > due ? promises[index - 1].turn : latest
    for other in promises.indices[index...] {
      let turn = schedule.earliest(promises[other].cost, from: previous)
      schedule.admit(promises[other].cost, at: turn)
      promises[other].turn = turn
      previous = turn
    }
  }

  private mutating func advance(to now: Duration) {
    // Readings beyond these bounds are cut to them, so that no sum overflows.
    let bound = Nanoseconds(Int64.max / 2) * 1_000_000_000
    latest = max(latest, min(max(now.inNanoseconds, -bound), bound))
    while due < promises.endIndex, promises[due].turn <= latest {
      served?.admit(promises[due].cost, at: promises[due].turn)
      due += 1
    }
  }

  /// Drops promises that were taken: all of them, or where they outnumber the others.
  private mutating func tidy() {
    let isEmpty = front == promises.endIndex
    guard isEmpty || front > max(32, promises.count / 2) else { return }
    promises.removeFirst(front)
    due -= front
    front = 0
    if isEmpty { served = nil }
  }

  /// The place of a promise; names grow, so the promises are in order.
  private func index(of id: UInt64) -> Int? {
    var low = front
    var high = promises.endIndex
    while low < high {
      let middle = (low + high) / 2
      if promises[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < promises.endIndex && promises[low].id == id ? low : nil
  }
}
