// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// Two sides change the same item.
@Suite(.ends(withinMinutes: 5), .requirement("C21")) struct ConflictTests {
  /// An item that both sides have, and an app that is kept from sending.
  private func synced(_ world: World, _ inventory: Inventory) async throws -> Item {
    let draft = try ItemDraft(title: "Lamp", location: "Attic", quantity: 2)
    let item = try await inventory.add(draft).item
    let done = try await inventory.wait(for: item.id) { $0.sync == .synced }
    try await inventory.drained()
    return done
  }

  @Test func `changes of different fields are merged, and counts add up`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      await inventory.outbox.pause()
      _ = try await inventory.edit(
        id, ItemPatch(["title": .string("Old lamp"), "quantity": .integer(5)]))
      try await world.change(id) {
        $0.location = "Cellar"
        $0.quantity = 1
      }
      await inventory.outbox.resume()
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      #expect(item.title == "Old lamp" && item.location == "Cellar" && item.quantity == 4)
      #expect(await world.twin(id)?.itemFields == item.fields)
      #expect(try await inventory.store.conflicts().isEmpty)
      await inventory.shutDown()
    }
  }

  private func conflict(
    _ world: World, _ inventory: Inventory, _ id: UUID
  ) async throws -> ItemConflict {
    await inventory.outbox.pause()
    _ = try await inventory.edit(id, ItemPatch(["title": .string("Local lamp")]))
    try await world.change(id) {
      $0.title = "Remote lamp"
      $0.notes = "From afar"
    }
    await inventory.outbox.resume()
    try await inventory.wait { try await inventory.status().outbox.conflicted == 1 }
    return try #require(try await inventory.store.conflicts().first)
  }

  static let choices: [(choice: String, title: String)] = [
    ("local", "Local lamp"), ("remote", "Remote lamp"), ("merged", "Our lamp"),
  ]

  @Test(arguments: choices.indices)
  func `changes of the same field wait for a person`(_ index: Int) async throws {
    try await inWorld { world in
      let (name, title) = Self.choices[index]
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let conflict = try await conflict(world, inventory, id)
      #expect(conflict.item.sync == .conflict && conflict.item.title == "Local lamp")
      #expect(conflict.fields.map(\.name) == ["title"])
      #expect(conflict.fields.first?.base == "Lamp")
      #expect(conflict.fields.first?.local == "Local lamp")
      #expect(conflict.fields.first?.remote == "Remote lamp")
      // Only that item waits.
      let other = try await inventory.add(ItemDraft(title: "Chair")).item
      _ = try await inventory.wait(for: other.id) { $0.sync == .synced }
      let choice: ConflictChoice =
        switch name {
        case "local": .local
        case "remote": .remote
        default: .merged(try ItemPatch(["title": .string("Our lamp")]))
        }
      _ = try await inventory.resolve(conflict.id, choice)
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      #expect(item.title == title && item.notes == "From afar")
      #expect(await world.twin(id)?.itemFields == item.fields)
      try await inventory.drained()
      let ledger = await world.upstream.store.ledger
      #expect(ledger.applied.allSatisfy { $0.applied == 1 })
      #expect(try await inventory.status().ledger.balanced)
      await #expect(throws: AppError.self) { try await inventory.resolve(conflict.id, .local) }
      await inventory.shutDown()
    }
  }

  @Test func `a second conflict is possible`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let first = try await conflict(world, inventory, id)
      try await world.change(id) { $0.title = "Even newer lamp" }
      _ = try await inventory.resolve(first.id, .local)
      try await inventory.wait {
        try await inventory.store.conflicts().contains { $0.id != first.id }
      }
      let second = try #require(try await inventory.store.conflicts().first)
      #expect(second.fields.first?.remote == "Even newer lamp")
      _ = try await inventory.resolve(second.id, .remote)
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      #expect(item.title == "Even newer lamp")
      await inventory.shutDown()
    }
  }

  @Test func `a conflict outlives a restart, and so does its resolution`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let conflict = try await conflict(world, inventory, id)
      await inventory.shutDown()
      // Decided in the items' file alone: the process dies before the outbox hears of it.
      let store = try await ItemStore(
        at: world.folder.appending(path: "items.sqlite"), now: { Date() })
      #expect(try await store.conflicts().map(\.id) == [conflict.id])
      _ = try await store.resolve(conflict.id, .remote)
      store.close()
      let again = try await world.open()
      let item = try await again.wait(for: id) { $0.sync == .synced }
      #expect(item.title == "Remote lamp")
      await again.shutDown()
    }
  }

  @Test func `deleting what is gone already succeeds`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let stranger = world.stranger()
      _ = try await stranger.delete(id, key: IdempotencyKey())
      await stranger.shutDown()
      _ = try await inventory.delete(id)
      try await inventory.drained()
      #expect(try await inventory.deadLetters().isEmpty)
      await #expect(throws: AppError.self) { try await inventory.store.item(id) }
      await inventory.shutDown()
    }
  }

  @Test func `a deletion ends a conflict about the item`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      _ = try await conflict(world, inventory, id)
      _ = try await inventory.delete(id)
      try await inventory.drained()
      #expect(try await inventory.store.conflicts().isEmpty)
      #expect(await world.twin(id) == nil)
      await inventory.shutDown()
    }
  }

  @Test func `what somebody still works on is made again after a deletion`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let stranger = world.stranger()
      _ = try await stranger.delete(id, key: IdempotencyKey())
      await stranger.shutDown()
      _ = try await inventory.edit(id, ItemPatch(["notes": .string("Still mine")]))
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      #expect(await world.twin(id)?.itemFields == item.fields)
      await inventory.shutDown()
    }
  }

  @Test func `changes of others are taken over where nothing is pending`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await synced(world, inventory).id
      let gone = try await synced(world, inventory).id
      let stranger = world.stranger()
      let new = UUID()
      let body = try JSONEncoder.inventory.encode(ItemFields(title: "From afar"))
      _ = try await stranger.put(new, body, ifVersion: nil, key: IdempotencyKey())
      _ = try await stranger.delete(gone, key: IdempotencyKey())
      await stranger.shutDown()
      try await world.change(id) { $0.title = "Bright lamp" }
      try await inventory.pull()
      let item = try await inventory.store.item(id)
      #expect(item.title == "Bright lamp" && item.version == 2 && item.sync == .synced)
      #expect(try await inventory.store.item(new).title == "From afar")
      await #expect(throws: AppError.self) { try await inventory.store.item(gone) }
      try await inventory.pull()
      #expect(try await inventory.store.item(id) == item)
      await inventory.shutDown()
    }
  }
}
