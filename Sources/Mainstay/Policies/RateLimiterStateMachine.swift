// SPDX-License-Identifier: Apache-2.0

/// Who may run when, at a ``RateLimiter``.
///
/// It has no clock and no lock of its own. A reading that is not later than the latest one means
/// that no time has passed. A call that has to wait gets a promise: a turn at a reading that is
/// known from the start. A promise that is given back makes the turns after it come earlier, where
/// the law allows it; one whose turn has come is used up, whatever becomes of it.
///
/// Where many give theirs back, turns are computed once for all of them: that of the first who
/// waits at once, and the others when somebody asks.
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
    /// The latest turn for which its caller is willing to wait.
    let latestTurn: Nanoseconds
    var turn: Nanoseconds
    var isGivenBack = false
  }

  /// What was let through, those included whose turn has come.
  private var schedule: RateSchedule
  /// The same with all promises; nil while nothing is promised, and where a promise was given back
  /// since, so that the turns after the first are those of before.
  private var planned: RateSchedule?
  /// In order: from `front` on those whose turn has not come, the first of which was not given back
  /// and has its turn.
  private var promises: [Promise] = []
  private var front = 0
  /// How many of them were not given back.
  private var pending = 0
  /// Whose turn has come and was not taken, in order.
  private var due: [(id: UInt64, turn: Nanoseconds)] = []
  private var nextID: UInt64 = 0
  private var latest: Nanoseconds = .min / 8
  /// How many turns were computed for promises: the work of all that changed them.
  private(set) var turnsComputed = 0

  init(_ kind: RateLimiter.Kind) { schedule = RateSchedule(kind) }

  /// How many wait for their turn.
  var waiting: Int { pending + due.count }

  /// How many promises are kept, those included whose turn was taken or that were given back.
  var promiseCount: Int { promises.count + due.count }

  /// When the next turn comes; nil where nobody waits.
  var nextTurn: Duration? {
    let first = pending > 0 ? promises[front].turn : nil
    return (due.first?.turn ?? first).map { .exactly($0) }
  }

  /// Whether one made anew would let the same calls through: nobody waits, and nothing that was let
  /// through still counts.
  mutating func isPristine(now: Duration) -> Bool {
    advance(to: now)
    return waiting == 0 && schedule.earliest(schedule.highestCost, from: latest) <= latest
  }

  /// When the turn of a promise comes; nil where it was taken or given back.
  mutating func turn(of id: UInt64) -> Duration? {
    if let turn = due.first(where: { $0.id == id })?.turn { return .exactly(turn) }
    plan()
    return index(of: id).map { .exactly(promises[$0].turn) }
  }
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
    let turn = turn(costing: cost)
    let needed = Duration.exactly(turn - latest)
    guard needed > .zero else {
      // Those who wait have turns that have not come, and nobody comes before them.
      schedule.admit(cost, at: turn)
      return .granted
    }
    guard needed <= wait else { return .refused(wait: needed) }
    if planned == nil { planned = schedule }
    planned?.admit(cost, at: turn)
    promises.append(
      Promise(id: nextID, cost: cost, latestTurn: latest + wait.inNanoseconds, turn: turn))
    pending += 1
    nextID += 1
    return .promised(nextID - 1, wait: needed)
  }

  /// When a call would have its turn that asked now.
  private mutating func turn(costing cost: Int) -> Nanoseconds {
    plan()
    if let planned, let last = promises.last { return planned.earliest(cost, from: last.turn) }
    return schedule.earliest(cost, from: latest)
  }

  /// How many calls that cost one would be let through at once: none before those who wait.
  mutating func available(now: Duration) -> Int {
    advance(to: now)
    return pending > 0 ? 0 : max(0, schedule.free(at: latest))
  }

  /// In what time a call that costs one would have its turn; nil for never.
  mutating func timeToTurn(now: Duration) -> Duration? {
    advance(to: now)
    guard schedule.highestCost >= 1 else { return nil }
    return max(.zero, .exactly(turn(costing: 1) - latest))
  }

  /// Whose turn has come; each is named once.
  mutating func takeTurns(now: Duration) -> [UInt64] {
    advance(to: now)
    defer { due.removeAll(keepingCapacity: true) }
    return due.map(\.id)
  }

  /// A promise is given back.
  ///
  /// - Returns: Whether its turn had not come; if it had, it is used up.
  mutating func giveBack(_ id: UInt64, now: Duration) -> Bool {
    advance(to: now)
    guard let index = index(of: id) else { return false }
    planned = nil
    promises[index].isGivenBack = true
    pending -= 1
    if index == front { moveOn(from: latest) }
    tidy()
    return true
  }

  /// A promise that another law broke.
  struct Broken: Sendable, Equatable {
    let id: UInt64
    /// How long it is until its turn would have come.
    let wait: Duration
    /// By how much that is more than its caller is willing to wait.
    let excess: Duration
  }

  /// Another law holds from now on; what is used up stays used up, and those who wait keep their
  /// places, though their turns may come at another time.
  ///
  /// - Returns: The promises that are none any more, since their turns would come later than their
  ///   callers are willing to wait.
  mutating func change(to kind: RateLimiter.Kind, now: Duration) -> [Broken] {
    advance(to: now)
    schedule = schedule.changed(to: kind, at: latest)
    planned = nil
    guard pending > 0 else { return [] }
    var (rest, previous, broken) = (schedule, latest, [Broken]())
    for index in promises.indices[front...] where !promises[index].isGivenBack {
      let promise = promises[index]
      let cost = min(promise.cost, schedule.highestCost)
      let turn = rest.earliest(cost, from: previous)
      turnsComputed += 1
      guard turn <= promise.latestTurn else {
        broken.append(
          Broken(
            id: promise.id, wait: .exactly(turn - latest),
            excess: .exactly(turn - promise.latestTurn)))
        promises[index].isGivenBack = true
        continue
      }
      rest.admit(cost, at: turn)
      (promises[index].cost, promises[index].turn, previous) = (cost, turn, turn)
    }
    pending -= broken.count
    dropGivenBack()
    planned = pending > 0 ? rest : nil
    return broken
  }

  /// Gives each promise its turn, where one before it was given back.
  private mutating func plan() {
    guard planned == nil, pending > 0 else { return }
    dropGivenBack()
    var rest = schedule
    var turn = promises[front].turn
    for index in promises.indices {
      if index > front {
        turn = rest.earliest(promises[index].cost, from: turn)
        turnsComputed += 1
      }
      rest.admit(promises[index].cost, at: turn)
      promises[index].turn = turn
    }
    planned = rest
  }

  private mutating func advance(to now: Duration) {
    // Readings beyond these bounds are cut to them, so that no sum overflows.
    let bound = Nanoseconds(Int64.max / 2) * 1_000_000_000
    latest = max(latest, min(max(now.inNanoseconds, -bound), bound))
    while front < promises.endIndex, promises[front].turn <= latest { comeDue() }
  }

  /// The turn of the first promise has come.
  private mutating func comeDue() {
    let first = promises[front]
    schedule.admit(first.cost, at: first.turn)
    due.append((first.id, first.turn))
    pending -= 1
    moveOn(from: first.turn)
    tidy()
  }

  /// The first promise is none any more; the next that was not given back has its turn at once, not
  /// before a reading.
  private mutating func moveOn(from time: Nanoseconds) {
    front += 1
    while front < promises.endIndex, promises[front].isGivenBack { front += 1 }
    guard planned == nil, front < promises.endIndex else { return }
    promises[front].turn = schedule.earliest(promises[front].cost, from: time)
    turnsComputed += 1
  }

  /// Drops promises that are none any more: all of them, or where they outnumber the others.
  private mutating func tidy() {
    if pending == 0 {
      promises.removeAll(keepingCapacity: true)
      (front, planned) = (0, nil)
    } else if promises.count - pending > max(32, promises.count / 2) {
      dropGivenBack()
    }
  }

  /// Drops promises that are none any more.
  private mutating func dropGivenBack() {
    promises.removeFirst(front)
    promises.removeAll(where: \.isGivenBack)
    front = 0
  }

  /// The place of a promise whose turn has not come; names grow, so the promises are in order.
  private func index(of id: UInt64) -> Int? {
    var low = front
    var high = promises.endIndex
    while low < high {
      let middle = (low + high) / 2
      if promises[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < promises.endIndex, promises[low].id == id else { return nil }
    return promises[low].isGivenBack ? nil : low
  }
}
