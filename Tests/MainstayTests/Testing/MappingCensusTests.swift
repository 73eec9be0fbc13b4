// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What an app finds about its own sources.
@Suite struct MappingCensusTests {
  private func census(
    _ files: [String: String], except exceptions: [String: String] = [:]
  ) throws -> MappingCensus {
    let folder = FileManager.default.temporaryDirectory.appending(path: "census-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return try MappingCensus(below: folder.path, except: exceptions)
  }

  @Test(.requirement("B9", "B28", "B32"))
  func `errors that nobody converts are found in the files below a folder`() throws {
    let files = [
      "Shop/Cart.swift": "import Foundation\n\nenum CartError: Error { case full }\n",
      "Shop/Pay.swift": "enum PayError: AppErrorConvertible { case no }\nstruct Lost: Error {}\n",
      "Map.swift": "let map = ErrorMapping.standard.adding(Lost.self) { _ in .offline() }\n",
      ".hidden/Old.swift": "struct Old: Error {}\n", "Notes.md": "struct Note: Error {}\n",
    ]
    let census = try census(files)
    #expect(census.count == 3)
    let gap = try #require(census.gaps.first)
    #expect(census.gaps.count == 1)
    #expect(gap.type == "CartError" && gap.line == 3)
    #expect(gap.file?.hasSuffix("Shop/Cart.swift") == true)
    #expect(gap.description.contains("Cart.swift:3: CartError has no conversion. Let CartError"))
    #expect(try self.census(files, except: ["CartError": "is caught at once"]).gaps.isEmpty)
    let stale = try self.census(files, except: ["CartError": "caught", "PayError": "was not"])
    #expect(stale.gaps.map(\.type) == ["PayError"])
    #expect(stale.gaps.first?.description.hasPrefix("PayError is an exception") == true)
  }

  @Test func `a folder that is not there is no folder without errors`() {
    #expect(throws: (any Error).self) { try MappingCensus(below: "/nowhere/at/all") }
  }

  @Test(.ends(withinMinutes: 5)) func `the scan takes any text, in time linear in it`() throws {
    let hostile = [
      String(repeating: "struct A: ", count: 50_000), String(repeating: "{", count: 100_000),
      String(repeating: "class A: A {}\n", count: 20_000), "\u{FEFF}\u{0}struct", "enum E:",
      String(repeating: "extension A.B: Error {}\n", count: 20_000), "adding(", "adding(.self",
    ]
    for text in hostile { #expect(try census(["a.swift": text]).gaps.count <= 1) }
  }
}
