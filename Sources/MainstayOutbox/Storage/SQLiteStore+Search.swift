// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore: OperationSearch {
  /// How many there are of each kind, by lane and state.
  package func tally() async throws -> [OperationTally] {
    try await read { db in
      let sql = """
        SELECT kind, lane, state, count(*) AS n FROM mainstay_op GROUP BY 1, 2, 3
        UNION ALL SELECT kind, lane, NULL, count(*) FROM mainstay_dead GROUP BY 1, 2
        """
      return try Row.fetchAll(db.cachedStatement(sql: sql)).map { row in
        OperationTally(
          kind: OperationKind(rawValue: row.legal("kind", or: "")),
          lane: Lane(rawValue: row.legal("lane", or: "")),
          state: (row.legal("state") as String?).flatMap(OperationState.init(rawValue:)),
          count: row["n"])
      }
    }
  }

  /// The operations that are not finished and match, the oldest first.
  package func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation> {
    let (condition, values) = Self.condition(filter)
    return try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT \(OperationRow.op) FROM mainstay_op
          WHERE id > coalesce(:number, (SELECT id FROM mainstay_op WHERE uuid = :after), 0)
            AND \(condition) AND (:state IS NULL OR state = :state) ORDER BY id LIMIT :limit
          """,
        arguments: StatementArguments(values) + Self.page(after: place, limit)
          + ["state": filter.state?.rawValue])
      return SearchPage(rows, limit: limit, place: Self.place) {
        try? OperationRow.operation($0)
      }
    }
  }

  /// The dead letters that match, the oldest operation first.
  package func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter> {
    let (condition, values) = Self.condition(filter)
    return try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT \(OperationRow.common), reason, since, holds_key FROM mainstay_dead
          WHERE id > coalesce(:number, (SELECT id FROM mainstay_dead WHERE uuid = :after), 0)
            AND \(condition) ORDER BY id LIMIT :limit
          """,
        arguments: StatementArguments(values) + Self.page(after: place, limit))
      return SearchPage(rows, limit: limit, place: Self.place, OperationRow.deadLetter)
    }
  }

  /// Where a page begins, and how many rows are read: one more than stand on it.
  private static func page(after place: SearchPlace?, _ limit: Int) -> StatementArguments {
    ["number": place?.number, "after": place?.id.data, "limit": max(limit, 0) + 1]
  }

  /// The number alone decides, also where the row's id is damaged.
  private static func place(_ row: Row) -> SearchPlace? {
    let id = Data.fromDatabaseValue(row["uuid"]).flatMap(OperationID.init(data:))
    return SearchPlace(id: id ?? OperationID(UUID()), number: row["id"])
  }

  /// The ids of the dead letters that match, the oldest operation first.
  package func deadLetterIDs(
    matching filter: OperationFilter, limit: Int
  ) async throws -> [OperationID] {
    let (condition, values) = Self.condition(filter)
    return try await read { db in
      try Data.fetchAll(
        db, sql: "SELECT uuid FROM mainstay_dead WHERE \(condition) ORDER BY id LIMIT :limit",
        arguments: StatementArguments(values) + ["limit": max(limit, 0)]
      ).compactMap(OperationID.init(data:))
    }
  }

  /// Puts dead letters back, all of them by one transaction.
  package func redrive(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await write(.full, within: CallWatch.limit(for: ids.count)) { [self] db, _ in
      try ids.filter { try redrive($0, db) }
    }
  }

  /// Throws dead letters away, all of them by one transaction.
  package func discard(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await write(.full, within: CallWatch.limit(for: ids.count)) { [self] db, _ in
      try ids.filter { try discard($0, db) }
    }
  }

  /// What has to hold of a row; nothing in the text is a wildcard.
  private static func condition(
    _ filter: OperationFilter
  ) -> (sql: String, values: [String: String?]) {
    var (terms, values) = (["1"], [String: String?]())
    if let kind = filter.kind {
      terms.append("kind = :kind")
      values["kind"] = kind.rawValue
    }
    if let lane = filter.lane {
      terms.append("lane = :lane")
      values["lane"] = lane.rawValue
    }
    if !filter.text.isEmpty {
      values["text"] = filter.folded ?? filter.plain
      values["id"] = filter.idPart
      terms.append("(\(holdsText(filter)) OR instr(lower(hex(uuid)), :id))")
    }
    return (terms.joined(separator: " AND "), values)
  }

  /// Whether a text stands in a row.
  ///
  /// The function of SQLite knows the capitals of ASCII alone. That of GRDB knows all, and takes
  /// longer, so it is called once for each row, and only where there is something to it.
  private static func holdsText(_ filter: OperationFilter) -> String {
    let places = ["kind", "lane", "CAST(ordering_key AS TEXT)", "error_code", "error_message"]
    guard filter.folded != nil else {
      return places.map { "instr(lower(\($0)), :text)" }.joined(separator: " OR ")
    }
    let words = places.map { "coalesce(\($0), '')" }.joined(separator: " || char(10) || ")
    return "instr(swiftLowercaseString(\(words)), :text)"
  }
}
