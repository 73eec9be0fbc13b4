// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Four worker processes on one database, which are killed and stopped while its server dies.
@Suite(.requirement("A54", "O3", "O22"), .ends(withinMinutes: 5))
struct MachinesTests {
  private enum Blow: CaseIterable {
    case kill, stop, server
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
        case .server: try await machines.server.restart(immediately: true)
        }
      }
    }
    try machines.stopEnqueueing()
    try await finish(machines)
    try await check(machines)
  }

  /// Stops a worker that holds something until that is taken back, and lets it go on.
  private func outlive(_ victim: String, _ machines: Machines) async throws {
    let watcher = try await PostgresConnection.open(machines.server.address())
    let before = machines.count("lease-lost", by: victim)
    let process = " \(machines.processID(of: victim))"
    try await eventually {
      machines.signal(victim, SIGSTOP)
      let held = try await watcher.query(
        """
        SELECT op.owner FROM mainstay.op JOIN mainstay.owner ON owner.id = op.owner \
        WHERE right(owner.name, length($1)) = $1 LIMIT 1
        """, [.text(process)])
      if let owner = try held.first?.int(0) {
        try await eventually {
          try await watcher.query("SELECT FROM mainstay.op WHERE owner = $1", [.int(owner)]).isEmpty
        }
      }
      machines.signal(victim, SIGCONT)
      return !held.isEmpty
    }
    await eventually { machines.count("lease-lost", by: victim) > before }
  }

  /// Waits until nothing waits any more; dead letters are driven again by a fresh worker.
  private func finish(_ machines: Machines) async throws {
    let watcher = try await PostgresConnection.open(machines.server.address())
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
    let watcher = try await PostgresConnection.open(machines.server.address())
    let keys = try await watcher.query("SELECT key FROM effects").map { row throws in
      try row.text(0)
    }
    #expect(keys.count == Set(keys).count, "something was done twice")
    #expect(Set(machines.accepted).subtracting(keys) == [], "something accepted was lost")
    #expect(Set(keys).subtracting(machines.intended) == [], "something was done unasked")
    #expect(machines.count("lease-lost") > 0, "no fenced acknowledgement was reported")
  }
}
