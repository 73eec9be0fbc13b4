// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// The end of a run, whose drainer waits until it is recorded.
struct Settlement: Sendable {
  let lease: Lease
  let verdict: OperationVerdict
}

extension SQLiteStore {
  /// Ends a lease; false where the lease was lost, and nothing was changed then.
  ///
  /// Runs that end while others are being recorded share the next transaction.
  public func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    let settlement = Settlement(lease: lease, verdict: verdict)
    let writer = try open.queue
    do {
      return try await settlements.submit(settlement, to: writer) { [self] settlements, db in
        try watched(db, of: writer, within: CallWatch.longLimit) { try settle(settlements, db) }
      }
    } catch {
      throw suspect(error)
    }
  }

  private func settle(
    _ settlements: [Settlement], _ db: Database
  ) throws -> [Result<Bool, any Error>] {
    try transactionWithReserve(.normal, db) {
      var answers = try complete(settlements, db)
      for (place, settlement) in settlements.enumerated() where !settlement.verdict.isCompletion {
        answers[place] = try settle(settlement.lease, settlement.verdict, db)
      }
      return answers.map { .success($0) }
    }
  }

  /// Ends those that are done, before the others: they are taken out together.
  ///
  /// - Returns: Whether each was taken out; false for the others.
  private func complete(_ settlements: [Settlement], _ db: Database) throws -> [Bool] {
    var answers = settlements.map { _ in false }
    let places = settlements.indices.filter { settlements[$0].verdict.isCompletion }
    guard !places.isEmpty else { return answers }
    let taken = try Completion(departure(db)).take(
      places.map { place in
        let settlement = settlements[place]
        return Completion.End(lease: settlement.lease, output: settlement.verdict.output)
      })
    for (place, isTaken) in zip(places, taken) {
      answers[place] = isTaken
      if isTaken { try probe(.beforeSettleCommit, db) }
    }
    return answers
  }

  private func settle(_ lease: Lease, _ verdict: OperationVerdict, _ db: Database) throws -> Bool {
    guard let row = try Self.holds(lease, db) else { return false }
    let date = date()
    if let news = verdict.news { try Self.note(news, of: row, db) }
    if let failure = verdict.failure {
      try Self.noteAttempt(of: row["id"], failure, verdict.effect, at: date, db)
    }
    if verdict.outdatesRecord(isCancelled: row.legal("cancelled", or: false)) {
      try departure(db).outdateLatest(of: row)
    }
    try apply(verdict, to: row, at: date, db)
    if let closure = verdict.closesLane {
      try Self.close(Lane(rawValue: row.legal("lane", or: "")), closure, at: date, db)
    }
    try probe(.beforeSettleCommit, db)
    return true
  }

  /// Keeps what the other side has of the record, and the key under which it is sent anew.
  static func note(_ news: RecordNews, of row: Row, _ db: Database) throws {
    let key = Departure.record(of: row)
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO mainstay_latest (key, state) VALUES (?, ?)"
    ).execute(arguments: [key, news.latest])
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op SET merges = ?, idem_key = coalesce(?, idem_key),
          checkpoint = CASE WHEN ?2 IS NULL THEN checkpoint END WHERE id = ?
        """
    ).execute(arguments: [news.merges, news.idempotencyKey?.rawValue, row["id"] as Int64])
  }

  private func apply(
    _ verdict: OperationVerdict, to row: Row, at date: Int64, _ db: Database
  ) throws {
    let id: Int64 = row["id"]
    let departure = departure(db)
    if row.legal("cancelled", or: false), verdict.isLost {
      return try departure.remove(row, as: .cancelled)
    }
    switch verdict.next {
    case .done: try departure.remove(row, as: .done, output: verdict.output)
    case .dropped: try departure.remove(row, as: .dropped)
    case .cancelled: try departure.remove(row, as: .cancelled)
    case .dead(let reason, let followers):
      try Self.update(id, .ready, verdict, db)
      try departure.bury(row, reason, followers)
    case .ready: try Self.update(id, .ready, verdict, db)
    case .scheduled(let delay): try Self.update(id, .scheduled, verdict, at: date, after: delay, db)
    case .waiting(let delay): try Self.update(id, .waiting, verdict, at: date, after: delay, db)
    case .parked:
      try Self.update(id, .parked, verdict, db)
      try db.execute(
        sql: "UPDATE mainstay_op SET cause = 'unreadable' WHERE id = ?", arguments: [id])
    case .conflicted(let remote, let fields):
      try Self.update(id, .conflicted, verdict, db)
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO mainstay_conflict (op, remote, fields, since) VALUES (?, ?, ?, ?)
          """, arguments: [id, remote, try FieldConflict.text(of: fields), date])
    }
  }

  /// A recorded end: the run was not lost, so the count of lost runs begins anew.
  private static func update(
    _ id: Int64, _ state: OperationState, _ verdict: OperationVerdict, at date: Int64 = 0,
    after delay: Duration? = nil, _ db: Database
  ) throws {
    let wait = delay?.milliseconds
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op SET state = ?1, owner = NULL, run_at = ?2, wait = ?3, attempt = ?4,
          unreachable = ?5, crashes = CASE WHEN ?6 THEN crashes ELSE 0 END, effect = ?7,
          error_words = CASE WHEN ?8 IS NULL THEN error_words ELSE ?10 END,
          error_code = coalesce(?8, error_code), error_message = coalesce(?9, error_message)
        WHERE id = ?11
        """
    ).execute(arguments: [
      state.rawValue, wait.map { date + $0 }, wait, verdict.attempts, verdict.unreachable,
      verdict.isUnbegun, verdict.effect.rawValue, verdict.failure?.code.rawValue,
      verdict.failure?.message, verdict.failure?.column, id,
    ])
  }
}
