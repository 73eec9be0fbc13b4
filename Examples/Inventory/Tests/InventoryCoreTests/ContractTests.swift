// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Testing

/// The samples of documents that anyone outside may rely on.
@Suite struct ContractTests {
  /// Reads a sample as the app's own document, and writes it again.
  private func expectSame<Document: Codable>(_ name: String, as type: Document.Type) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Contract").standardizedFileURL
    let data = try Data(contentsOf: folder.appending(path: "inventory-\(name).json"))
    let document = try JSONDecoder().decode(type, from: data)
    let again = try JSONEncoder.inventory.encode(document)
    let decoder = JSONDecoder()
    #expect(
      try decoder.decode(JSONValue.self, from: again)
        == decoder.decode(JSONValue.self, from: data))
  }

  @Test func `every sample is what the app reads and writes`() throws {
    try expectSame("item", as: Item.self)
    try expectSame("items", as: ItemPage.self)
    try expectSame("conflict", as: ItemConflict.self)
    try expectSame("dead-letter", as: DeadLetterDocument.self)
    try expectSame("error-group", as: ErrorGroup.self)
    try expectSame("status", as: StatusDocument.self)
  }
}
