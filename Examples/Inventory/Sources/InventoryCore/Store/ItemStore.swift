// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay
internal import MainstayOutbox

/// Where items are kept: a SQLite file of its own, written through to the disk.
///
/// A change and the work that it asks for are one transaction, so that neither is ever there
/// without the other; the outbox, which is another file, is told afterwards.
package final class ItemStore: Sendable {
  let queue: DatabaseQueue
  let now: @Sendable () -> Date
  /// Whether the file can be written.
  package let evidence: StorageEvidence
  /// What was saved of a damaged file, until it has been settled with the outbox.
  package let salvage: ItemSalvage?
  private let lock: Locked<OwnerLock?>

  /// Opens the file, and creates it where it is missing; a damaged one is replaced by what can be
  /// read of it.
  ///
  /// - Parameters:
  ///   - url: The file; its folder must exist. A lock lies beside it: one process uses it at a
  ///     time.
  ///   - evidence: Told what writes come to.
  ///   - now: The time of day, for stamps.
  /// - Throws: `InventoryError` that names the path.
  package init(
    at url: URL, evidence: StorageEvidence = StorageEvidence(),
    now: @escaping @Sendable () -> Date
  ) async throws(InventoryError) {
    let opened = try Opened(url, at: now())
    queue = opened.queue
    salvage = opened.salvage
    lock = Locked(opened.lock)
    self.now = now
    self.evidence = evidence
  }

  var time: Timestamp { Timestamp(now()) }

  /// One transaction, which a cancelled caller does not take back.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    do {
      let (result, isWritten) = try await onConnection { db -> (T, Bool) in
        let before = db.totalChangesCount
        var result: T?
        try db.inTransaction {
          result = try body(db)
          return .commit
        }
        guard let result else { throw AppError.closed }
        return (result, db.totalChangesCount > before)
      }
      // What changes nothing does not reach the disk, and proves nothing.
      if isWritten { evidence.wrote() }
      return result
    } catch {
      evidence.failed(error)
      throw ErrorMapping.inventory.map(error)
    }
  }

  /// Writes something, where the last write failed: so the app hears when it can write again,
  /// though nobody changes anything.
  func tryAgain() async throws(AppError) {
    guard evidence.reason != nil else { return }
    let text = time.text
    try await write { db in
      try db.execute(
        sql: """
          INSERT INTO meta (key, value) VALUES ('tried', ?)
          ON CONFLICT (key) DO UPDATE SET value = excluded.value
          """, arguments: [text])
    }
  }

  func read<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    do { return try await onConnection(body) } catch { throw ErrorMapping.inventory.map(error) }
  }

  /// The one connection is used by one at a time, also for reading.
  private func onConnection<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.asyncWriteWithoutTransaction { db in
        continuation.resume(
          with: Result {
            // GRDB would go on with a connection that is not there.
            guard db.sqliteConnection != nil else { throw AppError.closed }
            return try body(db)
          })
      }
    }
  }

  /// The level that makes a commit survive a power cut: 2 is FULL.
  package func synchronousLevel() async throws(AppError) -> Int {
    try await read { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
  }

  /// Leaves the file; later calls fail.
  package func close() {
    try? queue.close()
    lock.withLock { $0 = nil }
  }
}

extension AppError {
  // Made anew each time: each is a failure of its own.
  fileprivate static var closed: AppError {
    AppError(
      code: "inventory.closed", kind: .storage, disposition: .transient(),
      title: "The app is being stopped", message: "It does not read or save anything any more.",
      suggestion: "Start it again, then try again.", metadata: ["http.status": "503"])
  }
}
