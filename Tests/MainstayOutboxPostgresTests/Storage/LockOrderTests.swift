// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Those who enqueue several operations wait for each other in one order.
@Suite(.ends(withinMinutes: 10)) struct LockOrderTests {
  /// What a batch is kept apart by.
  enum Way: CaseIterable {
    case uniqueKeys, orderingKeys, plainOrderingKeys, severalStatements

    var lock: String { self == .uniqueKeys ? "unique" : "key" }

    /// Operations of which the last one needs the lock that has its turn first.
    func operations(_ first: String, _ last: String) -> [NewOperation] {
      switch self {
      case .uniqueKeys:
        [last, first].map { NewOperation.note($0, wishes: .init(uniqueKey: .init($0))) }
      case .orderingKeys:
        [last, first].map {
          NewOperation.note($0, orderedBy: $0, wishes: .init(constraints: ["power"]))
        }
      case .plainOrderingKeys: [last, first].map { NewOperation.note($0, orderedBy: $0) }
      case .severalStatements:
        (0...2000).map { NewOperation.note("\($0)", orderedBy: $0 < 2000 ? last : first) }
      }
    }

    /// The bytes of a key as the database has them.
    func bytes(_ key: String) -> Data {
      self == .uniqueKeys ? Data("note\0\(key)".utf8) : Data(key.utf8)
    }
  }

  @Test(arguments: Way.allCases)
  func `a batch that waits for a key holds none that has its turn later`(way: Way) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let keys = (0..<9).map { "k\($0)" }
    let turns = try await place.query(
      """
      SELECT (hashtextextended(encode(k, 'hex'), 0) & 1023)::integer FROM unnest($1::bytea[])
        WITH ORDINALITY AS t (k, place) ORDER BY place
      """, [.bytesArray(keys.map(way.bytes))]
    ).map { try $0.int(0) }
    let sorted = zip(turns, keys).sorted { $0.0 < $1.0 }
    let (first, last) = try (#require(sorted.first), #require(sorted.last))
    let lock = "hashtext('\(place.schema).\(way.lock)')"
    let holder = try await place.session()
    try await holder.script("BEGIN; SELECT pg_advisory_xact_lock(\(lock), \(first.0))")
    let inserting = Task { try await store.insert(contentsOf: way.operations(first.1, last.1)) }
    try await eventually {
      try await place.query(
        """
        SELECT 1 FROM pg_locks AS l, pg_locks AS h WHERE NOT l.granted AND h.pid = $1
          AND h.granted AND h.locktype = 'advisory' AND l.locktype = 'advisory'
          AND (l.classid, l.objid) = (h.classid, h.objid)
        """, [.int(Int64(holder.facts.processID))]
      ).count > 0
    }
    let isFree = try await place.query("SELECT pg_try_advisory_lock(\(lock), \(last.0))")
    #expect(try #require(isFree.first).bool(0))
    try await place.query("SELECT pg_advisory_unlock(\(lock), \(last.0))")
    try await holder.query("COMMIT")
    #expect(try await inserting.value.count == way.operations(first.1, last.1).count)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test(arguments: ["count_load(1, 0, 0)", "enqueue('note', '{}')"])
  func `nobody waits for a counter, whoever counts where it would`(call: String) async throws {
    let place = try await Place()
    let store = try await place.opened()
    // Nobody waits: that would be refused at once.
    try await place.script("SET lock_timeout = '1ms'; SELECT @.\(call)")
    let holder = try await place.session()
    try await holder.query("BEGIN")
    for row in try await place.query("SELECT shard FROM @.load") {
      // As one does that counts there: with its lock, and then in its row.
      let shard = try row.int(0)
      try await holder.script(
        """
        SELECT pg_advisory_xact_lock(hashtext('\(place.schema).load'), \(shard));
        UPDATE \(place.schema).load SET pending = pending WHERE shard = \(shard)
        """)
    }
    try await place.script("SELECT @.\(call)")
    #expect(try await place.query("SELECT 1 FROM @.load").count == 2)
    try await holder.query("COMMIT")
    #expect(try await store.ledger().enqueued == 2)
    await store.close()
  }

  @Test func `what is enqueued again does not wait for the end of what is leased`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let key = IdempotencyKey()
    let id = try await store.insert(.note("a", orderedBy: "o", idempotencyKey: key))
    let lease = try #require(try await store.claim().first).lease
    // As its end does, which waits for the ordering key then.
    let ending = try await place.session()
    try await ending.script(
      "BEGIN; SELECT 1 FROM \(place.schema).op WHERE id = \(lease.row) FOR UPDATE")
    #expect(
      try await store.insert(.note("a", orderedBy: "o", idempotencyKey: key)) == id)
    try await ending.query("COMMIT")
    #expect(try await store.settle(lease, OperationVerdict(.done)))
    await store.close()
  }

  @Test func `processes that enqueue batches of the same keys never meet in a circle`()
    async throws
  {
    let server = try await PostgresServer(settings: ["deadlock_timeout = 10ms"])
    let place = try await Place(at: server.address())
    let stores = try await [place.opened(), place.opened(), place.opened()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(number))
          for _ in 0..<30 {
            _ = try await store.insert(contentsOf: Self.batch(&generator))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(!server.log.contains("deadlock detected"))
    #expect(try await stores[0].ledger().isBalanced)
    for store in stores { await store.close() }
  }

  /// Operations under a few keys and lanes, in any order.
  private static func batch(_ generator: inout SeededGenerator) -> [NewOperation] {
    let modes: [EnqueueOptions.UniqueKey.IfTaken] = [.keep, .replace, .append]
    return (0..<8).map { number in
      let key = Int.random(in: 0..<10, using: &generator)
      let mode = modes[Int.random(in: 0..<3, using: &generator)]
      let isUnique = Bool.random(using: &generator)
      return .note(
        "\(number)", orderedBy: Bool.random(using: &generator) ? "o\(key)" : nil,
        lane: Lane(rawValue: "l\(Int.random(in: 0..<30, using: &generator))"),
        wishes: isUnique ? .init(uniqueKey: .init("u\(key)", ifTaken: mode)) : .init())
    }
  }
}
