// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import SwiftParser
import SwiftSyntax
import Testing

/// How many defects are found of those that were written down without a look at the rules.
@Suite struct FormTests {
  /// As written, and in one surrounding in so many; in all of them with the full dose.
  private static let stride =
    ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture" ? 1 : 18

  private static let rules = Rule.all.filter { $0.level == .default }

  @Test func `every rule that is on by default has 20 forms of its defect`() throws {
    #expect(Set(Forms.all.map(\.rule)) == Set(Self.rules.map(\.id)))
    for rule in Self.rules {
      let forms = try #require(Forms.all.first { $0.rule == rule.id })
      let bad = Set(rule.examples.filter(\.isBad).map(\.code)).union(forms.bad)
      #expect(bad.count >= 20, "\(rule.id) has \(bad.count)")
      #expect(Set(forms.good).count >= 5, "\(rule.id)")
    }
  }

  @Test func `forms are Swift`() {
    for forms in Forms.all {
      for code in forms.bad + forms.good {
        #expect(!Parser.parse(source: code).hasError, "\(forms.rule):\n\(code)")
      }
    }
  }

  @Test func `nine of ten forms of a defect are found, and eight of ten of each rule's`()
    async throws
  {
    var lines: [String] = []
    var all = (found: 0, planted: 0)
    for forms in Forms.all {
      var missed: [String] = []
      var planted = 0
      for (number, form) in forms.bad.enumerated() {
        for code in Self.surrounded(form, number) {
          planted += 1
          if try await !isFound(forms, in: code) { missed.append(code) }
        }
      }
      all = (all.found + planted - missed.count, all.planted + planted)
      if Double(missed.count) > 0.2 * Double(planted) {
        lines.append("\(forms.rule): \(missed.count) of \(planted)")
        lines += missed
      }
    }
    #expect(Double(all.found) >= 0.9 * Double(all.planted), "\(all)")
    #expect(lines.isEmpty, "missed \(lines.joined(separator: "\n"))")
  }

  @Test func `at most two in a hundred that are right are found`() async throws {
    var wrong: [String] = []
    var planted = 0
    for forms in Forms.all {
      for (number, form) in forms.good.enumerated() {
        for code in Self.surrounded(form, number) {
          planted += 1
          if try await isFound(forms, in: code) { wrong.append("\(forms.rule):\n\(code)") }
        }
      }
    }
    #expect(
      Double(wrong.count) <= 0.02 * Double(planted),
      "\(wrong.count) of \(planted)\n\(wrong.joined(separator: "\n"))")
  }

  /// The code as it is, statements in a function, and in other code.
  private static func surrounded(_ code: String, _ number: Int) -> [String] {
    let items = Parser.parse(source: code).statements
    let declared = items.count { $0.item.is(DeclSyntax.self) }
    let function = "func run() async throws {\n\(code)\n}"
    let first = declared == items.count ? code : function
    return [first]
      + Planting.forms(of: declared == 0 ? code : first).enumerated()
      .filter { ($0.offset + number).isMultiple(of: stride) }
      .map(\.element.code).filter { !Parser.parse(source: $0).hasError }
  }

  private func isFound(_ forms: Forms, in code: String) async throws -> Bool {
    try await report(of: .good(code, path: forms.path), profile: .default).findings
      .contains { $0.rule == forms.rule }
  }
}
