// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
public import Mainstay

extension SQLiteStore {
  /// What came and what became of it.
  public func ledger() async throws -> OutboxLedger {
    try await readAtOnce { db in try Self.ledger(db) }
  }

  static func ledger(_ db: Database) throws -> OutboxLedger {
    var ledger = OutboxLedger()
    ledger.enqueued =
      try Int.fetchOne(db, sql: "SELECT value FROM mainstay_meta WHERE key = 'enqueued'") ?? 0
    ledger.pending = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_op") ?? 0
    ledger.dead = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_dead") ?? 0
    ledger.receipts = try Row.fetchAll(db, sql: "SELECT * FROM mainstay_receipt").map { row in
      OutboxReceipt(
        kind: row.legal("kind", or: ""), reason: .init(rawValue: row.legal("reason", or: "")),
        count: row.legal("count", or: 0), bytes: row.legal("bytes", or: 0),
        first: Date(milliseconds: row.legal("first_at", or: 0)),
        last: Date(milliseconds: row.legal("last_at", or: 0)))
    }
    return ledger
  }

  /// An operation that is not finished; nil where there is none.
  public func operation(_ id: OperationID) async throws -> StoredOperation? {
    try await read { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT \(OperationRow.op) FROM mainstay_op WHERE uuid = ?"),
        arguments: [id.data]
      ).flatMap { try? OperationRow.operation($0) }
    }
  }

  /// The last operation of an ordering key that is not finished; nil where there is none.
  public func last(of orderingKey: String) async throws -> StoredOperation? {
    try await read { [self] db in try last(of: orderingKey, in: db) }
  }

  /// The operation or dead letter with an idempotency key; nil where there is none.
  public func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    try await read { [self] db in try operation(keyed: key, in: db) }
  }

  /// The operations of an ordering key that are not finished, in order.
  public func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT \(OperationRow.op) FROM mainstay_op WHERE ordering_key = ? ORDER BY id",
        arguments: [Data(orderingKey.utf8)]
      ).compactMap { try? OperationRow.operation($0) }
    }
  }

  /// What the other side was last known to have of the record that an operation changes.
  public func latest(for operation: StoredOperation) async throws -> Data? {
    let key = operation.orderingKey.map { Data($0.utf8) } ?? operation.id.data
    return try await read { db in
      try Data.fetchOne(
        db.cachedStatement(sql: "SELECT state FROM mainstay_latest WHERE key = ?"),
        arguments: [key])
    }
  }

  /// How an operation ended; nil where that is not known, or not any more.
  public func outcome(_ id: OperationID) async throws -> StoredOutcome? {
    try await read { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT reason, output, at FROM mainstay_outcome WHERE uuid = ?"),
        arguments: [id.data]
      ).map { row in
        StoredOutcome(
          reason: .init(rawValue: row.legal("reason", or: "")), output: row.legal("output"),
          ended: Date(milliseconds: row.legal("at", or: 0)))
      }
    }
  }

  /// A dead letter; nil where there is none.
  public func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await read { db in
      let sql = """
        SELECT \(OperationRow.common), reason, since, holds_key FROM mainstay_dead WHERE uuid = ?
        """
      return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [id.data])
        .flatMap(OperationRow.deadLetter)
    }
  }

  /// The operations that are not finished, the oldest first.
  public func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    let sql = "SELECT \(OperationRow.op) FROM mainstay_op WHERE \(Self.isBehind)"
    return try await page(sql, after: id, limit: limit) { try? OperationRow.operation($0) }
  }

  /// The dead letters, the oldest operation first.
  public func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    let sql = """
      SELECT \(OperationRow.common), reason, since, holds_key FROM mainstay_dead
      WHERE \(Self.isBehind)
      """
    return try await page(sql, after: id, limit: limit, OperationRow.deadLetter)
  }

  /// Whether a row stands behind another one, which may have become a dead letter, or none any
  /// more; whoever is behind one that nobody knows begins with the first.
  private static let isBehind = """
    id > coalesce((SELECT id FROM mainstay_op WHERE uuid = ?1),
      (SELECT id FROM mainstay_dead WHERE uuid = ?1), ?2, 0) ORDER BY id LIMIT ?3
    """

  private func page<Element: Identifiable & Sendable>(
    _ sql: String, after id: OperationID?, limit: Int,
    _ element: @escaping @Sendable (Row) -> Element?
  ) async throws -> [Element] where Element.ID == OperationID {
    let end = id.flatMap { id in state.withLock { $0.pageEnds.number(of: id) } }
    let found = try await read { db in
      try Row.fetchAll(db, sql: sql, arguments: [id?.data, end, max(limit, 0)])
        .compactMap { row in element(row).map { (number: row["id"] as Int64, element: $0) } }
    }
    if let last = found.last {
      state.withLock { $0.pageEnds.note(last.element.id, last.number) }
    }
    return found.map(\.element)
  }

  /// The open conflicts, the oldest operation first.
  public func conflicts() async throws -> [OutboxConflict] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT \(OperationRow.op), remote, fields, since
          FROM mainstay_conflict CROSS JOIN mainstay_op ON id = op
          WHERE state = 'conflicted' ORDER BY op
          """
      ).compactMap { row in
        guard let operation = try? OperationRow.operation(row) else { return nil }
        return OutboxConflict(
          operation: operation, remote: row.legal("remote"),
          fields: FieldConflict.all(in: row.legal("fields")),
          since: Date(milliseconds: row.legal("since", or: 0)))
      }
    }
  }
}

extension SQLiteStore {
  /// What the database answers about its settings; for tests.
  package func settings(_ names: [String]) async throws -> [String: String] {
    try await read { db in
      var settings: [String: String] = [:]
      for name in names { settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)") }
      return settings
    }
  }
}
