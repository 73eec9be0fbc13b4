// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Four worker processes on one database, which are killed, stopped and cut off while its server
/// dies.
@Suite(.requirement("A54", "O3", "O22"), .ends(withinMinutes: 10))
struct MachinesTests {
  private enum Blow: CaseIterable {
    case kill, stop, server
    #if os(Linux)
      case cut
    #endif
  }

  private static let names = ["a", "b", "c", "d"]

  @Test func `nothing is lost or done twice, whoever dies`() async throws {
    let machines = try await Machines(lease: 1)
    for name in Self.names { try machines.start(name) }
    var random = SeededGenerator(seed: 9)
    let rounds = RandomDose.isTorture ? 200 : 2
    for _ in 0..<rounds {
      for blow in Blow.allCases.shuffled(using: &random) {
        let before = machines.accepted.count
        await eventually { machines.accepted.count >= before + 20 }
        let victim = try #require(Self.names.randomElement(using: &random))
        switch blow {
        case .kill:
          await machines.end(victim)
          try machines.start(victim)
        case .stop: try await outlive(victim, machines)
        #if os(Linux)
          case .cut: try await cutOff(victim, machines)
        #endif
        case .server: try await machines.server.restart(immediately: true)
        }
      }
    }
    try machines.stopEnqueueing()
    try await finish(machines)
    try await check(machines)
  }

  /// Stops a worker that holds something until that is taken back, and lets it go on, until it has
  /// been refused the end of something: it may have been stopped before it heard what it holds.
  private func outlive(_ victim: String, _ machines: Machines) async throws {
    let watcher = try await PostgresConnection.patient(machines.server.address())
    let before = machines.count("lease-lost", by: victim)
    try await eventually {
      let first = try await owners(of: victim, machines, watcher)
      machines.signal(victim, SIGSTOP)
      let held = try await watcher.query(
        "SELECT FROM mainstay.op WHERE owner = ANY ($1::bigint[])", [.ints(first.map { $0 })])
      if !held.isEmpty { try await lose(first, victim, machines, watcher) }
      machines.signal(victim, SIGCONT)
      if !held.isEmpty {
        try await eventually {
          try await !owners(of: victim, machines, watcher).subtracting(first).isEmpty
        }
      }
      return machines.count("lease-lost", by: victim) > before
    }
  }

  #if os(Linux)
    /// Pulls the cable of a worker until it is taken for dead, and waits until it is back.
    private func cutOff(_ victim: String, _ machines: Machines) async throws {
      let watcher = try await PostgresConnection.patient(machines.server.address())
      var first: Set<Int64> = []
      try await eventually {
        first = try await owners(of: victim, machines, watcher)
        return !first.isEmpty
      }
      try machines.cut(victim)
      try await lose(first, victim, machines, watcher)
      try machines.mend(victim)
      try await eventually { try await !owners(of: victim, machines, watcher).isEmpty }
    }
  #endif

  /// Returns when the others have taken a worker for dead.
  private func lose(
    _ first: Set<Int64>, _ victim: String, _ machines: Machines, _ watcher: PostgresConnection
  ) async throws {
    try await eventually {
      try await owners(of: victim, machines, watcher).isDisjoint(with: first)
    }
  }

  /// What a worker is in the database; several where it has just begun anew.
  private func owners(
    of name: String, _ machines: Machines, _ watcher: PostgresConnection
  ) async throws -> Set<Int64> {
    let rows = try await watcher.query(
      "SELECT id FROM mainstay.owner WHERE right(name, length($1)) = $1",
      [.text(" \(machines.processID(of: name))")])
    return Set(try rows.map { try $0.int(0) })
  }

  /// Waits until nothing waits any more; dead letters are driven again by a fresh worker.
  private func finish(_ machines: Machines) async throws {
    let watcher = try await PostgresConnection.patient(machines.server.address())
    var round = 0
    try await eventually {
      let rows = try await watcher.query(
        "SELECT (SELECT count(*) FROM mainstay.op), (SELECT count(*) FROM mainstay.dead)")
      let (waiting, dead) = try (rows.first?.int(0) ?? 0, rows.first?.int(1) ?? 0)
      if waiting == 0 && dead > 0 {
        round += 1
        try machines.start("last-\(round)")
        try await eventually {
          try await watcher.query("SELECT FROM mainstay.dead").count == 0
        }
      }
      return waiting == 0 && dead == 0
    }
  }

  private func check(_ machines: Machines) async throws {
    let watcher = try await PostgresConnection.patient(machines.server.address())
    let keys = try await watcher.query("SELECT key FROM effects").map { row throws in
      try row.text(0)
    }
    #expect(keys.count == Set(keys).count, "something was done twice")
    #expect(Set(machines.accepted).subtracting(keys) == [], "something accepted was lost")
    #expect(Set(keys).subtracting(machines.intended) == [], "something was done unasked")
    #expect(machines.count("lease-lost") > 0, "no fenced acknowledgement was reported")
  }
}
