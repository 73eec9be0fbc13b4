// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

private struct Note: QueuedOperation {
  static let kind: OperationKind = "note"
  var text: String
}

/// Passes events on.
private struct Listener: OutboxObserver {
  let events: AsyncStream<OutboxEvent>.Continuation

  func observe(_ event: OutboxEvent) { events.yield(event) }
}

/// Outboxes on one database, and those who enqueue from elsewhere.
@Suite(.ends(withinMinutes: 10))
struct OutboxOnPostgresTests {
  /// An outbox whose worker tells what it runs.
  private func worker(
    _ store: PostgresStore
  ) async throws -> (outbox: Outbox, texts: AsyncStream<String>) {
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { note, _ in continuation.yield(note.text) }
    }
    return (outbox, texts)
  }

  @Test(arguments: [false, true])
  func `what one process enqueues another one runs`(isPooled: Bool) async throws {
    let place = try await Place()
    let (outbox, texts) = try await worker(place.store(pooled: isPooled))
    let other = try await Outbox(store: place.store(pooled: isPooled)) {}
    var heard = texts.makeAsyncIterator()
    for text in ["a", "b"] {
      try await other.enqueue(Note(text: text))
      #expect(await heard.next() == text)
    }
    await outbox.shutDown()
    await other.shutDown()
    let looking = place.store()
    try await looking.openToLook()
    #expect(try await looking.ledger().count(.done) == 2)
    await looking.close()
  }

  @Test func `what is given up for want of another one is told`() async throws {
    let place = try await Place()
    let (events, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    var configuration = Outbox.Configuration()
    configuration.observer = Listener(events: continuation)
    configuration.startsPaused = true
    let outbox = try await Outbox(store: place.store(), configuration: configuration) {
      Worker(for: Note.self) { _, _ in
        throw AppError(
          code: "note.refused", kind: .server, disposition: .permanent, title: "No", message: "No.")
      }
    }
    let first = try await outbox.enqueue(Note(text: "a"))
    let needs = EnqueueOptions.Dependencies([first], ifGivenUp: .giveUp)
    let second = try await outbox.enqueue(
      Note(text: "b"), options: EnqueueOptions(dependencies: needs))
    await outbox.resume()
    for await event in events {
      guard case .gaveUp(let reason, _) = event.what, event.id == second else { continue }
      #expect(reason == .dependencyFailed && event.kind == "note")
      break
    }
    await outbox.shutDown()
  }

  @Test func `who gives up what other processes have lost too often says so`() async throws {
    let place = try await Place()
    let (events, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    var configuration = Outbox.Configuration()
    configuration.observer = Listener(events: continuation)
    let outbox = try await Outbox(store: place.store(), configuration: configuration) {}
    let id = try await outbox.enqueue(Note(text: "pill"))
    for _ in 0..<3 {
      let store = try await place.opened()
      while try await store.claim().isEmpty { _ = try await store.promote(NewOperation.types) }
      await store.abandon()
    }
    for await event in events {
      guard case .gaveUp(let reason, let error) = event.what else { continue }
      #expect(reason == .crashed && error == nil)
      #expect(event.id == id && event.kind == "note")
      break
    }
    #expect(try await outbox.snapshot().dead == 1)
    await outbox.shutDown()
  }

  @Test func `only who waits is told, and not more often than every 50 ms`() async throws {
    let place = try await Place()
    let (writer, waiting) = try await (place.opened(), place.opened())
    let listener = PostgresListener(
      place.address, channels: ["\(place.schema).wake"], settings: .patient)
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening(mayHaveMissed: false))
    _ = try await writer.insert(.note("a"))
    let told = try #require(
      try await place.query("SELECT @.wake(0), last_value FROM @.told_at").first)
    #expect(try told.bool(0), "nobody waits")
    #expect(try told.int(1) == 0)
    #expect(try await waiting.claim().count == 1)
    _ = try await writer.insert(.note("b"))
    guard case .heard = await events.next() else {
      Issue.record("nothing was heard")
      return
    }
    // The two calls are more than 50 ms apart where the server stands still between them.
    try await eventually {
      try await place.query("SELECT @.may_tell(), @.may_tell() FROM @.step")
        .first?.bool(1) == false
    }
    listener.stop()
    await writer.close()
    await waiting.close()
  }

  @Test func `behind a pooler a database may give bytes in its own form`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let owner = try await PostgresConnection.patient(server.address())
    try await owner.script("ALTER DATABASE \(name) SET bytea_output = 'escape'")
    let place = try await Place(at: server.address(name))
    let bytes = Data((0...255).map { UInt8($0) }) + Data("\\x41\\\\".utf8)
    let pooled = try await PostgresConnection.open(place.address, settings: .patientAndPooled)
    let row = try #require(
      try await pooled.query("SELECT $1::bytea, ''::bytea, 'x'::text", [.bytes(bytes)]).first)
    #expect(try row.text(0).hasPrefix("\\000"))
    #expect(try row.data(0) == bytes)
    #expect(try row.data(1) == Data())
    #expect(throws: PostgresError.self) { try row.data(2) }
    let store = place.store(pooled: true)
    _ = try await store.open()
    _ = try await store.insert(.note("é\\"))
    #expect(try await store.claim().map(\.text) == ["é\\"])
    await store.close()
  }

  @Test func `a trigger enqueues, exactly if its transaction is committed`() async throws {
    let place = try await Place()
    let (outbox, texts) = try await worker(place.store())
    try await place.script(
      """
      CREATE TABLE @.item (id int);
      CREATE FUNCTION @.item_is_new() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM @.enqueue('note', jsonb_build_object('text', 'item ' || new.id),
          ordering_key => new.id::text);
        RETURN new;
      END $$;
      CREATE TRIGGER is_new AFTER INSERT ON @.item FOR EACH ROW EXECUTE FUNCTION @.item_is_new();
      """)
    try await place.script("BEGIN; INSERT INTO @.item VALUES (1); ROLLBACK;")
    try await place.script("INSERT INTO @.item VALUES (2);")
    var heard = texts.makeAsyncIterator()
    #expect(await heard.next() == "item 2")
    #expect(try await outbox.ledger().enqueued == 1)
    await outbox.shutDown()
  }

  @Test func `a statement for another client keeps the same rules`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let wishes = EnqueueOptions(
      orderedBy: "k\"\\é", idempotencyKey: IdempotencyKey("tap-1"), timeToLive: .seconds(60),
      lane: "side", priority: .high, delay: .seconds(30), uniqueKey: .init("u"),
      constraints: ["a \"b\", c", .power], isExpendable: true)
    let statement = try PostgresEnqueue(
      Note(text: "é'\""), options: wishes, schema: place.schema)
    for _ in 0..<2 {
      let row = try #require(
        try await place.connection.query(
          statement.text, statement.parameters.map { .text($0) }
        ).first)
      #expect(try row.text(0) == statement.id.description, "the second time it is there already")
    }
    let found = try #require(try await store.operation(statement.id))
    #expect(found.orderingKey == "k\"\\é")
    #expect(found.idempotencyKey.rawValue == "tap-1")
    #expect(found.lane == "side" && found.priority == .high && found.isExpendable)
    #expect(found.constraints == ["a \"b\", c", .power])
    #expect(found.expires != nil && found.state == .scheduled)
    #expect(try JSONDecoder().decode(Note.self, from: found.payload).text == "é'\"")
    var twin = NewOperation.note("x", wishes: .init(uniqueKey: .init("u")))
    twin.wishes.priority = .low
    #expect(try await store.insert(twin) == statement.id, "unique keys are the same")
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `whoever enqueues from elsewhere says how long one attempt may take`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await place.query("SELECT @.enqueue('note', '{\"text\":\"a\"}', timeout => '1.5 seconds')")
    try await place.query("SELECT @.enqueue('note', '{\"text\":\"b\"}', timeout => '900 years')")
    try await place.query("SELECT @.enqueue('note', '{\"text\":\"c\"}')")
    let statement = try PostgresEnqueue(
      Note(text: "d"), options: EnqueueOptions(timeout: .seconds(7)), schema: place.schema)
    try await place.connection.query(
      statement.text, statement.parameters.map { PostgresValue.text($0) })
    let found = try await store.operations(after: nil, limit: 9)
    #expect(
      found.map(\.timeout) == [.milliseconds(1500), .seconds(365 * 86_400), nil, .seconds(7)])
    await store.close()
  }

  @Test func `a key with a zero character is refused before it is sent`() {
    #expect(throws: OutboxError(.unencodable, details: "")) {
      try PostgresEnqueue(Note(text: "a"), options: EnqueueOptions(orderedBy: "a\0b"))
    }
  }

  @Test(
    arguments: [
      "'', '{}'", "'note', null", "'note', '{}', priority => 9", "'note', '{}', if_taken => 'x'",
      "'note', '{}', idempotency_key => 'a b'", "'note', '{}', if_given_up => 'x'",
      "'note', '{}', timeout => '0 seconds'", "'note', '{}', constraints => array['power', null]",
      "'note', '{}', ordering_key => repeat('k', 2501)",
      "'note', '{}', unique_key => repeat('k', 2497)", "'note', '{}', lane => repeat('k', 2497)",
      "'note', '{}', constraints => array[repeat('k', 1250), repeat('l', 1250)]",
    ])
  func `what is not legal is refused by its name`(arguments: String) async throws {
    let place = try await Place()
    try await place.store().migrate()
    do {
      try await place.query("SELECT @.enqueue(\(arguments))")
      Issue.record("it was taken")
    } catch {
      #expect((error as? PostgresError)?.sqlState == "22023")
      #expect("\(error)".contains("must"), "\(error)")
    }
  }

  @Test func `a limit holds on all machines together`() async throws {
    let place = try await Place()
    let (one, two) = try await (place.opened(), place.opened())
    try await one.limit("note", concurrency: 2)
    for number in 0..<5 { _ = try await one.insert(.note("\(number)")) }
    let first = try await one.claim()
    #expect(first.count == 2)
    #expect(try await two.claim().isEmpty)
    #expect(try await one.settle(try #require(first.first).lease, OperationVerdict(.done)))
    #expect(try await two.claim().count == 1)
    try await two.limit("note", perSecond: 0.000_1, burst: 1)
    #expect(try await two.claim().count == 0, "nothing is in the bucket yet")
    try await place.query("UPDATE @.kind_limit SET tokens = 1")
    #expect(try await one.claim().count == 1)
    #expect(try await two.claim().isEmpty)
    try await two.limit("note")
    #expect(try await two.claim().count == 1)
    await one.close()
    await two.close()
  }

  @Test func `a claim says when the rate of all machines lets one more begin`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["a", "b", "c"] { _ = try await store.insert(.note(text)) }
    let request = ClaimRequest(limit: 1, types: NewOperation.types, isAlone: true)
    #expect(try await store.claim(request).nextTurn == nil, "there is no limit")
    try await store.limit("note", perSecond: 0.001, burst: 1)
    let last = try await store.claim(request)
    #expect(last.operations.count == 1)
    #expect(try #require(last.nextTurn) <= .seconds(1_000))
    let none = try await store.claim(request)
    #expect(none.operations.isEmpty)
    #expect((.milliseconds(1)...(.seconds(1_000))).contains(try #require(none.nextTurn)))
    let others = ClaimRequest(limit: 1, types: [.init(kind: "other", version: 1)], isAlone: true)
    #expect(try await store.claim(others).nextTurn == nil)
    try await store.limit("note", perSecond: 1e-300, burst: 1)
    #expect(try #require(try await store.claim(request).nextTurn) <= .seconds(3_600))
    await store.close()
  }

  @Test func `a limit of all machines is said to stand in the way`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await store.limit("note", concurrency: 1)
    _ = try await store.insert(.note("a"))
    let next = try await store.insert(.note("b"))
    #expect(try await store.obstacles(next) == [])
    let run = try #require(try await store.claim().first)
    #expect(try await store.obstacles(next) == [.typeIsBusy(1)])
    #expect(try await store.settle(run.lease, OperationVerdict(.done)))
    #expect(try await store.obstacles(next) == [])
    try await store.limit("note", perSecond: 0.001, burst: 1)
    try await place.query("UPDATE @.kind_limit SET tokens = 0.5, refilled_at = @.clock()")
    let found = try #require(try await store.obstacles(next))
    guard found.count == 1, case .rateLimited(let wait) = found[0] else {
      Issue.record("\(found)")
      return
    }
    #expect(wait > .seconds(100) && wait <= .seconds(500))
    // What lost its run is tried first, unless its kind has no turn itself.
    try await store.limit("note")
    let pill = try await store.insert(.note("pill", kind: "other"))
    try await place.query("UPDATE @.op SET crashes = 1 WHERE kind = 'other'")
    #expect(try await store.obstacles(next) == [.letsPass(pill)])
    try await store.limit("other", perSecond: 0.001, burst: 1)
    #expect(try await store.obstacles(next) == [.letsPass(pill)], "it has its first turn")
    try await place.query("UPDATE @.kind_limit SET tokens = 0, refilled_at = @.clock()")
    #expect(try await store.obstacles(next) == [])
    await store.close()
  }

  @Test func `days that are over go, and coming ones are there`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    try await place.script(
      """
      CREATE TABLE @.outcome_20200101 PARTITION OF @.outcome
        FOR VALUES FROM (1577836800000) TO (1577923200000);
      UPDATE @.step SET at = 0;
      """)
    try await store.keepHouse()
    let names = try await place.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_2'
      """
    ).map { try $0.text(0) }
    #expect(names.filter { !$0.contains("uuid") }.count == 3)
    #expect(!names.contains("outcome_20200101"))
    await store.close()
  }

  @Test(.requirement("O38"))
  func `who keeps the server from clearing up is named`() async throws {
    let place = try await Place(at: PostgresServer.common().database())
    let store = try await place.opened()
    let holder = try await place.session()
    try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ")
    try await holder.query("SELECT 1")
    let own = try #require(try await holder.query("SELECT pg_backend_pid()").first).int(0)
    var found: [String] = []
    while !found.contains(where: { $0.contains("process \(own) ") }) {
      // The store's own sessions hold snapshots, too, for a moment.
      try await place.query("UPDATE @.step SET at = 0")
      if let name = try await store.snapshotHolder(patience: .zero) { found.append(name) }
    }
    holder.close()
    await store.close()
  }
}
