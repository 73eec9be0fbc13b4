// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import GRDB
package import Mainstay

/// Lets callers that arrive while others are being committed share the next commit: n callers pay
/// for one.
///
/// One that comes alone goes at once. Those who came together before are waited for, for a part of
/// what a commit takes (``CommitDelayStateMachine``). Each batch is one turn of the connection, so
/// that others get theirs, also while somebody is waited for.
package final class GroupCommit<Item: Sendable, Answer: Sendable>: Sendable {
  private struct Waiting: Sendable {
    let item: Item
    let continuation: CheckedContinuation<Answer, any Error>
  }

  private enum Phase {
    case idle
    /// Others are waited for; the number is that of the delay.
    case delayed(Int)
    case committing
  }

  private struct State {
    var waiting: [Waiting] = []
    var phase = Phase.idle
    var delay = CommitDelayStateMachine()
    var delays = 0
  }

  /// What is done once the lock is given back.
  private enum Step {
    case nothing, commit
    case look(after: Duration, delay: Int)
  }

  /// Commits items in one transaction, and answers each; what it throws stands for all of them.
  package typealias Commit = @Sendable ([Item], Database) throws -> [Result<Answer, any Error>]

  /// How many share a transaction at most.
  private static var maximumCount: Int { 1_000 }

  private let isDelayed: Bool
  private let timeline: Timeline
  private let state = Locked(State())

  /// Makes one, with nobody in it.
  ///
  /// - Parameters:
  ///   - isDelayed: Whether those who came together before are waited for; that pays where a commit
  ///     waits for the disk.
  ///   - timeline: What commits are timed by.
  package init(isDelayed: Bool, timeline: Timeline = .live) {
    (self.isDelayed, self.timeline) = (isDelayed, timeline)
  }

  /// Returns when the item was committed.
  ///
  /// - Throws: What the commit throws for this item, or for a batch of this item alone.
  package func submit(
    _ item: Item, to writer: any DatabaseWriter, by commit: @escaping Commit
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let step = state.withLock { state -> Step in
        state.waiting.append(Waiting(item: item, continuation: continuation))
        if case .committing = state.phase { return .nothing }
        guard isDelayed else { return begin(&state) }
        let now = timeline.now
        let action = state.delay.came(waiting: state.waiting.count, at: now)
        // Whoever looks already looks again where somebody came meanwhile.
        if case (.waits, .delayed) = (action, state.phase) { return .nothing }
        return take(action, &state, at: now)
      }
      perform(step, writer, commit)
    }
  }

  private func begin(_ state: inout State) -> Step {
    state.phase = .committing
    return .commit
  }

  private func take(
    _ action: CommitDelayStateMachine.Action, _ state: inout State, at now: Duration
  ) -> Step {
    guard case .waits(let until) = action else { return begin(&state) }
    state.delays += 1
    state.phase = .delayed(state.delays)
    return .look(after: until - now, delay: state.delays)
  }

  private func perform(_ step: Step, _ writer: any DatabaseWriter, _ commit: @escaping Commit) {
    switch step {
    case .nothing: break
    case .commit: commitWaiting(writer, commit)
    case .look(let wait, let delay):
      // Not by a task: a program may keep all threads of tasks busy, and commits go on.
      let nanoseconds = Int(wait / .nanoseconds(1))
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
        look(delay, writer, commit)
      }
    }
  }

  private func look(_ delay: Int, _ writer: any DatabaseWriter, _ commit: @escaping Commit) {
    let step = state.withLock { state -> Step in
      guard case .delayed(delay) = state.phase else { return .nothing }
      let now = timeline.now
      return take(state.delay.looked(waiting: state.waiting.count, at: now), &state, at: now)
    }
    perform(step, writer, commit)
  }

  private func commitWaiting(_ writer: any DatabaseWriter, _ commit: @escaping Commit) {
    writer.asyncWriteWithoutTransaction { [self] db in
      let batch = state.withLock { state in
        let batch = Array(state.waiting.prefix(Self.maximumCount))
        state.waiting.removeFirst(batch.count)
        state.delay.began(batch.count)
        return batch
      }
      let start = timeline.now
      answer(batch, db, commit)
      perform(after(batch.count, since: start), writer, commit)
    }
  }

  /// What is done after a commit.
  private func after(_ count: Int, since start: Duration) -> Step {
    let now = timeline.now
    return state.withLock { state in
      let waiting = state.waiting.count
      let action = state.delay.ended(count, waiting: waiting, took: now - start, at: now)
      guard waiting > 0 else {
        state.phase = .idle
        return .nothing
      }
      return isDelayed ? take(action, &state, at: now) : begin(&state)
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
