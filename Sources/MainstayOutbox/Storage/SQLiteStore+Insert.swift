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
    let known = state.withLock { $0.lanes }
    var arrival = Arrival(departure(db), path: path, knownLanes: known, limits: limits)
    let results = try transaction(.full, db) {
      let results = try operations.map { try arrival.take($0) }
      try arrival.finish()
      try probe(.beforeEnqueueCommit, db)
      return results
    }
    state.withLock { [lanes = arrival.knownLanes] in $0.lanes.formUnion(lanes) }
    try probe(.afterEnqueueCommit)
    return results
  }
}
