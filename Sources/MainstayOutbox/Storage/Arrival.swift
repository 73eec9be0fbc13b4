// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Takes new operations in, within one transaction.
struct Arrival {
  typealias Answer = Result<OperationID, any Error>

  let departure: Departure
  let path: String
  let limits: StoreLimits
  /// How many operations were accepted; some of them took the place of others.
  private var accepted = 0
  /// What is in the store; nil where it has to be read.
  var known: Load?
  /// Whether there are dead letters; nil where that has to be read.
  private var hasDead: Bool?

  var db: Database { departure.db }
  var date: Int64 { departure.date }

  init(_ departure: Departure, path: String, limits: StoreLimits) {
    self.departure = departure
    self.path = path
    self.limits = limits
  }

  /// Counts what was accepted.
  func finish() throws {
    guard accepted > 0 else { return }
    try db.cachedStatement(sql: "UPDATE mainstay_meta SET value = value + ? WHERE key = 'enqueued'")
      .execute(arguments: [accepted])
  }

  mutating func take(_ operation: NewOperation) throws -> Answer {
    if try mayHaveTwin(operation), let answer = try twin(of: operation) { return answer }
    if let coalescing = operation.wishes.coalescing { return try coalesce(operation, coalescing) }
    guard let key = operation.wishes.uniqueKey else { return try insert(operation) }
    guard let holder = try holder(of: Self.bytes(key, of: operation)) else {
      return try insert(operation)
    }
    switch key.ifTaken {
    case .keep: return .success(holder.id)
    case .reject:
      let details = "\(operation.type.kind) “\(key.value)” is waiting already"
      return .failure(OutboxError(.duplicate, details: details))
    case .replace where holder.isUntouched && operation.mayReplace:
      return try replace(holder, with: operation)
    case .replace, .append: return try insert(operation, after: holder)
    }
  }

  /// Whether to look for a twin before anything is changed.
  ///
  /// Nobody else has a key that was made for the identity, so only the same operation can be there,
  /// which its row says by itself.
  private mutating func mayHaveTwin(_ operation: NewOperation) throws -> Bool {
    let wishes = operation.wishes
    guard operation.idempotencyKey.isMade(for: operation.id), wishes.coalescing == nil,
      wishes.uniqueKey == nil, try !areAnyDead()
    else { return true }
    // Nothing may be dropped for one that is there.
    return try !hasRoom(for: operation)
  }

  /// Something else was changed than what a newcomer changes.
  mutating func lookAgain() { (known, hasDead) = (nil, nil) }

  private mutating func areAnyDead() throws -> Bool {
    if let hasDead { return hasDead }
    let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM mainstay_dead)")
    let found = try Bool.fetchOne(statement) ?? true
    hasDead = found
    return found
  }

  /// The operation that has the same idempotency key already; nil where there is none.
  private func twin(of operation: NewOperation) throws -> Answer? {
    let sql = """
      SELECT uuid, kind, version, payload FROM mainstay_op WHERE idem_key = ?1
      UNION ALL SELECT uuid, kind, version, payload FROM mainstay_dead WHERE idem_key = ?1
      """
    let statement = try db.cachedStatement(sql: sql)
    guard
      let row = try Row.fetchOne(statement, arguments: [operation.idempotencyKey.rawValue])
    else { return nil }
    let isSame =
      row.legal("kind") == operation.type.kind.rawValue
      && row.legal("version") == operation.type.version
      && row.legal("payload") == operation.payload
    guard isSame, let id = OperationID(data: row.legal("uuid", or: Data())) else {
      return .failure(
        OutboxError(
          .keyReused, details: "the key \(operation.idempotencyKey) has another payload"))
    }
    return .success(id)
  }

  /// Who has a unique key.
  struct Holder {
    let row: Int64
    let id: OperationID
    /// Nothing was sent, nobody has it, and nobody is deciding about it.
    let isUntouched: Bool
    let bytes: Int
  }

  /// Unique keys are bytes, and begin with the kind: any text is legal in both.
  private static func bytes(_ key: EnqueueOptions.UniqueKey, of operation: NewOperation) -> Data {
    Data(operation.type.kind.rawValue.utf8) + [0] + Data(key.value.utf8)
  }

  private func holder(of key: Data) throws -> Holder? {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT id, uuid, length(payload) AS bytes,
            state NOT IN ('leased', 'conflicted') AND effect = 'notSent' AND NOT cancelled
              AS untouched
          FROM mainstay_op WHERE unique_key = ?
          """), arguments: [key])
    guard let row, let id = OperationID(data: row.legal("uuid", or: Data())) else { return nil }
    return Holder(
      row: row["id"], id: id, isUntouched: row.legal("untouched", or: false),
      bytes: row.legal("bytes", or: 0))
  }

  /// The last one of the key gets what both come to, or both are gone.
  private mutating func coalesce(
    _ operation: NewOperation, _ coalescing: NewOperation.Coalescing
  ) throws -> Answer {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(OperationRow.leaving) FROM mainstay_op
          WHERE uuid = ?1 AND payload = ?2 AND kind = ?3 AND version = ?4 AND ordering_key = ?5
            AND state IN ('ready', 'scheduled', 'blocked', 'waiting') AND effect = 'notSent'
            AND NOT cancelled
            AND id = (SELECT max(id) FROM mainstay_op WHERE ordering_key = ?5)
            AND unique_key IS NULL AND expires_at IS NULL AND constraints IS NULL
            AND timeout IS NULL
            AND priority = ?7 AND expendable = ?8
            AND NOT EXISTS (SELECT 1 FROM mainstay_dep WHERE op = id)
            AND (?6 OR NOT EXISTS (SELECT 1 FROM mainstay_dep WHERE needs = id))
          """),
      arguments: [
        coalescing.earlier.data, coalescing.expected, operation.type.kind.rawValue,
        operation.type.version, operation.orderingKey.map { Data($0.utf8) },
        coalescing.payload != nil, operation.wishes.priority.rawValue,
        operation.wishes.isExpendable,
      ])
    guard let row, try isFitting(coalescing) else {
      return .failure(
        OutboxError(
          .changedMeanwhile, details: "\(coalescing.earlier) is not what it was, or stays alone"))
    }
    accepted += 1
    lookAgain()
    let kind = operation.type.kind.rawValue
    if let payload = coalescing.payload {
      let number: Int64 = row["id"]
      // How far a run came says nothing about another payload.
      try db.cachedStatement(
        sql: "UPDATE mainstay_op SET payload = ?, idem_key = ?, checkpoint = NULL WHERE id = ?"
      ).execute(arguments: [payload, operation.idempotencyKey.rawValue, number])
      try departure.leaveReceipt(kind, .coalesced, bytes: coalescing.expected.count)
      return .success(coalescing.earlier)
    }
    try departure.leaveReceipt(kind, .coalesced, bytes: operation.payload.count)
    try departure.keepOutcome(of: operation.id.data, kind, .coalesced)
    try departure.remove(row, as: .coalesced)
    return .success(operation.id)
  }

  /// What was there has never been sent, so nobody knows its idempotency key: a new operation takes
  /// its place.
  private mutating func replace(_ holder: Holder, with operation: NewOperation) throws -> Answer {
    guard try makeRoom(for: operation, replacing: holder) else {
      let load = try load()
      return .failure(
        limits.refusal(of: operation, by: path, load.pending - 1, load.bytes - holder.bytes))
    }
    lookAgain()
    // It may have expired for that.
    guard try isThere(holder.row) else { return try insert(operation) }
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op SET version = ?, payload = ?, idem_key = ?, expires_at = ?, priority = ?,
          rank = min(rank, ?), constraints = ?, expendable = ?, timeout = ?, checkpoint = NULL,
          merges = 0, attempt = 0, unreachable = 0, error_code = NULL, error_message = NULL,
          error_words = NULL, state = CASE
            WHEN state IN ('scheduled', 'waiting', 'parked') THEN 'ready' ELSE state END,
          cause = NULL, run_at = NULL, wait = NULL, start_at = NULL
        WHERE id = ?
        """
    ).execute(arguments: [
      operation.type.version, operation.payload, operation.idempotencyKey.rawValue,
      expiry(of: operation), operation.wishes.priority.rawValue, rank(of: operation),
      try OperationRow.text(of: operation.wishes.constraints), operation.wishes.isExpendable,
      operation.wishes.timeout?.milliseconds, holder.row,
    ])
    if let delay = operation.wishes.delay?.milliseconds, delay > 0 {
      try db.cachedStatement(
        sql: """
          UPDATE mainstay_op SET start_at = ?1 + ?2,
            state = CASE state WHEN 'ready' THEN 'scheduled' ELSE state END,
            run_at = CASE state WHEN 'ready' THEN ?1 + ?2 END,
            wait = CASE state WHEN 'ready' THEN ?2 END
          WHERE id = ?3
          """
      ).execute(arguments: [date, delay, holder.row])
    }
    try replaceBase(by: operation, holder.row)
    try departure.leaveReceipt(
      operation.type.kind.rawValue, .replaced, bytes: holder.bytes)
    accepted += 1
    return .success(holder.id)
  }

  private mutating func insert(
    _ operation: NewOperation, after holder: Holder? = nil
  ) throws -> Answer {
    guard try makeRoom(for: operation) else {
      let load = try load()
      return .failure(limits.refusal(of: operation, by: path, load.pending, load.bytes))
    }
    // It may have made room for the newcomer.
    let holder = try holder.flatMap { try isThere($0.row) ? $0 : nil }
    if let holder {
      try db.cachedStatement(sql: "UPDATE mainstay_op SET unique_key = NULL WHERE id = ?")
        .execute(arguments: [holder.row])
    }
    let needed = try needs(operation, after: holder)
    do {
      try insertRow(operation, isBlocked: !needed.isEmpty)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      guard let answer = try twin(of: operation) else { throw error }
      return answer
    }
    known?.pending += 1
    known?.bytes += operation.payload.count
    let number = db.lastInsertedRowID
    try keepBase(of: operation, number)
    for need in needed {
      try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO mainstay_dep (op, needs, policy) VALUES (?, ?, ?)"
      ).execute(arguments: [number, need.row, need.policy.rawValue])
    }
    accepted += 1
    if needed.contains(where: { $0.isDead && $0.policy == .giveUp }) {
      _ = try departure.giveUp(number)
      lookAgain()
    }
    return .success(operation.id)
  }

  private func isThere(_ row: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM mainstay_op WHERE id = ?)"),
      arguments: [row]) ?? false
  }

  /// Something that has to end first.
  private struct Need {
    let row: Int64
    var isDead = false
    let policy: EnqueueOptions.Dependencies.IfGivenUp
  }

  /// What is there of those that have to end first; of two about the same one the last counts.
  private func needs(_ operation: NewOperation, after holder: Holder?) throws -> [Need] {
    var needed = holder.map { [Need(row: $0.row, policy: .runAnyway)] } ?? []
    guard let dependencies = operation.wishes.dependencies else { return needed }
    for id in dependencies.ids {
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT id, 0 AS dead FROM mainstay_op WHERE uuid = ?1
            UNION ALL SELECT id, 1 FROM mainstay_dead WHERE uuid = ?1
            """),
        arguments: [id.data])
      guard let row else { continue }
      let need = Need(row: row["id"], isDead: row["dead"], policy: dependencies.ifGivenUp)
      if !(need.isDead && need.policy == .runAnyway) { needed.append(need) }
    }
    return needed
  }

  private func insertRow(_ operation: NewOperation, isBlocked: Bool) throws {
    let wishes = operation.wishes
    let key = operation.orderingKey.map { Data($0.utf8) }
    let delay = wishes.delay.map(\.milliseconds).flatMap { $0 > 0 ? $0 : nil }
    var state = delay == nil ? OperationState.ready : .scheduled
    if try isBlocked || key.map(isTaken) == true { state = .blocked }
    let start = delay.map { date + $0 }
    try db.cachedStatement(
      sql: """
        INSERT INTO mainstay_op (uuid, kind, version, lane, ordering_key, unique_key, priority,
          rank, expendable, constraints, state, run_at, wait, start_at, enqueued_at, expires_at,
          effect, idem_key, timeout, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      operation.id.data, operation.type.kind.rawValue, operation.type.version,
      operation.lane.rawValue, key, wishes.uniqueKey.map { Self.bytes($0, of: operation) },
      wishes.priority.rawValue, rank(of: operation), wishes.isExpendable,
      try OperationRow.text(of: wishes.constraints), state.rawValue,
      state == .scheduled ? start : nil, state == .scheduled ? delay : nil, start, date,
      expiry(of: operation), operation.effect.rawValue, operation.idempotencyKey.rawValue,
      wishes.timeout?.milliseconds, operation.payload,
    ])
  }

  /// Keeps what the first change of a record began with, which is there already.
  private func keepBase(of operation: NewOperation, _ number: Int64) throws {
    guard let base = operation.wishes.base, let key = operation.orderingKey else { return }
    try db.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO mainstay_latest (key, state) SELECT ?1, ?2
        WHERE NOT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = ?1 AND id <> ?3)
          AND NOT EXISTS (SELECT 1 FROM mainstay_dead WHERE ordering_key = ?1)
        """
    ).execute(arguments: [Data(key.utf8), base, number])
  }

  /// What took the place of the first change of a record begins with something else: so do those
  /// behind it, where nothing was heard since.
  private func replaceBase(by operation: NewOperation, _ number: Int64) throws {
    guard let base = operation.wishes.base, let key = operation.orderingKey else { return }
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_latest SET state = ?2
        WHERE key = ?1 AND substr(state, 1, length(?4)) = ?4
          AND ?3 = (SELECT min(id) FROM mainstay_op WHERE ordering_key = ?1)
        """
    ).execute(arguments: [Data(key.utf8), base, number, Data.beginningMark])
  }

  private func expiry(of operation: NewOperation) -> Int64? {
    operation.timeToLive.map { date + $0.milliseconds }
  }

  private func rank(of operation: NewOperation) -> Int64 {
    date + operation.wishes.handicap.milliseconds
  }

  /// Whether something stands before a newcomer with this key.
  private func isTaken(_ key: Data) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = ?1)
        OR EXISTS (SELECT 1 FROM mainstay_dead WHERE ordering_key = ?1 AND holds_key)
      """
    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key]) ?? false
  }
}
