// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import MainstayOutbox

/// How soon an operation is begun, and how soon a file is open.
enum Times {
  static func measure(_ desk: Desk, into table: inout Table) async throws {
    desk.say("how soon")
    table.add(
      "from enqueued to begun, 95 of 100", try await pickups(desk) * 1_000, "ms", atMost: 5)
    table.add(
      "the same, enqueued by another process that has the file open",
      try await pickupsFromOutside(desk) * 1_000, "ms", atMost: 60)
    try await recovery(desk, pending: 1_000, into: &table)
  }

  /// The time within which 95 of 100 operations are begun after they were accepted.
  private static func pickups(_ desk: Desk) async throws -> Double {
    let (begun, begin) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let outbox = try await Rates.outbox(at: desk.newFile(), isPaused: false) { _ in
      begin.yield(.now)
    }
    var times: [Double] = []
    var iterator = begun.makeAsyncIterator()
    for _ in 0..<200 {
      try await outbox.enqueue(Job.sample)
      let accepted = ContinuousClock.now
      guard let moment = await iterator.next() else { break }
      times.append(max((moment - accepted) / .seconds(1), 0))
      // Until it is at rest again.
      for await snapshot in outbox.changes where snapshot.pending == 0 { break }
    }
    await outbox.shutDown()
    return times.sorted()[times.count * 95 / 100]
  }

  private static func pickupsFromOutside(_ desk: Desk) async throws -> Double {
    let (begun, begin) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let url = desk.newFile()
    let outbox = try await Rates.outbox(at: url, isPaused: false) { _ in begin.yield(.now) }
    let child = try Child.start(.enqueuer, url)
    var moments: [ContinuousClock.Instant] = []
    for await moment in begun {
      moments.append(moment)
      if moments.count == Child.count { break }
    }
    child.waitUntilExit()
    await outbox.shutDown()
    let times = try zip(Child.moments(beside: url), moments)
      .map { max(($1 - $0) / .seconds(1), 0) }
    return times.sorted()[times.count * 95 / 100]
  }

  /// How long it takes to open a file that a killed process has left, and to take back its leases.
  static func recovery(_ desk: Desk, pending: Int, into table: inout Table) async throws {
    let url = desk.newFile()
    let store = SQLiteStore(at: url)
    _ = try await store.open()
    try await Rates.fill(store, pending)
    await store.close()
    let child = try Child.start(.leaser, url)
    try await Child.wait(for: url.appendingPathExtension("ready"))
    kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    var outbox: Outbox?
    let seconds = try await timed { outbox = try await Rates.outbox(at: url, isPaused: true) }
    let recovered = outbox?.opening.recovered ?? 0
    precondition(recovered == 100, "\(recovered) were taken back")
    table.add(
      "opening after a kill, \(pending) pending, 100 leased", seconds * 1_000, "ms", atMost: 50)
    await outbox?.shutDown()
  }
}
