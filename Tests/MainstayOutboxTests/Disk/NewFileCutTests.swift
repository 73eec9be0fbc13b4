// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// The power goes at every call to the disk while a file is made that was not there.
@Suite(.requirement("A54", "C13"), .ends(withinMinutes: 10)) struct NewFileCutTests {
  /// How many lots are drawn for a call; more for those by which a file becomes a database.
  private static func lots(_ nth: Int) -> UInt64 {
    RandomDose.isTorture ? 60 : nth <= 12 ? 12 : 2
  }

  /// Makes a file once for each call and lot, and cuts the power at the call.
  private func cutEverywhere(
    _ make: (FaultyDisk) async throws -> Void,
    then check: (FaultyDisk, _ when: String) async throws -> Void
  ) async throws {
    var nth = 0
    var isOver = false
    while !isOver {
      nth += 1
      for lot in 0..<Self.lots(nth) {
        let disk = try FaultyDisk()
        disk.put(besideAs: "-reserve")
        disk.cut(at: nth)
        do { try await make(disk) } catch {}
        isOver = !disk.isOff
        try disk.restart(seed: lot)
        try await check(disk, "cut at \(nth), lot \(lot)")
      }
    }
    #expect(nth > 10)
  }

  @Test func `an outbox is opened afterwards, and nothing is taken for damaged`() async throws {
    try await cutEverywhere { disk in
      let store = SQLiteStore(at: disk.database)
      defer { store.abandon() }
      _ = try await store.open()
    } then: { disk, when in
      let store = SQLiteStore(at: disk.database)
      let report = try await store.open()
      #expect(report.salvage == nil, "\(when)")
      #expect(try await store.findings() == [], "\(when)")
      _ = try await store.insert(.note("a"))
      await store.close()
    }
  }

  @Test func `a cache is used afterwards`() async throws {
    let entry = CacheEntry.test("a")
    try await cutEverywhere { disk in
      let store = SQLiteCacheStore(at: disk.database)
      _ = try? await store.read(entry.key)
      await store.close()
    } then: { disk, when in
      let store = SQLiteCacheStore(at: disk.database)
      do {
        let ticket = try await store.read(entry.key).ticket
        #expect(try await store.write(entry, under: ticket), "\(when)")
      } catch {
        Issue.record("\(when): \(error)")
      }
      await store.close()
    }
  }
}
