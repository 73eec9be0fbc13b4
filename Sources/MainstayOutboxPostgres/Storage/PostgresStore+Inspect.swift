// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// What is there, by state.
  public func snapshot() async throws -> OutboxSnapshot {
    let rows = try await call(
      """
      SELECT o.state, count(*), min(o.enqueued_at),
        CASE WHEN l.name IS NULL THEN 'paused'
          WHEN l.cause IS NOT NULL AND (l.until IS NULL OR l.until > $2) THEN l.cause
          WHEN l.rest_until > $2 THEN 'throttled' END,
        (SELECT count(*) FROM mainstay.dead), $2, \(WaitingCause.sql),
        (SELECT coalesce(sum(bytes), 0)::bigint FROM mainstay.load), p.kind IS NOT NULL
      FROM (SELECT coalesce($1::bigint, mainstay.clock()) AS at) AS t
        LEFT JOIN mainstay.op AS o ON true LEFT JOIN mainstay.lane AS l ON l.name = o.lane
        LEFT JOIN mainstay.pause AS p ON p.kind = o.kind
      GROUP BY 1, 4, 7, 9, t.at
      """.replacing("$2", with: "t.at"), [time])
    var snapshot = OutboxSnapshot()
    var oldest: Int64?
    var date: Int64 = 0
    for row in rows {
      (snapshot.dead, date) = (Int(try row.int(4)), try row.int(5))
      snapshot.bytes = Int(try row.int(7))
      guard let state = try row.text(ifAny: 0).flatMap(OperationState.init(rawValue:)) else {
        continue
      }
      snapshot.count(
        state, Int(try row.int(1)), for: try row.text(ifAny: 6).flatMap(WaitingCause.init),
        // A cause may be a newer build's: nothing runs there.
        in: try row.text(ifAny: 3).map { LaneClosure.Cause(rawValue: $0) ?? .paused },
        isPaused: try row.bool(8))
      oldest = min(oldest ?? .max, try row.int(2))
    }
    snapshot.oldestAge = oldest.map { .milliseconds(max(date - $0, 0)) }
    if snapshot.blocked > 0 {
      snapshot.following = Int(try await ask(Self.following, [.int(date)]).int(0))
    }
    return snapshot
  }

  /// How many of the blocked ones wait for what can run alone.
  ///
  /// What else stands before one under its key, or is needed, holds it, and all that needs it. Each
  /// row is judged where it is found: to look it up in a list of those that were judged before
  /// would compare each with each wherever the server expects few.
  package static let following = """
    WITH RECURSIVE held AS (
      SELECT o.id FROM mainstay.op AS n
        JOIN mainstay.op AS o ON o.ordering_key = n.ordering_key AND o.state = 'blocked'
        LEFT JOIN mainstay.lane AS l ON l.name = n.lane
        LEFT JOIN mainstay.pause AS p ON p.kind = n.kind
      WHERE n.ordering_key IS NOT NULL AND n.state <> 'blocked' AND \(isGoing) IS NOT TRUE
      UNION SELECT o.id FROM mainstay.dead AS n
        JOIN mainstay.op AS o ON o.ordering_key = n.ordering_key AND o.state = 'blocked'
      WHERE n.ordering_key IS NOT NULL AND n.holds_key
      UNION SELECT o.id FROM mainstay.dep AS d
        JOIN mainstay.op AS o ON o.id = d.op AND o.state = 'blocked'
        LEFT JOIN mainstay.op AS n ON n.id = d.needs
        LEFT JOIN mainstay.lane AS l ON l.name = n.lane
        LEFT JOIN mainstay.pause AS p ON p.kind = n.kind
      WHERE n.state IS DISTINCT FROM 'blocked' AND \(isGoing) IS NOT TRUE
      UNION SELECT o.id FROM held AS h JOIN mainstay.dep AS d ON d.needs = h.id
        JOIN mainstay.op AS o ON o.id = d.op AND o.state = 'blocked'
    )
    SELECT (SELECT count(*) FROM mainstay.op WHERE state = 'blocked') - (SELECT count(*) FROM held)
    """

  /// Whether one, with its lane and what pauses its kind, runs or can begin.
  private static let isGoing = """
    (n.state = 'leased' OR n.state = 'ready' AND l.name IS NOT NULL AND p.kind IS NULL
        AND (l.cause IS NULL OR l.until <= $1::bigint) AND coalesce(l.rest_until, 0) <= $1::bigint)
    """

  /// What came and what became of it.
  public func ledger() async throws -> OutboxLedger {
    let rows = try await call(
      """
      SELECT '', '', coalesce(sum(enqueued), 0), (SELECT count(*) FROM mainstay.op),
        (SELECT count(*) FROM mainstay.dead), 0 FROM mainstay.load
      UNION ALL
      SELECT kind, reason, sum(count), sum(bytes), min(first_at), max(last_at)
      FROM mainstay.receipt GROUP BY kind, reason
      """)
    var ledger = OutboxLedger()
    for row in rows {
      let reason = try row.text(1)
      if reason.isEmpty {
        ledger.enqueued = Int(try row.int(2))
        ledger.pending = Int(try row.int(3))
        ledger.dead = Int(try row.int(4))
        continue
      }
      ledger.receipts.append(
        OutboxReceipt(
          kind: try row.text(0), reason: .init(rawValue: reason), count: Int(try row.int(2)),
          bytes: Int(try row.int(3)), first: Date(milliseconds: try row.int(4)),
          last: Date(milliseconds: try row.int(5))))
    }
    return ledger
  }

  /// An operation that is not finished; nil where there is none.
  public func operation(_ id: OperationID) async throws -> StoredOperation? {
    try await operations("uuid = $1::uuid", [.text(id.description)]).first
  }

  /// The last operation of an ordering key that is not finished; nil where there is none.
  public func last(of orderingKey: String) async throws -> StoredOperation? {
    try await operations(
      "ordering_key = $1 ORDER BY id DESC LIMIT 1", [.bytes(Data(orderingKey.utf8))]
    ).first
  }

  /// The operation or dead letter with an idempotency key; nil where there is none.
  public func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    let values: [PostgresValue] = [.text(key.rawValue)]
    if let found = try await operations("idem_key = $1", values).first { return found }
    return try await deadLetters("idem_key = $1", values).first?.operation
  }

  /// The operations of an ordering key that are not finished, in order.
  public func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await operations("ordering_key = $1 ORDER BY id", [.bytes(Data(orderingKey.utf8))])
  }

  /// The operations that are not finished, the oldest first.
  public func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    try await operations(
      """
      id > coalesce((SELECT id FROM mainstay.op WHERE uuid = $1::uuid),
        (SELECT id FROM mainstay.dead WHERE uuid = $1::uuid), 0) ORDER BY id LIMIT $2
      """, [.text(id?.description), .int(Int64(max(limit, 0)))])
  }

  private func operations(
    _ condition: String, _ values: [PostgresValue]
  ) async throws -> [StoredOperation] {
    try await call(
      "SELECT * FROM mainstay.operation WHERE " + condition, values, isBinary: true
    ).operations
  }

  /// What the other side was last known to have of the record that an operation changes.
  public func latest(for operation: StoredOperation) async throws -> Data? {
    let key = operation.orderingKey.map { Data($0.utf8) } ?? operation.id.data
    return try await call("SELECT state FROM mainstay.latest WHERE key = $1", [.bytes(key)])
      .first?.data(0)
  }

  /// How an operation ended; nil where that is not known, or not any more.
  public func outcome(_ id: OperationID) async throws -> StoredOutcome? {
    guard limits.maximumOutcomes > 0 else { return nil }
    let row = try await call(
      """
      SELECT reason, output, at FROM mainstay.outcome WHERE uuid = $1::uuid AND number >
        (SELECT last_value FROM mainstay.outcome_number) - $2::bigint
      ORDER BY number DESC LIMIT 1
      """, [.text(id.description), .int(Int64(limits.maximumOutcomes))]
    ).first
    return try row.map { row in
      StoredOutcome(
        reason: .init(rawValue: try row.text(0)), output: try row.data(ifAny: 1),
        ended: Date(milliseconds: try row.int(2)))
    }
  }

  /// The last runs of an operation or dead letter that did not end it, the oldest first.
  public func attempts(of id: OperationID) async throws -> [OperationAttempt] {
    let rows = try await call(
      """
      SELECT number, at, error_code, error_message, effect FROM mainstay.attempt
      WHERE op = coalesce((SELECT id FROM mainstay.op WHERE uuid = $1::uuid),
        (SELECT id FROM mainstay.dead WHERE uuid = $1::uuid)) ORDER BY number
      """, [.text(id.description)])
    return try rows.map { row in
      OperationAttempt(
        number: Int(try row.int(0)), ended: Date(milliseconds: try row.int(1)),
        failure: try FailureNote(code: row.text(ifAny: 2), message: row.text(ifAny: 3) ?? ""),
        effect: EffectCertainty(rawValue: try row.text(4)) ?? .sentUnknown)
    }
  }

  /// A dead letter; nil where there is none.
  public func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await deadLetters("uuid = $1::uuid", [.text(id.description)]).first
  }

  /// The dead letters, the oldest operation first.
  public func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    try await deadLetters(
      """
      id > coalesce((SELECT id FROM mainstay.op WHERE uuid = $1::uuid),
        (SELECT id FROM mainstay.dead WHERE uuid = $1::uuid), 0) ORDER BY id LIMIT $2
      """, [.text(id?.description), .int(Int64(max(limit, 0)))])
  }

  private func deadLetters(
    _ condition: String, _ values: [PostgresValue]
  ) async throws -> [DeadLetter] {
    try await call(
      "SELECT * FROM mainstay.dead_letter WHERE " + condition, values, isBinary: true
    ).deadLetters
  }

  /// The open conflicts, the oldest operation first.
  public func conflicts() async throws -> [OutboxConflict] {
    let rows = try await call(
      """
      SELECT c.remote, c.fields, c.since, o.* FROM mainstay.operation AS o
        JOIN mainstay.conflict AS c ON c.op = o.id
      WHERE o.state = 'conflicted' ORDER BY o.id
      """)
    return try rows.compactMap { row in
      // One that is not legal must not hide the others.
      guard let operation = try? OperationReading(row: row, offset: 3).operation() else {
        return nil
      }
      return OutboxConflict(
        operation: operation, remote: try row.data(ifAny: 0),
        fields: FieldConflict.all(in: try row.text(ifAny: 1)),
        since: Date(milliseconds: try row.int(2)))
    }
  }
}
