// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import Testing

/// That the page about the client has its settings, with the defaults of the code.
@Suite struct SettingsPageTests {
  private let settings = ResilientClient.Settings()

  /// The rows of the table, by the setting that they are about.
  private func rows() throws -> [String: String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let path = "Sources/MainstayHTTP/MainstayHTTP.docc/CallingServices.md"
    let page = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    let table = try #require(page.firstRange(of: "\n## Defaults\n"))
    var rows: [String: String] = [:]
    for line in page[table.upperBound...].split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: " | ")
      rows[String(cells[0].dropFirst(3).dropLast())] = String(cells[1])
    }
    return rows
  }

  @Test func `the page has all settings, and no others`() throws {
    let names = Mirror(reflecting: settings).children.compactMap(\.label)
    #expect(try Set(rows().keys) == Set(names))
  }

  @Test func `a default on the page is that of the code`() throws {
    let rows = try rows()
    let silence = try #require(settings.streamSilence)
    #expect(rows["redirections"] == "`\(settings.redirections)`")
    #expect(rows["maximumAnswer"] == "\(settings.maximumAnswer >> 20) MiB")
    #expect(settings.maximumAnswer % (1 << 20) == 0)
    #expect(rows["keyField"] == "`\(settings.keyField)`")
    #expect(rows["streamSilence"] == "\(silence.components.seconds) seconds")
    #expect(rows["transferLimit"] == "\(settings.transferLimit.components.seconds / 60) minutes")
    #expect(rows["headers"] == "none" && settings.headers == [:])
    #expect(rows["deadlineField"] == "none" && settings.deadlineField == nil)
    #expect(rows["encoder"]?.hasSuffix("that sorts keys") == true)
    #expect(settings.encoder().outputFormatting == .sortedKeys)
    #expect(rows["isPortal"]?.hasPrefix("nothing but ") == true)
    #expect(!settings.isPortal(200, [:]) && !settings.isPortal(302, [:]))
  }
}
