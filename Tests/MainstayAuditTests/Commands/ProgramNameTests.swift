// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Testing

/// What a program calls itself when it complains.
@Suite struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/bin/mainstay-audit", "mainstay-audit"), ("mainstay", "mainstay"), ("", "mainstay"),
    (".build/debug/mainstay-audit-tool", "mainstay-audit"),
  ])
  func `it is the name that people type, even where SwiftPM built it for a plugin`(
    path: String, name: String
  ) {
    #expect(Terminal.program(at: path) == name)
  }
}
