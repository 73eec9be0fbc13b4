// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import MainstayOutbox

/// Files in which a lot lies that cannot run now.
enum Large {
  static func measure(_ desk: Desk, into table: inout Table) async throws {
    desk.say("100,000 pending")
    try await Times.recovery(desk, pending: 100_000, into: &table)
    try await flatness(desk, into: &table)
    try await memory(desk, into: &table)
  }

  /// Whether work is found as fast among 100,000 scheduled operations, as many followers of one key
  /// and as many finished ones.
  private static func flatness(_ desk: Desk, into table: inout Table) async throws {
    desk.say("100,000 of each")
    let (empty, full) = (SQLiteStore(at: desk.newFile()), SQLiteStore(at: desk.newFile()))
    _ = try await empty.open()
    _ = try await full.open()
    try await Rates.fill(full, 100_000)
    try await Rates.drain(full, 100_000, 100)
    try await Rates.fill(full, 100_000, delay: .seconds(86_400))
    try await Rates.fill(full, 100_000, orderedBy: "k")
    // Its first one is leased, so that all the others follow it.
    _ = try await full.claim(ClaimRequest(limit: 1, types: Job.types, isAlone: true))
    for _ in 0..<5 {
      for (store, name) in [(empty, "empty"), (full, "full")] {
        try await Rates.fill(store, 2_000)
        table.add(
          "claim and end 100, \(name) file", 2_000,
          in: try await timed { try await Rates.drain(store, 2_000, 100) })
      }
    }
    await empty.close()
    await full.close()
  }

  /// How much more memory a process has with a million pending operations.
  private static func memory(_ desk: Desk, into table: inout Table) async throws {
    desk.say("a million pending")
    let outbox = try await Rates.outbox(at: desk.newFile(), isPaused: true)
    let jobs = Array(repeating: Job.sample, count: 1_000)
    try await outbox.enqueue(contentsOf: jobs)
    let before = residentMegabytes
    for _ in 0..<999 { try await outbox.enqueue(contentsOf: jobs) }
    table.add(
      "memory that a million pending take", residentMegabytes - before, "MB", atMost: 20)
    await outbox.shutDown()
  }

  private static var residentMegabytes: Double {
    // mainstay:ignore MS204 -- without it nothing is measured
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_000_000
  }
}
