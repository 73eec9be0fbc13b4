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

  private func troubles(under condition: String) async throws -> [String] {
    try await troubles(in: "#if \(condition)\nstruct Box {\n  let = 1\n}\n#endif\n")
  }

  private func troubles(in code: String) async throws -> [String] {
    try await report(of: .good(code), profile: .default).findings.filter { $0.rule == "MS005" }
      .map { "\($0.path):\($0.line)" }
  }
}
