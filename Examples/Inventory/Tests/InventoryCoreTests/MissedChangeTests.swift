// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What others change while an item has work of its own is taken over when that has ended.
@Suite(.ends(withinMinutes: 5)) struct MissedChangeTests {
  /// An item that both sides have.
  private func synced(_ inventory: Inventory) async throws -> UUID {
    let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
    try await inventory.drained()
    return id
  }

  private func delete(_ id: UUID, _ world: World) async throws {
    let stranger = world.stranger()
    _ = try await stranger.delete(id, key: IdempotencyKey())
    await stranger.shutDown()
  }

  /// Changes an item under a key that the service knows with other content, so it is given up.
  private func givenUp(
    _ world: World, _ inventory: Inventory, _ id: UUID
  ) async throws -> DeadLetterDocument {
    let key = IdempotencyKey()
    let stranger = world.stranger()
    let body = try JSONEncoder.inventory.encode(ItemFields(title: "Somebody’s"))
    _ = try await stranger.put(UUID(), body, ifVersion: nil, key: key)
    await stranger.shutDown()
    _ = try await inventory.edit(id, ItemPatch(["notes": .string("Mine")]), key: key)
    _ = try await inventory.wait(for: id) { $0.sync == .rejected }
    return try #require(try await inventory.deadLetters().first)
  }

  @Test(arguments: [false, true])
  func `a photo that is on its way hides no change of others`(_ isRestarted: Bool) async throws {
    try await inWorld { world in
      var inventory = try await world.open()
      let id = try await synced(inventory)
      await inventory.outbox.pause()
      _ = try await inventory.setPhoto(PhotoTests.photo(bytes: 100), of: id)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      #expect(try await inventory.store.item(id).title == "Lamp", "it has work of its own")
      if isRestarted {
        await inventory.shutDown()
        inventory = try await world.open()
      } else {
        await inventory.outbox.resume()
      }
      try await inventory.drained()
      let item = try await inventory.store.item(id)
      #expect(item.title == "Bright lamp" && item.sync == .synced && item.version == 2)
      try await inventory.pull()
      #expect(try await inventory.store.item(id) == item)
      await inventory.shutDown()
    }
  }

  @Test func `a change of others that came before a lost answer is taken over`() async throws {
    try await inWorld { world in
      let (isLost, isBack) = (Flag(), Flag())
      let (losses, continuation) = AsyncStream.makeStream(of: Void.self)
      let inventory = try await world.open {
        $0.probe = { point in
          guard point == .afterEffect, isLost.isRaised, !isBack.isRaised else { return }
          continuation.yield()
          throw AppError.http(status: 503, isRepeatable: true)
        }
      }
      let id = try await synced(inventory)
      isLost.raise()
      _ = try await inventory.edit(id, ItemPatch(["notes": .string("Mine")]))
      _ = await losses.first { _ in true }
      #expect(await world.upstream.store.twin(id.text)?.version == 2)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      #expect(try await inventory.store.item(id).title == "Lamp")
      isBack.raise()
      try await inventory.drained()
      let item = try await inventory.store.item(id)
      #expect(item.title == "Bright lamp" && item.notes == "Mine" && item.sync == .synced)
      #expect(await world.twin(id)?.itemFields == item.fields)
      await inventory.shutDown()
    }
  }

  @Test func `a change that was given up hides no change of others once it is discarded`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(inventory)
      let letter = try await givenUp(world, inventory, id)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      try await world.change(id) { $0.title = "Brighter lamp" }
      try await inventory.pull()
      #expect(try await inventory.store.item(id).title == "Lamp")
      try await inventory.discard(letter.id)
      let item = try await inventory.store.item(id)
      #expect(item.title == "Brighter lamp" && item.sync == .synced)
      #expect(await world.twin(id)?.itemFields == item.fields)
      await inventory.shutDown()
    }
  }

  @Test func `what a discarded change has left stays until it is sent with the next one`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(inventory)
      let letter = try await givenUp(world, inventory, id)
      try await inventory.discard(letter.id)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      let item = try await inventory.store.item(id)
      #expect(item.title == "Bright lamp" && item.notes == "Mine" && item.sync == .rejected)
      try await world.change(id) { $0.notes = "Theirs" }
      try await inventory.pull()
      let same = try await inventory.store.item(id)
      #expect(same.notes == "Mine" && same.sync == .rejected)
      _ = try await inventory.edit(id, ItemPatch(["location": .string("Shelf")]))
      _ = try await inventory.wait(for: id) { $0.sync == .conflict }
      #expect(try await inventory.store.conflicts().first?.fields.map(\.name) == ["notes"])
      await inventory.shutDown()
    }
  }

  @Test func `what a discarded change has left outlives a deletion over there`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(inventory)
      let letter = try await givenUp(world, inventory, id)
      try await inventory.discard(letter.id)
      try await delete(id, world)
      try await inventory.pull()
      let item = try await inventory.store.item(id)
      #expect(item.notes == "Mine" && item.sync == .rejected)
      await inventory.shutDown()
    }
  }

  @Test func `what was deleted over there goes once the change here is discarded`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(inventory)
      let letter = try await givenUp(world, inventory, id)
      try await delete(id, world)
      try await inventory.pull()
      #expect(try await inventory.store.item(id).notes == "Mine")
      try await inventory.discard(letter.id)
      await #expect(throws: AppError.self) { try await inventory.store.item(id) }
      await inventory.shutDown()
    }
  }

  @Test func `what was deleted on both sides does not come back`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(inventory)
      await inventory.outbox.pause()
      _ = try await inventory.delete(id)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      try await delete(id, world)
      await inventory.outbox.resume()
      try await inventory.drained()
      await #expect(throws: AppError.self) { try await inventory.store.item(id) }
      try await inventory.pull()
      await #expect(throws: AppError.self) { try await inventory.store.item(id) }
      await inventory.shutDown()
    }
  }

  @Test func `a file of an older version gets the table`() async throws {
    try await inWorld { world in
      let first = try await world.open()
      let id = try await synced(first)
      await first.shutDown()
      let file = try world.database()
      try await file.write { db in
        try db.execute(sql: "DROP TABLE missed")
        try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'inventory.3'")
      }
      try file.close()
      let second = try await world.open()
      await second.outbox.pause()
      _ = try await second.setPhoto(PhotoTests.photo(bytes: 100), of: id)
      try await world.change(id) { $0.title = "Bright lamp" }
      try await second.pull()
      await second.outbox.resume()
      try await second.drained()
      #expect(try await second.store.item(id).title == "Bright lamp")
      await second.shutDown()
    }
  }
}
