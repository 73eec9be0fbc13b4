// SPDX-License-Identifier: Apache-2.0

/// What is said about a store that fails, as a value: its going, now and then that it is still
/// away, and its return.
///
/// Several ask the store, each in its own time, and an outage lasts as long as one of them fails.
///
/// | Event | Then |
/// |---|---|
/// | the first of them fails | it is told, if no end of an outage was within the last minute |
/// | one fails again | it is told a minute after the last time, then 2, 4 and so on, 60 at most |
/// | one works again, or gives up, and others still fail | nothing |
/// | the last of them works again | it is told, where the outage was |
/// | the last of them gives up | nothing: nobody knows |
package struct StorageOutageStateMachine: Sendable, Equatable {
  /// Who asks the store.
  package enum Asker: Sendable, Hashable {
    /// The loop that runs what is ready.
    case loop
    /// The run of a lease, which records its end.
    case run(Lease)
    /// Who gives back what was given up on.
    case owed
  }

  /// What is known about an outage.
  package struct Outage: Sendable, Equatable {
    /// How often the store failed.
    package var failures = 0
    /// How long it has lasted.
    package var lasted = Duration.zero
  }

  /// The shortest time between two times that it is told.
  package static let shortest = Duration.seconds(60)
  /// The longest time between two times that it is told, while the store goes on failing.
  package static let longest = Duration.seconds(3600)

  private var failing: Set<Asker> = []
  private var outage = Outage()
  private var start = Duration.zero
  private var isTold = false
  private var pause = Self.shortest
  /// Nil where nothing keeps it from being told at once.
  private var quietUntil: Duration?

  /// Nothing has failed yet.
  package init() {}

  /// The store has failed.
  ///
  /// - Parameters:
  ///   - asker: Who asked it.
  ///   - now: A reading of a clock that goes on steadily.
  /// - Returns: What is told; nil where nothing is.
  package mutating func failed(_ asker: Asker, at now: Duration) -> Outage? {
    if failing.isEmpty { (outage, start, isTold) = (Outage(), now, false) }
    failing.insert(asker)
    outage.failures += 1
    outage.lasted = now - start
    if let quietUntil, now < quietUntil { return nil }
    quietUntil = now + pause
    pause = min(pause * 2, Self.longest)
    isTold = true
    return outage
  }

  /// The store has done what it was asked for.
  ///
  /// - Parameters:
  ///   - asker: Who asked it.
  ///   - now: A reading of the same clock.
  /// - Returns: The outage that is over and was told; nil where there is none.
  package mutating func worked(_ asker: Asker, at now: Duration) -> Outage? {
    guard failing.remove(asker) != nil, failing.isEmpty, isTold else { return nil }
    outage.lasted = now - start
    (pause, quietUntil) = (Self.shortest, now + Self.shortest)
    return outage
  }

  /// Somebody asks no more, whether the store works or not.
  package mutating func gaveUp(_ asker: Asker) { failing.remove(asker) }
}
