// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Files that stop being Swift, and those that only look so to this parser.
@Suite struct ParseTroubleTests {
  @Test(arguments: [
    "compiler(>=6.4)", "compiler(>=6.4) && Previews", "canImport(B) && swift(>=7)",
    "compiler(>=6.4.1)",
  ])
  func `what a later compiler alone reads is no trouble`(condition: String) async throws {
    #expect(try await troubles(under: condition) == [])
  }

  @Test(arguments: [
    "compiler(>=6.3)", "compiler(<6.4)", "!compiler(>=6.4)", "Previews", "os(Linux)",
    "compiler(>=6.4) || Previews", "swift(>=5.10)",
  ])
  func `what this compiler may read as well is trouble`(condition: String) async throws {
    #expect(try await troubles(under: condition) == ["Sources/App/Code.swift:3"])
  }

  @Test func `trouble elsewhere in such a file is told`() async throws {
    let code = "#if compiler(>=6.4)\nlet = 1\n#endif\nfunc a() {\n  let = 2\n}\n"
    #expect(try await troubles(in: code) == ["Sources/App/Code.swift:5"])
  }

  @Test(arguments: [
    ("let a = 08x\n", 10), ("let a = 0b2\n", 11), (#"let a = "\q""#, 10),
    ("do { try f() } catch { ; }\n", 24), ("let = 1\n", 5), ("let a = (1\n", 11),
  ])
  func `trouble stands where the code goes wrong, also within a word`(
    line: String, column: Int
  ) async throws {
    let code = "let first = 1\n" + line
    let found = try await report(of: .good(code), profile: .default).findings.filter {
      $0.rule == "MS005"
    }
    #expect(found.count == 1 && found.first?.line == 2, "\(found)")
    // A word's error may be told at its first wrong sign.
    let place = try #require(found.first?.column)
    #expect(abs(place - column) <= 2, "\(place)")
  }

  private func troubles(under condition: String) async throws -> [String] {
    try await troubles(in: "#if \(condition)\nstruct Box {\n  let = 1\n}\n#endif\n")
  }

  private func troubles(in code: String) async throws -> [String] {
    try await report(of: .good(code), profile: .default).findings.filter { $0.rule == "MS005" }
      .map { "\($0.path):\($0.line)" }
  }
}
