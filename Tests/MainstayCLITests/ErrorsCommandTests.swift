// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// The program as a person runs it, on logs that a monitor wrote.
@Suite(.ends(withinMinutes: 20)) struct ErrorsCommandTests {
  private func run(
    _ arguments: String..., status: Int32 = 0, environment: [String: String] = [:]
  ) async throws -> String {
    let end = try await BuiltProgram.run("mainstay", arguments, environment: environment)
    #expect(end.status == status, "\(end.errors)")
    return status == 0 ? end.output : end.errors
  }

  @Test(.requirement("B39", "A49")) func `the most common errors come first, with recoveries`()
    async throws
  {
    let log = try await SampleLog()
    let text = try await run("errors", "top", "--json", log.file)
    let groups = try JSONDecoder().decode([ListedGroup].self, from: Data(text.utf8))
    #expect(groups.map(\.count) == [6, 1])
    #expect(groups[0].recoveryAttempts == 6 && groups[0].recoverySuccesses == 5)
    let table = try await run("errors", "top", log.folder.path)
    let lines = table.split(separator: "\n")
    #expect(lines[1].contains(groups[0].code) && lines[1].contains("5 of 6"))
    #expect(lines.last == "7 errors in 2 groups")
    #expect(!table.contains("\u{1b}"), "no colour but on a terminal")
  }

  @Test(.requirement("A46")) func `one error is shown by a part of its name, or by its code`()
    async throws
  {
    let log = try await SampleLog()
    let json = try await run("errors", "show", "list.odd", "--json", log.file)
    let group = try JSONDecoder().decode(ListedGroup.self, from: Data(json.utf8))
    #expect(try await run("errors", "show", "list", log.file).contains("list.odd"))
    let text = try await run("errors", "show", String(group.fingerprint.prefix(9)), log.file)
    #expect(text.hasPrefix("Odd\nA list has <b>odd</b> \"things\" & more.\n"))
    #expect(text.contains("Show list\u{fffd}[2J"), "a report does not steer the terminal")
    #expect(text.contains("\nlist.of.a.long.name  first\n"))
    #expect(
      try await run("errors", "show", "nothing", log.file, status: 1)
        == "mainstay: No error of the log is named nothing. See `mainstay errors top` for their "
        + "names.\n")
  }

  @Test func `the trend ends with the newest error`() async throws {
    struct Trend: Decodable { let counts: [Int] }
    let log = try await SampleLog()
    let json = try await run("errors", "trend", "--per", "hour", "--json", log.file)
    let counts = try JSONDecoder().decode(Trend.self, from: Data(json.utf8)).counts
    #expect(counts.count == 24 && counts.suffix(4) == [1, 2, 3, 1])
    let plot = try await run("errors", "trend", log.file)
    #expect(plot.contains("3 ┤") && plot.contains("█"))
  }

  @Test(.requirement("D30")) func `an export is JSON, or a page that escapes what it shows`()
    async throws
  {
    let log = try await SampleLog()
    let json = try await run("errors", "export", log.file)
    let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(document?["reports"] as? Int == 7)
    let page = log.folder.path + "/errors.html"
    _ = try await run("errors", "export", "--format", "html", "--output", page, log.file)
    let html = try String(contentsOf: URL(filePath: page), encoding: .utf8)
    #expect(html.contains("&lt;b&gt;odd&lt;/b&gt; &quot;things&quot; &amp; more."))
    #expect(!html.contains("<script") && !html.contains("http://"))
    #expect(html.contains("<svg"))
    let again = try await run(
      "errors", "export", "--format", "html", "--output", page, log.file, status: 3)
    #expect(again.contains("cannot be written"), "a file that is there is never overwritten")
  }

  @Test func `lines that are no reports are left out and counted`() async throws {
    let log = try await SampleLog()
    let file = try FileHandle(forWritingTo: URL(filePath: log.file))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"id\": 7}\nnothing\n{\"id\":".utf8))
    try file.close()
    let end = try await BuiltProgram.run("mainstay", ["errors", "top", log.file])
    #expect(end.status == 0)
    #expect(end.errors == "mainstay: 3 lines are no report and left out.\n")
  }

  @Test func `older parts of a log belong to it, and no report counts twice`() async throws {
    let log = try await SampleLog()
    try FileManager.default.copyItem(atPath: log.file, toPath: log.file + ".1")
    let text = try await run("errors", "top", log.file)
    #expect(text.hasSuffix("7 errors in 2 groups\n"))
  }

  @Test func `what is wrong is said, with the status for it`() async throws {
    let log = try await SampleLog()
    #expect(try await run("errors", "top", "/nowhere", status: 3).contains("does not exist"))
    #expect(try await run("errors", "top", status: 2).contains("paths"))
    #expect(try await run("errors", "top", "--limit", "0", log.file, status: 2).contains("--limit"))
    for name in ["", " \t"] {
      for command in [["show", name], ["trend", "--group", name]] {
        let end = try await BuiltProgram.run("mainstay", ["errors"] + command + [log.file])
        #expect(end.status == 2 && end.errors.contains("must not be empty"), "\(end)")
      }
    }
    let page = try await run(
      "errors", "export", "--format", "html", "--json", log.file, status: 2)
    #expect(page.contains("--json and --format html ask for two forms at once"))
    _ = try await run("errors", "export", "--format", "json", "--json", log.file)
    let empty = log.folder.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    #expect(try await run("errors", "top", empty.path, status: 3).contains("holds no logs"))
  }
}
