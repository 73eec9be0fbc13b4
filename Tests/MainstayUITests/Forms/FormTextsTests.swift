// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@Suite struct FormTextsTests {
  private struct Values: Sendable {
    var text = "x"
    var number = 5
    var fraction = 5.0
    var date = Date(timeIntervalSince1970: 5)
    var list = [1, 2]
    var isOn = false
  }

  /// One of each mistake that the rules find.
  private var mistakes: [AppError] {
    func text(_ value: String, _ rule: FormRule<Values, String>) -> AppError? {
      FormField<Values, String>("text", \.text, label: "Text", rules: [rule])
        .error(in: Values(text: value))
    }
    func number(_ rule: FormRule<Values, Int>) -> AppError? {
      FormField<Values, Int>("number", \.number, label: "Number", rules: [rule]).error(in: Values())
    }
    func list(_ rule: FormRule<Values, [Int]>) -> AppError? {
      FormField<Values, [Int]>("list", \.list, label: "List", rules: [rule]).error(in: Values())
    }
    func date(_ rule: FormRule<Values, Date>) -> AppError? {
      FormField<Values, Date>("date", \.date, label: "Date", rules: [rule]).error(in: Values())
    }
    let fraction = FormField<Values, Double>(
      "fraction", \.fraction, label: "Fraction", rules: [.range(..<5)])
    let (now, before) = (Values().date, Date(timeIntervalSince1970: 0))
    let other = FormField<Values, String>(
      "/other", label: "Other", get: { _ in "y" }, set: { _, _ in })
    let isOn = FormField<Values, Bool>("isOn", \.isOn, label: "On", rules: [.accepted])
    return [
      text("", .required), isOn.error(in: Values()), text("x", .email),
      text("x", .equal(to: other)),
      text("x", .pattern("y")), text("x", .wholeNumber()), text("x", .password),
      text("x", .check("No.") { _, _ in throw CocoaError(.formatting) }), text("xx", .length(...1)),
      text("xxx", .length(...2)), number(.range(9...)), number(.range(...2)),
      number(.minimumAge(13)), list(.count(3...)), list(.count(...1)),
      fraction.error(in: Values()), date(.range((now + 1)...)), date(.range(...before)),
      date(.range(..<now)), date(.minimumAge(13, in: .gmt, date: { now })),
    ].compactMap(\.self)
  }

  @Test(.requirement("A5", "A51", "A52", "B3", "B43", "E10", "E34"))
  func `what forms say has no findings in any language`() {
    #expect(mistakes.count == 20 && Set(mistakes.map(\.code)).count == 19, "an age in two ways")
    #expect(mistakes.allSatisfy { $0.suggestion != nil })
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: mistakes) {
      Issue.record("\(finding)")
    }
  }

  @MainActor @Test(.requirement("B43"))
  func `titles and notes have no findings in any language`() async {
    let notes = FormFieldVerdict.allCases.compactMap(\.note)
    #expect(notes.count == 2)
    let form = FormModel(SignUp(), fields: SignUp.fields)
    await form.submit { _ in }
    let many = form.summary?.title
    form.reset(to: .filled)
    form.set(SignUp.email, "x")
    await form.submit { _ in }
    let titles = [many, form.summary?.title].compactMap(\.self)
    #expect(Set(titles.map(\.key)).count == 2)
    for (title, note) in zip(titles, notes) {
      let error = AppError(
        code: "form.test", kind: .validation, disposition: .permanent, title: title, message: note)
      for finding in MessageLint(catalog: .standard).findings(in: [error]) {
        Issue.record("\(finding)")
      }
    }
  }

  @Test(.requirement("B43"), arguments: ["de", "es", "fr", "ja", "zh-Hans"])
  func `each language has all texts of forms, and no others`(_ language: String) {
    let keys = mistakes.flatMap { [$0.message.key, $0.suggestion?.key] }.compactMap(\.self)
    let others = [
      "checking.message", "unchecked.message", "refused.message", "one-mistake.title",
      "mistakes.title", "line.message", "full-line.message",
    ]
    let all = Set(keys + others.map { "error.form." + $0 })
    let translated = TextCatalog.builtInKeys(in: language).filter { $0.hasPrefix("error.form.") }
    #expect(all == translated)
  }

  @Test(arguments: [
    ("fr", "Nom : Ce champ est vide. Remplissez-le pour continuer."),
    ("ja", "Nom：何も入力されていません。続けるには入力してください。"),
  ])
  @MainActor func `a line is written as the language does`(_ language: String, _ text: String) async
  {
    let name = FormField<SignUp, String>("name", \.name, label: "Nom", rules: [.required])
    let form = FormModel(SignUp(), fields: FormFields { name })
    await form.submit { _ in }
    #expect(form.summary?.lines.first?.string(in: Locale(identifier: language)) == text)
  }

  @Test(arguments: [
    ("en-u-tz-utc", "Born: This date is too late. The latest is Nov 26, 2026 at 10:20 AM."),
    (
      "de-u-tz-deber",
      "Born: Dieses Datum liegt zu spät. Das späteste ist 26. Nov. 2026, 11:20."
    ),
  ])
  @MainActor func `a date that is too late is told with the latest, where the reader is`(
    _ language: String, _ text: String
  ) async throws {
    let latest = try Date("2026-11-26T10:20:00Z", strategy: .iso8601)
    let born = FormField<Values, Date>(
      "born", \.date, label: "Born", rules: [.range(...latest)])
    let form = FormModel(Values(date: latest + 1), fields: FormFields { born })
    await form.submit { _ in }
    let line = form.summary?.lines.first?.string(in: Locale(identifier: language))
    // English has a narrow space of its own before AM.
    #expect(line?.replacing("\u{202F}", with: " ") == text)
  }

  @MainActor @Test func `a line without a suggestion ends with what is wrong`() async {
    let field = FormField<Values, String>(
      "text", \.text, label: "Text", rules: [.check("No.") { _, _ in false }])
    let form = FormModel(Values(), fields: FormFields { field })
    await form.submit { _ in }
    #expect(form.summary?.lines.first?.string(in: Locale(identifier: "en")) == "Text: No.")
  }
}
