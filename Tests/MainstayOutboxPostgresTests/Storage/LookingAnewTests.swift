// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// How what waits is looked at anew, however much it is.
@Suite(.ends(withinMinutes: 10))
struct LookingAnewTests {
  private func enqueue(_ place: Place, _ count: Int, _ columns: String, _ values: String)
    async throws
  {
    try await place.query(
      """
      INSERT INTO @.op (uuid, kind, version, lane, rank, enqueued_at, idem_key, payload, \(columns))
      SELECT gen_random_uuid(), 'note', 1, 'main', i, i, gen_random_uuid(), '', \(values)
      FROM generate_series(1, \(count)) AS i
      """)
  }

  private func count(_ place: Place, _ condition: String) async throws -> Int64? {
    try await place.query("SELECT count(*) FROM @.op WHERE \(condition)").first?.int(0)
  }

  @Test func `what constraints hold back is looked at anew in parts, and claims go on meanwhile`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    try await enqueue(
      place, 13_500, "state, cause, constraints", "'waiting', 'constraint', '{signedIn}'")
    try await store.reconsider()
    let request = ClaimRequest(
      limit: 1, types: [PayloadType(kind: "note", version: 1)], isAlone: false)
    #expect(try await store.claim(request).isPartial)
    #expect(try await count(place, "state IN ('ready', 'leased')") == 10_000)
    var claims = 1
    while try await store.claim(request).isPartial { claims += 1 }
    #expect(claims == 4)
    #expect(try await count(place, "state = 'waiting'") == 0)
    #expect(try await count(place, "state = 'leased'") == 5)
    await store.close()
  }

  @Test func `what does not hold here, or has no worker here, is left where it is`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for (count, constraint) in [(3_000, "a"), (3, "b"), (20, "c")] {
      try await enqueue(
        place, count, "state, cause, constraints", "'waiting', 'constraint', '{\(constraint)}'")
    }
    try await place.query("UPDATE @.op SET kind = 'other' WHERE constraints = '{c}'")
    try await place.query("CREATE TEMP TABLE @_before AS SELECT id, xmin::text AS by FROM @.op")
    try await store.reconsider()
    let request = ClaimRequest(
      limit: 100, types: [PayloadType(kind: "note", version: 1)], isAlone: false, unmet: ["a"])
    let claim = try await store.claim(request)
    #expect(claim.operations.map(\.operation.constraints) == [["b"], ["b"], ["b"]])
    #expect(!claim.isPartial)
    let changed = try await place.query(
      "SELECT count(*) FROM @.op AS o JOIN @_before AS b USING (id) WHERE b.by <> o.xmin::text")
    #expect(try changed.first?.int(0) == 3)
    await store.close()
  }

  @Test func `what waits for the network is made ready in parts, too`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await enqueue(
      place, 12_500, "state, run_at, unreachable, priority",
      "'scheduled', @.clock() + 3600000, 1, CASE WHEN i % 2 = 0 THEN 0 ELSE 2 END")
    try await enqueue(place, 10, "state, run_at", "'scheduled', @.clock() + 3600000")
    try await store.expedite(unimportantAfter: .seconds(600))
    #expect(try await count(place, "state = 'ready'") == 5_000)
    let request = ClaimRequest(
      limit: 1, types: [PayloadType(kind: "note", version: 1)], isAlone: false)
    var claims = 1
    while try await store.claim(request).isPartial { claims += 1 }
    #expect(claims == 3)
    #expect(try await count(place, "state IN ('ready', 'leased') AND unreachable = 0") == 6_250)
    #expect(try await count(place, "run_at < @.clock() + 1000000 AND unreachable = 1") == 6_250)
    #expect(try await count(place, "run_at > @.clock() + 3000000") == 10)
    await store.close()
  }
}
