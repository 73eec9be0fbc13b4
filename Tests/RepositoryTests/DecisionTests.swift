// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The notes about decisions: one form, and a table by which they are found.
@Suite struct DecisionTests {
  private static let folder = "Documentation/Decisions/"

  private let notes = Repository.current.writtenFiles.filter {
    $0.path.hasPrefix(folder) && !$0.path.hasSuffix("/README.md")
  }

  @Test func `each note has the four headings of the first one, in their order`() throws {
    let headings = notes.map { note in note.lines.filter { $0.hasPrefix("## ") } }
    let first = try #require(headings.first)
    #expect(notes.count > 30 && first.count == 4)
    for (note, found) in zip(notes, headings) { #expect(found == first, "\(note.path)") }
  }

  @Test func `the table by topic has each note once, by its title`() throws {
    let page = try Repository.current.text(at: "\(Self.folder)README.md")
    for note in notes {
      let name = note.path.dropFirst(Self.folder.count)
      // As in `# 7. The title` and `[7: The title](0007-title.md)`.
      let title = try #require(note.lines.first).dropFirst(2).replacing(". ", with: ": ")
      #expect(page.ranges(of: "[\(title)](\(name))").count == 1, "\(note.path)")
    }
  }
}
