// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Who may enqueue by the functions of the database, and in what transactions.
@Suite(.ends(withinMinutes: 10))
struct CallerTests {
  @Test func `a role without rights commits what a function with rights has enqueued`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    try await place.script(
      """
      CREATE ROLE web_@;
      CREATE FUNCTION order_@() RETURNS uuid LANGUAGE sql SECURITY DEFINER AS $$
        SELECT @.enqueue('note', '{"text": "a"}', ordering_key => 'order-7', lane => 'new') $$;
      SET ROLE web_@;
      BEGIN;
      SELECT order_@();
      COMMIT;
      RESET ROLE;
      """)
    #expect(try await store.runAll() == ["a"])
    await store.close()
  }

  @Test func `what is enqueued in the name of a replica has its turn, too`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await place.script(
      """
      SET session_replication_role = replica;
      SELECT @.enqueue('note', '{"text": "a"}', ordering_key => 'order-7');
      RESET session_replication_role;
      """)
    #expect(try await store.runAll() == ["a"])
    await store.close()
  }

  @Test func `a call that may not tell leaves nothing behind that keeps others from it`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    let name = "app_\(place.schema)"
    try await place.script(
      """
      CREATE ROLE \(name);
      GRANT USAGE ON SCHEMA @ TO \(name);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @ TO \(name);
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA @ TO \(name);
      SELECT @.enter('waits', 600000, 1);
      UPDATE @.owner SET is_waiting = true;
      """)
    let app = try await place.session()
    try await app.query("SET ROLE \(name)")
    await #expect(throws: PostgresError.self) {
      try await app.query("SELECT \(place.schema).enqueue('note', '{}')")
    }
    let told = try await place.query("SELECT @.wake(0)")
    #expect(try told.first?.bool(0) == true)
    await store.close()
  }

  @Test func `a transaction that says so tells nobody, and can be prepared`() async throws {
    let server = try await PostgresServer(settings: ["max_prepared_transactions = 1"])
    let place = try await Place(at: server.database())
    let store = try await place.looking()
    try await place.script(
      """
      SELECT @.enter('waits', 600000, 1);
      UPDATE @.owner SET is_waiting = true;
      BEGIN;
      SET LOCAL @.quiet = 'on';
      SELECT @.enqueue('note', '{"text": "a"}', ordering_key => 'order-7');
      """)
    try await place.query("PREPARE TRANSACTION 'order'")
    try await place.query("COMMIT PREPARED 'order'")
    #expect(try await place.query("SELECT state FROM @.op").first?.text(0) == "ready")
    await store.close()
    try await server.stop()
  }

  /// A key that the server cannot make shorter.
  private func key(of length: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    var number: UInt64 = 1
    return String(
      (0..<length).map { _ in
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return letters[Int(number >> 33) % letters.count]
      })
  }

  @Test(arguments: [2_500, 2_501])
  func `a key that an index cannot take is refused by its name`(length: Int) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let key = key(of: length)
    do {
      _ = try await store.insert(.note("a", orderedBy: key))
      _ = try await store.insert(contentsOf: [.note("b", orderedBy: key)])
      #expect(length == 2_500)
      #expect(try await store.runAll() == ["a", "b"])
    } catch let error as OutboxError {
      #expect(length == 2_501 && error.code == .tooLarge)
      #expect(error.details.contains("for the ordering key"), "\(error.details)")
    }
    await store.close()
  }
}
