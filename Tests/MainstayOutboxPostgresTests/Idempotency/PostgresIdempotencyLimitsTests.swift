// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// How much is remembered, for how long, and what is said where nothing can be.
@Suite(.ends(withinMinutes: 10)) struct PostgresIdempotencyLimitsTests {
  private let one = Data([1])

  private func answer(_ size: Int = 10) -> StoredAnswer {
    StoredAnswer(status: 200, fields: [:], body: Data(count: size))
  }

  private func opened(
    _ place: Place, lease: Duration = .seconds(60), maximumCount: Int = 100_000,
    maximumBytes: Int = 1_000_000_000
  ) async throws -> PostgresIdempotencyStore {
    let store = place.answers(
      lease: lease, maximumCount: maximumCount, maximumBytes: maximumBytes)
    try await store.open()
    return store
  }

  private func done(
    _ key: String, _ size: Int = 10, at store: PostgresIdempotencyStore
  ) async throws {
    guard case .handle(let claim) = try await store.begin(key, fingerprint: one) else {
      Issue.record("\(key) is new")
      return
    }
    try await store.end(key, claim, with: answer(size))
  }

  /// Whether the counters say what the rows say.
  private func isCounted(_ place: Place) async throws -> Bool {
    try #require(
      try await place.query(
        """
        SELECT (SELECT (sum(count), sum(bytes)) FROM @.request_load)
          = (SELECT (count(*)::numeric, coalesce(sum(bytes), 0)) FROM @.request)
        """
      ).first
    ).bool(0)
  }

  @Test func `the oldest answer makes room, and what runs does not`() async throws {
    let place = try await Place()
    let store = try await opened(place, maximumCount: 3)
    for key in ["a", "b"] { try await done(key, at: store) }
    _ = try await store.begin("c", fingerprint: one)
    _ = try await store.begin("d", fingerprint: one)
    #expect(try await store.begin("b", fingerprint: one) == .replay(answer()))
    _ = try await store.begin("e", fingerprint: one)
    let refused = await #expect(throws: Rejection.self) {
      _ = try await store.begin("f", fingerprint: one)
    }
    #expect(refused?.reason == .limitReached)
    #expect(try await store.begin("c", fingerprint: one) == .running)
    #expect(try await isCounted(place))
    // One whose process is dead makes room, too.
    try await place.query("UPDATE @.request SET lease_until = -1 WHERE key = sha256('c')")
    guard case .handle = try await store.begin("f", fingerprint: one) else {
      Issue.record("there is room")
      return
    }
    #expect(try await isCounted(place))
    await store.close()
  }

  @Test func `answers stay within their bytes, and one that never fits loses its body`()
    async throws
  {
    let place = try await Place()
    let store = try await opened(place, maximumBytes: 2000)
    for key in ["a", "b", "c"] { try await done(key, 500, at: store) }
    #expect(try await store.begin("c", fingerprint: one) == .replay(answer(500)))
    guard case .handle = try await store.begin("a", fingerprint: one) else {
      Issue.record("the oldest one made room")
      return
    }
    try await done("d", 5000, at: store)
    let lost = StoredAnswer(status: 200, fields: [:], body: nil)
    #expect(try await store.begin("d", fingerprint: one) == .replay(lost))
    #expect(try await isCounted(place))
    await store.close()
  }

  @Test func `what is over is forgotten by one process for all, and what runs is not`()
    async throws
  {
    let place = try await Place()
    // So long that neither forgets anything by itself meanwhile.
    let (store, other) = try await (
      opened(place, lease: .seconds(3_600)), opened(place, lease: .seconds(3_600))
    )
    _ = try await store.begin("runs", fingerprint: one)
    try await place.script(
      """
      INSERT INTO @.request (key, claim, fingerprint, forget_at, bytes, status, fields)
        SELECT sha256(n::text::bytea), n, 'x', 0, 10, 200, '{}' FROM generate_series(1, 2500) AS n;
      INSERT INTO @.request_load (shard, count, bytes) VALUES (999, 2500, 25000);
      UPDATE @.request SET forget_at = 0;
      """)
    try await done("stays", at: store)
    guard case .handle = try await other.begin("7", fingerprint: one) else {
      Issue.record("its time is over, whether it was forgotten or not")
      return
    }
    var count = 0
    while count < 2499 {
      // It goes on the next time where it has taken two seconds.
      try await place.query("UPDATE @.step SET at = 0")
      count += try await store.tidy()
    }
    #expect(count == 2499)
    #expect(try await other.tidy() == 0, "somebody has just done it")
    #expect(try await store.begin("runs", fingerprint: one) == .running)
    #expect(try await store.begin("stays", fingerprint: one) == .replay(answer()))
    #expect(try await isCounted(place))
    for store in [store, other] { await store.close() }
  }

  /// What beginning a request fails with.
  private func failure(of store: PostgresIdempotencyStore) async -> AppError? {
    defer { Task { await store.close() } }
    do {
      _ = try await store.begin("a", fingerprint: one)
      return nil
    } catch {
      return error as? AppError
    }
  }

  @Test func `a database that cannot be asked is no reason to do anything, and says what to do`()
    async throws
  {
    let place = try await Place()
    let server = try await PostgresServer.common()
    let password = PostgresIdempotencyStore.patient(
      try PostgresAddress(server.networkText(password: "wr0ng")))
    let cases = [
      (password, "refuses the password"), (place.answers(), "tables of the outbox are missing"),
      (
        PostgresIdempotencyStore.patient(place.address, schema: "x; DROP TABLE y"),
        "cannot be the name of the schema"
      ),
    ]
    for (store, words) in cases {
      let error = try #require(await failure(of: store))
      #expect(error.code == "idempotency.unavailable")
      #expect(error.disposition == .transient(retryAfter: .seconds(1)))
      #expect(error.details?.contains(words) == true, "\(String(describing: error.details))")
      #expect(error.details?.contains("wr0ng") != true)
    }
    let strict = PostgresIdempotencyStore.patient(
      place.address, schema: place.schema, migrating: false)
    let refused = await #expect(throws: OutboxError.self) { try await strict.open() }
    #expect(refused?.details.contains("are not there: let a user") == true)
    await strict.close()
  }

  @Test func `a build that the tables have outgrown does nothing`() async throws {
    let place = try await Place()
    let store = try await opened(place)
    try await place.query(
      "INSERT INTO @.migration (number, name, min_reader, min_writer) VALUES (99, 'x', 99, 99)")
    let error = try #require(await failure(of: store))
    #expect((error.underlying.first as? OutboxError)?.code == .newerFormat)
    let other = place.answers()
    await #expect(throws: OutboxError(.newerFormat, details: "")) { try await other.open() }
    await other.close()
  }

  @Test func `an outbox and answers share a schema, whoever comes first`() async throws {
    let place = try await Place()
    let answers = try await opened(place)
    let store = try await place.opened()
    try await done("a", at: answers)
    _ = try await store.insert(.note("a"))
    let (later, other) = (place.answers(), place.answers())
    try await later.open()
    #expect(try await later.begin("a", fingerprint: one) == .replay(answer()))
    #expect(try await other.begin("a", fingerprint: one) == .replay(answer()), "without opening")
    #expect(try await store.ledger().isBalanced)
    await store.close()
    for store in [answers, later, other] { await store.close() }
  }
}
