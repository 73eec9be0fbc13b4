// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Keeps an operation; returns when it survives a power cut.
  ///
  /// Callers that arrive while others are being committed share the next commit: n callers pay for
  /// one wait for the disk.
  public func insert(_ operation: NewOperation) async throws -> OperationID {
    do {
      let writer = try open.queue
      return try await inserts.submit(operation, to: writer) { [self] operations, db in
        let limit = CallWatch.limit(for: operations.count)
        return try watched(db, of: writer, within: limit) { try insert(operations, db) }
      }
    } catch {
      throw OutboxError(error, path: path)
    }
  }

  private func insert(
    _ operations: [NewOperation], _ db: Database
  ) throws -> [Result<OperationID, any Error>] {
    var arrival = Arrival(departure(db), path: path, limits: limits)
    let results = try transaction(.full, db) {
      let results = try operations.map { try arrival.take($0) }
      try arrival.finish()
      try probe(.beforeEnqueueCommit, db)
      return results
    }
    try probe(.afterEnqueueCommit)
    return results
  }

  /// Keeps several operations, or none of them; returns when they survive a power cut.
  public func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID] {
    guard !operations.isEmpty else { return [] }
    let limit = CallWatch.limit(for: operations.count)
    let ids = try await write(.full, within: limit, withReserve: false) { [self] db, _ in
      var arrival = Arrival(departure(db), path: path, limits: limits)
      let ids = try operations.map { try arrival.take($0).get() }
      try arrival.finish()
      try probe(.beforeEnqueueCommit, db)
      return ids
    }
    try probe(.afterEnqueueCommit)
    return ids
  }
}
