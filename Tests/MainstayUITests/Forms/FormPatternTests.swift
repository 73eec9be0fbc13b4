// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@Suite struct FormPatternTests {
  @Test(arguments: [
    ("abc", "abc", "ab abcd xabc ABC"), ("a?b*c+", "c ac bbc abbccc", "a ab aac"),
    ("a|bc|", "a bc", "b abc c"), ("(a|b)*c", "c abac", "ab d"),
    ("[a-c_]{2}", "ab __", "a ad abc"), ("[^a-c]", "d é 👍", "a bb"),
    ("\\d{2,4}", "12 123 1234", "1 12345 १२ 1a"), ("\\w+", "aé_9 १", "a-b"),
    ("\\D\\S\\W", "ab-", "1b- abc"), ("^a$", "a", "b aa"), ("a{0}b", "b", "ab"),
    ("(?:ab){2,}", "abab ababab", "ab aba"), ("\\.\\*\\\\", ".*\\", "x*"),
    ("[]a-]+", "]a-", "b"), ("[\\]\\d]", "] 5", "a"), (".", "a é e\u{301} 👩‍👩‍👧‍👦", "ab"),
    ("(a*)*b", "b aaab", "a"), ("()", "", "a"), ("é", "é e\u{301}", "e"),
    ("[a-z]", "a", "A e\u{301} a\u{338}"), ("a{2}{1}|b", "", ""),
  ])
  func `the whole text has to fit`(_ source: String, _ good: String, _ bad: String) throws {
    guard source != "a{2}{1}|b" else {
      #expect(throws: ConfigurationError.self) { try FormPattern(validating: source) }
      return
    }
    let pattern = try FormPattern(validating: source)
    for text in good.split(separator: " ") {
      #expect(pattern.matches(String(text)), "\(source) and \(text)")
    }
    for text in bad.split(separator: " ") {
      #expect(!pattern.matches(String(text)), "\(source) and \(text)")
    }
  }

  @Test(arguments: [
    "(", ")", "(a", "a)", "[", "[a", "[]", "*", "a**", "a+?", "a{", "a{2", "a{,2}", "a{3,2}",
    "a{1001}", "(a{1000}){1000}", "((((a{9}){9}){9}){9}){9}", "\\", "\\1", "\\b", "\\p{L}", "(?=a)",
    "(?<n>a)", "[z-a]", "[a-\\d]", "a^b", "a$b", "]", "}", "[[a]]", "a{99999999999999999999}",
    String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
    String(repeating: "a", count: 1_001), String(repeating: "a", count: 20_000),
  ])
  func `what is not legal says so`(_ source: String) {
    let error = #expect(throws: ConfigurationError.self) { try FormPattern(validating: source) }
    #expect(error?.subject == "FormPattern" && error?.violations.count == 1)
  }

  @Test func `patterns that blow up elsewhere take no longer here`() throws {
    let text = String(repeating: "a", count: 4_096)
    for source in ["(a+)+", "(a|a)*", "(a|aa)+", "(.*)*", "(a?){300}a*", "((a*)*)*"] {
      let pattern = try FormPattern(validating: source)
      #expect(pattern.matches(text) && !pattern.matches(text.dropLast() + "!") || source == "(.*)*")
    }
    #expect(!(try FormPattern(validating: "a*")).matches(text + "a"), "one too many")
  }

  @Test func `what needs no state is repeated without any work`() throws {
    let (open, often) = (String(repeating: "(", count: 4), String(repeating: "){1000}", count: 4))
    for empty in ["()", "a{0}", "()()a{0}", "(a{0})"] {
      let pattern = try FormPattern(validating: open + empty + often)
      #expect(pattern.matches("") && !pattern.matches("a"), "\(empty)")
    }
    let open49 = String(repeating: "(", count: 49)
    for mark in ["?", "{1}", "{0,1}"] {
      let source = open49 + "a" + String(repeating: ")" + mark, count: 49)
      let deep = try FormPattern(validating: source)
      #expect(deep.matches("a") && deep.matches("") == (mark != "{1}"), "\(mark)")
    }
  }

  /// A pattern and a text over two letters, compared with what Foundation's engine says.
  @Test func `it agrees with another engine`() throws {
    for seed in 0..<UInt64(RandomDose.cases * 5) {
      var random = SeededGenerator(seed: seed)
      let source = Self.pattern(depth: 3, &random)
      let pattern = try FormPattern(validating: source)
      let other = try NSRegularExpression(pattern: "\\A(?:\(source))\\z")
      for _ in 0..<10 {
        let text = String(
          (0..<Int.random(in: 0...6, using: &random)).map { _ in
            "abc".randomElement(using: &random) ?? "a"
          })
        let expected = other.firstMatch(in: text, range: NSRange(location: 0, length: text.count))
        #expect(pattern.matches(text) == (expected != nil), "seed \(seed): \(source) and \(text)")
      }
    }
  }

  private static func pattern(depth: Int, _ random: inout SeededGenerator) -> String {
    let kinds = depth == 0 ? 0..<3 : 0..<7
    switch Int.random(in: kinds, using: &random) {
    case 0: return "a"
    case 1: return "b"
    case 2: return ["[ab]", "[^a]", ".", "[b-c]"].randomElement(using: &random) ?? "."
    case 3:
      return pattern(depth: depth - 1, &random) + pattern(depth: depth - 1, &random)
    case 4:
      return "(\(pattern(depth: depth - 1, &random))|\(pattern(depth: depth - 1, &random)))"
    default:
      let mark = ["?", "*", "+", "{2}", "{1,3}", "{2,}"].randomElement(using: &random) ?? "?"
      return "(\(pattern(depth: depth - 1, &random)))" + mark
    }
  }
}
