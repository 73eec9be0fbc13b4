// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

/// The good end of a run.
struct Completion: Sendable {
  let lease: Lease
  let output: Data?
}

extension PostgresStore {
  /// Ends a lease; false where the lease was lost, and nothing was changed then.
  ///
  /// Runs that end well while others are being recorded share the next statement.
  public func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    _ = try owner
    var isHeld: Bool
    do {
      if verdict.isCompletion {
        let completion = Completion(lease: lease, output: verdict.output)
        isHeld = try await completions.submit(completion) { [self] in
          try await complete($0, $1)
        }
      } else {
        isHeld = try await settleAlone(lease, verdict)
      }
      if !isHeld { isHeld = try await hasBeenSettled(lease, verdict) }
    } catch {
      if (error as? PostgresError)?.mayHaveHappened == true {
        state.withLock { _ = $0.unanswered.insert(lease.token) }
      }
      throw Self.thrown(error)
    }
    state.withLock { state in
      state.tokens.remove(lease.token)
      state.unanswered.remove(lease.token)
    }
    return isHeld
  }

  /// Whether an earlier try ended it, whose answer was lost: that is no lost lease.
  ///
  /// What was taken back has the token, too; but then a run was lost, and it may have been sent.
  /// Where no ends are kept, one that is gone was ended by this process as long as that was never
  /// taken for dead.
  private func hasBeenSettled(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    guard state.withLock({ $0.unanswered.contains(lease.token) }) else { return false }
    let ending = Ending(verdict.next)
    let isKnown = state.withLock { $0.tokens.contains(lease.token) }
    // Somebody may have cancelled it while it ran.
    let reasons = verdict.isLost ? [ending.name, "cancelled"] : [ending.name]
    let values: [PostgresValue] = [
      .int(lease.row), .int(lease.token), .text(lease.id.description), .texts(reasons),
      .text(ending.name), .text(ending.reason), .text(verdict.effect.rawValue),
      .int(Int64(verdict.attempts)), .bool(verdict.isUnbegun), .int(isKnown ? try owner : nil),
      keepsOutcomes,
    ]
    return try await run(Self.trace, values).first?.bool(0) ?? false
  }

  private func complete(
    _ completions: [Completion], _ patience: LockPatience
  ) async throws -> [Result<Bool, any Error>] {
    // In one order, as those who enqueue take the rows that they need.
    let sorted = completions.sorted { $0.lease.row < $1.lease.row }
    // The server looks for the place of each output, unless there is none at all.
    let outputs = sorted.allSatisfy { $0.output == nil } ? nil : sorted.map(\.output)
    let rows = try await run(
      """
      SELECT number, is_locked
      FROM mainstay.complete($1::bigint[], $2::bigint[], $3::bytea[], $4, $5::bigint, $6::integer)
      """,
      [
        .ints(sorted.map(\.lease.row)), .ints(sorted.map(\.lease.token)),
        outputs.map { .bytesArray($0) } ?? .null, keepsOutcomes, time,
        // Without a number it waits for the rows, and else it passes over those that are held.
        patience == .full ? .null : limit(of: patience),
      ], isBinary: true)
    var (gone, locked): (Set<Int64>, Set<Int64>) = ([], [])
    for row in rows {
      let number = try row.int(0)
      if try row.bool(1) { locked.insert(number) } else { gone.insert(number) }
    }
    return completions.map { completion in
      let row = completion.lease.row
      if locked.contains(row) { return .failure(PostgresError.locked) }
      // The same lease may be ended twice at the same time: only one of them has done it.
      return .success(gone.remove(row) != nil)
    }
  }

  private func settleAlone(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    do {
      return try await settleAlone(
        lease, verdict, verdict.failure?.message.withoutZeros, verdict.failure?.column)
    } catch let error as PostgresError where error.kind == .statement && verdict.failure != nil {
      // Words that a server refuses must not keep a lease for ever: the code is noted all the same.
      return try await settleAlone(
        lease, verdict, "The database did not take these words.", nil)
    }
  }

  private func settleAlone(
    _ lease: Lease, _ verdict: OperationVerdict, _ message: String?, _ words: String?
  ) async throws -> Bool {
    var ending = Ending(verdict.next)
    if case .conflicted(let remote, let fields) = verdict.next {
      ending.remote = remote
      ending.fields = try FieldConflict.text(of: fields)?.withoutZeros
    }
    let values: [PostgresValue] = [
      .int(lease.row), .int(lease.token), .text(ending.name), .int(ending.delay),
      .int(Int64(verdict.attempts)), .int(Int64(verdict.unreachable)),
      .text(verdict.effect.rawValue), .text(verdict.failure?.code.rawValue),
      .text(message), .bool(verdict.isUnbegun),
      .bytes(verdict.output), .text(ending.reason), .text(ending.followers),
      .bytes(ending.remote), .text(ending.fields), .bytes(verdict.news?.latest),
      .text(verdict.news?.idempotencyKey?.rawValue), .int(verdict.news.map { Int64($0.merges) }),
      .text(verdict.closesLane?.cause.rawValue), .int(verdict.closesLane?.duration?.milliseconds),
      .int(Int64(OperationAttempt.maximumKept)), keepsOutcomes, time,
      .text(words),
    ]
    guard let row = try await run(Self.settle, values).first else { return false }
    return try row.bool(0)
  }

  /// How many milliseconds a statement that callers share waits for a lock.
  ///
  /// Where one is not free, only those wait for it that need it, for as long as a session does.
  func limit(of patience: LockPatience) -> PostgresValue {
    switch patience {
    case .none: .int(5)
    case .brief: .int(200)
    // Behind a pooler no session has a limit of its own.
    case .full: isPooled ? .int(5_000) : .null
    }
  }

  /// Whether there is what a verdict leaves.
  ///
  /// What was due may have been made ready meanwhile.
  private static let trace = """
    SELECT EXISTS (SELECT 1 FROM mainstay.outcome
        WHERE uuid = $3::uuid AND reason = ANY ($4::text[]))
      OR EXISTS (SELECT 1 FROM mainstay.dead
        WHERE id = $1 AND lease_token = $2 AND $5 = 'dead' AND reason = $6)
      OR EXISTS (SELECT 1 FROM mainstay.op
        WHERE id = $1 AND lease_token = $2 AND owner IS NULL
          AND $5 IN ('ready', 'scheduled', 'waiting', 'parked', 'conflicted')
          AND state IN ($5, 'ready') AND effect = $7 AND attempt = $8::integer
          AND ($9::boolean OR crashes = 0))
      OR (NOT $11::boolean AND ($5 IN ('done', 'dropped') OR 'cancelled' = ANY ($4::text[]))
        AND NOT EXISTS (SELECT 1 FROM mainstay.op WHERE id = $1)
        AND NOT EXISTS (SELECT 1 FROM mainstay.dead WHERE id = $1)
        AND EXISTS (SELECT 1 FROM mainstay.owner WHERE id = $10::bigint AND alive_until >= 0))
    """

  private static let settle = """
    SELECT mainstay.settle($1, $2, $3, $4::bigint, $5::integer, $6::integer, $7, $8, $9, $10, $11,
      $12, $13, $14, $15, $16, $17, $18::integer, $19, $20::bigint, $21::integer, $22, $23::bigint,
      $24)
    """
}

/// Where an operation goes, as the columns say it.
private struct Ending {
  let name: String
  var delay: Int64?
  var reason: String?
  var followers: String?
  var remote: Data?
  var fields: String?

  init(_ next: OperationVerdict.Next) {
    switch next {
    case .done: name = "done"
    case .ready: name = "ready"
    case .scheduled(let wait): (name, delay) = ("scheduled", wait.milliseconds)
    case .waiting(let wait): (name, delay) = ("waiting", wait.milliseconds)
    case .parked: name = "parked"
    case .conflicted: name = "conflicted"
    case .dropped: name = "dropped"
    case .cancelled: name = "cancelled"
    case .dead(let cause, let others):
      (name, reason, followers) = ("dead", cause.rawValue.withoutZeros, others.rawValue)
    }
  }
}
