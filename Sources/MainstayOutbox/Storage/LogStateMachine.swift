// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// When the write-ahead log of a file is moved into it, and when somebody is told that it cannot
/// be, as a value.
///
/// | The log | Moved |
/// |---|---|
/// | has nothing new since it was moved | not at all |
/// | has, and nobody has written for a second | at once, or two seconds after the last time |
/// | is longer than its limit, while others write | the same: something keeps it that long |
/// | could not be moved, since somebody reads what is older | again after two seconds |
///
/// SQLite moves the log by itself when it has 256 pages, as part of the commit after that. A reader
/// that stays at an older state keeps it from doing so, and the log grows without a limit.
package struct LogStateMachine: Sendable, Equatable {
  /// How long nobody has to have written before it is moved.
  package static let rest = Duration.seconds(1)
  /// The shortest time between two times that it is moved.
  package static let pause = Duration.seconds(2)
  /// How long a log may be held at more than its limit before somebody is warned.
  package static let patience = Duration.seconds(5)
  /// After what time somebody is warned again.
  package static let silence = Duration.seconds(300)
  /// How long a log may be, in pages: four times what SQLite lets it grow to.
  package static let limit = 4 * DiskReserve.logPages

  /// What tells whether anything was written.
  package struct Activity: Sendable, Equatable {
    /// How many rows this connection has changed.
    package var own: Int
    /// A number that changes when another connection changes the file.
    package var others: Int64

    package init(own: Int, others: Int64) { (self.own, self.others) = (own, others) }
  }

  private var activity: Activity?
  private var changed = Duration.zero
  private var isMoved = false
  private var tried: Duration?
  private var heldSince: Duration?
  private var told: Duration?

  /// Nothing is known of the log.
  package init() {}

  /// Whether somebody keeps a log from being moved that is longer than its limit.
  package var isHeld: Bool { heldSince != nil }

  /// Whether the log is to be moved now.
  ///
  /// - Parameters:
  ///   - activity: What was written.
  ///   - pages: How many pages its file has room for; it may hold fewer.
  ///   - now: A reading of the clock.
  /// - Returns: Whether it is; then ``moved(_:of:at:)`` says what came of it.
  package mutating func moves(_ activity: Activity, pages: Int, at now: Duration) -> Bool {
    if activity != self.activity { (self.activity, changed, isMoved) = (activity, now, false) }
    guard pages > 0, !isMoved else {
      if pages == 0 { heldSince = nil }
      return false
    }
    guard now - changed >= Self.rest || pages > Self.limit else { return false }
    if let tried, now - tried < Self.pause { return false }
    tried = now
    return true
  }

  /// So much of the log was moved.
  ///
  /// - Parameters:
  ///   - moved: How many pages of it are in the file now.
  ///   - pages: How many it has.
  ///   - now: A reading of the clock.
  /// - Returns: For how long somebody has kept it from being moved, where a person is to be told.
  package mutating func moved(_ moved: Int, of pages: Int, at now: Duration) -> Duration? {
    isMoved = moved >= pages
    guard !isMoved, pages > Self.limit else {
      heldSince = nil
      return nil
    }
    let since = heldSince ?? now
    heldSince = since
    guard now - since >= Self.patience else { return nil }
    if let told, now - told < Self.silence { return nil }
    told = now
    return now - since
  }
}
