// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import SwiftParser
import SwiftSyntax
import Testing

/// Every fix over every bad example.
@Suite struct FixTests {
  @Test(arguments: Rule.all.map(\.id))
  func `a fix parses, removes its finding, adds none, and has nothing left to do`(
    id: String
  ) async throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    var fixes = 0
    for example in rule.examples where example.isBad {
      let before = try await report(of: example, profile: .all).findings
      for finding in before where finding.rule == id && finding.fix != nil {
        fixes += 1
        let run = FixRun([finding], in: Array(example.code.utf8), unsafe: true)
        let text = String(decoding: run.bytes, as: UTF8.self)
        #expect(!Parser.parse(source: text).hasError, "\(id) makes this:\n\(text)")
        let fixed = example.with(code: text)
        let after = try await report(of: fixed, profile: .all).findings
        let own = before.count { $0.rule == id }
        #expect(
          after.count { $0.rule == id } == own - 1,
          "\(id) is still found, or found more, in:\n\(text)")
        // A handler that now logs is one that does nothing else, which an opt-in rule asks about.
        let others = after.count { $0.rule != "MS703" }
        #expect(
          others <= before.count - 1, "\(id) adds findings to:\n\(text)\n\(after.map(\.rule))")
      }
      if let expected = example.fixed {
        let all = FixRun(
          before.filter { $0.rule == id }, in: Array(example.code.utf8), unsafe: true)
        #expect(String(decoding: all.bytes, as: UTF8.self) == expected)
      }
    }
    switch rule.remedy {
    case .none: #expect(fixes == 0, "\(id) says that it has no fix")
    case .safe, .unsafe: #expect(fixes > 0, "no example of \(id) has a fix")
    }
  }

  @Test(arguments: Rule.all.map(\.id))
  func `a fix of a file with the line ends of Windows keeps them`(id: String) async throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    for example in rule.examples where example.isBad && example.code.contains("\n") {
      let windows = example.with(code: example.code.replacing("\n", with: "\r\n"))
      let expected = try await fixed(example, by: id).replacing("\n", with: "\r\n")
      let made = try await fixed(windows, by: id)
      #expect(made == expected, "\(id) makes this:\n\(made.debugDescription)")
    }
  }

  private func fixed(_ example: Example, by id: String) async throws -> String {
    let findings = try await report(of: example, profile: .all).findings.filter {
      $0.rule == id && $0.path == example.path
    }
    let run = FixRun(findings, in: Array(example.code.utf8), unsafe: true)
    return String(decoding: run.bytes, as: UTF8.self)
  }
}
