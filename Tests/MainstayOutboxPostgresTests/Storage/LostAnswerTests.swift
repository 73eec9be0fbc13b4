// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// The end of a run whose answer is lost on its way.
@Suite(.ends(withinMinutes: 10))
struct LostAnswerTests {
  struct Ends: CustomTestStringConvertible {
    let testDescription: String
    let verdict: OperationVerdict
    let function: String
    var limits = StoreLimits()

    static let all = [
      Ends(testDescription: "alone", verdict: OperationVerdict(.dropped), function: "settle"),
      Ends(testDescription: "shared", verdict: OperationVerdict(.done), function: "complete"),
      Ends(
        testDescription: "given up",
        verdict: OperationVerdict(.dead(.refused, followers: .holdKey), effect: .refused),
        function: "settle"),
      Ends(
        testDescription: "later",
        verdict: OperationVerdict(.scheduled(after: .seconds(600)), attempts: 1),
        function: "settle"),
      Ends(
        testDescription: "in conflict",
        verdict: OperationVerdict(.conflicted(remote: Data("{}".utf8)), attempts: 1),
        function: "settle"),
      Ends(
        testDescription: "where no end is kept", verdict: OperationVerdict(.done),
        function: "complete", limits: StoreLimits(maximumOutcomes: 0)),
    ]
  }

  /// Ends the session that runs a function, once it waits.
  private func cutOff(
    _ function: String, waitingFor event: String, seenBy watcher: PostgresConnection
  ) async throws {
    try await eventually {
      try await watcher.query(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
        AND position($1 in query) > 0 AND state = 'active' AND wait_event = $2
        """, [.text(".\(function)("), .text(event)]
      ).count > 0
    }
  }

  /// Returns once commits wait for a replica.
  ///
  /// That is not when a session knows the setting: a process of the server in the background has to
  /// hear of it, too, and nothing shows that but a commit.
  private func commitsWait(at place: Place) async throws {
    let probe = try await place.session()
    let pid = PostgresValue.int(Int64(probe.facts.processID))
    var isWaiting = false
    while !isWaiting {
      let isOver = Flag()
      let commit = Task {
        defer { isOver.raise() }
        try await probe.query("SELECT pg_logical_emit_message(true, 'probe', '')")
      }
      while !isWaiting, !isOver.isRaised {
        isWaiting =
          try await place.query(
            "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'", [pid]
          ).count > 0
      }
      if isWaiting { try await place.query("SELECT pg_cancel_backend($1::int)", [pid]) }
      _ = try await commit.value
    }
    probe.close()
  }

  @Test(arguments: Ends.all)
  func `an end that was recorded without an answer is not taken for a lost lease`(
    ends: Ends
  ) async throws {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    let store = try await place.opened(limits: ends.limits)
    _ = try await store.insert(.note("a"))
    let run = try #require(try await store.claim().first)
    // A commit counts at once, and is answered when a replica has it: there is none.
    try await place.script("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try await place.script("SELECT pg_reload_conf()")
    try await commitsWait(at: place)
    let settling = Task { try await store.settle(run.lease, ends.verdict) }
    try await cutOff(ends.function, waitingFor: "SyncRep", seenBy: place.connection)
    let error = await #expect(throws: OutboxError.self) { try await settling.value }
    #expect(error?.details.contains("may have been done all the same") == true)
    try await place.script("ALTER SYSTEM RESET synchronous_standby_names")
    try await place.script("SELECT pg_reload_conf()")
    #expect(try await store.settle(run.lease, ends.verdict))
    #expect(try await !store.settle(run.lease, ends.verdict), "it is over for good")
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `a lease that was lost is said to be, also where an answer was lost before`()
    async throws
  {
    let place = try await Place(at: try await PostgresServer.common().database())
    let store = try await place.opened()
    _ = try await store.insert(.note("a"))
    let run = try #require(try await store.claim().first)
    let holder = try await place.session()
    try await holder.script("BEGIN; SELECT FROM \(place.schema).op FOR UPDATE")
    let settling = Task { try await store.settle(run.lease, OperationVerdict(.done)) }
    try await cutOff("complete", waitingFor: "transactionid", seenBy: place.connection)
    await #expect(throws: OutboxError.self) { try await settling.value }
    try await holder.script("ROLLBACK")
    try await place.query("UPDATE @.op SET lease_token = lease_token + 1")
    #expect(try await !store.settle(run.lease, OperationVerdict(.done)))
    holder.close()
    await store.close()
  }

  @Test func `a run that was taken back is lost, also where its end was not answered`()
    async throws
  {
    let place = try await Place(at: try await PostgresServer.common().database())
    let (store, other) = try await (place.opened(), place.opened())
    _ = try await store.insert(.note("a"))
    let run = try #require(try await store.claim().first)
    let verdict = OperationVerdict(.scheduled(after: .zero), effect: .sentUnknown)
    let holder = try await place.session()
    try await holder.script("BEGIN; SELECT FROM \(place.schema).op FOR UPDATE")
    let settling = Task { try await store.settle(run.lease, verdict) }
    try await cutOff("settle", waitingFor: "transactionid", seenBy: place.connection)
    await #expect(throws: OutboxError.self) { try await settling.value }
    try await holder.script("ROLLBACK")
    try await place.query(
      "UPDATE @.owner SET alive_until = 0 WHERE id = (SELECT min(id) FROM @.owner)")
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.snapshot().ready == 1)
    #expect(try await !store.settle(run.lease, verdict))
    holder.close()
    await other.close()
    await store.close()
  }

  @Test func `a row that can neither be read nor set aside keeps nothing else from running`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    _ = try await store.insert(.note("bad"))
    _ = try await store.insert(.note("good"))
    try await place.script(
      """
      UPDATE @.op SET idem_key = 'a key' WHERE id = (SELECT min(id) FROM @.op);
      CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'not now'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON @.op FOR EACH ROW WHEN (new.state = 'parked')
        EXECUTE FUNCTION @.refuse();
      """)
    let good = try #require(try await store.claim().first)
    #expect(good.text == "good")
    #expect(try await store.settle(good.lease, OperationVerdict(.done)))
    try await place.query("DROP TRIGGER refuse ON @.op")
    #expect(try await store.claim().isEmpty)
    #expect(try await store.snapshot().parked == 1, "it was given back, and set aside then")
    await store.close()
  }
}
