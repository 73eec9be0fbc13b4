// SPDX-License-Identifier: Apache-2.0

/// The rules by which languages choose a form for a number: those of CLDR, version 48, cardinals.
///
/// Source: Unicode CLDR, `common/supplemental/plurals.xml`, in the syntax of UTS #35, part 3,
/// "Language Plural Rules", so that a language is added by copying its lines. CLDR is © Unicode,
/// Inc., under the licence Unicode-3.0: https://www.unicode.org/copyright.html.
enum PluralRules {
  typealias Rule = (category: PluralCategory, condition: Condition)

  /// The form that a language has for a number; `other` for a language without rules.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - language: The tag of the language, or the identifier of a locale.
  /// - Returns: The form.
  static func category(of number: PluralOperands, in language: String) -> PluralCategory {
    let tag = LanguageTag(language)
    let nearest = tag.fallbacks.first { ($0 != "en" || tag.isEnglish) && rules[$0] != nil }
    let rule = nearest.flatMap { rules[$0] }?.first { $0.condition.holds(for: number) }
    return rule?.category ?? .other
  }

  /// By the tags of the languages; read when a text with a number is first looked for.
  private static let rules: [String: [Rule]] = {
    var rules: [String: [Rule]] = [:]
    for (languages, lines) in table {
      let read = lines.map { Rule($0.key, Condition($0.value)) }
      for language in languages.split(separator: " ") { rules[String(language)] = read }
    }
    return rules
  }()

  private static let million = "e = 0 and i != 0 and i % 1000000 = 0 and v = 0 or e != 0..5"

  private static let table: [(String, KeyValuePairs<PluralCategory, String>)] = [
    ("en de nl sv fi et", [.one: "i = 1 and v = 0"]),
    ("it ca pt-PT", [.one: "i = 1 and v = 0", .many: million]),
    ("es", [.one: "n = 1", .many: million]),
    ("fr", [.one: "i = 0,1", .many: million]),
    ("pt", [.one: "i = 0..1", .many: million]),
    ("nb nn no el hu tr bg", [.one: "n = 1"]),
    ("da", [.one: "n = 1 or t != 0 and i = 0,1"]),
    (
      "pl",
      [
        .one: "i = 1 and v = 0", .few: "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
        .many: "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9"
          + " or v = 0 and i % 100 = 12..14",
      ]
    ),
    (
      "ru uk",
      [
        .one: "v = 0 and i % 10 = 1 and i % 100 != 11",
        .few: "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
        .many: "v = 0 and i % 10 = 0 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 11..14",
      ]
    ),
    ("cs sk", [.one: "i = 1 and v = 0", .few: "i = 2..4 and v = 0", .many: "v != 0"]),
    (
      "hr sr bs",
      [
        .one: "v = 0 and i % 10 = 1 and i % 100 != 11 or f % 10 = 1 and f % 100 != 11",
        .few: "v = 0 and i % 10 = 2..4 and i % 100 != 12..14"
          + " or f % 10 = 2..4 and f % 100 != 12..14",
      ]
    ),
    (
      "sl",
      [
        .one: "v = 0 and i % 100 = 1", .two: "v = 0 and i % 100 = 2",
        .few: "v = 0 and i % 100 = 3..4 or v != 0",
      ]
    ),
    (
      "lt",
      [
        .one: "n % 10 = 1 and n % 100 != 11..19", .few: "n % 10 = 2..9 and n % 100 != 11..19",
        .many: "f != 0",
      ]
    ),
    (
      "lv",
      [
        .zero: "n % 10 = 0 or n % 100 = 11..19 or v = 2 and f % 100 = 11..19",
        .one: "n % 10 = 1 and n % 100 != 11 or v = 2 and f % 10 = 1 and f % 100 != 11"
          + " or v != 2 and f % 10 = 1",
      ]
    ),
    ("ro", [.one: "i = 1 and v = 0", .few: "v != 0 or n = 0 or n != 1 and n % 100 = 1..19"]),
    ("he", [.one: "i = 1 and v = 0 or i = 0 and v != 0", .two: "i = 2 and v = 0"]),
    (
      "ar",
      [
        .zero: "n = 0", .one: "n = 1", .two: "n = 2", .few: "n % 100 = 3..10",
        .many: "n % 100 = 11..99",
      ]
    ),
    ("ja zh ko", [:]),
  ]
}

extension PluralRules {
  /// A condition such as `n = 1 or t != 0 and i = 0,1`.
  struct Condition {
    private struct Relation {
      let operand: Substring
      let modulus: UInt64?
      let isEqual: Bool
      let ranges: [ClosedRange<UInt64>]

      func holds(for number: PluralOperands) -> Bool {
        let value = number[operand].map { value in modulus.map { value % $0 } ?? value }
        return ranges.contains { range in value.map(range.contains) ?? false } == isEqual
      }
    }

    /// One of these holds where each of its relations does.
    private let alternatives: [[Relation]]

    /// Reads a condition of the table.
    init(_ text: String) {
      let words = text.split(separator: " ")
      alternatives = words.split(separator: "or").map { alternative in
        alternative.split(separator: "and").compactMap { Self.relation(Array($0)) }
      }
    }

    /// Reads `operand`, `operand % modulus`, then `=` or `!=`, then numbers and ranges of them.
    private static func relation(_ words: [Substring]) -> Relation? {
      guard words.count >= 3 else { return nil }
      let modulus = words[1] == "%" ? UInt64(words[2]) : nil
      let ranges = words[words.count - 1].split(separator: ",").compactMap { part in
        let ends = part.split(separator: ".").compactMap { UInt64($0) }
        return ends.first.flatMap { first in ends.last.map { first...max(first, $0) } }
      }
      return Relation(
        operand: words[0], modulus: modulus, isEqual: words[words.count - 2] == "=",
        ranges: ranges)
    }

    func holds(for number: PluralOperands) -> Bool {
      alternatives.contains { $0.allSatisfy { $0.holds(for: number) } }
    }
  }
}
