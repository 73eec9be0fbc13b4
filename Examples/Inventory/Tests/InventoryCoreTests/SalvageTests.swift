// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// A damaged file of items is moved aside whole, and what can be read is saved.
@Suite(.ends(withinMinutes: 20), .requirement("O33", "A54")) struct SalvageTests {
  @Test(arguments: [
    Data(repeating: 0x5a, count: 8192), Data("Dear diary, this is no database.\n".utf8),
    Data("SQLite format 3\0".utf8) + Data(repeating: 0xff, count: 4096),
  ])
  func `a file that is no database is kept as it is, and work goes on`(_ bytes: Data) async throws {
    try await inWorld { world in
      try world.write(bytes)
      let inventory = try await world.open()
      let kept = try #require(try world.kept.first)
      #expect(try Data(contentsOf: kept) == bytes)
      #expect(kept.lastPathComponent.wholeMatch(of: /items\.sqlite\.damaged-\d{8}T\d{6}Z/) != nil)
      let line = try #require(inventory.opening.first)
      #expect(inventory.opening.count == 1)
      #expect(line.contains("0 items") && line.contains(kept.path))
      #expect(line.contains("how many items are missing cannot be known"))
      let opening = await inventory.diagnostics().sections["opening"]?.value
      #expect(opening == .array(inventory.opening.map { .string(Redaction.redact($0)) }))
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      _ = try await inventory.wait(for: id) { $0.sync == .synced }
      await inventory.shutDown()
      // It is said once.
      let again = try await world.open()
      #expect(again.opening.isEmpty)
      #expect(try await again.store.item(id).title == "Lamp")
      await again.shutDown()
    }
  }

  @Test func `an older damaged file is never written over`() async throws {
    try await inWorld { world in
      let day = Date(timeIntervalSince1970: 1_767_323_045)
      for number in 1...3 {
        try world.write(Data(repeating: UInt8(number), count: 4096))
        let inventory = try await world.open(now: { day })
        await inventory.shutDown()
      }
      let kept = try world.kept
      #expect(
        kept.map(\.lastPathComponent)
          == ["", "-2", "-3"].map {
            "items.sqlite.damaged-20260102T030405Z\($0)"
          })
      #expect(try kept.map { try Data(contentsOf: $0).first } == [1, 2, 3])
    }
  }

  @Test func `the logs move with their file`() async throws {
    try await inWorld { world in
      try world.write(Data(repeating: 0x41, count: 4096))
      for suffix in ["-wal", "-shm", "-journal"] {
        try Data(suffix.utf8).write(to: world.items(suffix))
      }
      let inventory = try await world.open()
      #expect(try world.kept.count == 4)
      for kept in try world.kept {
        let suffix = kept.lastPathComponent.drop { $0 != "Z" }.dropFirst()
        guard !suffix.isEmpty else { continue }
        #expect(try Data(contentsOf: kept) == Data(suffix.utf8))
      }
      await inventory.shutDown()
    }
  }

  @Test func `what cannot be reached is no damage, and is left alone`() async throws {
    try await inWorld { world in
      try FileManager.default.createDirectory(
        at: world.items(), withIntermediateDirectories: true)
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: world.folder, upstream: world.origin)
      }
      #expect(error?.code == .unavailable && error?.path.hasSuffix("items.sqlite") == true)
      #expect(try world.kept.isEmpty)
      try FileManager.default.removeItem(at: world.items())
      // A link that leads to itself.
      try FileManager.default.createSymbolicLink(
        at: world.items(), withDestinationURL: world.items())
      let loop = await #expect(throws: InventoryError.self) {
        try await Inventory(data: world.folder, upstream: world.origin)
      }
      #expect(loop?.code == .unavailable)
      #expect(try world.kept.isEmpty)
    }
  }

  @Test func `a damaged file of a newer version is left to the newer version`() async throws {
    try await inWorld { world in
      try await world.filled(120)
      try await world.database().write { db in
        try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('inventory.99')")
      }
      try world.damage()
      let bytes = try Data(contentsOf: world.items())
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: world.folder, upstream: world.origin)
      }
      #expect(error?.code == .newerFormat)
      #expect(try Data(contentsOf: world.items()) == bytes)
      #expect(try world.kept.isEmpty)
    }
  }

  @Test func `one process at a time uses the file`() async throws {
    try await inWorld { world in
      let first = try await world.open()
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: world.folder, upstream: world.origin)
      }
      #expect(error?.code == .inUse)
      #expect(error?.appError.message.description.contains("items.sqlite") == true)
      await first.shutDown()
      let second = try await world.open()
      await second.shutDown()
    }
  }

  @Test func `rows around the damage are saved, and a pull brings back the rest`() async throws {
    try await inWorld { world in
      let ids = try await world.filled(120)
      try await world.database().write { db in
        try db.execute(sql: "DELETE FROM answer")
      }
      try world.damage()
      let inventory = try await world.open()
      let salvage = try #require(inventory.store.salvage)
      #expect(salvage.items > 0 && salvage.items < 120)
      #expect(salvage.items + (salvage.missing ?? 0) == 120 && salvage.rebuilt == 0)
      #expect(salvage.isComplete && salvage.changes == 0)
      #expect(inventory.opening.first?.contains("\(salvage.items) items") == true)
      try await inventory.pull()
      for id in ids {
        let item = try await inventory.store.item(id)
        #expect(item.sync == .synced && item.quantity == 3)
        #expect(await world.twin(id)?.itemFields == item.fields)
      }
      try await inventory.drained()
      #expect(try await inventory.status().ledger.balanced)
      await inventory.shutDown()
    }
  }

  @Test func `items without a row of their own are made of what was answered`() async throws {
    try await inWorld { world in
      let ids = try await world.filled(120)
      try world.damage()
      let inventory = try await world.open()
      let salvage = try #require(inventory.store.salvage)
      #expect(salvage.items == 120 && salvage.rebuilt > 0 && salvage.missing == 0)
      for id in ids { #expect(try await inventory.store.item(id).quantity == 3) }
      try await inventory.pull()
      #expect(await world.upstream.store.ledger.applied.count == 120)
      await inventory.shutDown()
    }
  }

  @Test(arguments: ["-salvaging", "-salvaged-20260102T030405Z"])
  func `a process that dies while it mends the file leaves nothing undone`(
    _ step: String
  ) async throws {
    try await inWorld { world in
      let ids = try await world.filled(3)
      let whole = try Data(contentsOf: world.items())
      let rubbish = Data(repeating: 0x41, count: 4096)
      if step == "-salvaging" {
        // Only copies were made.
        try FileManager.default.createDirectory(
          at: world.items(step), withIntermediateDirectories: true)
        try rubbish.write(to: world.items("-salvaging").appending(path: "new"))
      } else {
        // The new file was complete; the log had been moved, and the damaged file had not.
        try whole.write(to: world.items(step))
        try rubbish.write(to: world.items())
        try rubbish.write(to: world.items(".damaged-20260102T030405Z-wal"))
      }
      let inventory = try await world.open()
      for id in ids { #expect(try await inventory.store.item(id).quantity == 3) }
      await inventory.shutDown()
      if step != "-salvaging" {
        #expect(
          try world.kept.map(\.lastPathComponent) == [
            "items.sqlite.damaged-20260102T030405Z", "items.sqlite.damaged-20260102T030405Z-wal",
          ])
        #expect(!FileManager.default.fileExists(atPath: world.items(step).path))
      }
    }
  }
}
