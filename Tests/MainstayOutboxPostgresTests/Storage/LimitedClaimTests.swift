// SPDX-License-Identifier: Apache-2.0

import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Whom limits that all machines share keep waiting.
@Suite(.ends(withinMinutes: 5)) struct LimitedClaimTests {
  /// A place with some operations that are ready, and the number of a process that claims there.
  private func place(_ kinds: String...) async throws -> (Place, Int64) {
    let place = try await Place()
    try await place.store().migrate()
    for kind in kinds { try await place.query("SELECT @.enqueue('\(kind)', '{}')") }
    return (place, try await owner(place))
  }

  private func owner(_ place: Place) async throws -> Int64 {
    try await number(place, "SELECT @.enter('test', 3600000, max(number)) FROM @.migration")
  }

  private func number(_ place: Place, _ sql: String) async throws -> Int64 {
    try #require(try await place.query(sql).first).int(0)
  }

  /// How many of two kinds a process leases.
  private func claim(_ owner: Int64) -> String {
    """
    SELECT (SELECT count(*) FROM @.claim(\(owner), 60000, 10, '{a,b}', '{1,1}', '{null,null}',
      true, '{}', 1000000, null) WHERE token IS NOT NULL)
    """
  }

  @Test func `a look that finds nothing writes nothing where kinds are limited`() async throws {
    let (place, owner) = try await place("a", "a")
    try await place.script(
      "SELECT @.set_limit('a', NULL, 0.001, 1); SELECT @.set_limit('b', 5, 5, 5);")
    #expect(try await number(place, claim(owner)) == 1, "what the rate lets through")
    // That it waits is said once.
    #expect(try await number(place, claim(owner)) == 0)
    try await place.query("BEGIN")
    #expect(try await number(place, claim(owner)) == 0)
    let nothing = try await place.query("SELECT pg_current_xact_id_if_assigned() IS NULL")
    #expect(try nothing.first?.bool(0) == true)
    try await place.query("COMMIT")
    #expect(try await number(place, "SELECT @.next_turn('{a,b}')") > 1000)
  }

  @Test func `a claim of another kind does not wait for a limit`() async throws {
    let (place, owner) = try await place("b", "b")
    try await place.query("SELECT @.set_limit('a', 1, NULL, NULL)")
    let other = try await place.session()
    try await other.script(
      "BEGIN; SELECT 1 FROM \(place.schema).kind_limit WHERE kind = 'a' FOR UPDATE")
    // Nobody waits: that would be refused at once.
    try await place.script("SET lock_timeout = '1ms'")
    #expect(try await number(place, claim(owner)) == 2)
    try await other.query("ROLLBACK")
  }

  @Test(arguments: ["'a', 1, NULL, NULL", "'a', NULL, 0.001, 1"])
  func `two that claim at once never begin more than a limit lets, and the rest of all`(
    limit: String
  ) async throws {
    let (place, first) = try await place("a", "a", "b")
    let second = try await owner(place)
    try await place.query("SELECT @.set_limit(\(limit))")
    let other = try await place.session()
    try await other.query("BEGIN")
    // It takes no more: one that looks for more parks what nobody has a worker for yet.
    let one = try await other.query(
      """
      SELECT (SELECT count(*) FROM \(place.schema).claim(\(first), 60000, 1, '{a}', '{1}',
        '{null}', true, '{}', 1000000, null) WHERE token IS NOT NULL)
      """)
    #expect(try one.first?.int(0) == 1)
    // It sees the place that the other one has not taken yet.
    let waiting = Task { try await number(place, claim(second)) }
    // One within a transaction sees the same sessions until it ends.
    try await place.session().sees(running: "\(place.schema).claim(")
    try await other.query("COMMIT")
    #expect(try await waiting.value == 1)
    let leased = try await place.query(
      "SELECT kind FROM @.op WHERE owner = \(second) AND state = 'leased'")
    #expect(try leased.map { try $0.text(0) } == ["b"])
  }

  @Test func `a limit that is set anew counts what it let through until then`() async throws {
    let (place, owner) = try await place("a", "a")
    try await place.query("SELECT @.set_limit('a', NULL, 0.001, 1)")
    #expect(try await number(place, claim(owner)) == 1)
    try await place.query("SELECT @.set_limit('a', NULL, 0.002, 10)")
    #expect(try await number(place, claim(owner)) == 0)
  }

  @Test func `a clock that was set back does not stop a rate`() async throws {
    let (place, owner) = try await place("a", "a")
    try await place.query("SELECT @.set_limit('a', NULL, 0.001, 1)")
    #expect(try await number(place, claim(owner)) == 1)
    try await place.query("UPDATE @.kind_limit SET refilled_at = refilled_at + 3600000")
    #expect(try await number(place, claim(owner)) == 1)
  }
}
