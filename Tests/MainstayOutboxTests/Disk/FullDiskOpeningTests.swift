// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Whoever can make room must get to the file.
@Suite(.requirement("O32"), .ends(withinMinutes: 5)) struct FullDiskOpeningTests {
  private let disk: FaultyDisk

  init() throws { disk = try FaultyDisk() }

  /// Leaves one operation in the file.
  private func fill() async throws {
    let store = SQLiteStore(at: disk.database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    await store.close()
    #expect(disk.companions.contains("-reserve"))
  }

  @Test func `on a full disk a file is opened with what was kept for that`() async throws {
    try await fill()
    disk.fail(.write, .full, at: 1)
    let store = SQLiteStore(at: disk.database)
    _ = try await store.open()
    #expect(!disk.companions.contains("-reserve"))
    // Nor is it taken again at the first look: what ends is to have the room.
    _ = try await store.promote(NewOperation.types)
    #expect(!disk.companions.contains("-reserve"))
    let leased = try #require(try await store.claim().first)
    #expect(try await store.settle(leased.lease, OperationVerdict(.done)))
    await store.close()
  }

  @Test func `one that stays full says that it is`() async throws {
    try await fill()
    disk.fail(.write, .full, at: 1, forever: true)
    await #expect(throws: OutboxError(.diskFull, details: "")) {
      _ = try await SQLiteStore(at: disk.database).open()
    }
    disk.heal()
    let store = SQLiteStore(at: disk.database)
    #expect(try await store.open().recovered == 0)
    #expect(disk.companions.contains("-reserve"))
    #expect(try await store.claim().map(\.text) == ["a"])
    await store.close()
  }
}
