// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

@Suite struct TextReportTests {
  @Test func `it looks like what a compiler says, and tells why once for each rule`() {
    #expect(
      Samples.small.text(as: .text) == """
        Sources/App/Store.swift:12:7: error: This error is dropped [MS201 empty-catch]
         12 |     } catch {}
            |       ^~~~~~~~
            = why: Whatever goes wrong here is gone: no log, no report, no message.
            = fix: `--fix` would log the error

        Sources/App/Store.swift:120:1: info: This error is dropped [MS201 empty-catch]
         120 | catch {
             | ^~~~~

        Sources/App/Timer.swift:3:3: warning: `Task.sleep` drops cancellation in a loop \
        [MS302 sleep-swallows-cancel]
         3 |     try? await Task.sleep(for: .seconds(1))
           |      ^~~~
           = why: After cancellation the loop spins as fast as it can.
           = fix: `--fix --unsafe` would leave the loop

        3 findings in 2 of 14 files (1,204 lines): 1 error, 1 warning, 1 info.
          MS201 empty-catch            1 error, 1 info
          MS302 sleep-swallows-cancel  1 warning
        `--fix` mends 1, `--fix --unsafe` 2.

        Sources/App/Locked.swift: problem: could not be looked at: permission denied

        """)
  }

  @Test func `nothing found is a line`() {
    #expect(Samples.clean.text(as: .text) == "No findings in 1 file (1 line).\n")
  }

  @Test func `nothing in a file commands a terminal`() {
    let text = Samples.hostile.text(as: .text)
    #expect(Samples.isPlain(text))
    #expect(
      text.hasPrefix(
        """
        My Sources/100%, a:b/“x”\\u{A}::error::.swift:2:9: error: `a|b` is "50%",\\u{D}\\u{A}or\
        \\u{1B}[2J \\u{2066}not</details> 👍🏽: [x](y) [MS201 empty-catch]
         2 | let a = "é👩‍👩‍👧\\u{202E}\\u{1B}[31m\u{FFFD}" // <b>|`*_
           |         ^~~~

        """), "\(text)")
    #expect(text.hasSuffix("a\\u{7}%.swift: problem: could not be looked at: it is <no> text\n"))
  }

  @Test func `colours are there only when asked for`() {
    #expect(!Samples.small.text(as: .text).contains("\u{1B}"))
    let text = Samples.small.text(as: .text, colours: true)
    #expect(text.contains("\u{1B}[1;31merror\u{1B}[0m: "))
    #expect(text.contains("\u{1B}[1;32m^~~~~~~~\u{1B}[0m"))
    #expect(withoutColours(text) == Samples.small.text(as: .text))
  }

  @Test(arguments: [
    ("let 日本 = try? f()", "let 日本 = ", "try?", 11, 4),
    ("\t\tx; try? f()", "\t\tx; ", "try?", 11, 4),
    ("a\tb try? f()", "a\tb ", "try?", 6, 4),
    ("e\u{301}👩‍👩‍👧 try? f()", "e\u{301}👩‍👩‍👧 ", "try?", 4, 4),
    ("/* \u{202E} */ try? f()", "/* \u{202E} */ ", "try?", 15, 4),
    ("\u{301}try? f()", "", "\u{301}try?", 0, 5),
    ("try?", "try?", "", 4, 1),
  ]) func `the mark stands below what is wrong, whatever stands before it`(
    line: String, before: String, wrong: String, offset: Int, length: Int
  ) throws {
    let shown = try marked(
      Samples.finding(
        column: before.utf8.count + 1, length: wrong.utf8.count, source: line))
    #expect(
      shown.mark == String(repeating: " ", count: offset) + String(repeating: "^", count: 1)
        + String(repeating: "~", count: length - 1))
    #expect(!shown.line.contains("\t"))
  }

  @Test(arguments: [0, 1, 50, 300, 20_000]) func `a long line is cut around the place`(
    before: Int
  ) throws {
    let head = String(repeating: "let a = 1; ", count: before)
    let tail = String(repeating: "; let b = 日本", count: 300)
    let shown = try marked(
      Samples.finding(
        column: head.utf8.count + 1, length: 8, source: head + "catch {}" + tail))
    #expect(shown.line.count <= 98)
    let place = try #require(shown.line.firstRange(of: "catch {}"))
    #expect(
      shown.line.distance(from: shown.line.startIndex, to: place.lowerBound)
        == shown.mark.count - 8)
    #expect(shown.mark.hasSuffix(" ^~~~~~~~") || shown.mark == "^~~~~~~~")
    #expect(shown.line.hasSuffix("…"))
    #expect(shown.line.hasPrefix("…") == (before > 1))
  }

  @Test func `what is wrong may be longer than the line that is shown`() throws {
    let long = String(repeating: "x", count: 5_000)
    let shown = try marked(Samples.finding(column: 3, length: 5_000, source: "a(" + long))
    #expect(shown.mark.count <= 98 && shown.mark.hasPrefix("  ^~~~"))
  }

  @Test(arguments: [-5, 0, 2, 400]) func `a place outside of the line does no harm`(column: Int)
    throws
  {
    let shown = try marked(Samples.finding(column: column, length: -3, source: "日"))
    #expect(shown.line == "日")
    #expect(shown.mark.hasSuffix("^"))
  }

  @Test func `a letter with a thousand marks is no taller than others`() throws {
    let shown = try marked(
      Samples.finding(source: "a" + String(repeating: "\u{301}", count: 1_000) + " b"))
    #expect(shown.line.unicodeScalars.count <= 10)
  }

  @Test func `explanations are wrapped`() {
    let report = Samples.report(Samples.finding())
    #expect(
      report.text(as: .text, width: 40).hasPrefix(
        """
        A.swift:1:1: error: This error is dropped [MS201 empty-catch]
         1 | x
           | ^
           = why: Whatever goes wrong here is
                  gone: no log, no report, no
                  message.
        """))
  }

  /// The line and the mark below it, as they are shown.
  private func marked(_ finding: Finding) throws -> (line: String, mark: String) {
    let lines = Samples.report(finding).text(as: .text).split(separator: "\n")
    try #require(lines.count > 3)
    return (String(lines[1].dropFirst(5)), String(lines[2].dropFirst(5)))
  }

  private func withoutColours(_ text: String) -> String {
    var isCode = false
    return String(
      text.filter { character in
        if character == "\u{1B}" { isCode = true }
        defer { if character == "m" { isCode = false } }
        return !isCode
      })
  }
}
