// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Leases operations that are ready; returns when the leases survive a power cut, since what
  /// follows is the effect.
  public func claim(_ request: ClaimRequest) async throws -> Claim {
    // One that only enqueues does not judge what others can do.
    guard request.limit > 0, !request.types.isEmpty else { return Claim(operations: []) }
    let claim = try await write(.full, within: CallWatch.limit) { [self] db, connection in
      try register(request.types, connection, db)
      let found = try search(request.without(try Self.paused(db)), db)
      let operations = try lease(found.rows, connection, db)
      if !operations.isEmpty { try probe(.beforeClaimCommit, db) }
      var claim = Claim(
        operations: operations, isExclusive: found.isExclusive, isPartial: found.search.isPartial)
      claim.unknown = found.search.unknown
      return claim
    }
    // Only what is on the disk is known to others.
    state.withLock { $0.types = request.types }
    if !claim.operations.isEmpty { try probe(.afterClaimCommit) }
    return claim
  }

  /// Says which types this owner reads: others leave those to it.
  public func attend(to types: Set<PayloadType>) async throws {
    try await write(.normal) { [self] db, connection in try register(types, connection, db) }
    state.withLock { $0.types = types }
  }

  private func register(
    _ types: Set<PayloadType>, _ connection: Connection, _ db: Database
  ) throws {
    guard state.withLock({ $0.types != types }) else { return }
    try db.execute(
      sql: """
        DELETE FROM mainstay_type
        WHERE owner = ? OR owner NOT IN (SELECT id FROM mainstay_owner)
        """, arguments: [connection.owner])
    for type in types {
      try db.execute(
        sql: "INSERT INTO mainstay_type (kind, version, owner) VALUES (?, ?, ?)",
        arguments: [type.kind.rawValue, type.version, connection.owner])
    }
  }

  /// What is leased: one that lost its last run alone, else what is ready, and then what waits for
  /// constraints that hold here.
  private func search(
    _ request: ClaimRequest, _ db: Database
  ) throws -> (rows: [ReadySearch.Found], isExclusive: Bool, search: ReadySearch) {
    let date = now().milliseconds
    let closed = try Self.closedNames(db, at: date, trying: request.tried, hasRests: true)
    var search = ReadySearch(request, closed: closed, at: date, db)
    let suspects = try search.suspects()
    guard suspects.isEmpty || request.passesSuspects else {
      return (request.isAlone ? Array(suspects.prefix(1)) : [], true, search)
    }
    let ready = try search.ready(besides: suspects)
    let restrained = RestrainedSearch(request, closed: closed, at: date, db)
    let rows = ready + (try restrained.first(besides: ready))
    if rows.isEmpty, !request.passesSuspects, let suspect = try restrained.suspect() {
      return (request.isAlone ? [suspect] : [], true, search)
    }
    return (ReadySearch.first(request.limit, of: rows), false, search)
  }

  /// The lanes in which nothing may run; one that nobody has closed has no row anywhere.
  ///
  /// A person who is needed does not close those that are tried.
  static func closedNames(
    _ db: Database, at date: Int64, trying tried: Set<Lane> = [], hasRests: Bool? = nil
  ) throws -> Set<String> {
    let closures = try closures(db, at: date, hasRests: hasRests).filter { closure in
      closure.cause != LaneClosure.Cause.needsUser.rawValue
        || !tried.contains(Lane(rawValue: closure.lane))
    }
    return Set(closures.map(\.lane))
  }

  /// What closes lanes now, by their names.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - date: The time.
  ///   - hasRests: Whether the file is known to have rests; nil, the default, to be asked.
  /// - Returns: What closes lanes.
  /// - Throws: What the database throws.
  static func closures(
    _ db: Database, at date: Int64, hasRests: Bool? = nil
  ) throws -> [(lane: String, cause: String, until: Int64?)] {
    var sql = """
      SELECT name, cause, until FROM mainstay_lane
      WHERE cause IS NOT NULL AND (until IS NULL OR until > ?1)
      """
    // A file that is only looked at may be of a time before there were any.
    if try hasRests ?? Schema.has("mainstay_rest", db) {
      sql += " UNION ALL SELECT lane, 'throttled', until FROM mainstay_rest WHERE until > ?1"
    }
    return try Row.fetchAll(db.cachedStatement(sql: sql + " ORDER BY 1, 2"), arguments: [date])
      .compactMap { row in
        guard let name: String = row.legal("name") else { return nil }
        return (name, row.legal("cause", or: ""), row.legal("until"))
      }
  }

  /// Tokens grow for each operation, whoever leases it, and also after a power cut that undid the
  /// last leases: an owner's number is on the disk before its first lease, and is its upper half.
  ///
  /// What is leased together has the same token, but for what had a greater one before.
  private func lease(
    _ found: [ReadySearch.Found], _ connection: Connection, _ db: Database
  ) throws -> [LeasedOperation] {
    guard !found.isEmpty else { return [] }
    let count = state.withLock { state in
      state.leases += 1
      return state.leases
    }
    let least = connection.owner << 32 + count
    let leased = found.map { found in
      let token = max(min(found.token, .max - 1) + 1, least)
      return LeasedOperation(
        lease: Lease(id: found.operation.id, row: found.number, token: token),
        operation: found.operation)
    }
    for (token, leased) in Dictionary(grouping: leased, by: \.lease.token) {
      try RowNumbers.each(of: leased.map(\.lease.row)) { isOne, numbers in
        let sql = """
          UPDATE mainstay_op SET state = 'leased', owner = ?, lease_token = ?, cause = NULL
          WHERE \(isOne)
          """
        let arguments: StatementArguments = [connection.owner, token]
        try db.cachedStatement(sql: sql).execute(arguments: arguments + numbers)
      }
    }
    return leased
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
      db.cachedStatement(sql: heldQuery), arguments: [lease.row, lease.token])
  }

  private static let heldQuery = """
    SELECT \(OperationRow.leaving), lane, cancelled FROM mainstay_op
    WHERE id = ? AND lease_token = ? AND state = 'leased'
    """
}
