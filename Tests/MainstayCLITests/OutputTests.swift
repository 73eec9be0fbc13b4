// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Where the program writes: closed, full and forgotten outputs, files that are left half-way.
@Suite(.ends(withinMinutes: 5)) struct OutputTests {
  private func shell(
    _ script: String, _ arguments: String...
  ) async throws -> BuiltProgram.End {
    try await BuiltProgram.run("mainstay", inShell: script, arguments)
  }

  // MARK: Standard output

  #if os(Linux)
    @Test func `output that finds no room is a failure`() async throws {
      let log = try await SampleLog()
      for command in ["errors top", "errors trend", "errors show list", "errors export", "--help"] {
        let end = try await shell(
          #""$0" $2 $([ "$2" = --help ] || echo "$1") >/dev/full"#, log.file, command)
        #expect(end.status == 3, "\(command): \(end)")
        #expect(
          end.errors == "mainstay: The output cannot be written: no space left on device.\n",
          "\(command)")
      }
    }
  #endif

  @Test func `output that is closed is a failure`() async throws {
    let log = try await SampleLog()
    let end = try await shell(#""$0" errors export "$1" >&-"#, log.file)
    #expect(end.status == 3, "\(end)")
    #expect(end.errors.hasPrefix("mainstay: The output cannot be written"), "\(end)")
    let silent = try await shell(#""$0" errors export -o "$1.json" "$1" - <&- >&- 2>&-"#, log.file)
    #expect(silent.status == 3, "standard input is closed as well")
    let quiet = try await shell(#""$0" errors export -o "$1.json" "$1" <&- >&- 2>&-"#, log.file)
    #expect(quiet.status == 0)
    let data = try Data(contentsOf: URL(filePath: log.file + ".json"))
    let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(document?["reports"] as? Int == 7)
  }

  @Test func `a reader that has seen enough is no failure`() async throws {
    let log = try await SampleLog()
    let long = try log.write(
      "long.jsonl",
      (0..<300).map { ["fingerprint": SampleLog.fingerprint($0)] }
    )
    for command in ["export", "top --limit 300"] {
      let end = try await shell(
        #"{ "$0" errors $2 "$1"; echo "status $?" >&2; } | head -c 1"#, long, command)
      #expect(end.errors == "status 0\n", "\(command): \(end)")
    }
  }

  // MARK: Files

  @Test func `an export can be read by its owner alone`() async throws {
    let log = try await SampleLog()
    let end = try await shell(#"umask 0; "$0" errors export -o "$1.json" "$1""#, log.file)
    #expect(end.status == 0 && end.errors == "", "\(end)")
    let mode = try FileManager.default.attributesOfItem(atPath: log.file + ".json")[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `an export that finds no room leaves nothing behind and can be tried again`()
    async throws
  {
    let log = try await SampleLog()
    let page = log.folder.path + "/errors.html"
    let before = try FileManager.default.contentsOfDirectory(atPath: log.folder.path).sorted()
    let end = try await shell(
      #"trap '' XFSZ; ulimit -f 2; "$0" errors export --format html -o "$2" "$1""#,
      log.file, page)
    #expect(end.status == 3, "\(end)")
    #expect(end.errors == "mainstay: \(page) cannot be written: file too large.\n")
    let after = try FileManager.default.contentsOfDirectory(atPath: log.folder.path).sorted()
    #expect(after == before)
    let again = try await shell(
      #""$0" errors export --format html -o "$2" "$1""#, log.file, page)
    #expect(again.status == 0 && again.errors == "")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.hasSuffix("</html>\n"))
  }

  @Test func `what a killed export left behind keeps no other from its file`() async throws {
    let log = try await SampleLog()
    try Data("half".utf8).write(to: URL(filePath: log.file + ".json.tmp"))
    let end = try await shell(#""$0" errors export -o "$1.json" "$1""#, log.file)
    #expect(end.status == 0 && end.errors == "", "\(end)")
    #expect(try String(contentsOfFile: log.file + ".json.tmp", encoding: .utf8) == "half")
  }

  @Test func `an export to a place that is none says what is missing`() async throws {
    let log = try await SampleLog()
    let folder = log.folder.path
    for (place, words) in [
      ("\(folder)/none/x.html", "there is no folder \(folder)/none."),
      ("\(log.file)/x.html", "\(log.file) is no folder."),
      (folder, "it is there already, and nothing is overwritten."),
      (log.file, "it is there already, and nothing is overwritten."),
    ] {
      let end = try await BuiltProgram.run(
        "mainstay", ["errors", "export", "-o", place, log.file])
      #expect(end.status == 3 && end.output == "")
      #expect(end.errors == "mainstay: \(place) cannot be written: \(words)\n")
    }
    let missing = try await shell(
      #"cd "$2"; "$0" errors export -o none/x.html "$1""#, log.file, folder)
    #expect(
      missing.errors == "mainstay: none/x.html cannot be written: there is no folder none.\n")
    let here = try await shell(#"cd "$2"; "$0" errors export -o x.json "$1""#, log.file, folder)
    #expect(here.status == 0, "\(here)")
  }

  // MARK: What is written

  @Test func `moments are written to the millisecond, as in the log`() async throws {
    struct Export: Decodable {
      struct Group: Decodable {
        struct Report: Decodable { let time: String }
        let latest: Report
        let firstSeen: String
      }
      let groups: [Group]
    }
    let log = try await SampleLog()
    let times = stride(from: 0, to: 1_000, by: 7).map { milliseconds in
      "2026-01-15T10:00:00." + String("\(milliseconds + 1_000)".dropFirst()) + "Z"
    }
    let file = try log.write(
      "times.jsonl",
      times.enumerated().map { number, time in
        ["time": time, "fingerprint": SampleLog.fingerprint(number)]
      })
    let end = try await BuiltProgram.run(
      "mainstay", ["errors", "export", "-o", file + ".json", file])
    #expect(end.status == 0 && end.errors == "")
    let export = try JSONDecoder().decode(
      Export.self, from: Data(contentsOf: URL(filePath: file + ".json")))
    #expect(export.groups.map(\.latest.time).sorted() == times)
    #expect(export.groups.map(\.firstSeen).sorted() == times)
  }

  @Test func `tabs and ends of lines in details are shown as such on a page`() async throws {
    let log = try await SampleLog()
    let file = try log.write(
      "details.jsonl", [["details": "line 1\tcolumn\r\nline 2\rline 3\nbell\u{7}"]])
    let page = try await BuiltProgram.run(
      "mainstay", ["errors", "export", "--format", "html", file])
    #expect(
      page.output.contains("<td>line 1\tcolumn<br>line 2<br>line 3<br>bell\u{fffd}</td>"),
      "\(page)")
    let text = try await BuiltProgram.run("mainstay", ["errors", "show", "list.odd", file])
    let lines = text.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let first = try #require(lines.firstIndex { $0.hasSuffix("line 1  column") }, "\(text)")
    #expect(Array(lines[(first + 1)...].prefix(3)) == ["line 2", "line 3", "bell\u{fffd}"])
  }
}
