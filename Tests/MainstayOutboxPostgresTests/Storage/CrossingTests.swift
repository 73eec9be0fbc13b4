// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Operations that become dead letters, or come back, while somebody else looks for them.
@Suite(.ends(withinMinutes: 10)) struct CrossingTests {
  private static let bury = "SELECT @.bury(id, 'refused', 'holdKey', true, @.clock()) FROM @.op"

  /// Begins a transaction that does something, and goes on.
  private func transaction(_ place: Place, _ sql: String) async throws -> PostgresConnection {
    let connection = try await place.session()
    try await connection.query("BEGIN")
    try await connection.query(sql.replacing("@", with: place.schema))
    return connection
  }

  /// Returns when a function waits for a lock, for longer than those do that go back for others.
  private func isWaiting(_ function: String, at place: Place) async throws {
    try await eventually {
      try await place.query(
        """
        SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND query_start < clock_timestamp() - interval '300 milliseconds'
          AND position('@.\(function)(' in query) > 0
        """
      ).count > 0
    }
  }

  @Test func `a key is kept by the one that is given up while another one comes with it`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let key = IdempotencyKey()
    let first = try await store.insert(.note("a", idempotencyKey: key))
    let burial = try await transaction(place, Self.bury)
    let coming = Task { try await store.insert(.note("a", idempotencyKey: key)) }
    try await isWaiting("take_plain", at: place)
    try await burial.query("COMMIT")
    #expect(try await coming.value == first)
    #expect(try await store.snapshot().dead == 1)
    #expect(try await store.snapshot().pending == 0)
    #expect(try await store.redrive(first))
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.runAll() == ["a"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `one that cannot be given up keeps no other from being taken back`() async throws {
    let place = try await Place()
    let (dead, other) = try await (place.opened(), place.opened())
    _ = try await dead.insert(.note("given up"))
    try await place.query(Self.bury)
    let twin = try await dead.insert(.note("twin"))
    _ = try await dead.insert(.note("free"))
    #expect(try await dead.claim().count == 2)
    try await place.query("UPDATE @.op SET crashes = 10 WHERE uuid = $1::uuid", [.text("\(twin)")])
    try await place.query(
      "UPDATE @.dead SET idem_key = (SELECT idem_key FROM @.op WHERE uuid = $1::uuid)",
      [.text("\(twin)")])
    await dead.abandon(isOverdue: true)
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.snapshot().running == 1)
    #expect(try await other.claim().map(\.text) == ["free"])
    let third = try await place.opened()
    for store in [other, third] { await store.close() }
  }

  @Test func `what is needed and being redriven is waited for`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let needed = try await store.insert(.note("needed"))
    try await place.query(Self.bury)
    let redrive = try await transaction(place, "SELECT @.redrive(uuid, NULL) FROM @.dead")
    let dependencies = EnqueueOptions.Dependencies([needed], ifGivenUp: .waitForRedrive)
    let coming = Task {
      try await store.insert(.note("next", wishes: .init(dependencies: dependencies)))
    }
    try await isWaiting("take_all", at: place)
    try await redrive.query("COMMIT")
    _ = try await coming.value
    #expect(try await store.snapshot().blocked == 1)
    #expect(try await place.query("SELECT 1 FROM @.dep").count == 1)
    #expect(try await store.runAll() == ["needed", "next"])
    await store.close()
  }

  @Test func `what a transaction needs is not dropped for room, and nobody waits for that`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 2))
    let expendable = NewOperation.Wishes(isExpendable: true)
    let needed = try await store.insert(.note("needed", wishes: expendable))
    _ = try await store.insert(.note("other", wishes: expendable))
    let app = try await transaction(
      place,
      """
      SELECT @.enqueue('note', '{"text": "app"}', needs => ARRAY['\(needed)'::uuid])
      """)
    // Nobody waits: that would be refused at once.
    let code = try await place.query(
      """
      SELECT code FROM @.take_all(ARRAY[(gen_random_uuid(), 'note', 1, 'main', NULL, 'key',
        '{"text":"new"}', NULL, 'notSent', 2, 0, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL)::@.arrival], 2, NULL, true, NULL, 1)
      """)
    #expect(try code.map { try $0.text(0) } == ["kept"])
    try await app.query("COMMIT")
    #expect(try await store.runAll() == ["needed", "new", "app"])
    #expect(try await store.ledger().count(.evicted) == 1)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what somebody came to need since room was looked for is not dropped`() async throws {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 2))
    let expendable = NewOperation.Wishes(isExpendable: true)
    let needed = try await store.insert(.note("needed", wishes: expendable))
    _ = try await store.insert(.note("other", wishes: expendable))
    // Whoever looks for room waits for this lock before each operation.
    try await place.script(
      """
      CREATE FUNCTION @.may_look() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(4711, hashtext('@'));
        RETURN true;
      END $$;
      DO $$ BEGIN
        EXECUTE replace(pg_get_functiondef('@.make_room'::regproc), 'and not cancelled and',
          'and @.may_look() and not cancelled and');
      END $$;
      """)
    try await place.query("SELECT pg_advisory_lock(4711, hashtext('@'))")
    let coming = Task { try await store.insert(.note("new")) }
    try await isWaiting("take_all", at: place)
    let app = try await place.session()
    try await app.query(
      "SELECT \(place.schema).enqueue('note', '{\"text\": \"app\"}', needs => ARRAY[$1::uuid])",
      [.text("\(needed)")])
    try await place.query("SELECT pg_advisory_unlock(4711, hashtext('@'))")
    _ = try await coming.value
    #expect(try await store.runAll() == ["needed", "new", "app"])
    #expect(try await store.ledger().isBalanced)
    app.close()
    await store.close()
  }
}
