// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Answers to requests with a key in a database that processes share; two stores are two of them.
@Suite(.ends(withinMinutes: 10)) struct PostgresIdempotencyTests {
  private let one = Data([1])
  private let two = Data([2])
  private let answer = StoredAnswer(status: 201, fields: ["a": "b"], body: Data("done".utf8))

  @Test(arguments: IdempotencyConformance.rules)
  func `the store keeps the rules`(rule: IdempotencyConformance.Rule) async {
    let suite = IdempotencyConformance {
      let place = try await Place()
      let (one, two) = (place.answers(), place.answers())
      for store in [one, two] { try await store.open() }
      return [one, two]
    }
    let found = await suite.violations(of: rule)
    #expect(found.isEmpty, "\(found)")
  }

  /// The claim of a request that is new.
  private func begin(_ key: String, at store: PostgresIdempotencyStore) async throws -> UInt64 {
    let verdict = try await store.begin(key, fingerprint: one)
    guard case .handle(let claim) = verdict else {
      Issue.record("\(verdict)")
      return 0
    }
    return claim
  }

  /// What the counters say, and what the rows say.
  private func counts(_ place: Place) async throws -> [Int64] {
    let rows = try await place.query(
      """
      SELECT (SELECT sum(count) FROM @.request_load), (SELECT sum(bytes) FROM @.request_load),
        (SELECT count(*) FROM @.request), (SELECT sum(bytes) FROM @.request)
      """)
    return try (0..<4).map { try #require(rows.first).int(ifAny: $0) ?? 0 }
  }

  @Test(.requirement("O22"))
  func `a request whose process died is taken over when its lease is over, and not before`()
    async throws
  {
    let place = try await Place()
    let (dead, other) = (place.answers(lease: .seconds(600)), place.answers(lease: .seconds(20)))
    try await dead.open()
    let claim = try await begin("a", at: dead)
    #expect(try await other.begin("a", fingerprint: one) == .running)
    await dead.abandon()
    try await place.query("UPDATE @.request SET lease_until = @.clock() + 200")
    var verdict = IdempotencyVerdict.running
    while verdict == .running { verdict = try await other.begin("a", fingerprint: one) }
    guard case .handle(let next) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    // The process was not dead after all; what it says now is not heard.
    let late = place.answers()
    try await late.end("a", claim, with: answer)
    #expect(try await late.begin("a", fingerprint: one) == .running)
    try await other.end("a", next, with: answer)
    #expect(try await late.begin("a", fingerprint: one) == .replay(answer))
    for store in [late, other] { await store.close() }
  }

  @Test func `the key of a dead process still belongs to its request`() async throws {
    let place = try await Place()
    let (dead, other) = (place.answers(), place.answers())
    try await dead.open()
    _ = try await begin("a", at: dead)
    await dead.abandon()
    try await place.query("UPDATE @.request SET lease_until = -1")
    #expect(try await other.begin("a", fingerprint: two) == .mismatch)
    _ = try await begin("a", at: other)
    await other.close()
  }

  @Test(.requirement("O5")) func `a process that lives keeps its requests past their lease`()
    async throws
  {
    // One that stands still for as long as its lease loses them; one that renews nothing always.
    while try await !keepsRequest() { try Task.checkCancellation() }
  }

  /// Whether a process still has a request a second longer than its lease lasts, and ends it.
  private func keepsRequest() async throws -> Bool {
    let place = try await Place()
    let (slow, other) = (place.answers(lease: .seconds(12)), place.answers(lease: .seconds(12)))
    try await slow.open()
    let claim = try await begin("a", at: slow)
    let start = ContinuousClock.now
    var isKept = true
    while isKept, ContinuousClock.now - start < .seconds(13) {
      try await place.query("SELECT pg_sleep(0.5)")
      isKept = try await other.begin("a", fingerprint: one) == .running
    }
    if isKept {
      try await slow.end("a", claim, with: answer)
      #expect(try await other.begin("a", fingerprint: one) == .replay(answer))
      #expect(slow.heldCount == 0)
    }
    for store in [slow, other] { await store.close() }
    return isKept
  }

  @Test func `an answer that could not be told does not free the key, and is told later`()
    async throws
  {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    // To the other one nobody is dead, however late the first one comes to tell the answer.
    let (store, other) = (
      // Where the server is away, it says so after that time.
      place.answers(lease: .seconds(600), patience: .seconds(30)),
      place.answers(lease: .seconds(600))
    )
    try await store.open()
    let claim = try await begin("a", at: store)
    let free = try await begin("b", at: store)
    try await server.stop()
    let ends: [(String, UInt64, StoredAnswer?)] = [("a", claim, answer), ("b", free, nil)]
    for (key, claim, answer) in ends {
      let error = await #expect(throws: AppError.self) {
        try await store.end(key, claim, with: answer)
      }
      #expect(error?.code == "idempotency.unavailable")
      #expect(error?.kind == .unavailable)
    }
    try await server.start()
    var verdict = IdempotencyVerdict.running
    while verdict == .running {
      // The first calls may meet the broken connections.
      verdict = (try? await other.begin("a", fingerprint: one)) ?? .running
    }
    #expect(verdict == .replay(answer), "it was done, and nobody does it again")
    verdict = .running
    // Each is told on its own, so this one may still be held under the same request.
    while verdict == .running { verdict = try await other.begin("b", fingerprint: one) }
    guard case .handle = verdict else {
      Issue.record("\(verdict): it was given back")
      return
    }
    for store in [store, other] { await store.close() }
  }

  @Test func `a server that has just started takes nobody for dead`() async throws {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    let (dead, other, quick) = (
      place.answers(lease: .seconds(600)), place.answers(lease: .seconds(600)),
      place.answers(lease: .seconds(1))
    )
    try await dead.open()
    _ = try await begin("a", at: dead)
    await dead.abandon()
    try await place.query("UPDATE @.request SET lease_until = @.clock() - 1")
    #expect(try await other.begin("a", fingerprint: one) == .running)
    var verdict = IdempotencyVerdict.running
    while verdict == .running { verdict = try await quick.begin("a", fingerprint: one) }
    guard case .handle = verdict else {
      Issue.record("\(verdict)")
      return
    }
    for store in [other, quick] { await store.close() }
  }

  @Test func `a request whose beginning was cut off is begun once, under one claim`()
    async throws
  {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    let store = place.answers()
    try await store.open()
    // It waits for another one, and its connection ends meanwhile.
    let holder = try await place.session()
    try await holder.script(
      """
      BEGIN;
      INSERT INTO \(place.schema).request (key, claim, fingerprint, lease_until, forget_at)
        VALUES (sha256('a'), 1, 'x', 1, 1)
      """)
    let beginning = Task { try await store.begin("a", fingerprint: one) }
    try await place.connection.sees(running: "\(place.schema).begin_request(")
    try await place.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE position('@.begin_request(' in query) > 0 AND pid <> pg_backend_pid()
      """)
    try await holder.query("ROLLBACK")
    guard case .handle(let claim) = try await beginning.value else {
      Issue.record("it is new")
      return
    }
    #expect(try await counts(place)[0] == 1)
    try await store.end("a", claim, with: answer)
    #expect(try await store.begin("a", fingerprint: one) == .replay(answer))
    await store.close()
  }
}

extension Place {
  /// One more process that remembers answers.
  func answers(
    lifetime: Duration = .seconds(86_400), lease: Duration = .seconds(60),
    maximumCount: Int = 100_000, maximumBytes: Int = 1_000_000_000, patience: Duration = .patience
  ) -> PostgresIdempotencyStore {
    PostgresIdempotencyStore(
      at: address, schema: schema, lifetime: lifetime, lease: lease, maximumCount: maximumCount,
      maximumBytes: maximumBytes, maximumConnections: 2, patience: patience)
  }
}

extension PostgresIdempotencyStore {
  /// One that no limit ends, however long a busy machine stands still; all else is as by default.
  static func patient(
    _ address: PostgresAddress, schema: String = "mainstay", migrating: Bool = true
  ) -> PostgresIdempotencyStore {
    PostgresIdempotencyStore(
      at: address, schema: schema, lifetime: .seconds(86_400), lease: .seconds(60),
      maximumCount: 100_000, maximumBytes: 1_000_000_000, maximumConnections: 4,
      migrating: migrating, patience: .patience)
  }
}
