// SPDX-License-Identifier: Apache-2.0

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
}
