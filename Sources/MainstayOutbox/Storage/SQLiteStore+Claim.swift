// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Leases operations that are ready; returns when the leases survive a power cut, since what
  /// follows is the effect.
  public func claim(_ request: ClaimRequest) async throws -> Claim {
    guard request.limit > 0 else { return Claim(operations: []) }
    let claim = try await write(.full) { [self] db, connection in
      var search = ReadySearch(request, lanes: try Self.openLanes(db, at: now().milliseconds), db)
      let suspects = try search.suspects()
      let rows: [ReadySearch.Found]
      if suspects.isEmpty {
        rows = try search.ready()
      } else {
        rows = request.isAlone ? Array(suspects.prefix(1)) : []
      }
      let operations = try rows.map { try lease($0, connection, db) }
      if !operations.isEmpty { try probe(.beforeClaimCommit, db) }
      return Claim(
        operations: operations, isExclusive: !suspects.isEmpty, isPartial: search.isPartial)
    }
    if !claim.operations.isEmpty { try probe(.afterClaimCommit) }
    return claim
  }

  /// The lanes in which something may run.
  static func openLanes(_ db: Database, at date: Int64) throws -> [String] {
    let sql = "SELECT name FROM mainstay_lane WHERE cause IS NULL OR until <= ? ORDER BY name"
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [date])
  }

  /// Tokens grow for each operation, whoever leases it, and also after a power cut that undid the
  /// last leases: an owner's number is on the disk before its first lease, and is its upper half.
  private func lease(
    _ found: ReadySearch.Found, _ connection: Connection, _ db: Database
  ) throws -> LeasedOperation {
    let count = state.withLock { state in
      state.leases += 1
      return state.leases
    }
    let token = max(found.row["lease_token"] as Int64 + 1, connection.owner << 32 + count)
    let id: Int64 = found.row["id"]
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op SET state = 'leased', owner = ?, lease_token = ?, cause = NULL
        WHERE id = ?
        """
    ).execute(arguments: [connection.owner, token, id])
    return LeasedOperation(
      lease: Lease(id: found.operation.id, row: id, token: token), operation: found.operation)
  }

  /// Whether a lease is still held.
  public func confirms(_ lease: Lease) async throws -> Bool {
    try await read { db in try Self.holds(lease, db) != nil }
  }

  /// Keeps how far a run has come; false where its lease was lost.
  public func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try await write(.normal) { db, _ in
      try db.cachedStatement(
        sql: """
          UPDATE mainstay_op SET checkpoint = ?
          WHERE id = ? AND lease_token = ? AND state = 'leased'
          """
      ).execute(arguments: [data, lease.row, lease.token])
      return db.changesCount > 0
    }
  }

  /// The row of a lease that is still held.
  static func holds(_ lease: Lease, _ db: Database) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(OperationRow.leaving), lane, cancelled FROM mainstay_op
          WHERE id = ? AND lease_token = ? AND state = 'leased'
          """), arguments: [lease.row, lease.token])
  }
}
