// SPDX-License-Identifier: Apache-2.0

package import GRDB
package import Mainstay

/// Ends what a call does on the one connection where that takes longer than it may.
///
/// Each call is a turn of that connection, one after the other. A turn waits for the lock of the
/// file for five seconds at most. A statement that goes on for too long is interrupted; SQLite
/// takes the whole transaction back then, and the call can be made again. A call to the disk that
/// does not return cannot be ended by anybody, neither here nor in SQLite: that turn ends when the
/// disk answers, and others wait for theirs until then.
package final class CallWatch: Sendable {
  /// How long a claim or an enqueue may take: its work does not grow with the queue.
  package static let limit = Duration.seconds(10)
  /// How long anything else may take: a sweep may go through all that waits, and with one that is
  /// given up all may be dropped that follow it.
  package static let longLimit = Duration.seconds(60)

  /// How long a transaction may take that keeps or decides this many operations.
  package static func limit(for count: Int) -> Duration { limit + .milliseconds(50) * count }

  /// After what time it is tried again where no statement was running.
  private static let pause = Duration.milliseconds(100)
  /// The longest time between two looks: the next turn may have less time than the one before it.
  private static let look = limit / 4

  /// The turn that goes on now.
  private struct Turn {
    let end: Duration
    /// Neither waits nor calls back.
    let interrupt: @Sendable () -> Void
    var isEnded = false
  }

  private struct State {
    var turn: Turn?
    /// Whether somebody sleeps until the end of a turn.
    var isWatched = false
  }

  private let timeline: Timeline
  private let state = Locked(State())

  /// - Parameter timeline: What time is measured with.
  package init(on timeline: Timeline) { self.timeline = timeline }

  /// Does the work of a turn.
  ///
  /// An interruption may meet the `ROLLBACK` after a failure, too, and GRDB ends the process where
  /// a turn leaves a transaction open. So that is taken back when nobody interrupts any more. One
  /// that was open before is the app's own, and stays as it is.
  ///
  /// - Parameters:
  ///   - db: The connection, on its queue.
  ///   - queue: Whose connection it is.
  ///   - limit: How long it may take.
  ///   - overdue: What is thrown where the work failed because it was interrupted.
  ///   - body: The work.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws, or what `overdue` makes of it.
  package func run<T>(
    _ db: Database, of queue: DatabaseQueue, within limit: Duration,
    overdue: (DatabaseError) -> OutboxError, _ body: () throws -> T
  ) throws -> T {
    let wasInside = db.isInsideTransaction
    // What went wrong is thrown already.
    defer { if db.isInsideTransaction, !wasInside { try? db.rollback() } }
    begin(Turn(end: timeline.now + limit, interrupt: { queue.interrupt() }))
    let result = Result { try body() }
    let wasEnded = state.withLock { state in
      defer { state.turn = nil }
      return state.turn?.isEnded ?? false
    }
    do {
      return try result.get()
    } catch let error as DatabaseError where wasEnded && Self.isInterruption(error) {
      throw overdue(error)
    }
  }

  /// What a statement fails with that was interrupted, and each one after it in its transaction.
  private static func isInterruption(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_INTERRUPT || error.resultCode == .SQLITE_ABORT
  }

  private func begin(_ turn: Turn) {
    let mustWatch = state.withLock { state in
      state.turn = turn
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if mustWatch { Task { await watch() } }
  }

  /// Sleeps from look to look; with a turn each moment, it is woken a few times in a claim's time.
  private func watch() async {
    while let next = next() {
      // Nobody cancels it.
      try? await timeline.sleep(until: next)
    }
  }

  /// Ends the turn that takes too long.
  ///
  /// - Returns: When to look again; nil where nothing goes on.
  private func next() -> Duration? {
    let now = timeline.now
    return state.withLock { state in
      guard let turn = state.turn else {
        state.isWatched = false
        return nil
      }
      guard now >= turn.end else { return min(turn.end, now + Self.look) }
      // Under the lock, so that it never meets the turn after this one.
      turn.interrupt()
      state.turn?.isEnded = true
      return now + Self.pause
    }
  }
}

extension SQLiteStore {
  /// Does the work of a turn, and ends it where it takes longer than it may.
  ///
  /// A pool of the app has readers, which are interrupted together with its writer, so its calls
  /// are left alone.
  ///
  /// - Parameters:
  ///   - db: The connection, on its queue.
  ///   - writer: Whose connection it is.
  ///   - limit: How long it may take; nil for as long as it takes.
  ///   - other: Who watches that connection; nil, the default, for the one that writes.
  ///   - body: The work.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws; ``OutboxError`` `failed` where it took too long, and nothing
  ///   was changed then.
  func watched<T>(
    _ db: Database, of writer: any DatabaseWriter, within limit: Duration?,
    by other: CallWatch? = nil, _ body: () throws -> T
  ) throws -> T {
    guard let limit, let queue = writer as? DatabaseQueue else { return try body() }
    return try (other ?? watch).run(
      db, of: queue, within: limit,
      overdue: { error in
        OutboxError(
          .failed, details: "\(path): the call took longer than it may (\(limit)), and was ended",
          underlying: error)
      }, body)
  }
}
