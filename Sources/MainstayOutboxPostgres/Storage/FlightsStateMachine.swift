// SPDX-License-Identifier: Apache-2.0

/// When statements leave that several callers share, as a value.
///
/// One is on its way at a time, as long as few wait: two would halve what each of them carries, and
/// a statement costs nearly the same for one item and for some. One that is to leave is open first:
/// it takes along whoever comes until it has departed, and they need no other.
///
/// | Event | Opens |
/// |---|---|
/// | somebody comes, and none is open or on its way | one |
/// | somebody comes, or one departs, and as many wait as are worth a statement | one more |
/// | one has taken long, as where its rows are held, and somebody waits or comes | one more |
/// | one is answered, and somebody waits | the next one |
///
/// While one is open, no other one opens.
package struct FlightsStateMachine: Sendable, Equatable {
  /// What is done after an event.
  package enum Action: Sendable, Equatable {
    /// Nothing: whoever has come waits for the next statement.
    case waits
    /// A statement opens under a number, and is to depart.
    case leaves(Int)
    /// It is looked after some time whether the statement under a number is still on its way.
    case watches(Int)
  }

  /// How many who wait are worth a statement of their own.
  package static let enough = 64

  private let maximum: Int
  private var last = 0
  /// Those that are open or have departed, and are not answered.
  private var onTheirWay: Set<Int> = []
  /// The one that takes along whoever comes.
  private var open: Int?
  private var isWatching = false
  /// One that has taken long, while it is on its way.
  private var late: Int?

  /// - Parameter maximum: How many are on their way at most, 1 or more.
  package init(maximum: Int) { self.maximum = max(maximum, 1) }

  /// Somebody has come.
  package mutating func arrived(waiting count: Int) -> Action {
    guard open == nil else { return .waits }
    guard let oldest = onTheirWay.min() else { return .leaves(leave()) }
    return another(beside: oldest, waiting: count)
  }

  /// A statement takes along whom it can carry, and is sent.
  ///
  /// - Parameters:
  ///   - flight: Its number.
  ///   - count: How many are left behind.
  /// - Returns: What is done for those.
  package mutating func departed(_ flight: Int, waiting count: Int) -> Action {
    if open == flight { open = nil }
    guard count > 0, open == nil, let oldest = onTheirWay.min() else { return .waits }
    return another(beside: oldest, waiting: count)
  }

  private mutating func another(beside oldest: Int, waiting count: Int) -> Action {
    guard onTheirWay.count < maximum else { return .waits }
    if count >= Self.enough || late != nil { return .leaves(leave()) }
    guard !isWatching else { return .waits }
    isWatching = true
    return .watches(oldest)
  }

  /// The time is over after which a statement counts as late.
  package mutating func watched(_ flight: Int, waiting count: Int) -> Action {
    guard count > 0, let oldest = onTheirWay.min() else {
      isWatching = false
      return .waits
    }
    guard onTheirWay.contains(flight) else { return .watches(oldest) }
    isWatching = false
    late = flight
    return open == nil && onTheirWay.count < maximum ? .leaves(leave()) : .waits
  }

  /// A statement was answered.
  ///
  /// - Returns: The number under which the next one opens; nil where nobody needs it.
  package mutating func answered(_ flight: Int, waiting count: Int) -> Int? {
    onTheirWay.remove(flight)
    if late == flight { late = nil }
    return count > 0 && open == nil ? leave() : nil
  }

  private mutating func leave() -> Int {
    last += 1
    onTheirWay.insert(last)
    open = last
    return last
  }
}
