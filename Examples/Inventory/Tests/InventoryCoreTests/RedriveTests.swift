// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// What was given up is tried again.
@Suite(.ends(withinMinutes: 5)) struct RedriveTests {
  @Test func `what waits already stays what waits when it is tried again once more`() async throws {
    try await inWorld { world in
      let key = IdempotencyKey()
      try await world.strangerUses(key)
      let inventory = try await world.open()
      let id = try await inventory.add(ItemDraft(title: "Lamp"), key: key).item.id
      _ = try await inventory.wait(for: id) { $0.sync == .rejected }
      let letter = try #require(try await inventory.deadLetters().first)
      await world.fail(.down)
      try await inventory.redrive(letter.id)
      let error = await #expect(throws: AppError.self) { try await inventory.redrive(letter.id) }
      #expect(error?.kind == .notFound)
      let item = try await inventory.store.item(id)
      #expect(item.sync == .pending && item.pending == 1)
      await inventory.shutDown()
    }
  }

  @Test func `what was given up can be read in parts`() async throws {
    try await inWorld { world in
      let keys = [IdempotencyKey(), IdempotencyKey()]
      try await world.strangerUses(keys[0], keys[1])
      let inventory = try await world.open()
      for key in keys { _ = try await inventory.add(ItemDraft(title: "Lamp"), key: key) }
      try await inventory.wait { try await inventory.deadLetters().count == 2 }
      let all = try await inventory.deadLetters().map(\.id)
      let first = try await inventory.deadLetters(limit: 1).map(\.id)
      let second = try await inventory.deadLetters(after: first.last, limit: 1).map(\.id)
      #expect(first + second == all)
      #expect(try await inventory.deadLetters(after: second.last, limit: 1).isEmpty)
      await inventory.shutDown()
    }
  }

  @Test func `what was given up about an item is found by the item`() async throws {
    try await inWorld { world in
      let keys = [IdempotencyKey(), IdempotencyKey()]
      try await world.strangerUses(keys[0], keys[1])
      let inventory = try await world.open()
      var items: [UUID] = []
      for key in keys {
        let id = try await inventory.add(ItemDraft(title: "Lamp"), key: key).item.id
        _ = try await inventory.wait(for: id) { $0.sync == .rejected }
        items.append(id)
      }
      let all = try await inventory.deadLetters()
      #expect(all.map(\.item) == items)
      for (item, letter) in zip(items, all) {
        #expect(try await inventory.deadLetters(about: item) == [letter])
      }
      #expect(try await inventory.deadLetters(about: UUID()).isEmpty)
      try await inventory.discard(all[0].id)
      #expect(try await inventory.deadLetters(about: items[0]).isEmpty)
      #expect(try await inventory.deadLetters(about: items[1]) == [all[1]])
      await inventory.shutDown()
    }
  }
}
