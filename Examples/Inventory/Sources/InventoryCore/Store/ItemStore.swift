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
  private let commits = GroupCommit<Change, Bool>()

  private typealias Change = @Sendable (Database) throws -> Void

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

  /// What the disk has on return, or nothing of it; a cancelled caller does not take it back.
  ///
  /// Callers that come while others wait for the disk share the next transaction, in which each
  /// has a savepoint of its own.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    let result = Locked<T?>(nil)
    do {
      let isWritten = try await commits.submit(
        { db in
          let value = try body(db)
          result.withLock { $0 = value }
        }, to: queue, by: Self.commit)
      // What changes nothing does not reach the disk, and proves nothing.
      if isWritten { evidence.wrote() }
    } catch let error as OutboxError where error.code == .shutDown {
      throw AppError.closed
    } catch {
      evidence.failed(error)
      throw ErrorMapping.inventory.map(error)
    }
    guard let value = result.withLock({ $0 }) else { throw AppError.closed }
    return value
  }

  /// Commits changes together.
  ///
  /// - Returns: Of each whether it changed anything, or why nothing of it is there.
  /// - Throws: What took all of them back, such as a full disk.
  private static func commit(
    _ changes: [Change], _ db: Database
  ) throws -> [Result<Bool, any Error>] {
    var results: [Result<Bool, any Error>] = []
    try db.inTransaction {
      for change in changes {
        let before = db.totalChangesCount
        do {
          try db.inSavepoint {
            try change(db)
            return .commit
          }
          results.append(.success(db.totalChangesCount > before))
        } catch {
          // Of a few errors SQLite takes back everything.
          guard db.isInsideTransaction else { throw error }
          results.append(.failure(error))
        }
      }
      return .commit
    }
    return results
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
