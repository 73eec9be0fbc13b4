// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Figures
import Foundation

/// Measures what an outbox does in a second, beside SQLite itself and other libraries' queues.
@main
struct OutboxBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-outbox",
    abstract: "Measures what an outbox does in a second, as ratios to SQLite itself and to others.")

  @Option(help: "How often each is measured, one after the other; the median counts.")
  var rounds = 5
  @Option(help: "How long each measurement takes about, in seconds.") var seconds = 0.4
  @Option(help: "The folder of the files; its disk is what is measured.")
  var folder = FileManager.default.temporaryDirectory.path
  @Option(help: "A Python with the other libraries; without it they are left out.")
  var python: String?
  @Option(help: "The example's program; without it requests to it are left out.")
  var inventory: String?
  @Option(help: "A program with a dashboard, DashboardChild; without it no page is asked for.")
  var dashboard: String?
  @Flag(help: "Measures the large files too: 100,000 of each kind, a million pending.")
  var large = false
  @Flag(help: "Exits with 1 when a goal is not reached.") var check = false

  @Option(help: .hidden) var role: Role?
  @Option(help: .hidden) var file: String?

  /// What this program does as a process of its own.
  enum Role: String, ExpressibleByArgument {
    case leaser, enqueuer
    /// For a profiler: so many operations come in, go out as well, or are done by an outbox, which
    /// a banner watches.
    case enqueueMany, drainMany, workMany, watchMany
  }

  func run() async throws {
    if let role, let file { return try await Child.run(role, URL(filePath: file)) }
    let place = URL(filePath: folder).appending(path: "bench-outbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let desk = try Desk(
      place: place, seconds: seconds,
      peers: python.map { Peers(python: $0, script: "Tools/Peers/queues.py") })
    var table = Table(goals: Goals.all)
    var slowest: [Double] = []
    for round in 1...max(rounds, 1) {
      desk.say("round \(round) of \(rounds)")
      try await Rates.measure(desk, into: &table)
      if let inventory { slowest.append(try Scans(program: inventory).measure(desk, into: &table)) }
    }
    if let scan = Table.median(slowest), let sync = table.sync {
      table.add("99 of 100 scans", scan * 1000, "ms", atMost: (sync * 3 * 1e5).rounded() / 100)
    }
    if let inventory {
      let overload = try Scans(program: inventory).overload(desk, into: &table)
      table.add("99 of 100 with 320 connections", overload.p99 * 1000, "ms", atMost: 1_000)
      table.add("memory of the example meanwhile", overload.memory, "MB", atMost: 250)
    }
    try await Times.measure(desk, into: &table)
    if let dashboard { try Letters(program: dashboard).measure(desk, into: &table) }
    if large { try await Large.measure(desk, into: &table) }
    try Merges.measure(desk, into: &table)
    print(table.text(conditions: "\(rounds) rounds of about \(seconds) s, one after the other"))
    if check, table.hasMissed { throw ExitCode(1) }
  }
}

/// Where it is measured, and with whom.
final class Desk {
  let place: URL
  let seconds: Double
  let peers: Peers?
  private var files = 0

  init(place: URL, seconds: Double, peers: Peers?) throws {
    (self.place, self.seconds, self.peers) = (place, seconds, peers)
  }

  /// A name that was not used before.
  func newFile() -> URL {
    files += 1
    return place.appending(path: "\(files).sqlite")
  }

  func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// How long it took to do something.
func timed(_ body: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start) / .seconds(1)
}
