// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import TestSupport
import Testing

/// What is taken and what is refused, and how items are found again.
@Suite(.ends(withinMinutes: 5)) struct ItemTests {
  static let drafts: [(json: String, pointers: [String])] = [
    (#"{"title": "Lamp"}"#, []),
    (#"{"title": " Lamp ", "author": null, "quantity": 0, "notes": ""}"#, []),
    ("{}", ["/title"]), (#"{"title": "  "}"#, ["/title"]), (#"{"title": 7}"#, ["/title"]),
    (#"{"title": null}"#, ["/title"]),
    (#"{"title": "L", "quantity": -1}"#, ["/quantity"]),
    (#"{"title": "L", "quantity": 1.5}"#, ["/quantity"]),
    (#"{"title": "L", "quantity": "many"}"#, ["/quantity"]),
    (#"{"title": "L", "quantity": 1000001}"#, ["/quantity"]),
    (
      #"{"author": [], "quantity": true, "colour": "red"}"#,
      ["/author", "/colour", "/quantity", "/title"]
    ),
    ("[]", [""]), ("", [""]), ("{\"title\":", [""]),
  ]

  @Test(.requirement("A34", "B24", "E32"), arguments: drafts.indices)
  func `a draft is judged field by field, all at once`(_ index: Int) throws {
    let (json, pointers) = Self.drafts[index]
    do {
      let draft = try ItemDraft(json: Data(json.utf8))
      #expect(pointers.isEmpty && ["Lamp"].contains(draft.title))
    } catch {
      #expect(Set(error.fieldErrors.map(\.pointer.description)) == Set(pointers))
      #expect(error.kind == .validation)
      #expect(error.fieldErrors.allSatisfy { !$0.detail.isEmpty })
    }
  }

  @Test func `texts have a limit that the error names`() throws {
    for (name, limit) in [("title", 500), ("author", 500), ("location", 500), ("notes", 20_000)] {
      let fits = [name: JSONValue.string(String(repeating: "x", count: limit))]
      #expect(throws: Never.self) { try ItemPatch(fits) }
      let error = try #require(throws: AppError.self) {
        try ItemPatch([name: .string(String(repeating: "x", count: limit + 1))])
      }
      #expect(error.fieldErrors.first?.detail.contains(String(limit)) == true)
    }
    #expect(throws: AppError.self) { try ItemPatch(["quantity": .null]) }
    #expect(throws: AppError.self) { try ItemPatch(["title": .null]) }
    #expect(throws: AppError.self) { try ItemPatch(["notes": .string("a\0b")]) }
  }

  private func store(_ test: (ItemStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let moment = Date(timeIntervalSince1970: 1_767_323_045.678)
    let store = try await ItemStore(at: folder.appending(path: "items.sqlite"), now: { moment })
    try await test(store)
    store.close()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `its document has the names of the contract`() async throws {
    try await store { store in
      let item = try await store.scan(Barcode("9780141439518")).item
      let data = try JSONEncoder.inventory.encode(item)
      #expect(
        String(decoding: data, as: UTF8.self) == """
          {"barcode":"9780141439518","createdAt":"2026-01-02T03:04:05.678Z",\
          "enrichment":"pending","id":"\(item.id.text)","kind":"book","pending":1,"quantity":1,\
          "sync":"pending","title":"Book 9780141439518","updatedAt":"2026-01-02T03:04:05.678Z",\
          "version":1}
          """)
      #expect(try JSONDecoder().decode(Item.self, from: data) == item)
      #expect(item.tag == "\"1\"")
    }
  }

  @Test func `a change of an older version is refused, and one of the present one is not`()
    async throws
  {
    try await store { store in
      let id = try await store.create(ItemDraft(title: "Lamp")).item.id
      let patch = try ItemPatch(["author": .string("Somebody")])
      let item = try await store.patch(id, patch, ifVersion: 1).item
      #expect(item.version == 2 && item.author == "Somebody" && item.pending == 2)
      let error = await #expect(throws: AppError.self) {
        try await store.patch(id, patch, ifVersion: 1)
      }
      #expect(error?.httpStatus == 412)
      await #expect(throws: AppError.self) { try await store.delete(id, ifVersion: 1) }
      let emptied = try await store.patch(id, ItemPatch(["author": .null])).item
      #expect(emptied.author == nil && emptied.version == 3)
      #expect(try await store.patch(id, ItemPatch([:])).item.version == 3)
      _ = try await store.delete(id, ifVersion: 3)
      let gone = await #expect(throws: AppError.self) { try await store.item(id) }
      #expect(gone?.httpStatus == 404)
      await #expect(throws: AppError.self) { try await store.patch(id, patch) }
      await #expect(throws: AppError.self) { try await store.delete(id) }
    }
  }

  @Test func `items are listed newest first, in pages, and found by words`() async throws {
    try await store { store in
      for number in 1...5 {
        _ = try await store.create(ItemDraft(title: "Lamp \(number)", location: "Attic"))
      }
      _ = try await store.create(ItemDraft(title: "Öl_100%", notes: "in the ATTIC too"))
      let first = try await store.items(limit: 4)
      #expect(first.items.map(\.title) == ["Öl_100%", "Lamp 5", "Lamp 4", "Lamp 3"])
      let rest = try await store.items(limit: 4, after: first.next)
      #expect(rest.items.map(\.title) == ["Lamp 2", "Lamp 1"] && rest.next == nil)
      #expect(try await store.items(query: "attic lamp").items.count == 5)
      #expect(try await store.items(query: "Attic").items.count == 6)
      #expect(try await store.items(query: "öl").items.count == 1)
      #expect(try await store.items(query: "%").items.count == 1)
      #expect(try await store.items(query: "'; DROP TABLE item").items.isEmpty)
      #expect(try await store.items(limit: -1).items.count == 1)
      let error = await #expect(throws: AppError.self) { try await store.items(after: "soon") }
      #expect(error?.field == "/after")
    }
  }
}
