// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// What was accepted is sent or given up in words, whatever one of the two files has lost.
@Suite(.ends(withinMinutes: 5), .requirement("A54", "C13", "O33")) struct SettlingTests {
  private let keys = (0..<2).map { _ in IdempotencyKey() }

  /// An item that was added and edited while the service could not be reached.
  private func offline(_ world: World) async throws -> UUID {
    await world.fail(.down)
    let inventory = try await world.open()
    let id = try await inventory.add(ItemDraft(title: "Lamp", quantity: 2), key: keys[0]).item.id
    // What it sends is fixed before the edit.
    try await inventory.wait { try await inventory.status().outbox.scheduled > 0 }
    _ = try await inventory.edit(id, ItemPatch(["notes": .string("Green")]), key: keys[1])
    await inventory.shutDown()
    await world.fail(.healthy)
    return id
  }

  private func applied(_ world: World) async -> [String] {
    await world.upstream.store.ledger.applied.map(\.key)
  }

  static let losses: [(name: String, sql: [String], keepsEdit: Bool)] = [
    ("item", ["DELETE FROM item"], true),
    ("item and answers", ["DELETE FROM item", "DELETE FROM answer"], false),
    ("changes", ["DELETE FROM work"], true),
    ("item and changes", ["DELETE FROM item", "DELETE FROM work"], true),
    ("illegal item", ["UPDATE item SET fields = x'7b00', twin_version = 'x'"], true),
    ("illegal change", ["UPDATE work SET kind = x'ff'"], true),
  ]

  @Test(arguments: losses.indices)
  func `changes are sent once, each under its key`(_ index: Int) async throws {
    try await inWorld { world in
      let id = try await offline(world)
      var loss = Self.losses[index]
      if loss.name == "illegal change" {
        loss.sql.insert("PRAGMA ignore_check_constraints = ON", at: 0)
      }
      try world.lose(loss.sql)
      let inventory = try await world.open()
      let salvage = try #require(inventory.store.salvage)
      #expect(salvage.items == 1)
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      try await inventory.drained()
      #expect(item.title == "Lamp" && item.quantity == 2)
      #expect(item.notes == (loss.keepsEdit ? "Green" : nil))
      #expect(await applied(world) == keys.map(\.rawValue))
      #expect(await world.twin(id)?.itemFields == item.fields)
      #expect(try await inventory.deadLetters().isEmpty)
      await inventory.shutDown()
    }
  }

  @Test func `a change of which nothing is known is given up, in words`() async throws {
    try await inWorld { world in
      _ = try await offline(world)
      try world.write(Data(repeating: 0x5a, count: 4096))
      let inventory = try await world.open()
      for left in [1, 0] {
        try await inventory.wait { try await inventory.deadLetters().count == 1 }
        let letter = try #require(try await inventory.deadLetters().first)
        #expect(letter.reason == "refused")
        #expect(letter.message.contains("a change that the inventory does not know"))
        #expect(try await inventory.status().outbox.pending == left)
        try await inventory.discard(letter.id)
      }
      #expect(try await inventory.status().ledger.balanced)
      #expect(await applied(world).isEmpty)
      await inventory.shutDown()
    }
  }

  @Test func `a deletion needs nothing but its operation`() async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      await world.fail(.down)
      let first = try await world.open()
      _ = try await first.delete(id, key: keys[0])
      await first.shutDown()
      await world.fail(.healthy)
      try world.write(Data(repeating: 0x5a, count: 4096))
      let second = try await world.open()
      try await second.pull()
      try await second.drained()
      try await second.pull()
      #expect(await applied(world).last == keys[0].rawValue)
      #expect(await world.twin(id) == nil)
      await #expect(throws: AppError.self) { try await second.store.item(id) }
      await second.shutDown()
    }
  }

  @Test(arguments: ["SELECT 1", "DELETE FROM work", "DELETE FROM item", "everything", "outbox"])
  func `what may have been sent is asked about first`(_ loss: String) async throws {
    try await inWorld { world in
      await world.fail(.healthy) { $0.dedupe = false }
      let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
      // Nobody writes down that it was applied.
      let first = try await world.open {
        $0.probe = { point in
          guard point == .afterEffect else { return }
          continuation.yield()
          throw CancellationError()
        }
      }
      let id = try await first.add(ItemDraft(title: "Lamp"), key: keys[0]).item.id
      _ = await reached.first { _ in true }
      await first.shutDown()
      switch loss {
      case "outbox": try world.loseOutbox()
      case "everything": try world.write(Data(repeating: 0x5a, count: 4096))
      default: try world.lose([loss])
      }
      let second = try await world.open()
      try await second.drained()
      try await second.pull()
      #expect(try await second.store.item(id).sync == .synced)
      #expect(await world.upstream.store.ledger.applied.map(\.applied) == [1])
      #expect(try await second.deadLetters().isEmpty)
      await second.shutDown()
    }
  }

  @Test(arguments: [true, false])
  func `a lost outbox gets its changes again, in their order`(_ isDamaged: Bool) async throws {
    try await inWorld { world in
      let id = try await offline(world)
      try world.loseOutbox()
      if isDamaged { try Data(repeating: 0x41, count: 5000).write(to: world.outbox) }
      let inventory = try await world.open()
      let line = try #require(inventory.opening.first)
      #expect(inventory.opening.count == 1)
      #expect(line.contains("2 changes that the queue did not have were queued again"))
      #expect(line.contains("was damaged") == isDamaged)
      let item = try await inventory.wait(for: id) { $0.sync == .synced }
      try await inventory.drained()
      #expect(item.notes == "Green")
      #expect(await applied(world) == keys.map(\.rawValue))
      #expect(try await inventory.status().ledger.balanced)
      await inventory.shutDown()
    }
  }

  @Test func `who kept a page open is told`() async throws {
    try await inWorld { world in
      try world.write(Data(repeating: 0x5a, count: 4096))
      let inventory = try await world.open()
      for await event in inventory.events(after: 4711) where event.name == .toast {
        let toast = try JSONDecoder().decode(ToastDocument.self, from: event.data)
        #expect(toast.style == .warning && toast.message == inventory.opening.first)
        break
      }
      await inventory.shutDown()
    }
  }

  @Test func `changes that neither file has any more are found by what differs`() async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(2).first)
      await world.fail(.down)
      let first = try await world.open()
      _ = try await first.edit(id, ItemPatch(["notes": .string("Green")]))
      await first.shutDown()
      await world.fail(.healthy)
      try world.loseOutbox()
      // The change cannot be read, which is not the same as that it is not there.
      try world.lose(["PRAGMA ignore_check_constraints = ON", "UPDATE work SET kind = x'ff'"])
      let second = try await world.open()
      let item = try await second.wait(for: id) { $0.sync == .synced }
      try await second.drained()
      #expect(item.notes == "Green")
      #expect(await world.twin(id)?.itemFields == item.fields)
      await second.shutDown()
    }
  }

  @Test func `a change that is behind its deletion is not sent after it`() async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      await world.fail(.down)
      let first = try await world.open()
      _ = try await first.edit(id, ItemPatch(["notes": .string("Green")]), key: keys[0])
      await first.shutDown()
      let outbox = try Data(contentsOf: world.outbox)
      let second = try await world.open()
      _ = try await second.delete(id, key: keys[1])
      await second.shutDown()
      // The outbox is an old copy: it never had the deletion.
      try world.loseOutbox()
      try outbox.write(to: world.outbox)
      await world.fail(.healthy)
      let third = try await world.open()
      try await third.drained()
      #expect(await applied(world).suffix(2) == keys.map(\.rawValue))
      #expect(await world.twin(id) == nil)
      await third.shutDown()
    }
  }

  @Test func `a change whose deletion was sent is dropped`() async throws {
    try await inWorld { world in
      let id = try #require(try await world.filled(1).first)
      let first = try await world.open()
      _ = try await first.delete(id, key: keys[1])
      try await first.drained()
      await first.shutDown()
      // An edit before it counts as unsent, and the outbox knows nothing of it.
      try world.lose(["UPDATE work SET state = 'queued' WHERE kind = 'put'"])
      let second = try await world.open()
      try await second.drained()
      #expect(await world.twin(id) == nil)
      #expect(try await second.deadLetters().isEmpty)
      await second.shutDown()
    }
  }

  @Test func `dead letters that were lost are tried again`() async throws {
    try await inWorld { world in
      try await world.strangerUses(keys[0])
      let first = try await world.open()
      let id = try await first.add(ItemDraft(title: "Lamp"), key: keys[0]).item.id
      _ = try await first.wait(for: id) { $0.sync == .rejected }
      await first.shutDown()
      try world.loseOutbox()
      let second = try await world.open()
      try await second.wait { try await second.deadLetters().count == 1 }
      _ = try await second.wait(for: id) { $0.sync == .rejected }
      #expect(try await second.deadLetters().first?.reason == "keyReused")
      await second.shutDown()
      // What is there stays given up, whatever the items have lost.
      try world.lose(["DELETE FROM work"])
      let third = try await world.open()
      #expect(try await third.store.item(id).sync == .rejected)
      #expect(try await third.deadLetters().count == 1)
      await third.shutDown()
    }
  }
}
