// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

@Suite struct RuleTextTests {
  private let style = TextStyle(width: 80)

  @Test(arguments: Rule.all.map(\.id) + Housekeeping.all.map(\.id))
  func `every rule is explained, by its id and by its name`(id: String) throws {
    let text = try #require(RuleText.explanation(of: id, style: style))
    let name = Rule.all.first { $0.id == id }?.name ?? Housekeeping.all.first { $0.id == id }?.name
    #expect(text.hasPrefix("\(id) \(name ?? "") ("))
    #expect(RuleText.explanation(of: name ?? "", style: style) == text)
    #expect(RuleText.explanation(of: id.lowercased(), style: style) == text)
    #expect(text.contains("\nWhy\n  "))
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `an explanation has all that helps to decide`() throws {
    let rule = try #require(Rule.all.first { $0.id == "MS201" })
    let text = try #require(RuleText.explanation(of: "empty-catch", style: style))
    let titles = text.split(separator: "\n").filter { $0.first != " " }.dropFirst(2)
    #expect(
      titles.map(String.init) == [
        "Why", "Before", "After", "Left alone", "What it guesses", "To say that you mean it",
        "Fix", "Looks at", "Serves",
      ])
    #expect(text.contains("  Or `// mainstay:ignore MS201 -- the reason`."))
    let reasons = rule.examples.compactMap(\.reason)
    #expect(!reasons.isEmpty)
    #expect(text.contains("\n      do { try save() } catch _ {}\n"))
  }

  @Test func `colours do not change the words`() throws {
    let coloured = try #require(
      RuleText.explanation(of: "MS201", style: TextStyle(colours: true, width: 80)))
    #expect(coloured.contains("\u{1B}[1mWhy\u{1B}[0m"))
  }

  @Test func `what is no rule has no explanation, but maybe a neighbour`() {
    #expect(RuleText.explanation(of: "MS999", style: style) == nil)
    #expect(RuleText.explanation(of: "", style: style) == nil)
    #expect(RuleText.nearest(to: "emtpy-catch") == "empty-catch")
    #expect(RuleText.nearest(to: "MS0O5") == "MS005")
    #expect(RuleText.nearest(to: "something else altogether") == nil)
    #expect(RuleText.nearest(to: "") == nil)
  }

  @Test func `the list has each rule once, and fits`() {
    let text = RuleText.list(style: TextStyle(width: 100))
    let lines = text.split(separator: "\n")
    for id in Rule.all.map(\.id) + Housekeeping.all.map(\.id) {
      #expect(lines.count { $0.hasPrefix("  \(id)  ") } == 1)
    }
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines.first == "Housekeeping")
  }

  @Test func `programs get all of it`() throws {
    let data = Data(RuleText.json().utf8)
    let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let rules = try #require(document["rules"] as? [[String: Any]])
    #expect(rules.compactMap { $0["id"] as? String } == Rule.all.map(\.id))
    let rule = try #require(rules.first { $0["id"] as? String == "MS201" })
    #expect(
      Set(rule.keys) == [
        "id", "name", "group", "severity", "level", "profiles", "serves", "places", "summary",
        "why",
        "guess", "onPurpose", "comment", "fix", "examples",
      ])
    #expect(rule["group"] as? String == "Losing errors")
    let examples = try #require(rule["examples"] as? [[String: Any]])
    #expect(examples.count == Rule.all.first { $0.id == "MS201" }?.examples.count)
    #expect(examples.first?["kind"] as? String == "bad")
    let own = try #require(document["housekeeping"] as? [[String: Any]])
    #expect(own.compactMap { $0["id"] as? String } == Housekeeping.all.map(\.id))
  }
}
