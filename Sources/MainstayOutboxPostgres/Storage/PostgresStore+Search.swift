// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
package import MainstayOutbox

extension PostgresStore: OperationSearch {
  /// How many there are of each kind, by lane and state.
  package func tally() async throws -> [OperationTally] {
    try await call(
      """
      SELECT kind, lane, state, count(*) FROM mainstay.op GROUP BY 1, 2, 3
      UNION ALL SELECT kind, lane, NULL, count(*) FROM mainstay.dead GROUP BY 1, 2
      """
    ).map { row in
      OperationTally(
        kind: OperationKind(rawValue: try row.text(0)), lane: Lane(rawValue: try row.text(1)),
        state: try row.text(ifAny: 2).flatMap(OperationState.init(rawValue:)),
        count: Int(try row.int(3)))
    }
  }

  /// The operations that are not finished and match, the oldest first.
  package func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation> {
    let rows = try await call(
      """
      SELECT * FROM mainstay.operation
      WHERE \(Self.condition) AND ($9::text IS NULL OR state = $9)
        AND id > coalesce($8::bigint, (SELECT id FROM mainstay.op WHERE uuid = $7::uuid), 0)
      ORDER BY id LIMIT $6
      """, Self.values(filter, after: place, limit) + [.text(filter.state?.rawValue)])
    return SearchPage(Array(rows), limit: limit, place: Self.place) {
      try? OperationReading(row: $0).operation()
    }
  }

  /// The dead letters that match, the oldest operation first.
  package func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter> {
    let rows = try await call(
      """
      SELECT * FROM mainstay.dead_letter
      WHERE \(Self.condition)
        AND id > coalesce($8::bigint, (SELECT id FROM mainstay.dead WHERE uuid = $7::uuid), 0)
      ORDER BY id LIMIT $6
      """, Self.values(filter, after: place, limit))
    return SearchPage(Array(rows), limit: limit, place: Self.place) {
      try? OperationReading(row: $0).deadLetter()
    }
  }

  /// What a page of a search is asked for by: one row more than stands on it is read.
  private static func values(
    _ filter: OperationFilter, after place: SearchPlace?, _ limit: Int
  ) -> [PostgresValue] {
    values(filter, max(limit, 0) + 1) + [.text(place?.id.description), .int(place?.number)]
  }

  private static func place(_ row: PostgresRow) -> SearchPlace? {
    let reading = OperationReading(row: row)
    guard let id = try? reading.id, let number = try? reading.number else { return nil }
    return SearchPlace(id: id, number: number)
  }

  /// The ids of the dead letters that match, the oldest operation first.
  package func deadLetterIDs(
    matching filter: OperationFilter, limit: Int
  ) async throws -> [OperationID] {
    try await call(
      "SELECT uuid::text FROM mainstay.dead WHERE \(Self.condition) ORDER BY id LIMIT $6",
      Self.values(filter, limit)
    ).ids
  }

  /// Puts dead letters back, all of them by one statement.
  package func redrive(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await decide(
      "mainstay.redrive(id::uuid, $2::bigint)", [.texts(ids.map(\.description)), time])
  }

  /// Throws dead letters away, all of them by one statement.
  package func discard(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await decide(
      "mainstay.discard(id::uuid, $3, $2::bigint)",
      [.texts(ids.map(\.description)), time, keepsOutcomes])
  }

  /// Makes ready what waits for a time, all of it by one statement.
  package func hasten(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    let rows = try await call(
      """
      UPDATE mainstay.op SET state = 'ready', cause = NULL, run_at = NULL, start_at = NULL
      WHERE uuid IN (SELECT id::uuid FROM unnest($1::text[]) AS id)
        AND state IN ('scheduled', 'waiting') AND run_at IS NOT NULL
      RETURNING uuid::text
      """, [.texts(ids.map(\.description))])
    if !rows.isEmpty { announce() }
    return try rows.ids
  }

  /// The ids about which a decision says that they were there; others are told.
  private func decide(_ call: String, _ values: [PostgresValue]) async throws -> [OperationID] {
    let rows = try await self.call(
      "SELECT id FROM unnest($1::text[]) AS id WHERE \(call)", values)
    if !rows.isEmpty { announce() }
    return try rows.ids
  }

  /// What has to hold of a row; nothing in the text is a wildcard.
  ///
  /// The collation C knows the capitals of ASCII alone. That of the database may know all, and is
  /// asked where the text is not of ASCII. Ordering keys are any bytes, so nobody knows all of
  /// their capitals.
  private static let condition = """
    ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR lane = $2) AND ($3::text IS NULL
      OR strpos(lower(\(words) COLLATE "C"), $3) > 0
      OR strpos(lower(\(words) COLLATE "default"), $5::text) > 0
      OR position(convert_to($3, 'UTF8') IN \(key)) > 0
      OR position(convert_to($5, 'UTF8') IN \(key)) > 0
      OR strpos(replace(uuid::text, '-', ''), $4::text) > 0)
    """

  private static let words = "concat_ws(chr(10), kind, lane, error_code, error_message)"
  private static let key = """
    decode(lower(encode(ordering_key, 'escape') COLLATE "C"), 'escape')
    """

  private static func values(_ filter: OperationFilter, _ limit: Int) -> [PostgresValue] {
    [
      .text(filter.kind?.rawValue), .text(filter.lane?.rawValue),
      .text(filter.text.isEmpty ? nil : filter.plain.withoutZeros), .text(filter.idPart),
      .text(filter.folded?.withoutZeros), .int(Int64(max(limit, 0))),
    ]
  }
}

extension PostgresRows {
  /// The first column as ids.
  fileprivate var ids: [OperationID] {
    get throws { try compactMap { UUID(uuidString: try $0.text(0)).map(OperationID.init) } }
  }
}
