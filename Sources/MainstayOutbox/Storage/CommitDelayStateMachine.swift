// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// How long a commit waits for those who are expected to share it, as a value.
///
/// Callers who share a commit are answered together, and come again together. Without a delay the
/// first of them finds nobody under way and goes alone; the others wait for its commit and then for
/// theirs, so that every other commit carries next to nothing. PostgreSQL has
/// `commit_delay` for that, and MySQL `binlog_group_commit_sync_delay`, both set by hand; this one
/// goes by what commits take and by who came before.
///
/// | Event | Then |
/// |---|---|
/// | somebody comes, and nobody else is expected | commits |
/// | as many have come as are expected | commits |
/// | nobody has come for a quarter of what a commit takes | commits |
/// | half of what a commit takes is over, or ten milliseconds | commits |
/// | a delay was for nothing | the next 2 commits go without, then 4, and 64 at most |
///
/// As many are expected as were answered by the last commit or waited at its end. So somebody who
/// is alone never waits, and neither does anybody who comes later than that.
package struct CommitDelayStateMachine: Sendable, Equatable {
  /// What is done now.
  package enum Action: Sendable, Equatable {
    /// All who wait are committed.
    case commits
    /// It is looked again at this reading, or when somebody comes.
    case waits(until: Duration)
  }

  /// The longest delay, however long a commit takes.
  package static let longest = Duration.milliseconds(10)
  /// Where a quarter of a commit is shorter than that, a timer would cost more than it brings.
  package static let shortest = Duration.microseconds(100)
  /// How many commits go without a delay at most, after delays that were for nothing.
  package static let mostSkipped = 64

  private var expected = 0
  private var ended = Duration.zero
  private var took = Duration.zero
  private var came = Duration.zero
  private var misses = 0
  private var skipped = 0

  /// Nothing was committed yet.
  package init() {}

  /// Somebody has come while nothing is committed.
  ///
  /// - Parameters:
  ///   - waiting: How many wait, with that one.
  ///   - now: A reading of a clock that goes on steadily.
  /// - Returns: What is done now.
  package mutating func came(waiting: Int, at now: Duration) -> Action {
    came = now
    return looked(waiting: waiting, at: now)
  }

  /// The time has come that ``Action/waits(until:)`` named.
  ///
  /// - Parameters:
  ///   - waiting: How many wait, 1 or more.
  ///   - now: A reading of the same clock.
  /// - Returns: What is done now.
  package mutating func looked(waiting: Int, at now: Duration) -> Action {
    let quiet = took / 4
    guard waiting < expected, skipped == 0, quiet >= Self.shortest else { return .commits }
    let end = min(max(came, ended) + quiet, ended + min(took / 2, Self.longest))
    return now < end ? .waits(until: end) : .commits
  }

  /// A commit has begun, of so many.
  package mutating func began(_ count: Int) {
    defer { expected = 0 }
    guard expected > 1, took / 4 >= Self.shortest else { return }
    if skipped > 0 {
      skipped -= 1
    } else if count * 8 >= expected * 7 {
      misses = 0
    } else {
      misses += 1
      skipped = min(1 << min(misses, 6), Self.mostSkipped)
    }
  }

  /// A commit is over.
  ///
  /// - Parameters:
  ///   - count: How many it had.
  ///   - waiting: How many wait by now.
  ///   - duration: How long it took.
  ///   - now: A reading of the same clock.
  /// - Returns: What is done where somebody waits.
  package mutating func ended(
    _ count: Int, waiting: Int, took duration: Duration, at now: Duration
  ) -> Action {
    (expected, took, ended) = (count + waiting, duration, now)
    return looked(waiting: waiting, at: now)
  }
}
