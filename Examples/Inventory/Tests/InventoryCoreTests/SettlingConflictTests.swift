// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// Conflicts and photos when one of the two files has lost something.
@Suite(.ends(withinMinutes: 5), .requirement("A54", "C21", "O33")) struct SettlingConflictTests {
  private static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

  @Test(arguments: ["DELETE FROM conflict", "DELETE FROM work", "outbox"])
  func `a conflict stays a conflict, and can be decided`(_ loss: String) async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      let first = try await world.open()
      await first.outbox.pause()
      _ = try await first.edit(id, ItemPatch(["title": .string("Mine")]))
      try await world.change(id) { $0.title = "Theirs" }
      await first.outbox.resume()
      try await first.wait { try await first.status().outbox.conflicted == 1 }
      await first.shutDown()
      if loss == "outbox" { try world.loseOutbox() } else { try world.lose([loss]) }
      let second = try await world.open()
      try await second.wait {
        let count = try await second.status().outbox.conflicted
        let item = try await second.store.conflicts().first?.item.id
        return count == 1 && item == id
      }
      let conflict = try #require(try await second.store.conflicts().first)
      #expect(conflict.fields.first?.remote == "Theirs")
      _ = try await second.resolve(conflict.id, .local)
      let item = try await second.wait(for: id) { $0.sync == .synced }
      try await second.drained()
      #expect(item.title == "Mine")
      #expect(await world.twin(id)?.itemFields == item.fields)
      await second.shutDown()
    }
  }

  @Test(arguments: [
    ["DELETE FROM work WHERE kind = 'photo'"], ["DELETE FROM work WHERE kind = 'photo'", "outbox"],
    ["outbox"],
  ])
  func `a photo is sent as long as its bytes are there`(_ losses: [String]) async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      await world.fail(.down)
      let first = try await world.open()
      let key = IdempotencyKey()
      _ = try await first.setPhoto(Self.png, of: id, key: key)
      await first.shutDown()
      await world.fail(.healthy)
      for loss in losses {
        if loss == "outbox" { try world.loseOutbox() } else { try world.lose([loss]) }
      }
      let second = try await world.open()
      try await second.drained()
      #expect(try await second.store.photo(of: id)?.bytes == Self.png)
      let ledger = await world.upstream.store.ledger
      #expect(ledger.applied.count == 2)
      if losses.count == 1 { #expect(ledger.applied.last?.key == key.rawValue) }
      #expect(try await second.deadLetters().isEmpty)
      await second.shutDown()
    }
  }

  @Test func `a photo whose bytes are gone is given up, in words`() async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      await world.fail(.down)
      let first = try await world.open()
      _ = try await first.setPhoto(Self.png, of: id)
      await first.shutDown()
      await world.fail(.healthy)
      try world.lose(["UPDATE photo SET bytes = x'00'"])
      let second = try await world.open()
      try await second.wait { try await second.deadLetters().count == 1 }
      let item = try await second.wait(for: id) { $0.sync == .rejected }
      #expect(item.pending == 0)
      #expect(second.store.salvage?.isComplete == false)
      try await second.discard(try #require(try await second.deadLetters().first).id)
      #expect(try await second.store.item(id).sync == .synced)
      await second.shutDown()
    }
  }
}
