// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// A scan from the bars to the twin, on good days and bad ones.
@Suite(.ends(withinMinutes: 5)) struct ScanTests {
  static let isbn = "9780141439518"

  @Test(.requirement("A44")) func `a scan becomes a twin, looked up and sent once`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let key = IdempotencyKey()
      let answer = try await inventory.scan("0-14-143951-3", key: key)
      #expect(answer.item.sync == .pending && answer.item.pending == 1)
      #expect(answer.item.enrichment == .pending && answer.item.version == 1)
      let item = try await inventory.wait(for: answer.item.id) { $0.sync == .synced }
      #expect(item.title == "Pride and Prejudice" && item.author == "Jane Austen")
      #expect(item.year == 1813 && item.barcode == Self.isbn && item.kind == .book)
      #expect(item.enrichment == .done && item.pending == 0)
      #expect(await world.twin(item.id)?.itemFields == item.fields)
      try await inventory.drained()
      let applied = await world.upstream.store.ledger.applied
      #expect(applied.map(\.key) == [key.rawValue] && applied.map(\.applied) == [1])
      let status = try await inventory.status()
      #expect(status.connectivity.state == .online && status.featureLevel == .full)
      #expect(status.ledger.balanced)
      await inventory.shutDown()
    }
  }

  @Test func `many at once are kept together, and one that is refused takes nothing along`()
    async throws
  {
    try await inWorld { world in
      await world.fail(.down)
      let inventory = try await world.open()
      let key = IdempotencyKey()
      _ = try await inventory.scan(Self.isbn, key: key)
      let answers = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<30 {
          group.addTask {
            // Every tenth comes with a key that belongs to the scan.
            let answer = try? await inventory.add(
              ItemDraft(title: "Lamp \(number)"), key: number % 10 == 3 ? key : nil)
            return answer != nil
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(answers.count { $0 } == 27)
      let status = try await inventory.status()
      #expect(status.outbox.pending == 28 && status.ledger.balanced)
      await world.fail(.healthy)
      try await inventory.drained()
      let applied = await world.upstream.store.ledger.applied
      #expect(applied.count == 28 && applied.allSatisfy { $0.applied == 1 })
      await inventory.shutDown()
    }
  }

  @Test(.requirement("C1", "C2", "C3", "C4", "C5", "C6", "A54", "A53", "A55"))
  func `a scan without the service waits, is seen waiting, and is sent when it is back`()
    async throws
  {
    try await inWorld { world in
      await world.fail(.down)
      let inventory = try await world.open()
      let item = try await inventory.scan(Self.isbn).item
      try await inventory.wait { inventory.evidence.reading.state == .offline }
      let status = try await inventory.status()
      #expect(status.outbox.pending == 1 && status.outbox.oldestAge != nil)
      #expect(status.featureLevel == .offline && status.reasons.count == 1)
      #expect(status.connectivity.evidence.count == 1)
      for feature in status.features {
        #expect(feature.available == feature.needs.isEmpty)
        #expect((feature.reason == nil) == feature.available)
      }
      #expect(try await inventory.store.item(item.id).title == "Book \(Self.isbn)")
      await world.fail(.healthy)
      let healed = try await inventory.wait(for: item.id) { $0.sync == .synced }
      #expect(healed.title == "Pride and Prejudice")
      await inventory.shutDown()
    }
  }

  @Test(.requirement("B22")) func `nothing listens at all: nothing was sent, and it is sent later`()
    async throws
  {
    try await inWorld { world in
      await world.stop()
      let inventory = try await world.open()
      let item = try await inventory.scan(Self.isbn).item
      try await inventory.wait { !inventory.errorGroups().isEmpty }
      #expect(inventory.evidence.reading.state == .offline)
      #expect(inventory.errorGroups().map(\.code) == ["inventory.unreachable"])
      #expect(try await inventory.store.item(item.id).pending == 1)
      await inventory.shutDown()
    }
  }

  @Test func `a book that the catalog does not know is no failure`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let scan = try await inventory.scan("9783161484100").item
      let item = try await inventory.wait(for: scan.id) { $0.sync == .synced }
      #expect(item.enrichment == .unknown && item.title == "Book 9783161484100")
      #expect(try await inventory.deadLetters().isEmpty)
      #expect(await world.twin(item.id) != nil)
      await inventory.shutDown()
    }
  }

  @Test func `what a person wrote meanwhile is not replaced by the catalog`() async throws {
    try await inWorld { world in
      await world.fail(.down)
      let inventory = try await world.open()
      let scan = try await inventory.scan(Self.isbn).item
      _ = try await inventory.edit(scan.id, ItemPatch(["title": .string("My Austen")]))
      await world.fail(.healthy)
      let item = try await inventory.wait(for: scan.id) { $0.sync == .synced }
      #expect(item.title == "My Austen" && item.author == "Jane Austen")
      await inventory.shutDown()
    }
  }

  @Test(.requirement("A54"), arguments: FaultMode.allCases)
  func `every fault passes, and each key was applied exactly once`(_ mode: FaultMode)
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      await world.fail(mode, rate: 0.6, seed: 11) { settings in
        // Nothing saves the app but its own questions.
        settings.dedupe = mode != .dropAfterCommit
      }
      var keys: [String] = []
      func key() -> IdempotencyKey {
        let key = IdempotencyKey()
        keys.append(key.rawValue)
        return key
      }
      var ids: [UUID] = []
      for number in 0..<6 {
        let item = try await inventory.add(ItemDraft(title: "Thing \(number)"), key: key()).item
        ids.append(item.id)
        _ = try await inventory.edit(
          item.id, ItemPatch(["quantity": .integer(number)]), key: key())
      }
      _ = try await inventory.delete(ids[0], key: key())
      await world.fail(.healthy) { $0.dedupe = false }
      try await inventory.drained()
      let ledger = await world.upstream.store.ledger
      #expect(ledger.applied.map(\.key).sorted() == keys.sorted())
      #expect(ledger.applied.allSatisfy { $0.applied == 1 })
      for id in ids.dropFirst() {
        #expect(await world.twin(id)?.itemFields == (try await inventory.store.item(id)).fields)
      }
      #expect(await world.twin(ids[0]) == nil)
      let status = try await inventory.status()
      #expect(status.outbox.dead == 0 && status.ledger.balanced)
      await inventory.shutDown()
    }
  }

  @Test func `a circuit that is open is seen, and nothing is lost behind it`() async throws {
    try await inWorld { world in
      await world.fail(.serverError)
      let inventory = try await world.open { settings in
        settings.client.failuresToOpen = 2
        settings.client.breakFor = .milliseconds(20)
      }
      let item = try await inventory.add(ItemDraft(title: "Lamp")).item
      try await inventory.wait {
        try await inventory.status().circuits.contains { $0.state == .open }
      }
      await world.fail(.healthy)
      _ = try await inventory.wait(for: item.id) { $0.sync == .synced }
      await inventory.shutDown()
    }
  }

  @Test func `a page of a guest network is no success`() async throws {
    try await inWorld { world in
      await world.fail(.portal)
      let inventory = try await world.open()
      let item = try await inventory.scan(Self.isbn).item
      try await inventory.wait { inventory.evidence.reading.state == .portal }
      #expect(try await inventory.store.item(item.id).sync == .pending)
      #expect(try await inventory.status().featureLevel == .offline)
      await world.fail(.healthy)
      _ = try await inventory.wait(for: item.id) { $0.sync == .synced }
      await inventory.shutDown()
    }
  }
}
