// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// Leases operations that are ready; returns when the server has the leases on its disk.
  ///
  /// What several processes ask for at once is shared out: none of them waits for another.
  public func claim(_ request: ClaimRequest) async throws -> Claim {
    guard request.limit > 0 else { return Claim(operations: []) }
    let before = try owner
    if state.withLock({ $0.owner == before && $0.areLeasesLost }) {
      do { try await enterAgain(instead: before) } catch { throw Self.thrown(error) }
    }
    try await giveBackStrays()
    let isMoreAnew = await lookAnew(before: request)
    let types = Array(request.types)
    let parameters: [PostgresValue] = [
      .int(Int64(min(request.limit, 10_000))), .texts(types.map(\.kind.rawValue)),
      .ints(types.map { Int64($0.version) }),
      .ints(types.map { type in request.limits[type].map { Int64(min($0, 10_000)) } }),
      // What is not said is that others wait for what lost its last run.
      request.passesSuspects ? .null : .bool(request.isAlone),
      .texts(request.unmet.map(\.rawValue)), .int(Int64(Migration.format)), time,
    ]
    let owner = try owner
    do {
      return try await claim(owner, parameters, isMoreAnew)
    } catch let error as PostgresError where error.sqlState == Self.wasTakenForDead {
      // It was cut off or stopped for longer than its lease: it begins anew.
      do {
        try await enterAgain(instead: owner)
        return try await claim(self.owner, parameters, isMoreAnew)
      } catch {
        throw claimFailed(error)
      }
    } catch {
      throw claimFailed(error)
    }
  }

  private func claim(
    _ owner: Int64, _ parameters: [PostgresValue], _ isMoreAnew: Bool
  ) async throws -> Claim {
    let rows = try await run(
      Self.claim, [.int(owner), .int(lease.milliseconds)] + parameters, isBinary: true)
    var operations: [LeasedOperation] = []
    var (isExclusive, isPartial) = (false, false)
    var nextTurn: Duration?
    var unknown: [PayloadType: Int] = [:]
    var unreadable: [(row: Int64, token: Int64)] = []
    for row in rows {
      if let exclusive = try row.bool(ifAny: 0) {
        (isExclusive, isPartial) = (exclusive, try row.bool(1))
        nextTurn = try row.int(ifAny: 3).map { .milliseconds($0) }
        unknown = Self.unknown(try row.text(ifAny: 4))
        continue
      }
      let reading = OperationReading(row: row, offset: 5)
      let token = try row.int(2)
      if let operation = try? reading.operation(.leased) {
        let lease = Lease(id: operation.id, row: try reading.number, token: token)
        operations.append(LeasedOperation(lease: lease, operation: operation))
      } else {
        unreadable.append((try reading.number, token))
      }
    }
    let areHeld = state.withLock { state in
      guard state.owner == owner, !state.areLeasesLost else { return false }
      for operation in operations { state.tokens.insert(operation.lease.token) }
      return true
    }
    guard areHeld else {
      // The answer took so long that nobody renews them: they come back when the lease is over.
      throw OutboxError(.failed, details: "\(address) answered when the lease was nearly over")
    }
    for row in unreadable { await park(row.row, row.token) }
    var claim = Claim(
      operations: operations, isExclusive: isExclusive, isPartial: isPartial || isMoreAnew)
    claim.nextTurn = nextTurn
    claim.unknown = unknown
    return claim
  }

  /// Says which payloads are read here: others leave those to it.
  public func attend(to types: Set<PayloadType>) async throws {
    let owner = try owner
    do {
      try await attend(as: owner, to: types)
    } catch let error as PostgresError where error.sqlState == Self.wasTakenForDead {
      do {
        try await enterAgain(instead: owner)
        try await attend(as: self.owner, to: types)
      } catch {
        throw claimFailed(error)
      }
    } catch {
      throw claimFailed(error)
    }
  }

  private func attend(as owner: Int64, to types: Set<PayloadType>) async throws {
    _ = try await run(
      """
      SELECT mainstay.attend(
        $1, $2, array(SELECT t FROM unnest($3::text[]) AS t ORDER BY 1), $4::integer)
      """,
      [
        .int(owner), .int(lease.milliseconds),
        .texts(types.map { "\($0.kind.rawValue)/\($0.version)" }), .int(Int64(Migration.format)),
      ])
  }

  /// One type of what a claim has set aside.
  private struct SetAside: Decodable {
    let kind: String
    let version: Int
    let count: Int
  }

  /// What a claim has set aside for want of a worker.
  ///
  /// It is only told, so what this build does not understand is left out.
  private static func unknown(_ text: String?) -> [PayloadType: Int] {
    guard let text, text != "[]",
      let all = try? JSONDecoder().decode([SetAside].self, from: Data(text.utf8))
    else { return [:] }
    return all.reduce(into: [:]) { found, part in
      let kind = OperationKind(rawValue: part.kind)
      found[PayloadType(kind: kind, version: part.version), default: 0] += part.count
    }
  }

  /// A row that no build writes must not stop the others: where it cannot be set aside, the next
  /// claims give it back.
  private func park(_ row: Int64, _ token: Int64) async {
    do {
      _ = try await run(
        """
        UPDATE mainstay.op SET state = 'parked', owner = NULL, cause = 'unreadable'
        WHERE id = $1 AND lease_token = $2 AND state = 'leased'
        """, [.int(row), .int(token)])
      // mainstay:ignore MS202 -- the next claims give it back
    } catch {
      state.withLock { $0.straysUntil = .now + longestClaim }
    }
  }

  /// What the function says to a process whose leases were taken back.
  static let wasTakenForDead = "MS001"

  private func claimFailed(_ error: any Error) -> any Error {
    if (error as? PostgresError)?.mayHaveHappened == true {
      state.withLock { $0.straysUntil = .now + longestClaim }
    }
    guard let error = error as? PostgresError, error.sqlState == "MS002" else {
      return Self.thrown(error)
    }
    return OutboxError(
      .newerFormat,
      details: "The tables in \(address) were brought up to date by a newer build, and this one "
        + "may not work on them any more (\(error.text)): update it; nothing is lost.")
  }

  /// Gives back what was leased by a claim whose answer was lost: nobody would ever run it.
  ///
  /// Once is not enough: the server may commit such a claim some time after its connection is gone.
  private func giveBackStrays() async throws {
    let (until, tokens) = state.withLock { state in
      (state.straysUntil, state.straysUntil == nil ? [] : Array(state.tokens))
    }
    guard let until else { return }
    let isLast = ContinuousClock.now > until
    _ = try await call(
      "SELECT mainstay.give_back($1, $2::bigint[])",
      [.int(try owner), .ints(tokens)])
    guard isLast else { return }
    state.withLock { state in
      if state.straysUntil == until { state.straysUntil = nil }
    }
  }

  /// All that it leases is leased before the first row is read; the next turn is told after that.
  private static let claim = """
    SELECT is_exclusive, is_partial, token,
      CASE WHEN is_exclusive IS NOT NULL THEN mainstay.next_turn($4::text[]) END,
      set_aside::text, (operation).*
    FROM mainstay.claim(
      $1, $2, $3::integer, $4::text[], $5::integer[], $6::integer[], $7, $8::text[], $9::integer,
      $10::bigint)
    """

  /// Whether a lease is still held.
  public func confirms(_ lease: Lease) async throws -> Bool {
    try await ask(
      """
      SELECT EXISTS (SELECT 1 FROM mainstay.op
        WHERE id = $1 AND lease_token = $2 AND state = 'leased')
      """, [.int(lease.row), .int(lease.token)]
    ).bool(0)
  }

  /// Keeps how far a run has come; false where its lease was lost.
  public func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try await call(
      """
      UPDATE mainstay.op SET checkpoint = $3
      WHERE id = $1 AND lease_token = $2 AND state = 'leased' RETURNING 1
      """, [.int(lease.row), .int(lease.token), .bytes(data)]
    ).count > 0
  }
}
