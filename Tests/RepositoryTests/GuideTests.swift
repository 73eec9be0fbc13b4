// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// What a guide says that its program prints is what it prints.
@Suite struct GuideTests {
  private static let guides = [
    "AppGuide": "Sources/Mainstay/Mainstay.docc/Guides/WritingAnApp.md",
    "LibraryGuide": "Sources/Mainstay/Mainstay.docc/Guides/WritingALibrary.md",
  ]

  @Test(arguments: guides.keys.sorted())
  func `a guide shows what its program prints`(program: String) async throws {
    let page = try GuidePage(at: try #require(Self.guides[program]))
    let end = try await BuiltProgram.run(program, [])
    #expect(end.status == 0, "\(end.errors)")
    #expect(!page.printed.isEmpty)
    #expect(end.output.split(separator: "\n").map(String.init) == page.printed)
  }
}
