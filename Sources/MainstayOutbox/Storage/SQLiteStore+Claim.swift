// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Leases operations that are ready; returns when the leases survive a power cut, since what
  /// follows is the effect.
  public func claim(_ request: ClaimRequest) async throws -> Claim {
    guard request.limit > 0 else { return Claim(operations: []) }
    let claim = try await write(.full) { [self] db, connection in
      let date = now().milliseconds
      let lanes = try Self.openLanes(db, at: date)
      let suspects = try Self.suspects(in: lanes, of: request.types, db)
      let rows: [Row]
      if suspects.isEmpty {
        rows = try Self.ready(in: lanes, request, db)
      } else {
        rows = request.isAlone ? Array(suspects.prefix(1)) : []
      }
      let operations = try rows.map { try lease($0, connection, db) }
      if !operations.isEmpty { try probe(.beforeClaimCommit, db) }
      return Claim(operations: operations, isExclusive: !suspects.isEmpty)
    }
    if !claim.operations.isEmpty { try probe(.afterClaimCommit) }
    return claim
  }

  /// The lanes in which something may run.
  static func openLanes(_ db: Database, at date: Int64) throws -> [String] {
    let sql = "SELECT name FROM lane WHERE cause IS NULL OR until <= ? ORDER BY name"
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [date])
  }

  /// Ready operations whose last run ended with the death of its process.
  private static func suspects(
    in lanes: [String], of types: Set<PayloadType>, _ db: Database
  ) throws -> [Row] {
    let statement = try db.cachedStatement(
      sql: "SELECT \(OperationRow.op) FROM op WHERE state = 'ready' AND crashes > 0 ORDER BY id")
    let open = Set(lanes)
    return try Row.fetchAll(statement).filter { row in
      try open.contains(row["lane"]) && !parkIfUnknown(row, types, db)
    }
  }

  private static func ready(
    in lanes: [String], _ request: ClaimRequest, _ db: Database
  ) throws -> [Row] {
    var found: [Row] = []
    for lane in lanes {
      var known: [Row] = []
      var after: Int64 = 0
      while known.count < request.limit {
        let statement = try db.cachedStatement(
          sql: """
            SELECT \(OperationRow.op) FROM op WHERE state = 'ready' AND lane = ? AND id > ?
            ORDER BY id LIMIT ?
            """)
        let rows = try Row.fetchAll(
          statement, arguments: [lane, after, request.limit - known.count])
        guard let last = rows.last else { break }
        after = last["id"]
        known += try rows.filter { try !parkIfUnknown($0, request.types, db) }
      }
      found += known
    }
    guard lanes.count > 1 else { return found }
    return found.sorted { ($0["id"] as Int64) < $1["id"] }.prefix(request.limit).map { $0 }
  }

  /// Sets aside what no worker knows, and a row that is not legal: it must not stop the others.
  private static func parkIfUnknown(
    _ row: Row, _ types: Set<PayloadType>, _ db: Database
  ) throws -> Bool {
    // A damaged row may lack what every row has.
    let (kind, version): (String?, Int?) = (row["kind"], row["version"])
    let type = PayloadType(kind: OperationKind(rawValue: kind ?? ""), version: version ?? 0)
    let isKnown = types.contains(type)
    if isKnown, (try? OperationRow.operation(row, state: .ready)) != nil { return false }
    try db.cachedStatement(sql: "UPDATE op SET state = 'parked', cause = ? WHERE id = ?")
      .execute(arguments: [isKnown ? "unreadable" : "unknownType", row["id"] as Int64])
    return true
  }

  /// Tokens grow for each operation, whoever leases it, and also after a power cut that undid the
  /// last leases: an owner's number is on the disk before its first lease, and is its upper half.
  private func lease(_ row: Row, _ connection: Connection, _ db: Database) throws -> LeasedOperation
  {
    let count = state.withLock { state in
      state.leases += 1
      return state.leases
    }
    let token = max(row["lease_token"] as Int64 + 1, connection.owner << 32 + count)
    let id: Int64 = row["id"]
    try db.cachedStatement(
      sql: "UPDATE op SET state = 'leased', owner = ?, lease_token = ?, cause = NULL WHERE id = ?"
    ).execute(arguments: [connection.owner, token, id])
    let operation = try OperationRow.operation(row, state: .leased)
    return LeasedOperation(
      lease: Lease(id: operation.id, row: id, token: token), operation: operation)
  }

  /// Whether a lease is still held.
  public func confirms(_ lease: Lease) async throws -> Bool {
    try await read { db in try Self.holds(lease, db) != nil }
  }

  /// The row of a lease that is still held.
  static func holds(_ lease: Lease, _ db: Database) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(OperationRow.op) FROM op
          WHERE id = ? AND lease_token = ? AND state = 'leased'
          """), arguments: [lease.row, lease.token])
  }
}
