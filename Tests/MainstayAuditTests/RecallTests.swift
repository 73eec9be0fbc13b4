// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import SwiftParser
import SwiftSyntax
import Testing

/// Defects in other surroundings than those that a rule's author wrote them in.
@Suite struct RecallTests {
  /// Where the surroundings make a defect something else.
  private static let floor = 0.9

  @Test func `nine of ten defects are found in whatever form they come`() async throws {
    var lines: [String] = []
    var all = (found: 0, planted: 0)
    for rule in Rule.all where rule.level == .default {
      let (found, planted, missed) = try await recall(of: rule)
      all = (all.found + found, all.planted + planted)
      let share = Double(found) / Double(max(planted, 1))
      if share < Self.floor { lines.append("\(rule.id): \(found) of \(planted), not in \(missed)") }
    }
    #expect(Double(all.found) >= Self.floor * Double(all.planted), "\(all)")
    #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
  }

  @Test func `what is right stays right in nearly every form`() async throws {
    var wrong: [String] = []
    var planted = 0
    for rule in Rule.all where rule.level == .default {
      for example in rule.examples where !example.isBad {
        for form in Planting.forms(of: example.code) {
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
    for example in rule.examples where example.isBad {
      for form in Planting.forms(of: example.code) {
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
