// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import SwiftParser
import SwiftSyntax
import Testing

/// Defects in other surroundings than those that a rule's author wrote them in.
@Suite struct RecallTests {
  /// Where the surroundings make a defect something else.
  private static let floor = 0.9

  /// One of so many forms is tried, another one for each defect; all of them with the full dose.
  private static let stride =
    ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture" ? 1 : 7

  private static func forms(of code: String, _ number: Int) -> [(name: String, code: String)] {
    Planting.forms(of: code).enumerated().filter { ($0.offset + number).isMultiple(of: stride) }
      .map(\.element)
  }

  @Test func `nine of ten defects are found in whatever form they come`() async throws {
    var lines: [String] = []
    var all = (found: 0, planted: 0)
    for rule in Rule.all where rule.level == .default {
      let (found, planted, missed) = try await recall(of: rule)
      all = (all.found + found, all.planted + planted)
      // One of a few says little.
      let most = max(1, Double(planted) * (1 - Self.floor))
      if Double(planted - found) > most {
        lines.append("\(rule.id): \(found) of \(planted), not in \(missed)")
      }
    }
    #expect(Double(all.found) >= Self.floor * Double(all.planted), "\(all)")
    #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
  }

  @Test func `what is right stays right in nearly every form`() async throws {
    var wrong: [String] = []
    var planted = 0
    for rule in Rule.all where rule.level == .default {
      for (number, example) in rule.examples.enumerated() where !example.isBad {
        for form in Self.forms(of: example.code, number) {
          planted += 1
          let report = try await report(of: example.with(code: form.code), profile: .default)
          let found = report.findings.filter { $0.rule == rule.id && $0.path == example.path }
          if !found.isEmpty { wrong.append("\(rule.id) in \(form.name):\n\(form.code)") }
        }
      }
    }
    #expect(
      Double(wrong.count) <= 0.02 * Double(planted),
      "\(wrong.count) of \(planted)\n\(wrong.joined(separator: "\n"))")
  }

  private func recall(
    of rule: Rule
  ) async throws -> (found: Int, planted: Int, missed: Set<String>) {
    var found = 0
    var planted = 0
    var missed: Set<String> = []
    for (number, example) in rule.examples.enumerated() where example.isBad {
      for form in Self.forms(of: example.code, number) {
        guard !Parser.parse(source: form.code).hasError else { continue }
        planted += 1
        let report = try await report(of: example.with(code: form.code), profile: .all)
        if report.findings.contains(where: { $0.rule == rule.id }) {
          found += 1
        } else {
          missed.insert(form.name)
        }
      }
    }
    return (found, planted, missed)
  }
}
