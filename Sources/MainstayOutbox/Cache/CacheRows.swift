// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// The statements of a ``SQLiteCacheStore``, inside of a transaction where they change something.
struct CacheRows {
  /// How many removals are told apart; an answer that was asked for before the first of them is not
  /// kept.
  private static let removals: Int64 = 256

  /// Whether what is kept under a key (`?1`, `?2`) was asked for later than by a ticket (`?3`,
  /// `?4`); what is from the future (after `?5`), or of unknown age, was not.
  private static let isLater = """
    asked_at <= ?5 AND (asked_at > ?3 OR (asked_at = ?3 AND number > ?4))
    """

  private let db: Database
  private let time: CacheTime

  init(_ db: Database, _ time: CacheTime) {
    self.db = db
    self.time = time
  }

  /// What is kept under a key, and the number of its row.
  func lookup(
    _ key: CacheEntry.Key, number: Int64
  ) throws -> (CacheEntry.Lookup, row: Int64?) {
    // First: what is removed after this line is newer than the ticket.
    let removals = try count()
    let now = time.now
    let ticket = CacheEntry.Ticket(
      removals: removals, number: number, reading: .microseconds(now))
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT id, bytes, form, validator, asked_at, initial_age, fresh_for, must_revalidate,
            is_expired, tags, stale_while_revalidate, stale_if_error
            FROM cache_entry WHERE partition = ? AND name = ?
          """), arguments: [key.partition.name.bytes, key.name.bytes])
    guard let row else {
      return (CacheEntry.Lookup(entry: nil, age: nil, isExpired: false, ticket: ticket), nil)
    }
    let id: Int64 = try row.read(0)
    let validator: Data? = try row.readIfAny(3)
    let entry = CacheEntry(
      key: key, bytes: try row.read(1), form: try row.read(2),
      validator: validator.map(String.init(bytes:)),
      tags: try row.read(9) as Int64 == 0 ? [] : try tags(id),
      initialAge: .microseconds(try row.read(5) as Int64),
      freshFor: try row.span(6), mustRevalidate: try row.read(7),
      staleWhileRevalidate: try row.span(10), staleIfError: try row.span(11))
    // Nobody knows how old an answer from the future is.
    let asked: Int64? = try row.readIfAny(4)
    let age = asked.flatMap { (0...now).contains($0) ? Duration.microseconds(now - $0) : nil }
    return (
      CacheEntry.Lookup(
        entry: entry, age: age.map { $0 + entry.initialAge }, isExpired: try row.read(8),
        ticket: ticket), id
    )
  }

  private func tags(_ id: Int64) throws -> Set<String> {
    let tags = try Data.fetchAll(
      db.cachedStatement(sql: "SELECT tag FROM cache_tag WHERE entry = ?"), arguments: [id])
    return Set(tags.map(String.init(bytes:)))
  }

  private func count() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT removals FROM cache_state"))?.countable ?? 0
  }

  /// Keeps an answer.
  func write(
    _ entry: CacheEntry, under ticket: CacheEntry.Ticket, used: Int64, within maximumBytes: Int
  ) throws -> Bool {
    let now = time.now
    guard try !isOvertaken(entry, since: ticket) else { return false }
    let (partition, name) = (entry.key.partition.name.bytes, entry.key.name.bytes)
    let asked = ticket.reading.microseconds
    let isLate = try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(Self.isLater) FROM cache_entry WHERE partition = ?1 AND name = ?2
          """), arguments: [partition, name, asked, ticket.number, now])
    if isLate == true { return false }
    try db.execute(
      cachedSQL: "DELETE FROM cache_entry WHERE partition = ? AND name = ?",
      arguments: [partition, name])
    guard entry.size <= maximumBytes else { return false }
    try makeRoom(for: entry.size, within: maximumBytes)
    try db.execute(
      cachedSQL: """
        INSERT INTO cache_entry (partition, name, form, validator, asked_at, number, initial_age,
          fresh_for, must_revalidate, stale_while_revalidate, stale_if_error, used, size, tags,
          bytes)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        partition, name, entry.form, entry.validator?.bytes, asked, ticket.number,
        entry.initialAge.microseconds, entry.freshFor?.microseconds, entry.mustRevalidate,
        entry.staleWhileRevalidate?.microseconds, entry.staleIfError?.microseconds, used,
        entry.size, entry.tags.count, entry.bytes,
      ])
    let id = db.lastInsertedRowID
    for tag in entry.tags {
      try db.execute(
        cachedSQL: "INSERT INTO cache_tag (tag, entry) VALUES (?, ?)", arguments: [tag.bytes, id])
    }
    try db.execute(
      cachedSQL: "UPDATE cache_state SET latest = max(latest, ?)", arguments: [now])
    return true
  }

  /// Drops what has not been used for longest.
  private func makeRoom(for size: Int, within maximumBytes: Int) throws {
    let kept = try Int64.fetchOne(db, sql: "SELECT bytes FROM cache_state")
    var bytes = kept?.countable ?? 0
    let room = Int64(maximumBytes - size)
    while bytes > room {
      let rows = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT id, size FROM cache_entry ORDER BY used, id LIMIT 32"))
      guard !rows.isEmpty else { return }
      for row in rows where bytes > room {
        try db.execute(
          cachedSQL: "DELETE FROM cache_entry WHERE id = ?", arguments: [try row.read(0) as Int64])
        bytes -= (try row.read(1) as Int64).countable
      }
    }
  }

  /// Whether an answer may have been removed since it was asked for; what an earlier load said does
  /// not count.
  private func isOvertaken(
    _ entry: CacheEntry, since ticket: CacheEntry.Ticket
  ) throws -> Bool {
    let count = try count()
    guard count != ticket.removals else { return false }
    // A smaller count is that of another file, which was made anew since then.
    guard (0...Self.removals).contains(count - ticket.removals) else { return true }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT partition, name, prefix, tag FROM cache_removal
          WHERE id > ? AND (asked_at IS NULL OR (asked_at, number) >= (?, ?))
        """, arguments: [ticket.removals, ticket.reading.microseconds, ticket.number])
    let (partition, name) = (entry.key.partition.name.bytes, entry.key.name.bytes)
    let tags = Set(entry.tags.map(\.bytes))
    return try rows.contains { row in
      guard let removed = try row.readIfAny(0) as Data? else { return true }
      guard removed == partition else { return false }
      if let exact = try row.readIfAny(1) as Data? { return exact == name }
      if let start = try row.readIfAny(2) as Data? { return name.starts(with: start) }
      if let tag = try row.readIfAny(3) as Data? { return tags.contains(tag) }
      return true
    }
  }

  /// Marks answers as no longer right.
  func expire(_ selection: CacheEntry.Selection) throws {
    try note(selection, isForgotten: false)
    let (condition, arguments) = Self.condition(selection)
    try db.execute(
      sql: "UPDATE cache_entry SET is_expired = 1 WHERE \(condition)", arguments: arguments)
  }

  /// Removes answers.
  func remove(_ selection: CacheEntry.Selection) throws {
    try note(selection, isForgotten: true)
    let (condition, arguments) = Self.condition(selection)
    try db.execute(sql: "DELETE FROM cache_entry WHERE \(condition)", arguments: arguments)
  }

  /// Removes an answer, unless a later load has brought it.
  func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) throws {
    try note(.key(key), isForgotten: true, by: ticket)
    try db.execute(
      cachedSQL: """
        DELETE FROM cache_entry WHERE partition = ?1 AND name = ?2 AND (\(Self.isLater)) IS NOT TRUE
        """,
      arguments: [
        key.partition.name.bytes, key.name.bytes, ticket.reading.microseconds, ticket.number,
        time.now,
      ])
  }

  /// Remembers that this was expired or removed.
  ///
  /// - Parameters:
  ///   - selection: What it was.
  ///   - isForgotten: Whether not even the name of a partition may be left behind.
  ///   - load: The load that says so; nil where it is said to all loads.
  /// - Throws: What the database throws.
  private func note(
    _ selection: CacheEntry.Selection, isForgotten: Bool, by load: CacheEntry.Ticket? = nil
  ) throws {
    try db.execute(sql: "UPDATE cache_state SET removals = removals + 1")
    let count = try count()
    var (partition, name, prefix, tag): (Data?, Data?, Data?, Data?) = (nil, nil, nil, nil)
    switch selection {
    case .key(let key): (partition, name) = (key.partition.name.bytes, key.name.bytes)
    case .prefix(let start, let owner): (partition, prefix) = (owner.name.bytes, start.bytes)
    case .tag(let text, let owner): (partition, tag) = (owner.name.bytes, text.bytes)
    case .partition(let owner) where !isForgotten: partition = owner.name.bytes
    // Without a name it stands for all: what others load just now is not kept either, once.
    case .partition(let owner):
      try db.execute(
        sql: "UPDATE cache_removal SET partition = NULL, name = NULL, prefix = NULL, tag = NULL"
          + " WHERE partition = ?", arguments: [owner.name.bytes])
    }
    try db.execute(
      sql: """
        INSERT INTO cache_removal (id, partition, name, prefix, tag, asked_at, number)
          VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        count, partition, name, prefix, tag, load?.reading.microseconds, load?.number,
      ])
    try db.execute(
      sql: "DELETE FROM cache_removal WHERE id <= ?", arguments: [count - Self.removals])
  }

  private static func condition(
    _ selection: CacheEntry.Selection
  ) -> (sql: String, StatementArguments) {
    switch selection {
    case .key(let key):
      ("partition = ? AND name = ?", [key.partition.name.bytes, key.name.bytes])
    case .prefix(let start, let owner):
      (
        "partition = ? AND substr(name, 1, ?) = ?",
        [owner.name.bytes, start.bytes.count, start.bytes]
      )
    case .tag(let tag, let owner):
      (
        "partition = ? AND id IN (SELECT entry FROM cache_tag WHERE tag = ?)",
        [owner.name.bytes, tag.bytes]
      )
    case .partition(let owner): ("partition = ?", [owner.name.bytes])
    }
  }
}

// A file may hold anything: what is not of its type is damage, and no number is trusted.
extension Row {
  /// The value of a column.
  ///
  /// - Throws: That the file is damaged, where it is of another type.
  func read<T: DatabaseValueConvertible>(_ column: Int) throws -> T {
    guard let value = T.fromDatabaseValue(self[column]) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "column \(column)")
    }
    return value
  }

  /// The value of a column that may be empty.
  ///
  /// - Throws: That the file is damaged, where it is of another type.
  func readIfAny<T: DatabaseValueConvertible>(_ column: Int) throws -> T? {
    (self[column] as DatabaseValue).isNull ? nil : try read(column) as T
  }

  /// A span of time in microseconds that may be empty.
  ///
  /// - Throws: That the file is damaged, where it is of another type.
  fileprivate func span(_ column: Int) throws -> Duration? {
    (try readIfAny(column) as Int64?).map { .microseconds($0) }
  }
}

extension Int64 {
  /// The number cut to what can be counted on from.
  var countable: Int64 { Swift.min(Swift.max(self, 0), 1 << 60) }
}

extension String {
  fileprivate var bytes: Data { Data(utf8) }

  fileprivate init(bytes: Data) { self.init(decoding: bytes, as: UTF8.self) }
}
