// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension FormRule {
  /// It has to be filled in.
  ///
  /// Empty are a text without anything to see, such as spaces, a collection without elements, no
  /// value of an optional, and false. Before the form was sent an empty field blocks, and shows
  /// nothing.
  public static var required: FormRule {
    FormRule(
      work: .required(
        isEmpty: { Emptiness.isEmpty($0) || $0 as? Bool == false },
        error: { Value.self == Bool.self ? FormTexts.notAccepted : FormTexts.empty }))
  }
}

extension FormRule where Value == Bool {
  /// It has to be switched on, such as the consent to terms.
  public static var accepted: FormRule { .required }
}

extension FormRule where Value == String {
  /// It is an address of email, as far as that can be seen.
  ///
  /// There is a name of 1 to 64 bytes, an `@`, and a domain with a dot inside, or an address of the
  /// network in brackets; no spaces; 254 bytes at most. Letters of any script are legal. Whether
  /// anybody reads there, only a message can tell. Source: RFC 5321, section 4.5.3; RFC 6531.
  public static var email: FormRule {
    FormRule(work: .check { text, _ in EmailAddress.isLikely(text) ? nil : FormTexts.email })
  }

  /// It is a password of 8 characters or more.
  public static var password: FormRule { .length(8...) }

  /// It has as many characters as a person counts.
  ///
  /// Counting stops after the end of the range. A text of more than 64 bytes for each character
  /// that it may have is too long, however it looks.
  ///
  /// - Parameter range: How many characters, such as `3...20`, `8...` or `...200`; what is below
  ///   zero is cut to it, and a range without a number in it stops the program.
  /// - Returns: The rule.
  public static func length(_ range: some RangeExpression<Int> & Sendable) -> FormRule {
    let legal = Bounds(range, of: "length")
    return FormRule(
      work: .check { text, _ in
        switch legal.place(of: text) {
        case .below: FormTexts.tooShort(legal.minimum)
        case .above: FormTexts.tooLong(legal.maximum)
        case .inside: nil
        }
      })
  }

  /// It is a whole number in a range, for a field of text.
  ///
  /// The digits may be those of any script, with a sign before and spaces around.
  ///
  /// - Parameter range: Which numbers, such as `13...` or `1...10`; the default is all that fit
  ///   into `Int`. A range without a number in it stops the program.
  /// - Returns: The rule.
  public static func wholeNumber(
    _ range: some RangeExpression<Int> & Sendable = Int.min...
  ) -> FormRule {
    let legal = Bounds(range, of: "wholeNumber", least: .min)
    return FormRule(
      work: .check { text, _ in
        guard let number = WholeNumber.read(text) else { return FormTexts.wholeNumber }
        return legal.mistake(number)
      })
  }

  /// The whole text fits a pattern.
  ///
  /// Give it words with ``saying(_:suggestion:)``: nobody knows what the pattern means.
  public static func pattern(_ pattern: FormPattern) -> FormRule {
    FormRule(work: .check { text, _ in pattern.matches(text) ? nil : FormTexts.pattern })
  }
}

/// Tells whether there is anything in a value.
enum Emptiness {
  /// Whether nothing was entered; a type without such a value is never empty.
  static func isEmpty(_ value: some Any) -> Bool {
    (value as? any PossiblyEmpty)?.hasNothing ?? (value as? any Collection)?.isEmpty ?? false
  }
}

private protocol PossiblyEmpty {
  var hasNothing: Bool { get }
}

extension String: PossiblyEmpty {
  fileprivate var hasNothing: Bool { !PlainText.hasVisibleCharacters(self) }
}

extension Optional: PossiblyEmpty {
  fileprivate var hasNothing: Bool { map { Emptiness.isEmpty($0) } ?? true }
}

/// The ends of a range, both of them legal.
struct Bounds: Sendable {
  enum Place {
    case below, inside, above
  }

  private(set) var minimum: Int
  let maximum: Int

  init(_ range: some RangeExpression<Int>, of rule: String, least: Int = 0) {
    switch range {
    // The number after the greatest does not exist, so these two are asked for their ends.
    case let range as ClosedRange<Int>: (minimum, maximum) = (range.lowerBound, range.upperBound)
    case let range as PartialRangeThrough<Int>: (minimum, maximum) = (.min, range.upperBound)
    default:
      let relative = range.relative(to: Int.min..<Int.max)
      minimum = relative.lowerBound
      maximum = range.contains(Int.max) ? .max : relative.upperBound - 1
    }
    minimum = max(least, minimum)
    precondition(minimum <= maximum, "FormRule.\(rule)(\(range)) is not legal: no number is in it")
  }

  /// What is wrong with a number; ends that are those of `Int` are none.
  func mistake(_ number: some BinaryInteger) -> AppError? {
    if minimum > .min, number < minimum { return FormTexts.tooSmall(.integer(minimum)) }
    return maximum < .max && number > maximum ? FormTexts.tooLarge(.integer(maximum)) : nil
  }

  /// Where the length of a text is, by as few of its characters as tell that.
  func place(of text: String) -> Place {
    let bytes = text.utf8.count
    if bytes < minimum { return .below }  // a character has a byte at least
    if maximum < Int.max / 128, bytes > maximum * 64 { return .above }
    if minimum > 0, text.prefix(minimum).count < minimum { return .below }
    if bytes <= maximum { return .inside }
    return text.dropFirst(maximum).isEmpty ? .inside : .above
  }
}

private enum EmailAddress {
  static func isLikely(_ text: String) -> Bool {
    guard text.utf8.count <= 254, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      return false
    }
    let name = text.utf8[..<at]
    let domain = text.utf8[text.utf8.index(after: at)...]
    return isName(name) && isDomain(domain) && hasOnlyLetters(text)
  }

  /// Only a name in quotation marks may have an `@` or brackets of its own.
  private static func isName(_ name: Substring.UTF8View) -> Bool {
    guard (1...64).contains(name.count) else { return false }
    let isQuoted =
      name.count > 2 && name.first == UInt8(ascii: "\"") && name.last == UInt8(ascii: "\"")
    return isQuoted || !name.contains { #"@"(),:;<>[\]"#.utf8.contains($0) }
  }

  private static func isDomain(_ domain: Substring.UTF8View) -> Bool {
    if domain.first == UInt8(ascii: "[") {
      return domain.last == UInt8(ascii: "]") && domain.count > 2
    }
    let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > 1
      && labels.allSatisfy { (1...63).contains($0.count) && $0.allSatisfy(isOfLabel) }
  }

  /// Beyond ASCII all is left to whoever resolves the name.
  private static func isOfLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), 0x80...:
      true
    default: false
    }
  }

  private static func hasOnlyLetters(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned:
        false
      default: true
      }
    }
  }
}

private enum WholeNumber {
  /// The number, or nil where it is none, or too long: `Int` has nineteen digits.
  static func read(_ text: String) -> Int? {
    guard text.utf8.count <= 400 else { return nil }
    var digits = Substring(text.trimmingCharacters(in: .whitespacesAndNewlines))
    let isNegative = digits.first == "-" || digits.first == "−"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    guard !digits.isEmpty else { return nil }
    var number = 0
    for character in digits {
      // Ideographs such as 七 and fractions are numbers too, and no digits.
      guard character.unicodeScalars.count == 1, let scalar = character.unicodeScalars.first,
        scalar.properties.generalCategory == .decimalNumber, let digit = character.wholeNumberValue
      else { return nil }
      let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative
        ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }
}
