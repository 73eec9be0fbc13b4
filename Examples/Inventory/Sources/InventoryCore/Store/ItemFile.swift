// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay
internal import MainstayOutbox

/// A SQLite file of its own that holds the items, written through to the disk.
final class ItemFile: ItemPlace {
  private typealias Change = @Sendable (Database) throws -> Void

  private let queue: DatabaseQueue
  private let lock: Locked<OwnerLock?>
  private let commits = GroupCommit<Change, Bool>(isDelayed: true)

  init(_ opened: Opened) {
    queue = opened.queue
    lock = Locked(opened.lock)
  }

  var isShared: Bool { false }

  /// Callers that come while others wait for the disk share the next transaction, in which each
  /// has a savepoint of its own.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws -> (value: T, hasWritten: Bool) {
    let result = Locked<T?>(nil)
    let isWritten: Bool
    do {
      isWritten = try await commits.submit(
        { db in
          let value = try body(db)
          result.withLock { $0 = value }
        }, to: queue, by: Self.commit)
    } catch let error as OutboxError where error.code == .shutDown {
      throw AppError.closed
    }
    guard let value = result.withLock({ $0 }) else { throw AppError.closed }
    return (value, isWritten)
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

  /// The one connection is used by one at a time, also for reading.
  func read<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
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

  /// Nobody else uses the file.
  func settling(_ body: (_ isFirst: Bool) async throws -> Void) async throws {
    try await body(true)
  }

  func watchOthers(_ changed: @escaping @Sendable (String?) async -> Void) async {}

  func close() {
    try? queue.close()
    lock.withLock { $0 = nil }
  }
}
