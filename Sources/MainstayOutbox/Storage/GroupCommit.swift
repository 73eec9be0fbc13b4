// SPDX-License-Identifier: Apache-2.0

package import GRDB
internal import Mainstay

/// Lets callers that arrive while others are being committed share the next commit: n callers pay
/// for one.
///
/// There is no timer. Each batch is one turn of the connection, so that others get theirs.
package final class GroupCommit<Item: Sendable, Answer: Sendable>: Sendable {
  private struct Waiting: Sendable {
    let item: Item
    let continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isCommitting = false
  }

  /// Commits items in one transaction, and answers each; what it throws stands for all of them.
  package typealias Commit = @Sendable ([Item], Database) throws -> [Result<Answer, any Error>]

  /// How many share a transaction at most.
  private static var maximumCount: Int { 1_000 }

  private let state = Locked(State())

  /// Makes one, with nobody in it.
  package init() {}

  /// Returns when the item was committed.
  ///
  /// - Throws: What the commit throws for this item, or for a batch of this item alone.
  package func submit(
    _ item: Item, to writer: any DatabaseWriter, by commit: @escaping Commit
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let mustCommit = state.withLock { state in
        state.waiting.append(Waiting(item: item, continuation: continuation))
        defer { state.isCommitting = true }
        return !state.isCommitting
      }
      if mustCommit { commitWaiting(writer, commit) }
    }
  }

  private func commitWaiting(_ writer: any DatabaseWriter, _ commit: @escaping Commit) {
    writer.asyncWriteWithoutTransaction { [self] db in
      let batch = state.withLock { state in
        let batch = Array(state.waiting.prefix(Self.maximumCount))
        state.waiting.removeFirst(batch.count)
        return batch
      }
      answer(batch, db, commit)
      let isMore = state.withLock { state in
        state.isCommitting = !state.waiting.isEmpty
        return state.isCommitting
      }
      if isMore { commitWaiting(writer, commit) }
    }
  }

  /// Commits a batch; where that fails, each one alone, so that each caller gets its own answer.
  private func answer(_ batch: [Waiting], _ db: Database, _ commit: Commit) {
    do {
      // It was left while this waited for its turn; GRDB would go on without a connection.
      guard db.sqliteConnection != nil else {
        throw OutboxError(.shutDown, details: "closed meanwhile")
      }
      let results = try commit(batch.map(\.item), db)
      for (waiting, result) in zip(batch, results) { waiting.continuation.resume(with: result) }
    } catch  where batch.count > 1 && !error.isWait {
      for waiting in batch { answer([waiting], db, commit) }
    } catch {
      for waiting in batch { waiting.continuation.resume(throwing: error) }
    }
  }
}

extension Error {
  /// Whether it took longer than one waits, or the file is not to be written: each alone would
  /// wait as long, and be answered alike.
  fileprivate var isWait: Bool {
    let error = self as? OutboxError
    if error?.code == .newerFormat { return true }
    let code = (error?.underlying as? DatabaseError ?? self as? DatabaseError)?.resultCode
    return code == .SQLITE_BUSY || code == .SQLITE_LOCKED || code == .SQLITE_INTERRUPT
      || code == .SQLITE_ABORT
  }
}
