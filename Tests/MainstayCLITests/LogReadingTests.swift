// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// What the program is given to read: by name, by pipe, twice, and what is no log at all.
@Suite(.ends(withinMinutes: 20)) struct LogReadingTests {
  private func top(_ paths: String...) async throws -> [ListedGroup] {
    let end = try await BuiltProgram.run("mainstay", ["errors", "top", "--json"] + paths)
    #expect(end.status == 0 && end.errors == "", "\(end)")
    return try JSONDecoder().decode([ListedGroup].self, from: Data(end.output.utf8))
  }

  private func shell(
    _ script: String, _ arguments: String...
  ) async throws -> BuiltProgram.End {
    try await BuiltProgram.run("mainstay", inShell: script, arguments)
  }

  // MARK: Counts

  @Test(arguments: [Int.max, 200_000_000_000_000_000, -5])
  func `a count that no app can have reached stops no command`(_ count: Int) async throws {
    let log = try await SampleLog()
    let time = "2026-01-15T10:00:00.000Z"
    let suppressed: [String: Any] = ["count": count, "first": time, "last": time]
    let odd = try log.write(
      "odd.jsonl", Array(repeating: ["suppressed": suppressed, "time": time], count: 3))
    for command in [
      ["top"], ["top", "--json"], ["top", "--by", "severity"], ["show", "list.odd"], ["trend"],
      ["trend", "--json"], ["export"], ["export", "--format", "html"],
    ] {
      let end = try await BuiltProgram.run("mainstay", ["errors"] + command + [odd, log.file])
      #expect(end.status == 0 && end.errors == "", "\(command): \(end)")
    }
    let group = try #require(try await top(odd).first)
    #expect(count < 0 ? group.count == 3 : group.count > 1_000_000)
  }

  // MARK: The same thing twice

  @Test func `a log that is named in several ways is read once`() async throws {
    let log = try await SampleLog()
    let (folder, name) = (log.folder.path, log.folder.lastPathComponent)
    try FileManager.default.linkItem(atPath: log.file, toPath: folder + "/linked.jsonl")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/led.jsonl", withDestinationPath: "errors.jsonl")
    let groups = try await top(folder, log.file, folder + "/../\(name)/./errors.jsonl")
    #expect(groups.map(\.count) == [6, 1])
    #expect(groups[0].recoveryAttempts == 6 && groups[0].recoverySuccesses == 5)
  }

  @Test func `what a person chose later is shown though the report stands in an older file`()
    async throws
  {
    let log = try await SampleLog()
    let file = log.folder.path + "/own.jsonl"
    let sink = ErrorReport.FileSink(URL(filePath: file))
    let monitor = ErrorMonitor(sinks: [sink])
    let error = AppError(
      code: "list.full", kind: .unknown, disposition: .permanent, title: "Full", message: "Full.")
    monitor.capture(error)
    #expect(await monitor.flush(within: .patience))
    monitor.recordPresentation(.init(style: "alert"), of: error)
    #expect(await monitor.flush(within: .patience))
    try FileManager.default.moveItem(atPath: file, toPath: file + ".1")
    monitor.recordPresentation(.init(style: "alert", action: "retry"), of: error)
    #expect(await monitor.flush(within: .patience))
    let end = try await BuiltProgram.run("mainstay", ["errors", "show", "list.full", file])
    #expect(end.status == 0 && end.output.contains("alert, retry"), "\(end)")
  }

  @Test func `a recovery that stands in a log and in its copy counts once`() async throws {
    let log = try await SampleLog()
    try FileManager.default.copyItem(atPath: log.file, toPath: log.file + ".1")
    let groups = try await top(log.file)
    #expect(groups[0].recoveryAttempts == 6 && groups[0].recoverySuccesses == 5)
  }

  // MARK: What misleads

  @Test func `one report from a clock that is ahead hides no trend`() async throws {
    let log = try await SampleLog()
    let file = try log.write(
      "ahead.jsonl",
      Array(repeating: ["time": "2025-01-15T10:00:00.000Z"], count: 20)
        + [["time": "2099-01-01T00:00:00.000Z"]])
    let end = try await BuiltProgram.run("mainstay", ["errors", "trend", "--json", file])
    struct Trend: Decodable { let counts: [Int] }
    let trend = try JSONDecoder().decode(Trend.self, from: Data(end.output.utf8))
    #expect(trend.counts.last == 20)
    #expect(
      end.errors == "mainstay: 1 report is dated more than a day ahead; trends end before that.\n")
  }

  @Test func `a report without a time counts, and moves no date and no trend`() async throws {
    let log = try await SampleLog()
    let file = try log.write(
      "undated.jsonl",
      [["time": "last tuesday"], ["time": "2026-01-15T10:00:00.000Z"]]
        + [7, NSNull()].map { ["time": $0, "fingerprint": SampleLog.fingerprint(1)] })
    struct Export: Decodable {
      struct Group: Decodable {
        let count: Int
        let firstSeen: String?
        let lastSeen: String?
      }
      struct Trend: Decodable { let counts: [Int] }
      let undatedReports: Int
      let groups: [Group]
      let trends: [Trend]
    }
    let complaint = "mainstay: 3 reports have no time that can be read; trends leave them out.\n"
    let end = try await BuiltProgram.run("mainstay", ["errors", "export", file])
    #expect(end.status == 0 && end.errors == complaint, "\(end)")
    let export = try JSONDecoder().decode(Export.self, from: Data(end.output.utf8))
    #expect(export.undatedReports == 3 && export.groups.map(\.count) == [2, 2])
    let dated = "2026-01-15T10:00:00.000Z"
    #expect(export.groups.map(\.firstSeen) == [dated, nil])
    #expect(export.groups.map(\.lastSeen) == [dated, nil])
    #expect(export.trends.map { $0.counts.reduce(0, +) } == [1, 1, 1])
    let page = try await BuiltProgram.run(
      "mainstay", ["errors", "export", "--format", "html", file])
    #expect(page.output.contains("Reports without a time that can be read: 3."))
    #expect(!page.output.contains("1970") && !page.output.contains("1969"))
    let table = try await BuiltProgram.run("mainstay", ["errors", "top", file])
    #expect(table.errors == complaint && !table.output.contains("1970"))
    let alone = try log.write("alone.jsonl", [["time": ""]])
    let shown = try await BuiltProgram.run("mainstay", ["errors", "show", "list.odd", alone])
    #expect(shown.status == 0 && !shown.output.contains("1970"), "\(shown)")
  }

  @Test(arguments: ["id", "fingerprint"])
  func `a damaged report is left out with what it says of a recovery`(_ member: String)
    async throws
  {
    let log = try await SampleLog()
    let recovered = try log.write("recovered.jsonl", [["recovery": try log.recovery()]])
    let good = try Data(contentsOf: URL(filePath: recovered))
    var object = try #require(try JSONSerialization.jsonObject(with: good) as? [String: Any])
    object[member] = "nonsense"
    let damaged = try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
    let both = log.folder.path + "/both.jsonl"
    try (good + damaged).write(to: URL(filePath: both))
    let end = try await BuiltProgram.run("mainstay", ["errors", "top", "--json", both])
    #expect(end.errors == "mainstay: 1 line is no report and left out.\n")
    let groups = try JSONDecoder().decode([ListedGroup].self, from: Data(end.output.utf8))
    #expect(groups.map(\.count) == [1] && groups[0].recoveryAttempts == 1)
    try damaged.write(to: URL(filePath: both))
    let alone = try await BuiltProgram.run("mainstay", ["errors", "top", both])
    #expect(alone.status == 3 && alone.errors.contains("no report"), "\(alone)")
  }

  #if os(Linux)  // other file systems take no such names
    @Test func `a file whose name is no text is said to be left out`() async throws {
      let log = try await SampleLog()
      let folder = log.folder.path
      let beside = try await shell(
        #"cp "$1/errors.jsonl" "$1/$(printf 'bad\377.jsonl')" && "$0" errors top "$1""#, folder)
      #expect(beside.status == 0)
      #expect(beside.errors == "mainstay: 1 file with a name that is no text is left out.\n")
      let alone = try await shell(#"rm "$1/errors.jsonl" && "$0" errors top "$1""#, folder)
      #expect(alone.status == 3 && alone.errors.contains("bytes that are no text"), "\(alone)")
    }
  #endif

  @Test(arguments: [
    ["export", "x", "-o", "no\u{1b}]0;pwned\u{7}/x"], ["show", "a\u{1b}[2J"],
    ["trend", "--group", "q\u{1b}[2J"], ["top", "--bogus\u{1b}[2J"],
  ])
  func `what was typed steers no terminal`(_ arguments: [String]) async throws {
    let log = try await SampleLog()
    let typed = ["errors"] + arguments.map { $0 == "x" ? log.file : $0 }
    let end = try await BuiltProgram.run(
      "mainstay", arguments.contains("x") ? typed : typed + [log.file])
    #expect(end.status != 0 && !end.errors.isEmpty)
    #expect(!end.errors.contains("\u{1b}") && !end.errors.contains("\u{7}"), "\(end)")
  }

  @Test func `what turns the direction of a text stands in no page`() async throws {
    let log = try await SampleLog()
    let file = try log.write("turned.jsonl", [["title": "\u{202e}gnp.exe", "message": "a\u{9b}b"]])
    let end = try await BuiltProgram.run(
      "mainstay", ["errors", "export", "--format", "html", file])
    #expect(end.status == 0 && end.output.contains("\u{fffd}gnp.exe"))
    #expect(!end.output.unicodeScalars.contains { $0 == "\u{202e}" || $0 == "\u{9b}" })
  }

  // MARK: What is no log

  @Test func `a file without a single report is said to be no log`() async throws {
    let log = try await SampleLog()
    let page = log.folder.path + "/README.md"
    try Data("# Title\n\nText.\n".utf8).write(to: URL(filePath: page))
    for command in ["top", "trend", "export"] {
      let end = try await BuiltProgram.run("mainstay", ["errors", command, page])
      #expect(end.status == 3 && end.output == "", "\(end)")
      #expect(end.errors == "mainstay: \(page) is no log: none of its 2 lines is a report.\n")
    }
    let other = log.folder.path + "/other"
    try Data("Text.".utf8).write(to: URL(filePath: other))
    let two = try await BuiltProgram.run("mainstay", ["errors", "top", page, other])
    #expect(
      two.errors == "mainstay: \(page), \(other): none of the 3 lines in 2 files is a report.\n")
    let piped = try await shell(#"echo text | "$0" errors top -"#)
    #expect(
      piped.errors == "mainstay: Standard input is no log: its only line is no report.\n")
    let both = try await BuiltProgram.run("mainstay", ["errors", "top", page, log.file])
    #expect(both.status == 0 && both.output.hasSuffix("7 errors in 2 groups\n"))
    #expect(both.errors == "mainstay: 2 lines are no report and left out.\n")
  }

  @Test func `an empty log has no errors`() async throws {
    let log = try await SampleLog()
    let empty = try log.write("empty.jsonl", [])
    let end = try await BuiltProgram.run("mainstay", ["errors", "top", empty])
    #expect(end.status == 0 && end.output == "No errors.\n" && end.errors == "")
  }

  // MARK: Pipes and folders

  @Test(arguments: ["-", "/dev/stdin", "/dev/fd/0"])
  func `a log may come through a pipe`(_ name: String) async throws {
    let log = try await SampleLog()
    let end = try await shell(#"cat "$1" | "$0" errors top "$2""#, log.file, name)
    #expect(end.status == 0 && end.errors == "", "\(end)")
    #expect(end.output.hasSuffix("7 errors in 2 groups\n"))
  }

  @Test func `a log in a folder that may not be listed is read, with its older parts`()
    async throws
  {
    let log = try await SampleLog()
    _ = try log.write("errors.jsonl.1", [[:]])
    // Root may list any folder, unless it gives that right away.
    let script = #"""
      chmod 311 "$1"
      run() { "$@"; }
      if [ "$(id -u)" = 0 ]; then
        run() { setpriv --bounding-set -dac_override,-dac_read_search "$@"; }
      fi
      run ls "$1" 2>/dev/null && echo "the folder can be listed"
      run "$0" errors top "$1/errors.jsonl"; code=$?
      run "$0" errors top "$1"; echo "folder: $?"
      chmod 755 "$1"; exit $code
      """#
    let end = try await shell(script, log.folder.path)
    #expect(end.status == 0, "\(end)")
    #expect(end.output.contains("8 errors in 2 groups\nfolder: 3\n"), "\(end)")
    #expect(!end.output.contains("can be listed"))
    #expect(end.errors == "mainstay: \(log.folder.path) cannot be read: permission denied.\n")
  }

  @Test func `a folder or a pipe named like a log is passed over`() async throws {
    let log = try await SampleLog()
    try FileManager.default.createDirectory(
      at: log.folder.appending(path: "old.jsonl"), withIntermediateDirectories: true)
    #expect(mkfifo(log.folder.path + "/pipe.jsonl", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: log.folder.path + "/gone.jsonl", withDestinationPath: "nowhere")
    #expect(try await top(log.folder.path).map(\.count) == [6, 1])
    #expect(try await top(log.file).map(\.count) == [6, 1])
  }

  @Test func `lines that are longer than any report are left out`() async throws {
    let log = try await SampleLog()
    let script = #"{ head -c 30000000 /dev/zero; echo; cat "$1"; } | "$0" errors top -"#
    let end = try await shell(script, log.file)
    #expect(end.output.hasSuffix("7 errors in 2 groups\n"), "\(end)")
    #expect(end.errors == "mainstay: 1 line is no report and left out.\n")
  }
}
