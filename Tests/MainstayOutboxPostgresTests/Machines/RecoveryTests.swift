// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// How soon others go on with what a process has begun that is killed or stands still.
///
/// All times are those that the database wrote. How slow the machine is at that moment shows in
/// what the test itself asks the database meanwhile.
@Suite(.requirement("A54", "O5"), .ends(withinMinutes: 10))
struct RecoveryTests {
  /// What became of a process and of what it had leased; milliseconds since 1970.
  private struct Recovery {
    /// When it was dead, or stood still.
    var death: Int64
    /// Until when its leases lasted.
    var end: Int64
    /// When others have leased each of its operations.
    var begun: [Int64]
    /// How much longer than usual the slowest question took.
    var slowness: Int64
  }

  private static let operations: Int64 = 3
  private static let lease = 5

  @Test(arguments: [SIGKILL, SIGSTOP])
  func `what a dead process had begun is begun elsewhere a second after its lease at the latest`(
    signal: Int32
  ) async throws {
    var isSoon = false
    while !isSoon {
      try Task.checkCancellation()
      // A machine that stands still for longer than a lease takes that from a process that lives.
      guard let recovery = try await recovery(after: signal) else { continue }
      #expect(recovery.end <= recovery.death + Int64(Self.lease) * 1_000)
      for time in recovery.begun {
        #expect(time > recovery.end, "it was taken from one that may have lived")
      }
      // Others wake up, take back, claim, and end one after the other. It is tried again where the
      // process that does so stood still itself: one that is late by design always is.
      let allowed = 1_000 + 5 * Self.operations * recovery.slowness
      isSoon = recovery.begun.allSatisfy { $0 <= recovery.end + allowed }
    }
  }

  /// Has one of two processes lease some operations, and strikes it.
  ///
  /// - Returns: How the other one went on; nil where the first had lost them before.
  private func recovery(after signal: Int32) async throws -> Recovery? {
    let machines = try await Machines(lease: Self.lease)
    let watcher = try await PostgresConnection.patient(machines.server.address())
    try machines.stopEnqueueing()
    try machines.hold("first")
    try await start("first", machines)
    for part in Self.log { try await watcher.script(part) }
    try await watcher.script(
      """
      SELECT mainstay.enqueue('hold', '{}') FROM generate_series(1, \(Self.operations))
      """)
    await eventually { machines.count("held", by: "first") >= Self.operations }
    let first = try #require(
      try await watcher.query("SELECT min(owner) FROM public.leases").first
    ).int(0)
    try await start("second", machines)
    if signal == SIGKILL { await machines.end("first") } else { machines.signal("first", signal) }
    try await strike(watcher)
    let death = try await clock(watcher)
    let isWhole =
      try await watcher.query(
        "SELECT FROM mainstay.op WHERE owner = $1", [.int(first)]
      ).count == Self.operations
    guard isWhole else { return nil }
    return try await followed(first, since: death, watcher)
  }

  private func start(_ name: String, _ machines: Machines) async throws {
    try machines.start(name)
    await eventually { machines.count("opened", by: name) > 0 }
  }

  /// Returns when the server is done with what the first process had asked for.
  private func strike(_ watcher: PostgresConnection) async throws {
    try await eventually {
      try await watcher.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'first' AND state <> 'idle'"
      ).isEmpty
    }
  }

  private func clock(_ watcher: PostgresConnection) async throws -> Int64 {
    try #require(try await watcher.query("SELECT mainstay.clock()").first).int(0)
  }

  /// Waits until another process has leased all that one had leased.
  private func followed(
    _ first: Int64, since death: Int64, _ watcher: PostgresConnection
  ) async throws -> Recovery {
    var (last, slowness) = (death, Int64(0))
    var begun: [Int64] = []
    try await eventually {
      // Between two questions the server rests for 10 ms, so that it is not the test that is slow.
      let row = try #require(
        try await watcher.query(
          """
          SELECT mainstay.clock(),
            (SELECT string_agg(at::text, ' ') FROM public.leases WHERE owner <> $1)
          FROM pg_sleep(0.01)
          """, [.int(first)]
        ).first)
      slowness = max(slowness, try row.int(0) - last - 10)
      last = try row.int(0)
      begun = (try row.text(ifAny: 1) ?? "").split(separator: " ").compactMap { Int64($0) }
      return begun.count == Self.operations
    }
    let end = try #require(
      try await watcher.query(
        "SELECT max(alive_until) FROM public.signs WHERE owner = $1", [.int(first)]
      ).first
    ).int(0)
    return Recovery(death: death, end: end, begun: begun, slowness: slowness)
  }

  /// Writes down who leases what, and until when each process lives.
  ///
  /// One transaction for each table: a process that works with both could stand in the way of one.
  private static let log = [
    """
    CREATE TABLE public.leases (op bigint, owner bigint, at bigint);
    CREATE FUNCTION public.leased() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.leases VALUES (new.id, new.owner, mainstay.clock());
        RETURN NULL;
      END $$;
    CREATE TRIGGER leased AFTER UPDATE ON mainstay.op FOR EACH ROW
      WHEN (new.state = 'leased' AND old.state <> 'leased') EXECUTE FUNCTION public.leased();
    """,
    """
    CREATE TABLE public.signs (owner bigint, alive_until bigint);
    INSERT INTO public.signs SELECT id, alive_until FROM mainstay.owner;
    CREATE FUNCTION public.signed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.signs VALUES (new.id, new.alive_until);
        RETURN NULL;
      END $$;
    CREATE TRIGGER signed AFTER INSERT OR UPDATE ON mainstay.owner FOR EACH ROW
      EXECUTE FUNCTION public.signed();
    """,
  ]
}
