// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

/// Where items are kept: a SQLite file of its own, written through to the disk.
///
/// A change and the work that it asks for are one transaction, so that neither is ever there
/// without the other; the outbox, which is another file, is told afterwards.
package final class ItemStore: Sendable {
  let queue: DatabaseQueue
  let now: @Sendable () -> Date
  private let isClosed = Locked(false)

  /// Opens the file, and creates it where it is missing.
  ///
  /// - Parameters:
  ///   - url: The file; its folder must exist.
  ///   - now: The time of day, for stamps.
  /// - Throws: `InventoryError` that names the path.
  package init(
    at url: URL, now: @escaping @Sendable () -> Date
  ) async throws(InventoryError) {
    let path = url.path(percentEncoded: false)
    do {
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      let answer = try await queue.writeWithoutTransaction { db in
        try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
      }
      guard answer == "ok" else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer)
      }
      let isNewer = try await queue.read { try ItemSchema.migrator.hasBeenSuperseded($0) }
      guard !isNewer else { throw InventoryError(.newerFormat, path: path) }
      try ItemSchema.migrator.migrate(queue)
      self.queue = queue
      self.now = now
    } catch let error as InventoryError {
      throw error
    } catch {
      throw InventoryError(opening: error, path: path)
    }
  }

  /// GRDB's own set-up for the write-ahead log leaves `synchronous = NORMAL`, under which a power
  /// cut may take back what was committed; so the log is switched on here.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "Inventory.Items"
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
      if mode != "wal" { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      try db.execute(
        sql: """
          PRAGMA synchronous = FULL;
          PRAGMA fullfsync = ON;
          PRAGMA checkpoint_fullfsync = ON;
          PRAGMA journal_size_limit = 16777216;
          PRAGMA trusted_schema = OFF;
          PRAGMA mmap_size = 0;
          PRAGMA cell_size_check = ON;
          """)
    }
    return configuration
  }

  var time: Timestamp { Timestamp(now()) }

  /// One transaction, which a cancelled caller does not take back.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    try await onConnection { db in
      var result: T?
      try db.inTransaction {
        result = try body(db)
        return .commit
      }
      guard let result else { throw AppError.closed }
      return result
    }
  }

  func read<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    try await onConnection(body)
  }

  /// The one connection is used by one at a time, also for reading.
  private func onConnection<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(AppError) -> T {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        queue.asyncWriteWithoutTransaction { db in
          continuation.resume(
            with: Result {
              // GRDB would go on with a connection that is not there.
              guard !self.isClosed.withLock({ $0 }) else { throw AppError.closed }
              return try body(db)
            })
        }
      }
    } catch {
      throw ErrorMapping.inventory.map(error)
    }
  }

  /// The level that makes a commit survive a power cut: 2 is FULL.
  package func synchronousLevel() async throws(AppError) -> Int {
    try await read { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
  }

  /// Leaves the file; later calls fail.
  package func close() {
    isClosed.withLock { $0 = true }
    try? queue.close()
  }
}

extension AppError {
  fileprivate static let closed = AppError(
    code: "inventory.closed", kind: .storage, disposition: .transient(),
    title: "The app is being stopped", message: "It does not read or save anything any more.",
    suggestion: "Start it again, then try again.", metadata: ["http.status": "503"])
}
