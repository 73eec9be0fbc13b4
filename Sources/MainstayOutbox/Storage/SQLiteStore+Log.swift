// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
package import Logging
package import Mainstay

/// The write-ahead log of a file.
extension SQLiteStore {
  /// What tests replace of what is around a store.
  package struct Surroundings: Sendable {
    /// What calls are timed with.
    package var timeline = Timeline.live
    /// Where warnings about the file go.
    package var logger = Logger(label: "mainstay.outbox")

    package init() {}
  }

  /// How long the write-ahead log is, in bytes; zero where there is none.
  package var logBytes: Int {
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
    return (size as? NSNumber)?.intValue ?? 0
  }

  /// Whether somebody keeps the log from getting shorter.
  package var isLogHeld: Bool { log.isHeld }

  /// Moves the log into the file where nothing else is to be done, and warns of whoever keeps it
  /// from being moved.
  ///
  /// It is never part of a call that somebody waits for, and does nothing once the store is being
  /// closed, and during a suspension. The log of an app's database is the app's business.
  ///
  /// - Parameters:
  ///   - activity: What was written.
  ///   - now: A reading of a clock that goes on steadily.
  /// - Throws: ``OutboxError``.
  package func tendLog(_ activity: LogStateMachine.Activity, at now: Duration) async throws {
    guard host == nil, !isSuspended else { return }
    let bytes = logBytes
    guard log.moves(activity, bytes: bytes, at: now) else { return }
    // SQLite keeps nothing of a part, so it may take as long as it takes: a log that was held for
    // long is moved once, or never.
    let (pages, moved) = try await read(within: nil) { [self] db in
      guard !state.withLock(\.isClosed) else {
        throw OutboxError(.shutDown, details: "\(path) is being closed")
      }
      return try Self.moveLog(db)
    }
    if let wait = log.moved(moved, of: pages, at: now) { warn(of: pages, heldFor: wait) }
  }

  private func warn(of pages: Int, heldFor wait: Duration) {
    logger.warning(
      """
      The log of the outbox cannot be cleared up: a reader has held it for \
      \(Int(wait / .seconds(1))) seconds, and it has \(pages) pages. End that transaction, or the \
      log grows without limit.
      """, metadata: ["mainstay.store": "\(path)"])
  }

  private static func moveLog(_ db: Database) throws -> (pages: Int, moved: Int) {
    let result = try db.checkpoint(.passive)
    return (result.walFrameCount, result.checkpointedFrameCount)
  }

  /// Moves the log into the file and cuts it short, if nobody reads or writes what stands in the
  /// way for long.
  static func truncateLog(_ db: Database) throws {
    try db.execute(sql: "PRAGMA busy_timeout = 250")
    defer {
      // A number that is legal cannot be refused.
      // mainstay:ignore MS203 -- the connection is about to be closed, or waits less than it may
      try? db.execute(sql: "PRAGMA busy_timeout = \(Self.patience)")
    }
    try db.checkpoint(.truncate)
  }

  package func setSuspended(_ isSuspended: Bool) {
    state.withLock { $0.isSuspended = isSuspended }
  }

  /// Whether the app is about to be suspended, or is.
  var isSuspended: Bool { state.withLock(\.isSuspended) }

  /// Makes the log as short as it can be, before the app is suspended.
  package func prepareForSuspension() async {
    guard host == nil else { return }
    await finishReading()
    // mainstay:ignore MS203 -- it is done again when the outbox rests or is closed
    try? await read(within: .milliseconds(500)) { db in try Self.truncateLog(db) }
  }
}
