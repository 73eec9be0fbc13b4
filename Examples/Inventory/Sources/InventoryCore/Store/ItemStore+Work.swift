// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay
internal import MainstayOutbox

/// What a worker has to do now.
enum Sealed: Sendable {
  /// Nothing: it was done, and only the outbox had not heard of it.
  case done
  /// Wait: somebody has to decide first.
  case conflicted(remote: Data)
  /// Put these bytes, if the twin is at this version; nil where no twin may be there.
  case put(item: UUID, key: IdempotencyKey, body: Data, ifVersion: Int?)
  case delete(item: UUID, key: IdempotencyKey)
  case photo(item: UUID, key: IdempotencyKey, type: String, bytes: Data)
  /// Look the book up first, so that what is put is complete.
  case lookUp(isbn: String)
}

extension ItemStore {
  /// What the outbox may not know yet, in the order in which it was asked for.
  func intents() async throws(AppError) -> [Work] {
    try await read { db in
      try db.rows("\(Self.intended) ORDER BY seq").map(Work.init)
    }
  }

  /// How much the outbox may not know yet.
  func intentCount() async throws(AppError) -> Int {
    try await read { db in
      try db.row("SELECT count(*) AS count FROM (\(Self.intended)) AS intended")?["count"] ?? 0
    }
  }

  // A conflict without an operation has lost it with the outbox. Two questions, since one with `OR`
  // would go through everything that was ever done.
  private static let intended = """
    SELECT * FROM work WHERE state = 'intended' UNION ALL
    SELECT * FROM work WHERE state = 'conflicted' AND operation IS NULL
    """

  func work(_ id: UUID) async throws(AppError) -> Work? {
    try await read { db in try Work.find(id, db) }
  }

  /// The outbox has these.
  func enqueued(_ works: [(work: Work, operation: OperationID)]) async throws(AppError) {
    try await write { db in
      let sql = """
        UPDATE work SET operation = ?,
          state = CASE state WHEN 'intended' THEN 'queued' ELSE state END WHERE id = ?
        """
      for (work, operation) in works {
        try db.run(sql, [operation.description, work.id.text])
      }
    }
  }

  /// Fixes what is sent, before it is sent: every later attempt sends the same bytes.
  func seal(_ id: UUID, operation: String) async throws(AppError) -> Sealed {
    let time = time
    return try await write { db in
      guard let work = try Work.find(id, db), let record = try ItemRecord.find(work.item, db) else {
        throw AppError.missingWork(id)
      }
      if work.state == .done { return .done }
      if work.state == .conflicted, let conflict = try ConflictRecord.of(item: work.item, db) {
        return .conflicted(remote: try JSONEncoder.inventory.encode(conflict.remote))
      }
      if work.kind == .put, record.enrichment == .pending, let isbn = record.fields.barcode {
        try db.run(
          "UPDATE work SET state = 'queued', operation = ? WHERE id = ?", [operation, id.text])
        return .lookUp(isbn: isbn)
      }
      let body = try work.body ?? JSONEncoder.inventory.encode(record.fields)
      let version = work.body == nil ? record.twinVersion : work.precondition
      try db.run(
        """
        UPDATE work SET state = 'queued', operation = ?, body = ?, precondition = ?,
          sent_at = ? WHERE id = ?
        """,
        [
          operation, work.kind == .put ? body : nil, version, time.milliseconds, id.text,
        ])
      switch work.kind {
      case .put: return .put(item: work.item, key: work.key, body: body, ifVersion: version)
      case .delete: return .delete(item: work.item, key: work.key)
      case .photo:
        let sql = "SELECT type, bytes FROM photo WHERE work = ?"
        guard let row = try db.row(sql, [id.text]) else {
          throw AppError.missingWork(id)
        }
        return .photo(item: work.item, key: work.key, type: row["type"], bytes: row["bytes"])
      }
    }
  }

  /// The service applied it: what it keeps now is what later changes are compared with.
  ///
  /// Doing this twice is the same as doing it once.
  func acknowledge(_ id: UUID, _ twin: Twin?) async throws(AppError) {
    let time = time
    try await write { db in
      guard let work = try Work.find(id, db), work.state != .done else { return }
      if let twin, var record = try ItemRecord.find(work.item, db),
        twin.version > record.twinVersion ?? 0
      {
        record.base = twin.fields
        record.twinVersion = twin.version
        try record.save(db)
      }
      try Work.set(.done, of: id, db)
      // Whoever found the twin deleted knows no version of that: the next pull does.
      if work.kind != .delete || twin != nil { try MissedTwin.take(of: work.item, at: time, db) }
      try ForgottenPhotos.delete(of: work.item, db)
    }
  }

  /// What the catalog said about a book; nil where it does not know it.
  ///
  /// It fills what nobody has entered, and never replaces what a person wrote.
  func enriched(
    _ id: UUID, _ result: Item.Enrichment, _ book: Book? = nil
  ) async throws(AppError) {
    let time = time
    try await write { db in
      guard let work = try Work.find(id, db), var record = try ItemRecord.find(work.item, db),
        record.enrichment == .pending
      else { return }
      if let book {
        var fields = record.fields
        if fields.title == ItemRecord.stopgap(fields) { fields.title = book.title }
        fields.author = fields.author ?? book.author
        fields.year = fields.year ?? book.year
        record.take(fields, at: time)
      }
      record.enrichment = result
      try record.save(db)
    }
  }

  /// The outbox gave an operation up.
  func gaveUp(operation: String) async throws(AppError) -> UUID? {
    try await mark(operation, .dead)?.item
  }

  /// Somebody wants an operation that was given up to be tried again.
  ///
  /// - Returns: The item; nil where the operation does not count as given up here.
  func redriven(operation: String) async throws(AppError) -> UUID? {
    try await mark(operation, .queued, ifDead: true)?.item
  }

  /// Somebody threw an operation away that was given up.
  func discarded(operation: String) async throws(AppError) -> Work? {
    try await mark(operation, .done)
  }

  private func mark(
    _ operation: String, _ state: Work.State, ifDead: Bool = false
  ) async throws(AppError) -> Work? {
    let time = time
    return try await write { db in
      let sql = "SELECT * FROM work WHERE operation = ? AND state <> 'done'"
      guard let row = try db.row(sql, [operation]) else { return nil }
      let work = try Work(row)
      guard !ifDead || work.state == .dead else { return nil }
      try Work.set(state, of: work.id, db)
      if state == .done {
        try MissedTwin.take(of: work.item, at: time, db)
        // What was thrown away is the photo: the one before it is what the service has.
        if work.kind == .photo { try db.run("DELETE FROM photo WHERE work = ?", [work.id.text]) }
        try ForgottenPhotos.delete(of: work.item, db)
      }
      return work
    }
  }

  /// The operations about an item that count as given up here, the oldest first.
  func deadOperations(of item: UUID, limit: Int) async throws(AppError) -> [String] {
    try await read { db in
      // That it is not done is said for the index, which SQLite does not take otherwise.
      let sql = """
        SELECT operation FROM work WHERE item = ? AND state = 'dead' AND state <> 'done'
          AND operation IS NOT NULL ORDER BY seq LIMIT ?
        """
      return try db.rows(sql, [item.text, limit]).map { $0["operation"] }
    }
  }

  /// The operations that count as given up here.
  func deadOperations() async throws(AppError) -> Set<String> {
    try await read { db in
      let sql = "SELECT operation FROM work WHERE state = 'dead' AND operation IS NOT NULL"
      return Set(try db.rows(sql).map { $0["operation"] })
    }
  }
}

extension AppError {
  static func missingWork(_ id: UUID) -> AppError {
    AppError(
      code: "inventory.missing-work", kind: .corrupted, disposition: .permanent,
      title: "A saved change is incomplete",
      message: "The queue knows a change that the inventory does not know.",
      suggestion: "Discard it, and look whether the item is as it should be.",
      details: "work \(id.text)")
  }
}
