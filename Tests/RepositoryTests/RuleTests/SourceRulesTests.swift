// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct SourceRulesTests {
  @Test func `finds imports of other layers`() {
    let text = """
      import Foundation
      public import GRDB
      #if canImport(SwiftUI)
        @preconcurrency import struct SwiftUI.View
      #endif
      // import UIKit
      import struct Foundation.Date
      """
    #expect(SourceRules.forbiddenImports([planted(text)]).lines == [2, 4])
  }

  @Test func `finds any import in a target that the table does not name`() {
    let file = planted("Sources/Unheard/A.swift", "import Foundation")
    #expect(SourceRules.forbiddenImports([file]).lines == [1])
  }

  @Test func `binds the sources of examples`() {
    let path = "Examples/Inventory/Sources/InventoryUpstream/A.swift"
    let file = planted(path, "import Hummingbird\nimport Mainstay\nlet now = Date.now")
    #expect(SourceRules.forbiddenImports([file]).lines == [2])
    #expect(SourceRules.wallClock([file]).lines == [3])
  }

  @Test func `finds the wall clock outside time stamps`() {
    let text = "let a = Date()\nlet b = Date.now\nlet c = Date(timeIntervalSince1970: 0) // Date()"
    #expect(SourceRules.wallClock([planted(text)]).lines == [1, 2])
    #expect(
      SourceRules.wallClock([planted("Sources/Mainstay/Errors/AppError.swift", text)]).isEmpty)
    #expect(SourceRules.wallClock([planted("Tests/A.swift", text)]).isEmpty)
  }
}
