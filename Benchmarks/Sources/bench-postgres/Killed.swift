// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// How long the work of a process that was killed lies still, beyond its lease.
enum Killed {
  private static let lease = Duration.seconds(5)
  private static let times = 5

  static func measure(_ server: Server, into table: inout Table) async throws {
    say("killed")
    var waits: [Double] = []
    for _ in 0..<times { waits.append(try await wait(server)) }
    table.add(
      "from a kill to begun in another process, beyond a lease of 5 s, the slowest of \(times)",
      waits.max() ?? .infinity, "ms", atMost: 1_000)
  }

  /// Milliseconds from the end of the lease, as if it had begun with the kill, to the next run.
  private static func wait(_ server: Server) async throws -> Double {
    let database = try server.newDatabase()
    let filling = try await Loads.outbox(server, database, isPaused: true)
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = server.arguments + ["--hang", database]
    let said = Pipe()
    child.standardOutput = said
    try child.run()
    try await filling.enqueue(Job.sample)
    // It says so as soon as it has begun what was enqueued.
    guard said.fileHandleForReading.availableData == Data("begun\n".utf8) else {
      throw Loads.Missing(count: 1)
    }
    let (begun, hasBegun) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let other = try await outbox(server, database) { hasBegun.yield(.now) }
    kill(child.processIdentifier, SIGKILL)
    let killed = ContinuousClock.now
    var moments = begun.makeAsyncIterator()
    guard let moment = await moments.next() else { throw Loads.Missing(count: 1) }
    child.waitUntilExit()
    await other.shutDown()
    await filling.shutDown()
    return (moment - killed - lease) / .milliseconds(1)
  }

  /// Leases what there is, and never ends it; for the process that is killed.
  static func hang(_ server: Server, _ database: String) async throws {
    let outbox = try await outbox(server, database) {
      FileHandle.standardOutput.write(Data("begun\n".utf8))
      try await Task.sleep(for: .seconds(600))
    }
    try await Task.sleep(for: .seconds(600))
    await outbox.shutDown()
  }

  private static func outbox(
    _ server: Server, _ database: String, run: @escaping @Sendable () async throws -> Void
  ) async throws -> Outbox {
    let store = PostgresStore(at: try PostgresAddress(server.text(database)), lease: lease)
    return try await Outbox(store: store) {
      Worker(
        for: Job.self, reconcile: { _, _ in .notApplied },
        run: { _, _ in try await run() })
    }
  }
}
