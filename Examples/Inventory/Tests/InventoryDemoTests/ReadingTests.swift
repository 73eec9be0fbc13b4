// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryDemo
import Testing

/// The demo reads the documents of the contract.
@Suite struct ReadingTests {
  private func sample<Document: Decodable>(
    _ name: String, _ type: Document.Type
  ) throws -> Document {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = folder.appending(path: "Contract/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
  }

  @Test func `the ledger`() throws {
    let ledger = try sample("upstream-ledger", LedgerReading.self)
    #expect(ledger.applied.map(\.key) == ["scan-1", "photo-1", "delete-1"])
    #expect(ledger.applied[0].replayed == 1 && ledger.applied[0].applied == 1)
    #expect(ledger.requests.count == 12 && ledger.requests[0].key == nil)
    #expect(ledger.requests[1].key == "scan-1" && ledger.requests[1].status == 201)
    #expect(ledger.requests[0].at == 1_767_323_045_678)
  }

  @Test func `items, twins and tombstones`() throws {
    let item = try sample("inventory-item", ItemReading.self)
    let twin = try sample("upstream-twin", TwinReading.self)
    #expect(item.sync == "synced" && item.enrichment == "done")
    #expect(item.fields.title == "Pride and Prejudice" && item.fields.location == "Shelf 2")
    #expect(twin.fields?.title == item.fields.title && twin.fields?.location == "Living room")
    #expect(try sample("upstream-tombstone", TwinReading.self).fields == nil)
  }

  @Test func `the status`() throws {
    let queue = try sample("inventory-status", QueueReading.self)
    #expect(queue.pending == 1 && queue.dead == 0 && queue.conflicts == 0 && queue.isBalanced)
  }
}
