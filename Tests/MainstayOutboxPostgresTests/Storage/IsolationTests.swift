// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What transactions of the app do that see the database as it was when they began.
@Suite(.ends(withinMinutes: 10)) struct IsolationTests {
  private static let levels = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]

  /// Begins a transaction at a level, which has looked at the database.
  private func transaction(_ place: Place, _ level: String) async throws -> PostgresConnection {
    let connection = try await place.session()
    try await connection.script(
      "BEGIN ISOLATION LEVEL \(level); SELECT count(*) FROM \(place.schema).op")
    return connection
  }

  /// Enqueues a note within a transaction, with further wishes as SQL.
  private func enqueue(
    _ text: String, _ wishes: String, in connection: PostgresConnection, _ place: Place
  ) async throws {
    try await connection.query(
      "SELECT \(place.schema).enqueue('note', jsonb_build_object('text', $1::text), \(wishes))",
      [.text(text)])
  }

  @Test(arguments: levels)
  func `what ended unseen by a transaction does not stand before what that enqueues`(
    level: String
  ) async throws {
    let place = try await Place()
    let store = try await place.opened()
    _ = try await store.insert(.note("first", orderedBy: "o"))
    let first = try #require(try await store.claim(1).first)
    let late = try await transaction(place, level)
    #expect(try await store.settle(first.lease, OperationVerdict(.done)))
    for text in ["late 1", "late 2"] {
      try await enqueue(text, "ordering_key => 'o', lane => 'new'", in: late, place)
    }
    try await late.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.runAll() == ["late 1", "late 2"])
    _ = try await store.insert(.note("last", orderedBy: "o"))
    #expect(try await store.runAll() == ["last"])
    #expect(try await place.query("SELECT 1 FROM @.fresh").isEmpty)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test(arguments: levels)
  func `what came unseen by a transaction does not keep that from being committed`(
    level: String
  ) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    _ = try await store.insert(.note("first", orderedBy: "o"))
    try await enqueue("late", "ordering_key => 'o'", in: late, place)
    _ = try await store.insert(.note("second", orderedBy: "o"))
    try await late.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    // By commits where that can be seen, and else by calls.
    let isSeen = level == Self.levels[0]
    #expect(
      try await store.runAll() == ["first"] + (isSeen ? ["second", "late"] : ["late", "second"]))
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test(arguments: levels)
  func `what needs an operation never comes to stand before it under their key`(
    level: String
  ) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    try await enqueue("needed", "ordering_key => 'o'", in: late, place)
    try await late.query("COMMIT")
    let next = try await transaction(place, "READ COMMITTED")
    try await enqueue(
      "needs it", "ordering_key => 'o', needs => array(SELECT uuid FROM \(place.schema).op)",
      in: next, place)
    try await next.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.runAll() == ["needed", "needs it"])
    await store.close()
  }

  @Test(arguments: levels)
  func `without an ordering key nobody has to let it in`(level: String) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    _ = try await store.insert(.note("before"))
    try await enqueue("late", "priority => 4", in: late, place)
    try await late.query("COMMIT")
    // Neither waits to be let in; which of them runs first is not what this is about.
    #expect(Set(try await store.runAll()) == ["before", "late"])
    await store.close()
  }

  @Test(arguments: levels.dropFirst())
  func `a unique key that is held unseen by a transaction asks for another try`(
    level: String
  ) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    _ = try await store.insert(.note("a", wishes: .init(uniqueKey: .init("u"))))
    let error = await #expect(throws: PostgresError.self) {
      try await enqueue("b", "unique_key => 'u'", in: late, place)
    }
    #expect(error?.kind == .conflict)
    try await late.query("ROLLBACK")
    await store.close()
  }

  @Test(arguments: levels.dropFirst())
  func `a worker lets in what it can, and waits for nobody`(level: String) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    for key in ["held", "free"] {
      for number in 1...2 {
        try await enqueue("\(key) \(number)", "ordering_key => '\(key)'", in: late, place)
      }
    }
    try await late.query("COMMIT")
    let holder = try await place.session()
    try await holder.script(
      """
      BEGIN; SELECT 1 FROM \(place.schema).op
        WHERE convert_from(payload, 'UTF8') LIKE '%held 1%' FOR UPDATE
      """)
    try await place.script("SET lock_timeout = '1ms'")
    try await place.query("SELECT @.promote('{note}', '{1}', true, null)")
    #expect(try await store.runAll() == ["free 1", "free 2"])
    try await holder.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.runAll() == ["held 1", "held 2"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test(arguments: levels.dropFirst())
  func `a worker lets in what it can while somebody's commit has a lane`(level: String) async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, level)
    for name in ["held", "free"] {
      try await enqueue(name, "ordering_key => '\(name)', lane => '\(name)'", in: late, place)
    }
    try await late.query("COMMIT")
    // As the end of one that enqueues does, which has its lanes before it asks for its keys.
    let ending = try await place.session()
    try await ending.script("BEGIN; INSERT INTO \(place.schema).lane (name) VALUES ('held')")
    try await place.script("SET lock_timeout = '1ms'")
    try await place.query("SELECT @.promote('{note}', '{1}', true, null)")
    #expect(try await store.runAll() == ["free"])
    try await ending.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.runAll() == ["held"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `a session and a transaction see what is committed, whatever the default is`()
    async throws
  {
    let (address, name) = try await Self.repeatable()
    let session = try await PostgresConnection.patient(address)
    let own = try await session.query("SELECT current_setting('transaction_isolation')")
    #expect(try #require(own.first).text(0) == "read committed")
    let pool = PostgresPool(
      address, options: .init(wait: .patience, connection: .patientAndPooled))
    let level = try await pool.transaction { connection in
      try await connection.query("SELECT current_setting('transaction_isolation')").first?.text(0)
    }
    #expect(level == "read committed", "in \(name)")
    await pool.close()
    session.close()
  }

  @Test func `a transaction sees what is committed, whatever the options of its address say`()
    async throws
  {
    let (_, name) = try await Self.repeatable()
    let text = try await PostgresServer.common().text(name)
    let option = "options=-c%20default_transaction_isolation%3Drepeatable%5C%20read"
    let pool = PostgresPool(
      try PostgresAddress("\(text)?\(option)"),
      options: .init(wait: .patience, connection: .patient))
    let levels = try await pool.transaction { connection in
      try await connection.query(
        """
        SELECT current_setting('default_transaction_isolation'),
          current_setting('transaction_isolation')
        """
      ).map { [try $0.text(0), try $0.text(1)] }
    }
    #expect(levels == [["repeatable read", "read committed"]])
    await pool.close()
  }

  @Test func `a store behind a pooler is not opened where statements do not see enough`()
    async throws
  {
    let (address, _) = try await Self.repeatable()
    let error = await #expect(throws: OutboxError.self) {
      _ = try await PostgresStore(at: address, pooled: true, patience: .patience, now: nil).open()
    }
    #expect(error?.code == .unavailable)
    #expect(error?.details.contains("repeatable read") == true, "\(error?.details ?? "")")
    let session = try await PostgresConnection.patient(address)
    let rows = try await session.query("SELECT to_regnamespace('mainstay') IS NULL")
    #expect(try rows.first?.bool(0) == true, "no step was taken")
    session.close()
    let store = PostgresStore(at: address, patience: .patience, now: nil)
    _ = try await store.open()
    await store.close()
  }

  /// A database whose transactions see it as it was, where they do not say otherwise.
  private static func repeatable() async throws -> (PostgresAddress, String) {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let connection = try await PostgresConnection.patient(server.address())
    try await connection.query(
      "ALTER DATABASE \(name) SET default_transaction_isolation = 'repeatable read'")
    connection.close()
    return (try server.address(name), name)
  }
}
