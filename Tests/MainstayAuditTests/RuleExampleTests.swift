// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Every rule against the examples that it gives of itself.
@Suite struct RuleExampleTests {
  @Test(arguments: Rule.all.map(\.id))
  func `a rule finds what its bad examples mark, and nothing else`(id: String) async throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    for example in rule.examples {
      let found = try await findings(of: rule, in: example)
      let expected = places(markedIn: example.marked)
      #expect(
        found.map { "\($0.line):\($0.column)" } == expected,
        """
        \(rule.id) in
        \(example.marked)
        found \(found.map { "\($0.line):\($0.column) \($0.message)" })
        """)
    }
  }

  @Test(arguments: Rule.all.map(\.id))
  func `a rule's examples are Swift`(id: String) async throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    for example in rule.examples {
      let found = try await report(of: example, profile: .all).findings
      #expect(
        !found.contains { $0.rule == "MS005" }, "\(rule.id) gives this as Swift:\n\(example.code)")
    }
  }

  @Test(arguments: Rule.all.filter { $0.level == .default }.map(\.id))
  func `a rule that is on by default has five examples of either kind`(id: String) throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    #expect(rule.examples.count { $0.isBad } >= 5, "\(rule.id)")
    #expect(rule.examples.count { !$0.isBad } >= 5, "\(rule.id)")
  }

  @Test(arguments: Rule.all.map(\.id))
  func `what people see after the first example is that example mended`(id: String) throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    guard let fixed = rule.before?.fixed else { return }
    #expect(rule.after?.code == fixed && rule.before?.code != fixed)
  }

  @Test func `ids and names are used once, and ids are in order`() {
    let ids = Rule.all.map(\.id)
    #expect(ids == Set(ids).sorted())
    #expect(Set(Rule.all.map(\.name)).count == ids.count)
  }

  private func findings(of rule: Rule, in example: Example) async throws -> [Finding] {
    try await report(of: example, profile: .all).findings.filter {
      $0.rule == rule.id && $0.path == example.path
    }
  }

  /// The places of the marks, as `line:column`.
  private func places(markedIn text: String) -> [String] {
    var places: [String] = []
    var line = 1
    var column = 1
    for character in text {
      if character == "↓" {
        places.append("\(line):\(column)")
      } else if character.isNewline {
        line += 1
        column = 1
      } else {
        column += String(character).utf8.count
      }
    }
    return places
  }
}

/// What an audit of an example says.
func report(of example: Example, profile: Profile) async throws -> AuditReport {
  var configuration = try AuditConfiguration(yaml: example.configuration ?? "")
  configuration.profile = profile
  let sources =
    [AuditSource(path: example.path, text: example.code)]
    + example.others.filter { $0.key.hasSuffix(".swift") }
    .map { AuditSource(path: $0.key, text: $0.value) }
  let tables = example.others.keys.contains { $0.hasSuffix(".xcstrings") }
  return await Audit(configuration).run(sources, hasStringTables: tables)
}
