// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Takes back an operation that is not finished; nil where there is none.
  public func cancel(_ id: OperationID) async throws -> Cancellation? {
    try await write(.full) { [self] db, _ in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT \(OperationRow.leaving), state = 'leased' AS running,
            state = 'parked' AS parked, state = 'conflicted' AS conflicted,
            \(OperationRow.isSafe) AS safe
          FROM mainstay_op WHERE uuid = ?
          """, arguments: [id.data])
      guard let row else { return nil }
      let (isRunning, isSafe) = (row.legal("running", or: false), row.legal("safe", or: false))
      if !isRunning, isSafe {
        try departure(db).remove(row, as: .cancelled)
        return .cancelled
      }
      // Nobody here can ask what became of it. Of a conflict it is known what came after it.
      let isParked = row.legal("parked", or: false)
      if isParked || row.legal("conflicted", or: false) {
        if isParked { try departure(db).outdateLatest(of: row) }
        try departure(db).remove(row, as: .cancelled)
        return .mayHaveHappened
      }
      // What may have been sent is reconciled at once, whatever it waits for.
      try db.execute(
        sql: """
          UPDATE mainstay_op SET cancelled = 1,
            state = CASE WHEN state IN ('scheduled', 'waiting') THEN 'ready' ELSE state END,
            run_at = NULL, wait = NULL, start_at = NULL, constraints = NULL
          WHERE id = ?
          """, arguments: [row["id"] as Int64])
      return isRunning ? .stopping : .mayHaveHappened
    }
  }

  /// Makes an operation ready that waits for a time; false where none does.
  public func hasten(_ id: OperationID) async throws -> Bool {
    try await write(.normal) { db, _ in try Self.hasten(id, db) }
  }

  /// Makes ready what waits for a time, all of it by one transaction.
  package func hasten(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await write(.normal, within: CallWatch.limit(for: ids.count)) { db, _ in
      try ids.filter { try Self.hasten($0, db) }
    }
  }

  private static func hasten(_ id: OperationID, _ db: Database) throws -> Bool {
    try db.execute(
      sql: """
        UPDATE mainstay_op
        SET state = 'ready', cause = NULL, run_at = NULL, wait = NULL, start_at = NULL
        WHERE uuid = ? AND state IN ('scheduled', 'waiting') AND run_at IS NOT NULL
        """, arguments: [id.data])
    return db.changesCount > 0
  }

  /// What stands in the way of an operation that is not finished; nil where there is none.
  public func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle]? {
    let types = state.withLock { $0.types }
    return try await read { [now] db in
      let row = try Row.fetchOne(
        db, sql: "SELECT \(OperationRow.op), cause FROM mainstay_op WHERE uuid = ?",
        arguments: [id.data])
      return try row.map {
        let paused = try Self.pausedIfKnown(db)
        let obstacles = Obstacles(
          db: db, date: now(), types: types, unmet: unmet, paused: paused)
        return try obstacles.all(before: $0)
      }
    }
  }
}

/// Finds what stands in the way of an operation.
private struct Obstacles {
  let db: Database
  let date: Date
  /// What this owner reads; empty where nothing is known of that.
  let types: Set<PayloadType>
  let unmet: Set<OperationConstraint>
  let paused: Set<String>

  func all(before row: Row) throws -> [Obstacle] {
    guard let operation = try? OperationRow.operation(row) else { return [.unreadable] }
    let cause: String? = row.legal("cause")
    var found: [Obstacle] = []
    switch operation.state {
    case .leased: return [.running]
    case .scheduled, .waiting:
      if let due = operation.due { found.append(.notBefore(due, after: operation.failure)) }
    case .parked: found.append(cause == "unreadable" ? .unreadable : .noWorker(operation.type))
    case .conflicted: found.append(.conflict)
    case .blocked: found += try blockers(of: row)
    case .ready, .dead: break
    }
    found += try lane(operation.lane)
    if paused.contains(operation.type.kind.rawValue) {
      found.append(.kindPaused(operation.type.kind))
    }
    if operation.isWaitingForClaim { found += try suspects(besides: operation) }
    return found
  }

  private func blockers(of row: Row) throws -> [Obstacle] {
    let (number, key): (Int64, Data?) = (row["id"], row.legal("ordering_key"))
    var found: [Obstacle] = []
    found += try ids(
      "SELECT uuid FROM mainstay_op JOIN mainstay_dep ON needs = id WHERE op = ? ORDER BY id",
      [number]
    ).map(Obstacle.needs)
    found += try ids(
      "SELECT uuid FROM mainstay_dead JOIN mainstay_dep ON needs = id WHERE op = ? ORDER BY id",
      [number]
    ).map(Obstacle.needsDeadLetter)
    guard let key else { return found }
    found += try ids(
      """
      SELECT uuid FROM mainstay_op WHERE ordering_key = ?1 AND id <> ?2
        AND (state <> 'blocked' OR id < ?2) ORDER BY id LIMIT 1
      """, [key, number]
    ).map(Obstacle.follows)
    found += try ids(
      "SELECT uuid FROM mainstay_dead WHERE ordering_key = ? AND holds_key ORDER BY id", [key]
    ).map(Obstacle.followsDeadLetter)
    return found
  }

  private func ids(_ sql: String, _ arguments: StatementArguments) throws -> [OperationID] {
    try Data.fetchAll(db, sql: sql, arguments: arguments).compactMap(OperationID.init(data:))
  }

  private func lane(_ lane: Lane) throws -> [Obstacle] {
    try SQLiteStore.closures(db, at: date.milliseconds).filter { $0.lane == lane.rawValue }.map {
      .lane(
        lane, LaneClosure.Cause(rawValue: $0.cause) ?? .paused,
        until: $0.until.map(Date.init(milliseconds:)))
    }
  }

  private func waitsForNothing(_ row: Row) -> Bool {
    guard let text = String.fromDatabaseValue(row["constraints"]) else { return true }
    return (try? OperationRow.constraints(in: text))?.isDisjoint(with: unmet) == true
  }

  /// What lost its last run is tried alone, the oldest first, and before everything else.
  private func suspects(besides operation: StoredOperation) throws -> [Obstacle] {
    let closed = try SQLiteStore.closedNames(db, at: date.milliseconds)
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT uuid, lane, kind, version, constraints FROM mainstay_op
        WHERE state = 'ready' AND crashes > 0 AND \(OperationRow.isWanted) ORDER BY id
        """, arguments: [date.milliseconds])
    let first = rows.first { row in
      let type = ReadySearch.type(kind: row["kind"], version: row["version"])
      return String.fromDatabaseValue(row["lane"]).map(closed.contains) == false
        && (types.isEmpty || types.contains(type)) && !paused.contains(type.kind.rawValue)
        && waitsForNothing(row)
    }
    guard let first, let id = OperationID(data: first.legal("uuid", or: Data())) else { return [] }
    guard id == operation.id else { return [.letsPass(id)] }
    let others = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM mainstay_op WHERE owner IS NOT NULL)")
    return others == true ? [.runsAlone] : []
  }
}
