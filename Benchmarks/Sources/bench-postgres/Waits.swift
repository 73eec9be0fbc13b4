// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// How long something takes, and what a snapshot costs that somebody holds.
enum Waits {
  /// How long after an operation was accepted it begins in an outbox that has nothing else to do.
  static func measure(_ server: Server, into table: inout Table) async throws {
    say("pickup")
    let database = try server.newDatabase()
    let (begun, hasBegun) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let working = try await Loads.outbox(server, database, isPaused: false) { _ in
      hasBegun.yield(.now)
    }
    let filling = try await Loads.outbox(server, database, isPaused: true)
    var times = begun.makeAsyncIterator()
    var waits: [Double] = []
    for _ in 0..<100 {
      try await Task.sleep(for: .milliseconds(.random(in: 80...130)))
      try await filling.enqueue(Job.sample)
      let accepted = ContinuousClock.now
      guard let time = await times.next() else { break }
      waits.append((time - accepted) / .milliseconds(1))
    }
    table.add(
      "from accepted to begun in another outbox, 95 of 100",
      waits.sorted()[waits.count * 95 / 100], "ms", atMost: 15)
    await filling.shutDown()
    await working.shutDown()
  }

  /// How long operators wait for a page of many dead letters, with how many there are.
  static func list(_ server: Server, into table: inout Table) async throws {
    say("dead letters")
    let count = 10_000
    let outbox = try await Loads.outbox(
      server, try server.newDatabase(), isPaused: false, atOnce: 100
    ) { _ in
      throw AppError(
        code: "bench.refused", kind: .validation, disposition: .permanent, title: "Refused",
        message: "No.")
    }
    for _ in 0..<count / 1_000 {
      try await outbox.enqueue(contentsOf: Array(repeating: Job.sample, count: 1_000))
    }
    for await snapshot in outbox.changes where snapshot.dead == count { break }
    var waits: [Double] = []
    var last: OperationID?
    for _ in 0..<100 {
      let seconds = try await timed {
        let letters = try await outbox.deadLetters(after: last, limit: 50)
        guard letters.count == 50, try await outbox.snapshot().dead == count else {
          throw Loads.Missing(count: count)
        }
        last = letters.last?.id
      }
      waits.append(seconds * 1_000)
    }
    table.add(
      "fifty of 10,000 dead letters and their count, 95 of 100", waits.sorted()[95], "ms",
      atMost: 100)
    await outbox.shutDown()
  }

  /// How much comes in and goes out, without and with somebody who holds a snapshot.
  static func hold(_ server: Server, for seconds: Double, into table: inout Table) async throws {
    for (name, isHeld) in [("in and out", false), ("in and out, a snapshot held", true)] {
      say(name)
      let database = try server.newDatabase()
      let store = PostgresStore(at: try PostgresAddress(server.text(database)))
      _ = try await store.open()
      let holder = isHeld ? try server.holdSnapshot(in: database) : nil
      let start = ContinuousClock.now
      var (count, time) = (0, 0.0)
      while ContinuousClock.now - start < .seconds(seconds) {
        let isLate = ContinuousClock.now - start > .seconds(seconds * 2 / 3)
        let turn = try await timed {
          try await Loads.fill(store, 1_000)
          try await Loads.drain(store, 1_000)
        }
        // The last third counts: what is held back has piled up by then.
        if isLate { (count, time) = (count + 1_000, time + turn) }
      }
      holder?.terminate()
      table.add(name, count, in: time)
      await store.close()
    }
  }
}
