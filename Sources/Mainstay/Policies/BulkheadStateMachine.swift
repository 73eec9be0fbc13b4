// SPDX-License-Identifier: Apache-2.0

/// The permits of a ``Bulkhead`` and who waits for them.
///
/// It has no clock and no lock of its own. A waiter is in one of two states: it waits, or it is
/// gone; what takes it out is granting, expiring or cancelling, and each of these is one step, so
/// no waiter ends twice. A permit that comes free goes straight to a waiter: while somebody waits,
/// none is free.
struct BulkheadStateMachine: Sendable {
  /// Settings that were checked before; the wait lies in `0...aYear`.
  struct Settings: Sendable, Equatable {
    var limit: Int
    var queue = 0
    var maximumWait = Duration.seconds(10)
    var order = Bulkhead.Order.fifo
  }

  /// What becomes of a caller for whom no permit was free.
  enum Answer: Sendable, Equatable {
    /// There is one after all.
    case granted
    /// It waits under this name.
    case waits(UInt64)
    /// All places to wait are taken.
    case full
  }

  /// A place in the queue; it stays for a while after its waiter has gone.
  private struct Place {
    let id: UInt64
    /// When half of what it is willing to wait has passed.
    let lateFrom: Duration
    var isTaken = true
  }

  private(set) var settings: Settings
  /// How many permits are taken; more than the limit only after the limit was lowered.
  private(set) var running = 0
  /// How many wait.
  private(set) var waiting = 0

  /// The oldest first, from `front` on; the first and the last one are taken.
  private var places: [Place] = []
  private var front = 0
  private var nextID: UInt64 = 0
  private var latest = Duration.seconds(Int64.min / 2)

  init(_ settings: Settings) { self.settings = settings }

  /// How many calls may run at the same time.
  var limit: Int { settings.limit }

  /// The names of those who wait, the oldest first.
  var waiters: [UInt64] { places[front...].filter(\.isTaken).map(\.id) }
  /// How many places are kept, those included whose waiter has gone.
  var placeCount: Int { places.count }
}

extension BulkheadStateMachine {
  /// Takes a permit if one is free.
  ///
  /// - Returns: How many run now, this caller included; nil where none is free.
  mutating func takeIfFree() -> Int? {
    guard running < limit else { return nil }
    running += 1
    return running
  }

  /// A caller for whom no permit was free asks to wait for so long at most.
  mutating func wait(now: Duration, atMost wait: Duration) -> Answer {
    latest = max(latest, now)
    if takeIfFree() != nil { return .granted }
    guard waiting < settings.queue else { return .full }
    let id = nextID
    nextID += 1
    waiting += 1
    places.append(Place(id: id, lateFrom: latest + wait / 2))
    return .waits(id)
  }

  /// A permit comes back, where that needs no clock.
  ///
  /// - Returns: Whether that was all; if not, ``giveBack(now:)`` has to be called.
  mutating func giveBackIfNobodyWaits() -> Bool {
    guard waiting == 0 else { return false }
    running -= 1
    return true
  }

  /// A permit comes back.
  ///
  /// - Returns: The waiter to whom it goes; nil where nobody gets it.
  mutating func giveBack(now: Duration) -> UInt64? {
    running -= 1
    return grant(now: now)
  }

  /// A waiter wants no permit any more: its caller was cancelled, or has waited long enough.
  ///
  /// - Returns: Whether it still waited; if not, it has a permit, or has ended before.
  mutating func leave(_ id: UInt64) -> Bool {
    guard let index = index(of: id) else { return false }
    places[index].isTaken = false
    waiting -= 1
    tidy()
    return true
  }

  /// Goes on with other settings; calls that run and those that wait stay, whatever they say (P37).
  ///
  /// - Returns: Those to whom the new permits go.
  mutating func update(_ new: Settings, now: Duration) -> [UInt64] {
    settings = new
    return setLimit(new.limit, now: now)
  }

  /// Moves the limit; calls that run stay, whatever the limit.
  ///
  /// - Returns: Those to whom the new permits go.
  mutating func setLimit(_ new: Int, now: Duration) -> [UInt64] {
    settings.limit = new
    var granted: [UInt64] = []
    while let id = grant(now: now) { granted.append(id) }
    return granted
  }

  /// Whether those who have waited longest are about to give up: the oldest has waited half of what
  /// it is willing to.
  func isOverloaded(now: Duration) -> Bool {
    guard waiting > 0 else { return false }
    return max(latest, now) >= places[front].lateFrom
  }
}

extension BulkheadStateMachine {
  private mutating func grant(now: Duration) -> UInt64? {
    guard running < limit, waiting > 0 else { return nil }
    let isNewestFirst = settings.order == .lifoUnderOverload && isOverloaded(now: now)
    latest = max(latest, now)
    let index = isNewestFirst ? places.endIndex - 1 : front
    let id = places[index].id
    places[index].isTaken = false
    waiting -= 1
    running += 1
    tidy()
    return id
  }

  /// The place of a waiter; names grow, so the places are in order.
  private func index(of id: UInt64) -> Int? {
    var low = front
    var high = places.endIndex
    while low < high {
      let middle = (low + high) / 2
      if places[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < places.endIndex, places[low].id == id, places[low].isTaken else { return nil }
    return low
  }

  /// Drops places that nobody needs any more: at both ends at once, in between when they outnumber
  /// the others.
  private mutating func tidy() {
    while front < places.endIndex, !places[front].isTaken { front += 1 }
    while front < places.endIndex, let last = places.last, !last.isTaken { places.removeLast() }
    if front == places.endIndex {
      places.removeAll(keepingCapacity: true)
      front = 0
    } else if places.count > max(32, 2 * waiting) {
      places.removeAll { !$0.isTaken }
      front = 0
    }
  }
}
