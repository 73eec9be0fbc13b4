// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CRawQueue
import Figures
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// Measures an outbox on PostgreSQL beside the server itself and the queues of other libraries.
@main
struct PostgresBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-postgres",
    abstract: "Measures an outbox on PostgreSQL, as ratios to the server itself and to others.")

  @Option(help: "The server: the folder of its socket, where anybody may sign in as `bench`.")
  var socket: String
  @Option(help: "The folder with pgbench and psql.") var programs: String
  @Option(help: "The folder of the server's files; its disk is what is measured.")
  var folder: String
  @Option(help: "How often each is measured, one after the other; the median counts.")
  var rounds = 5
  @Option(help: "How long each measurement takes about, in seconds.") var seconds = 2.0
  @Option(help: "A Python with the other libraries; without it they are left out.")
  var python: String?
  @Option(help: "For how long a snapshot is held, in seconds; 0 leaves that out.") var held = 30.0
  @Flag(help: "Exits with 1 when a goal is not reached.") var check = false
  @Option(
    help: ArgumentHelp("The database whose work it leases and never ends.", visibility: .hidden))
  var hang: String?

  static let goals = [
    Table.Goal("enqueue 100 at once, 4 callers", atLeast: 0.7, of: "raw insert 100, 4 clients"),
    Table.Goal("enqueue 1,000 at once", atLeast: 1, of: "pgqueuer enqueue 1,000"),
    Table.Goal("enqueue 1, 32 callers", atLeast: 0.85, of: "raw insert 1, 32 clients"),
    Table.Goal("claim and end 100", atLeast: 0.5, of: "raw claim and delete 100"),
    Table.Goal("claim and end 100", atLeast: 2, of: "pgqueuer drain, batches of 200"),
    Table.Goal("claim and end 100", atLeast: 10, of: "procrastinate drain, 20 at once"),
    Table.Goal("in and out, a snapshot held", atLeast: 0.5, of: "in and out"),
  ]

  func run() async throws {
    let server = Server(socket: socket, programs: programs, seconds: seconds)
    if let hang { return try await Killed.hang(server, hang) }
    let peers = python.map { Peers(python: $0, script: "Tools/Peers/postgres_queues.py") }
    var table = Table(goals: Self.goals)
    for round in 1...max(rounds, 1) {
      say("round \(round) of \(rounds)")
      table.add(sync: raw_sync("\(folder)/sync-\(round)"))
      try await Loads(server: server, seconds: seconds).measure(into: &table)
      if let peers { try measure(peers, server, into: &table) }
    }
    try await Waits.measure(server, into: &table)
    try await Waits.list(server, into: &table)
    try await Killed.measure(server, into: &table)
    if held > 0 { try await Waits.hold(server, for: held, into: &table) }
    let load = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8).prefix { $0 != "/" }
    print(
      table.text(
        conditions: "\(rounds) rounds of about \(seconds) s, one after the other; load at the end: "
          + load.split(separator: " ").dropLast().joined(separator: " ")))
    if check, table.hasMissed { throw ExitCode(1) }
  }

  private func measure(_ peers: Peers, _ server: Server, into table: inout Table) throws {
    let orders = [
      ("pgqueuer", "enqueue", 10_000, 1_000, "pgqueuer enqueue 1,000"),
      ("pgqueuer", "drain", 10_000, 200, "pgqueuer drain, batches of 200"),
      ("procrastinate", "enqueue", 5_000, 500, "procrastinate defer 500"),
      ("procrastinate", "drain", 1_000, 20, "procrastinate drain, 20 at once"),
    ]
    for (peer, measure, count, batch, name) in orders {
      let database = try server.newDatabase()
      let words = [measure, server.text(database), "\(count)", "\(batch)"]
      table.add(name, count, in: try peers.seconds(peer, words))
    }
  }
}

func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// How long it took to do something.
func timed(_ body: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start) / .seconds(1)
}
