// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import Testing

/// What an app declares to Apple for these libraries, against what they call.
@Suite struct PrivacyTests {
  /// What an app on a device links; the others are for servers, tools and tests.
  private static let libraries: Set = [
    "Mainstay", "MainstayConfiguration", "MainstayHTTP", "MainstayOutbox", "MainstayUI",
  ]

  /// Apple's list of calls that need a reason, by category, as far as Swift sees them.
  private static let calls: [(category: String, names: Set<String>)] = [
    (
      "FileTimestamp",
      [
        "stat", "fstat", "lstat", "fstatat", "getattrlist", "getattrlistbulk", "fgetattrlist",
        "getattrlistat", "creationDate", "modificationDate", "fileModificationDate",
        "creationDateKey", "contentModificationDateKey",
      ]
    ),
    (
      "DiskSpace",
      [
        "statfs", "statvfs", "fstatfs", "fstatvfs", "systemFreeSize", "systemSize",
        "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
        "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey",
      ]
    ),
    ("SystemBootTime", ["systemUptime", "mach_absolute_time"]),
    ("UserDefaults", ["UserDefaults"]),
    ("ActiveKeyboards", ["activeInputModes"]),
  ]

  /// Libraries with the calls that they make, one to an entry.
  private func made() -> Set<String> {
    let sources = Repository.current.swiftFiles.filter { file in
      Self.libraries.contains { file.path.hasPrefix("Sources/\($0)/") }
    }
    return Set(
      sources.flatMap { file -> [String] in
        let library = file.path.split(separator: "/")[1]
        let words = Set(file.tokens.map(\.text))
        return Self.calls.flatMap { category, names in
          names.intersection(words).map { "\(library) \(category) \($0)" }
        }
      })
  }

  @Test func `the page about privacy lists each call that Apple wants a reason for`() throws {
    let path = "Sources/Mainstay/Mainstay.docc/Reference/DeclaringPrivacy.md"
    let page = SourceFile(path: path, text: try Repository.current.text(at: path))
    let rows = MarkdownTable(under: "## Calls that need a reason", in: page).rows.map(\.cells)
    let told = rows.flatMap { cells in
      cells[1].codeSpans.map { "\(cells[0].codeSpans[0]) \(cells[2].codeSpans[0]) \($0)" }
    }
    #expect(told.count > 4)
    let difference = made().symmetricDifference(told).sorted()
    #expect(difference.isEmpty, "the page and the sources differ: \(difference)")
    // What an app copies has each category that the table has.
    let text = try Repository.current.text(at: path)
    for cells in rows {
      #expect(text.contains("NSPrivacyAccessedAPICategory\(cells[2].codeSpans[0])<"))
    }
  }
}
