// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The forms that a language may have for a number, as CLDR names them.
///
/// English has two, Polish four, Arabic all six, Japanese one. The names say nothing of the number
/// itself: in Russian 21 is `one`. A ``TextCatalog`` finds the form of a text that holds a number;
/// see <doc:Texts>.
public enum PluralCategory: String, Sendable, Hashable, CaseIterable, Codable {
  /// None, where the language has a form for that, such as Arabic.
  case zero
  /// One, and what is said like it.
  case one
  /// Two, and what is said like it, such as in Arabic and Slovenian.
  case two
  /// A few, such as 2 to 4 in Polish, and 22 to 24.
  case few
  /// Many, such as 5 to 21 in Polish, and fractions in Czech.
  case many
  /// All else; each language has it, and some have nothing but it.
  case other

  /// The version of CLDR whose rules these are.
  public static let cldrVersion = "48"

  /// The form that a language has for a whole number.
  ///
  /// - Parameters:
  ///   - number: The number; its sign does not matter.
  ///   - locale: The reader's locale; one whose language has no rule here has `other` alone.
  public init(of number: Int, in locale: Locale) {
    self = PluralRules.category(of: PluralOperands(number), in: locale.identifier)
  }

  /// The form that a language has for a number as it is written, with at most six digits behind the
  /// decimal mark and without zeros at its end.
  ///
  /// - Parameters:
  ///   - number: The number; one that is not finite is `other`.
  ///   - locale: The reader's locale; one whose language has no rule here has `other` alone.
  public init(of number: Double, in locale: Locale) {
    self =
      PluralOperands(number).map { PluralRules.category(of: $0, in: locale.identifier) } ?? .other
  }
}

/// What the rules ask of a number, named as in UTS #35, "Operands".
struct PluralOperands {
  /// The digits before the decimal mark: `i`.
  private let whole: UInt64
  /// The digits behind it, without zeros at the end: `f` and `t`, which are the same then.
  private let fraction: UInt64
  /// How many of those there are: `v` and `w`.
  private let digits: UInt64

  init(_ number: Int) {
    (whole, fraction, digits) = (UInt64(number.magnitude), 0, 0)
  }

  /// Nil for one that is not finite.
  init?(_ number: Double) {
    guard number.isFinite else { return nil }
    let size = number.magnitude
    // Larger ones have no such digits.
    guard size < 1e9 else {
      (whole, fraction, digits) = (UInt64(exactly: size.rounded()) ?? .max, 0, 0)
      return
    }
    let millionths = UInt64((size * 1e6).rounded())
    var (rest, count) = (millionths % 1_000_000, UInt64(6))
    while count > 0, rest % 10 == 0 { (rest, count) = (rest / 10, count - 1) }
    (whole, fraction, digits) = (millionths / 1_000_000, rest, count)
  }

  /// The number that decides about the form of a text; nil where it holds none that is finite.
  init?(_ arguments: [LocalizableText.Argument]) {
    for argument in arguments {
      switch argument {
      case .integer(let number):
        self.init(number)
        return
      case .number(let number):
        self.init(number)
        return
      case .text, .publicText, .duration, .date, .localized: continue
      }
    }
    return nil
  }

  /// An operand by its name; nil for the value of a fraction, which no whole number is equal to.
  subscript(_ name: Substring) -> UInt64? {
    switch name {
    case "n": digits == 0 ? whole : nil
    case "i": whole
    case "v", "w": digits
    case "f", "t": fraction
    // The exponent of a compact notation, such as "1M", which texts never use.
    default: 0
    }
  }
}
