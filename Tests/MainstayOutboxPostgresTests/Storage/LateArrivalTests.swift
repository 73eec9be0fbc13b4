// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What is enqueued in a transaction of the app that goes on for long.
@Suite(.ends(withinMinutes: 10)) struct LateArrivalTests {
  /// Begins a transaction that enqueues notes under the key `o` in the lane `side`, and goes on.
  private func transaction(_ place: Place, _ texts: String...) async throws -> PostgresConnection {
    let connection = try await place.session()
    try await connection.query("BEGIN")
    for text in texts {
      try await connection.query(
        """
        SELECT \(place.schema).enqueue('note', jsonb_build_object('text', $1::text),
          ordering_key => 'o', lane => 'side')
        """, [.text(text)])
    }
    return connection
  }

  @Test func `others enqueue and end under its key and in its new lane meanwhile`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, "late 1", "late 2")
    let counters = try await late.query("SELECT min(shard) FROM \(place.schema).load")
    #expect(try #require(counters.first).int(0) >= 128, "nobody else counts there")
    // Nobody waits: that would be refused at once.
    let other = try await place.session()
    try await other.script("SET lock_timeout = '1ms'")
    _ = try await other.query(
      """
      SELECT \(place.schema).enqueue('note', '{"text": "early"}', ordering_key => 'o',
        lane => 'side')
      """)
    _ = try await store.insert(contentsOf: [
      .note("second", orderedBy: "o", lane: "side"), .note("third", orderedBy: "o", lane: "side"),
    ])
    #expect(try await store.runAll() == ["early", "second", "third"])
    try await late.query("COMMIT")
    _ = try await store.insert(.note("last", orderedBy: "o", lane: "side"))
    #expect(try await store.runAll() == ["late 1", "late 2", "last"])
    #expect(try await place.query("SELECT 1 FROM @.fresh").isEmpty)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `it stands behind what was committed before it, and runs after that`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, "late")
    _ = try await store.insert(.note("first", orderedBy: "o"))
    let first = try #require(try await store.claim(1).first)
    _ = try await store.insert(.note("second", orderedBy: "o"))
    try await late.query("COMMIT")
    #expect(try await store.claim().isEmpty, "one at a time")
    #expect(try await store.snapshot().blocked == 2)
    #expect(try await store.settle(first.lease, OperationVerdict(.done)))
    #expect(try await store.runAll() == ["second", "late"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `the last commit runs last, whoever called first, and keeps what it needs`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, "late 1")
    let row = try #require(
      try await late.query("SELECT uuid::text FROM \(place.schema).op").first)
    let id = OperationID(try #require(UUID(uuidString: try row.text(0))))
    try await late.query(
      """
      SELECT \(place.schema).enqueue('note', '{"text": "late 2"}', ordering_key => 'o',
        needs => ARRAY[$1::uuid])
      """, [.text(id.description)])
    try await late.query(
      """
      SELECT \(place.schema).enqueue('note', '{"text": "late 3"}', ordering_key => 'o')
      """)
    for text in ["first", "second"] { _ = try await store.insert(.note(text, orderedBy: "o")) }
    let first = try #require(try await store.claim(1).first)
    #expect(first.text == "first")
    try await late.query("COMMIT")
    #expect(try await store.operation(id)?.state == .blocked, "the identity stays")
    _ = try await store.insert(.note("last", orderedBy: "o"))
    #expect(try await store.settle(first.lease, OperationVerdict(.done)))
    #expect(try await store.runAll() == ["second", "late 1", "late 2", "late 3", "last"])
    #expect(try await place.query("SELECT 1 FROM @.dep").isEmpty)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what is cancelled within its transaction is gone when that ends`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let late = try await transaction(place, "kept", "cancelled")
    try await late.query(
      """
      SELECT \(place.schema).cancel(uuid, true, NULL) FROM \(place.schema).op
        WHERE convert_from(payload, 'UTF8') LIKE '%cancelled%'
      """)
    try await late.query("COMMIT")
    #expect(try await store.runAll() == ["kept"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what is rolled back leaves nothing, a part of it too`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let gone = try await transaction(place, "gone")
    try await gone.query("ROLLBACK")
    let half = try await transaction(place, "kept")
    try await half.script(
      """
      SAVEPOINT here;
      SELECT \(place.schema).enqueue('note', '{"text": "dropped"}', ordering_key => 'o');
      ROLLBACK TO here;
      COMMIT
      """)
    #expect(try await store.runAll() == ["kept"])
    #expect(try await store.ledger().enqueued == 1)
    await store.close()
  }

  @Test func `two transactions with the same keys in another order end without a circle`()
    async throws
  {
    let server = try await PostgresServer(settings: ["deadlock_timeout = 10ms"])
    let place = try await Place(at: server.address())
    let store = try await place.opened()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          let connection = try await place.session()
          for round in 0..<20 {
            let keys = (0..<6).map { ($0 * (number + 1) + round) % 7 }
            try await connection.script("BEGIN")
            for key in keys {
              try await connection.query(
                "SELECT \(place.schema).enqueue('note', '{}', ordering_key => $1, lane => $2)",
                [.text("o\(key)"), .text("l\(round) \(key)")])
            }
            try await connection.script("COMMIT")
          }
          connection.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(!server.log.contains("deadlock detected"))
    #expect(try await store.runAll().count == 360)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what needs something that was given up is a dead letter under its key`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let needed = try await store.insert(.note("needed"))
    let leased = try #require(try await store.claim(1).first)
    let dead = OperationVerdict(.dead(.refused, followers: .holdKey))
    #expect(try await store.settle(leased.lease, dead))
    try await place.query(
      """
      SELECT @.enqueue('note', '{}', ordering_key => 'o', lane => 'side', needs => ARRAY[$1::uuid],
        if_given_up => 'giveUp')
      """, [.text(needed.description)])
    let letters = try await store.deadLetters(after: nil, limit: 9)
    #expect(letters.map(\.operation.orderingKey).contains("o"))
    _ = try await store.insert(.note("behind", orderedBy: "o"))
    #expect(try await store.claim().isEmpty, "the dead letter holds its key")
    await store.close()
  }
}
