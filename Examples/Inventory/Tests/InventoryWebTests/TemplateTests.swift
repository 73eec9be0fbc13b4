// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryWeb
import Testing

/// The templates as such.
@Suite struct TemplateTests {
  @Test func `a template that cannot be read is named in one sentence`() throws {
    _ = try PageLibrary()
    let failure = #expect(throws: StartFailure.self) {
      try PageLibrary([("fine", "<p>{{a}}</p>"), ("broken", "<p>{{#a}}</p>")])
    }
    let text = try #require(failure).description
    #expect(text.hasPrefix("The template broken can’t be read: ") && !text.contains("\n"))
  }

  @Test func `each template that there is can be used`() throws {
    let example = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(
      at: example.appending(path: "Sources/InventoryWeb/Templates"),
      includingPropertiesForKeys: nil)
    #expect(
      files.map { $0.deletingPathExtension().lastPathComponent }.sorted() == PageLibrary.templates)
  }
}
