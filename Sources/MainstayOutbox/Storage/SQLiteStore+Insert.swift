// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// An operation whose caller waits until the disk has it.
struct PendingInsert: Sendable {
  let operation: NewOperation
  let continuation: CheckedContinuation<OperationID, any Error>
}

extension SQLiteStore {
  /// Keeps an operation; returns when it survives a power cut.
  ///
  /// Callers that arrive while others are being committed share the next commit: n callers pay for
  /// one wait for the disk.
  public func insert(_ operation: NewOperation) async throws -> OperationID {
    let connection = try open
    return try await withCheckedThrowingContinuation { continuation in
      let mustCommit = state.withLock { state in
        state.waiting.append(PendingInsert(operation: operation, continuation: continuation))
        defer { state.isCommitting = true }
        return !state.isCommitting
      }
      if mustCommit { commitWaiting(connection) }
    }
  }

  private func commitWaiting(_ connection: Connection) {
    connection.queue.asyncWriteWithoutTransaction { db in
      while true {
        let batch = self.state.withLock { state in
          let batch = state.waiting
          state.waiting = []
          if batch.isEmpty { state.isCommitting = false }
          return batch
        }
        if batch.isEmpty { return }
        self.commit(batch, db)
        // One batch to a turn, so that claims and acknowledgements get theirs.
        let isMore = self.state.withLock { state in
          state.isCommitting = !state.waiting.isEmpty
          return state.isCommitting
        }
        if isMore { self.commitWaiting(connection) }
        return
      }
    }
  }

  /// Commits a batch; where that fails, each one alone, so that each caller gets its own answer.
  private func commit(_ batch: [PendingInsert], _ db: Database) {
    do {
      let results = try insert(batch.map(\.operation), db)
      for (insert, result) in zip(batch, results) { insert.continuation.resume(with: result) }
    } catch  where batch.count > 1 {
      for insert in batch { commit([insert], db) }
    } catch {
      let error = OutboxError(error, path: path)
      for insert in batch { insert.continuation.resume(throwing: error) }
    }
  }

  private func insert(
    _ operations: [NewOperation], _ db: Database
  ) throws -> [Result<OperationID, any Error>] {
    let date = now().milliseconds
    let (pending, known) = state.withLock { ($0.pending, $0.lanes) }
    var added = 0
    let results = try Durability.full.transaction(db) {
      var results: [Result<OperationID, any Error>] = []
      for operation in operations {
        let answer = try twin(of: operation, db)
        if let answer {
          results.append(answer)
        } else if let limit = limits.maximumPending, pending + added >= limit {
          results.append(.failure(OutboxError(.full, details: "\(path) holds \(limit)")))
        } else {
          try insert(operation, at: date, isNewLane: !known.contains(operation.lane), db)
          added += 1
          results.append(.success(operation.id))
        }
      }
      if added > 0 {
        try db.cachedStatement(sql: "UPDATE meta SET value = value + ? WHERE key = 'enqueued'")
          .execute(arguments: [added])
      }
      try probe(.beforeEnqueueCommit, db)
      return results
    }
    let (count, lanes) = (added, Set(operations.map(\.lane)))
    state.withLock { state in
      state.pending += count
      state.lanes.formUnion(lanes)
    }
    try probe(.afterEnqueueCommit)
    return results
  }

  /// The operation that has the same idempotency key already; nil where there is none.
  private func twin(
    of operation: NewOperation, _ db: Database
  ) throws -> Result<OperationID, any Error>? {
    let sql = """
      SELECT uuid, kind, version, payload FROM op WHERE idem_key = ?1
      UNION ALL SELECT uuid, kind, version, payload FROM dead WHERE idem_key = ?1
      """
    let statement = try db.cachedStatement(sql: sql)
    guard
      let row = try Row.fetchOne(statement, arguments: [operation.idempotencyKey.rawValue])
    else { return nil }
    let isSame =
      row["kind"] == operation.type.kind.rawValue && row["version"] == operation.type.version
      && row["payload"] == operation.payload
    guard isSame, let id = OperationID(data: row["uuid"]) else {
      return .failure(
        OutboxError(
          .keyReused, details: "the key \(operation.idempotencyKey) has another payload"))
    }
    return .success(id)
  }

  private func insert(
    _ operation: NewOperation, at date: Int64, isNewLane: Bool, _ db: Database
  ) throws {
    if isNewLane {
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO lane (name) VALUES (?)")
        .execute(arguments: [operation.lane.rawValue])
    }
    var state = OperationState.ready
    let key = operation.orderingKey.map { Data($0.utf8) }
    if let key, try Self.isTaken(key, db) { state = .blocked }
    let expires = operation.timeToLive.map { date + $0.milliseconds }
    try db.cachedStatement(
      sql: """
        INSERT INTO op (uuid, kind, version, lane, ordering_key, state, enqueued_at, expires_at,
          effect, idem_key, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      operation.id.data, operation.type.kind.rawValue, operation.type.version,
      operation.lane.rawValue, key, state.rawValue, date, expires, operation.effect.rawValue,
      operation.idempotencyKey.rawValue, operation.payload,
    ])
  }

  /// Whether something stands before a newcomer with this key.
  static func isTaken(_ key: Data, _ db: Database) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM op WHERE ordering_key = ?1)
        OR EXISTS (SELECT 1 FROM dead WHERE ordering_key = ?1 AND holds_key)
      """
    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key]) ?? false
  }
}
