// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What somebody's open transaction is at, and who waits for that.
@Suite(.ends(withinMinutes: 10)) struct HeldRowTests {
  /// Begins a transaction that is at one operation, as one that needs it is.
  private func holder(
    _ place: Place, of text: String, lock: String = "KEY SHARE"
  ) async throws -> PostgresConnection {
    let connection = try await place.session()
    try await connection.script(
      """
      BEGIN; SELECT 1 FROM \(place.schema).op
        WHERE convert_from(payload, 'UTF8') LIKE '%\(text)%' FOR \(lock)
      """)
    return connection
  }

  @Test func `what a transaction needs may begin, and only its own end waits`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let needed = try await store.insert(.note("needed"))
    for text in ["a", "b"] { _ = try await store.insert(.note(text)) }
    let app = try await place.session()
    try await app.query("BEGIN")
    try await app.query(
      "SELECT \(place.schema).enqueue('note', '{}', needs => ARRAY[$1::uuid])",
      [.text(needed.description)])
    let runs = try await store.claim()
    #expect(runs.map(\.text) == ["needed", "a", "b"])
    // Nobody waits: that would be refused at once.
    try await place.script("SET lock_timeout = '1ms'")
    let ends = try await place.query(
      "SELECT number FROM @.complete($1::bigint[], $2::bigint[], $3::bytea[], true, NULL, 1) "
        + "WHERE is_locked",
      [
        .ints(runs.map(\.lease.row)), .ints(runs.map(\.lease.token)),
        .bytesArray(runs.map { _ in nil }),
      ])
    #expect(try ends.map { try $0.int(0) } == [try #require(runs.first).lease.row])
    #expect(try await store.ledger().count(.done) == 2)
    let ending = Task {
      try await store.settle(try #require(runs.first).lease, OperationVerdict(.done))
    }
    try await place.connection.sees(running: "\(place.schema).complete(")
    try await app.query("COMMIT")
    #expect(try await ending.value)
    #expect(try await store.snapshot().ready == 1, "what needed it")
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `those that end or come with one that meets a lock do not wait for it`()
    async throws
  {
    let place = try await Place()
    let store = place.store(connections: 4)
    _ = try await store.open()
    let keys = (0..<3).map { _ in IdempotencyKey() }
    let app = try await place.session()
    try await app.query("BEGIN")
    for key in keys {
      try await app.query(
        "SELECT \(place.schema).enqueue('note', '{}', idempotency_key => $1)",
        [.text(key.rawValue)])
    }
    let held = keys.map { key in
      Task { try await store.insert(.note("held", idempotencyKey: key)) }
    }
    try await place.connection.sees(running: "\(place.schema).take_plain(")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask { _ = try await store.insert(.note("\(number)")) }
      }
      try await group.waitForAll()
    }
    let runs = try await store.claim(40)
    #expect(runs.count == 40)
    let other = try await holder(place, of: "\"7\"")
    let last = try #require(runs.first { $0.text == "7" })
    let ending = Task { try await store.settle(last.lease, OperationVerdict(.done)) }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for run in runs where run.text != "7" {
        group.addTask { try await store.settle(run.lease, OperationVerdict(.done)) }
      }
      for try await isHeld in group { #expect(isHeld) }
    }
    #expect(try await store.ledger().count(.done) == 39)
    for connection in [app, other] { try await connection.query("ROLLBACK") }
    for insert in held { _ = await insert.result }
    _ = await ending.result
    for key in keys { _ = try await store.insert(.note("held", idempotencyKey: key)) }
    #expect(try await store.snapshot().ready == 3)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what is kept is not sent once more with what meets a lock`() async throws {
    let place = try await Place()
    let store = place.store(connections: 4)
    _ = try await store.open()
    let taken = IdempotencyKey()
    let first = try await store.insert(.note("taken", idempotencyKey: taken))
    // Only what has a key that is taken waits for this lock.
    try await place.script(
      """
      ALTER FUNCTION @.twin RENAME TO found_twin;
      CREATE FUNCTION @.twin(p_new @.arrival) RETURNS @.arrival_answer LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(4711, hashtext('@'));
        RETURN @.found_twin(p_new);
      END $$;
      """)
    try await place.query("SELECT pg_advisory_lock(4711, hashtext('@'))")
    // The first is on its way while the others come, so that they share a statement.
    let twins = await started(16) { _ in
      try await store.insert(.note("taken", idempotencyKey: taken))
    }
    let new = await started { try await store.insert(.note("new")) }
    try await eventually { try await store.snapshot().pending == 2 }
    for run in try await store.claim() where run.text == "new" {
      #expect(try await store.settle(run.lease, OperationVerdict(.done)))
    }
    _ = try await new.value
    #expect(try await store.ledger().enqueued == 2)
    try await place.query("SELECT pg_advisory_unlock(4711, hashtext('@'))")
    for twin in twins { #expect(try await twin.value == first) }
    #expect(try await store.ledger().enqueued == 2)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `a claim finds a connection while an end and an enqueue wait for locks`()
    async throws
  {
    let place = try await Place()
    let store = place.store(connections: 2)
    _ = try await store.open()
    let needed = try await store.insert(.note("needed"))
    _ = try await store.insert(.note("free"))
    let run = try #require(try await store.claim(1).first)
    let key = IdempotencyKey()
    let app = try await place.session()
    try await app.query("BEGIN")
    try await app.query(
      """
      SELECT \(place.schema).enqueue('note', '{}', needs => ARRAY[$1::uuid],
        idempotency_key => $2)
      """, [.text(needed.description), .text(key.rawValue)])
    let ending = Task { try await store.settle(run.lease, OperationVerdict(.done)) }
    let coming = Task { try await store.insert(.note("held", idempotencyKey: key)) }
    // Longer than those wait that go back for others.
    try await eventually {
      try await place.query(
        """
        SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND query_start < clock_timestamp() - interval '300 milliseconds'
          AND (position('@.complete(' in query) > 0 OR position('@.take_plain(' in query) > 0)
        """
      ).count == 2
    }
    #expect(try await store.claim().map(\.text) == ["free"])
    try await app.query("ROLLBACK")
    #expect(try await ending.value)
    _ = try await coming.value
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `an end that leaves its operation there does not wait for whoever needs that`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["a", "b", "c", "d", "e"] { _ = try await store.insert(.note(text)) }
    let runs = try await store.claim()
    let app = try await holder(place, of: "text")
    let failure = FailureNote(code: "test.no", message: "No.")
    let ends: [OperationVerdict.Next] = [
      .ready, .scheduled(after: .seconds(60)), .waiting(after: .seconds(60)), .parked,
      .conflicted(remote: Data(), fields: []),
    ]
    for (run, next) in zip(runs, ends) {
      let verdict = OperationVerdict(next, attempts: 1, failure: failure)
      #expect(try await store.settle(run.lease, verdict))
    }
    let snapshot = try await store.snapshot()
    #expect(snapshot.running == 0 && snapshot.conflicted == 1)
    try await app.query("ROLLBACK")
    await store.close()
  }

  @Test func `leases of a dead process come back without the one that somebody is at`()
    async throws
  {
    let place = try await Place()
    let (dead, other) = try await (place.opened(), place.opened())
    for text in ["held", "free"] { _ = try await dead.insert(.note(text)) }
    #expect(try await dead.claim().count == 2)
    let holder = try await holder(place, of: "held")
    await dead.abandon(isOverdue: true)
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.snapshot().running == 1)
    let first = try #require(try await other.claim().first)
    #expect(first.text == "free")
    #expect(try await other.settle(first.lease, OperationVerdict(.done)))
    // It is dead, though the rest of its leases is still there.
    let beat = try await place.query("SELECT @.beat(min(id), 60000) FROM @.owner")
    #expect(try beat.map { try $0.bool(0) } == [false])
    #expect(try await other.promote(NewOperation.types) == nil, "nothing is due at once")
    try await holder.query("COMMIT")
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.claim().map(\.text) == ["held"])
    #expect(try await place.query("SELECT 1 FROM @.owner").count == 1)
    await other.close()
  }

  @Test func `what expires is dropped later where somebody is at what needs it`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let old = try await store.insert(.note("old", timeToLive: .milliseconds(1)))
    let dependencies = EnqueueOptions.Dependencies([old], ifGivenUp: .waitForRedrive)
    _ = try await store.insert(.note("held", wishes: .init(dependencies: dependencies)))
    let holder = try await place.session()
    try await holder.script(
      """
      BEGIN; SELECT 1 FROM \(place.schema).op
        WHERE convert_from(payload, 'UTF8') LIKE '%held%' FOR UPDATE
      """)
    try await eventually {
      try await place.query("SELECT 1 FROM @.op WHERE expires_at < @.clock()").count > 0
    }
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.operation(old) != nil)
    try await holder.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.operation(old) == nil)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `a follower that somebody is at keeps no other lease of a dead process`()
    async throws
  {
    let place = try await Place()
    let (dead, other) = try await (place.opened(), place.opened())
    let lost = try await dead.insert(.note("lost"))
    for text in ["a", "b"] { _ = try await dead.insert(.note(text)) }
    let dependencies = EnqueueOptions.Dependencies([lost], ifGivenUp: .giveUp)
    _ = try await dead.insert(.note("follower", wishes: .init(dependencies: dependencies)))
    #expect(try await dead.claim().count == 3)
    // It was lost so often that it is given up.
    try await place.query(
      "UPDATE @.op SET crashes = 10 WHERE uuid = $1::uuid", [.text(lost.description)])
    let holder = try await holder(place, of: "follower", lock: "UPDATE")
    await dead.abandon(isOverdue: true)
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.snapshot().running == 1)
    #expect(try await other.snapshot().ready == 2)
    try await holder.query("COMMIT")
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.operation(lost) == nil)
    #expect(try await other.snapshot().running == 0)
    #expect(try await other.ledger().isBalanced)
    await other.close()
  }

  @Test func `a follower that somebody is at keeps nothing else that expired`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let old = try await store.insert(.note("old", timeToLive: .milliseconds(1)))
    let others = try await store.insert(
      contentsOf: (0..<3).map { .note("\($0)", timeToLive: .milliseconds(1)) })
    #expect(others.count == 3)
    let dependencies = EnqueueOptions.Dependencies([old], ifGivenUp: .waitForRedrive)
    _ = try await store.insert(.note("follower", wishes: .init(dependencies: dependencies)))
    let holder = try await holder(place, of: "follower", lock: "UPDATE")
    try await eventually {
      try await place.query("SELECT 1 FROM @.op WHERE expires_at < @.clock()").count == 4
    }
    _ = try await store.promote(NewOperation.types)
    #expect(try await place.query("SELECT 1 FROM @.op").count == 2, "it, and what needs it")
    try await holder.query("COMMIT")
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.operation(old) == nil)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what expires in the same millisecond goes in the order in which it came`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    // The second one is given up where the first one, which it needs, goes before it.
    let first = try #require(
      try await place.query("SELECT @.enqueue('note', '{}', lifetime => '1 hour')").first
    ).text(0)
    try await place.query(
      """
      SELECT @.enqueue('note', '{}', lifetime => '1 hour', needs => ARRAY[$1::uuid],
        if_given_up => 'giveUp')
      """, [.text(first)])
    // Their rows lie, and are indexed, in the other order.
    for order in ["<>", "="] {
      try await place.query(
        "UPDATE @.op SET expires_at = 1 WHERE uuid \(order) $1::uuid", [.text(first)])
    }
    try await place.query("SELECT @.expire(10, true, @.clock())")
    #expect(try await store.ledger().count(.expired) == 1)
    #expect(try await store.snapshot().dead == 1)
    await store.close()
  }

  @Test func `what is due while somebody is at it is not looked for at once`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["held", "free"] { _ = try await store.insert(.note(text)) }
    try await place.query("UPDATE @.op SET state = 'scheduled', run_at = 1")
    let holder = try await holder(place, of: "held", lock: "UPDATE")
    #expect(try await store.promote(NewOperation.types) == nil)
    #expect(try await store.claim().map(\.text) == ["free"])
    try await holder.query("COMMIT")
    #expect(try await store.promote(NewOperation.types) == nil)
    #expect(try await store.claim().map(\.text) == ["held"])
    await store.close()
  }

  @Test func `what is due and more than one look makes ready is looked for at once`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    _ = try await store.insert(contentsOf: (0..<1_001).map { .note("\($0)") })
    try await place.query("UPDATE @.op SET state = 'scheduled', run_at = 1")
    #expect(try await store.promote(NewOperation.types) == .zero)
    #expect(try await store.promote(NewOperation.types) == nil)
    #expect(try await store.snapshot().ready == 1_001)
    await store.close()
  }

  @Test func `a store is opened while somebody is at what is set aside`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["held", "free"] { _ = try await store.insert(.note(text)) }
    try await place.query("UPDATE @.op SET state = 'parked', cause = 'unreadable'")
    let holder = try await place.session()
    try await holder.script(
      """
      BEGIN; SELECT 1 FROM \(place.schema).op
        WHERE convert_from(payload, 'UTF8') LIKE '%held%' FOR UPDATE
      """)
    let other = try await place.opened()
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.claim().map(\.text) == ["free"])
    try await holder.query("COMMIT")
    await store.close()
    await other.close()
  }
}
