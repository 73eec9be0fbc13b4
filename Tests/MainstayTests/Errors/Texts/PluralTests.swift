// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Which form of a text is taken for a number: what ICU with CLDR 48 says, and what a catalogue
/// has.
@Suite struct PluralTests {
  private static let letters: [PluralCategory: Character] = [
    .zero: "z", .one: "1", .two: "2", .few: "f", .many: "m", .other: "-",
  ]

  private func forms(of numbers: some Sequence<Int>, in language: String) -> String {
    let locale = Locale(identifier: language)
    return String(numbers.compactMap { Self.letters[PluralCategory(of: $0, in: locale)] })
  }

  /// What `Intl.PluralRules` of ICU 78.2 says of 0 to 99.
  @Test(arguments: [
    (
      "pl", "m1fffmmmmmmmmmmmmmmmmmfffmmmmmmmfffmmmmmmmfffmmmmm",
      "mmfffmmmmmmmfffmmmmmmmfffmmmmmmmfffmmmmmmmfffmmmmm"
    ),
    (
      "ru", "m1fffmmmmmmmmmmmmmmmm1fffmmmmmm1fffmmmmmm1fffmmmmm",
      "m1fffmmmmmm1fffmmmmmm1fffmmmmmm1fffmmmmmm1fffmmmmm"
    ),
    (
      "ar", "z12ffffffffmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
      "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
    ),
  ])
  func `the first hundred numbers have the forms of CLDR`(
    _ language: String, _ first: String, _ second: String
  ) {
    #expect(forms(of: 0..<50, in: language) == first)
    #expect(forms(of: 50..<100, in: language) == second)
  }

  /// What the same says of whole numbers, and of four decimal ones.
  @Test(arguments: [
    ("en de nl sv fi et nb nn no el hu tr bg", "-1------------------------"),
    ("it ca pt-PT es", "-1-------------------m----"),
    ("fr pt", "11-------------------m11--"),
    ("da", "-1--------------------11--"),
    ("pl", "m1fffmmmmmmmmfmmmffmmm----"),
    ("ru uk", "m1fffmmmmmmm1fmm1ffmmm----"),
    ("cs sk", "-1fff-----------------mmmm"),
    ("hr sr bs", "-1fff-------1f--1ff-----1-"),
    ("sl", "-12ff-----------12f---ffff"),
    ("lt", "-1ffff------1ff-1ff---mmmm"),
    ("lv", "z1----zzzzzz1--z1--zzz--1z"),
    ("ro", "f1fffffffff-----fffff-ffff"),
    ("he", "-12-------------------1---"),
    ("ar", "z12ffffmmmmmmmm---fmm-----"),
    ("ja zh ko zh-Hans zh_TW", "--------------------------"),
    // Without rules here.
    ("cy eo xx", "--------------------------"),
  ])
  func `numbers have the forms of CLDR`(_ languages: String, _ expected: String) {
    let whole = [
      0, 1, 2, 3, 4, 5, 10, 11, 12, 14, 19, 20, 21, 22, 25, 100, 101, 102, 103, 111, 112, 1_000_000,
    ]
    for language in languages.split(separator: " ").map(String.init) {
      let locale = Locale(identifier: language)
      let decimal = [0.5, 1.5, 2.1, 10.12].compactMap {
        Self.letters[PluralCategory(of: $0, in: locale)]
      }
      #expect(forms(of: whole, in: language) + String(decimal) == expected, "\(language)")
    }
  }

  @Test func `regions read as their language, but for Portugal`() {
    for (region, language) in [("pl_PL", "pl"), ("de-CH", "de"), ("sr-Latn-RS", "sr")] {
      #expect(forms(of: 0..<200, in: region) == forms(of: 0..<200, in: language))
    }
    #expect(forms(of: 0..<2, in: "pt_BR") == "11" && forms(of: 0..<2, in: "pt_PT") == "-1")
  }

  @Test func `numbers of any size have a form`() {
    let polish = Locale(identifier: "pl")
    #expect(PluralCategory(of: -1, in: polish) == .one)
    #expect(PluralCategory(of: Int.min, in: polish) == .many)
    #expect(PluralCategory(of: Int.max, in: polish) == .many)
    #expect(PluralCategory(of: 1.0, in: polish) == .one)
    #expect(PluralCategory(of: 1.000_000_01, in: polish) == .one, "it is written as 1")
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(PluralCategory(of: number, in: polish) == .other)
    }
    #expect(PluralCategory(of: 1e300, in: polish) != .one)
    #expect(PluralCategory.cldrVersion == "48")
  }

  private static let catalog = TextCatalog.standard
    .adding(
      [
        "cart.one": "{0} rzecz", "cart.few": "{0} rzeczy", "cart.many": "{0} rzeczy razem",
        "cart.other": "{0} rzeczy z ułamkiem", "list.few": "{0} listy", "list": "list: {0}",
        "both.one": "jeden z {1}", "both.other": "{0} z {1}",
      ], language: "pl"
    )
    .adding(["cart": "{0} Dinge", "cart.one": "Ein Ding"], language: "de")
    .adding(["cart.one": "{0} thing"], language: "en")

  private func read(_ text: LocalizableText, _ language: String) -> String {
    TextCatalog.with(Self.catalog) { text.string(in: Locale(identifier: language)) }
  }

  private func cart(_ count: Int) -> LocalizableText {
    LocalizableText(key: "cart", english: "\(count) things")
  }

  @Test func `a text has the form of its number, in the rules of the language it is read in`() {
    #expect(read(cart(1), "pl") == "1 rzecz" && read(cart(3), "pl") == "3 rzeczy")
    #expect(read(cart(5), "pl_PL") == "5 rzeczy razem" && read(cart(22), "pl") == "22 rzeczy")
    let half = LocalizableText(key: "cart", english: "\(0.5) things")
    #expect(read(half, "pl") == "0,5 rzeczy z ułamkiem")
    #expect(read(cart(1), "de_AT") == "Ein Ding" && read(cart(2), "de") == "2 Dinge")
    // English is taken for French, and by English rules: for French 0 would be one.
    #expect(read(cart(0), "fr") == "0 things" && read(cart(1), "fr") == "1 thing")
    #expect(read(cart(1), "en") == "1 thing" && read(cart(2), "en_GB") == "2 things")
  }

  @Test func `a form that is missing is the one for the rest, then the only one`() {
    func list(_ count: Int) -> LocalizableText {
      LocalizableText(key: "list", english: "\(count) lists")
    }
    #expect(read(list(3), "pl") == "3 listy" && read(list(5), "pl") == "list: 5")
    #expect(read(list(1), "pl") == "list: 1")
    let nothing = LocalizableText(key: "list", english: "no lists")
    #expect(read(nothing, "pl") == "no lists", "it names an argument that is not there")
  }

  @Test func `the first number decides, and spans of time and texts do not`() {
    func both(_ part: Int, _ all: Int) -> LocalizableText {
      LocalizableText(key: "both", english: "\(part) of \(all)")
    }
    #expect(read(both(1, 5), "pl") == "jeden z 5" && read(both(5, 1), "pl") == "5 z 1")
    let named = LocalizableText(key: "both", english: "\("Ada") and \(1)")
    #expect(read(named, "pl") == "jeden z 1")
    let timed = LocalizableText(key: "cart", english: "\(Duration.seconds(1))")
    #expect(read(timed, "de").hasSuffix("Dinge"))
  }

  @Test func `a closure is asked for the form, and then for the rest`() {
    let asked = Log()
    let catalog = TextCatalog.standard.adding { key, _ in
      asked.add(key)
      return key == "cart.other" ? "{0} věcí" : key
    }
    let text = TextCatalog.with(catalog) { cart(3).string(in: Locale(identifier: "cs")) }
    #expect(text == "3 věcí" && asked.lines == ["cart.few", "cart.other"])
  }

  @Test func `a catalogue without forms reads as before, and forms alone count as a translation`() {
    let catalog = TextCatalog.standard.adding(
      ["error.form.too-many.suggestion": "Nejvýš {0}."], language: "cs")
    let locale = Locale(identifier: "cs")
    #expect(catalog.pattern(for: "error.form.too-many.suggestion", in: locale) == "Nejvýš {0}.")
    #expect(Self.catalog.pattern(for: "cart", language: "pl") == "{0} rzeczy z ułamkiem")
    #expect(Self.catalog.pattern(for: "cart", in: Locale(identifier: "de")) == "{0} Dinge")
    #expect(Self.catalog.pattern(for: "list", language: "pl") == "list: {0}")
  }
}
