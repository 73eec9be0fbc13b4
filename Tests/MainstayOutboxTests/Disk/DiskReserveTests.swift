// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

/// The room that is kept for a full disk.
@Suite(.ends(withinMinutes: 5)) struct DiskReserveTests {
  @Test func `a reserve that was half written when its process ended does not count`()
    async throws
  {
    let disk = try FaultyDisk()
    disk.put(Data("half".utf8), besideAs: "-reserve-new")
    let store = SQLiteStore(at: disk.database)
    _ = try await store.open()
    #expect(!disk.companions.contains("-reserve-new"))
    let path = disk.database.path(percentEncoded: false) + "-reserve"
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size ?? 0 > 2_000_000)
    await store.close()
  }
}
