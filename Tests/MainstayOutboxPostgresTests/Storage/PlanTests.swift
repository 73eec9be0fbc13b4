// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import Testing

/// How many rows the server looks at, by plans that it made while there were none.
@Suite(.timeLimit(.minutes(2)))
struct PlanTests {
  /// How many rows of the queue a statement makes the server read.
  private func rowsRead(_ place: Place, _ sql: String) async throws -> Int64 {
    try await place.query("BEGIN")
    let before = try await read(place)
    try await place.query(sql)
    let after = try await read(place)
    try await place.query("COMMIT")
    return after - before
  }

  private func read(_ place: Place) async throws -> Int64 {
    try #require(
      try await place.query(
        """
        SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
        WHERE schemaname = '@' AND relname = 'op'
        """
      ).first
    ).int(0)
  }

  @Test func `a long queue makes no claim and no end read more than its own rows`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let format = try await place.query("SELECT max(number) FROM @.migration").first?.int(0) ?? 0
    let owner = try #require(
      try await place.query("SELECT @.enter('test', 60000, \(format)::integer)").first
    ).int(0)
    let claim = """
      SELECT * FROM @.claim(\(owner), 60000, 3, '{note}', '{1}', '{null}', true, '{}',
        \(format), null)
      """
    // As often as the server needs to decide for one plan, while there is nothing.
    for _ in 0..<8 { try await place.query(claim) }
    let complete = "SELECT @.complete('{0}', '{0}', '{null}', true, null)"
    for _ in 0..<8 { try await place.query(complete) }
    let promote = "SELECT @.promote('{note}', '{1}', true, null)"
    for _ in 0..<8 { try await place.query(promote) }
    _ = try await store.insert(contentsOf: (0..<2_000).map { .note("\($0)") })
    #expect(try await rowsRead(place, claim) < 30)
    let leased = try #require(
      try await place.query(
        "SELECT id, lease_token FROM @.op WHERE owner = \(owner) LIMIT 1"
      ).first)
    let ids = (try leased.int(0), try leased.int(1))
    #expect(
      try await rowsRead(
        place, "SELECT @.complete('{\(ids.0)}', '{\(ids.1)}', '{null}', true, null)") < 10)
    #expect(try await rowsRead(place, promote) < 10)
    await store.close()
  }

  @Test func `a claim reads nothing of a kind that is paused, however much of it waits`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let format = try await place.query("SELECT max(number) FROM @.migration").first?.int(0) ?? 0
    let owner = try #require(
      try await place.query("SELECT @.enter('test', 60000, \(format)::integer)").first
    ).int(0)
    let claim = """
      SELECT * FROM @.claim(\(owner), 60000, 3, '{note,other}', '{1,1}', '{null,null}', true, '{}',
        \(format), null)
      """
    for _ in 0..<8 { try await place.query(claim) }
    _ = try await store.insert(contentsOf: (0..<2_000).map { .note("\($0)") })
    try await store.pause("note")
    _ = try await store.insert(.note("free", kind: "other"))
    #expect(try await rowsRead(place, claim) < 10)
    let leased = try await place.query("SELECT kind FROM @.op WHERE owner = \(owner)")
    #expect(try leased.map { try $0.text(0) } == ["other"])
    await store.close()
  }
}
