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
    ].compactMap(\.self)
  }

  @Test(.requirement("A5", "A51", "A52", "B3", "B43", "E10", "E34"))
  func `what forms say has no findings in any language`() {
    #expect(mistakes.count == 15 && Set(mistakes.map(\.code)).count == 15)
    #expect(mistakes.allSatisfy { $0.suggestion != nil })
    for finding in MessageLint(catalog: .standard).findings(in: mistakes) {
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
      "mistakes.title", "line.message",
    ]
    let all = Set(keys + others.map { "error.form." + $0 })
    let translated = TextCatalog.builtInKeys(in: language).filter { $0.hasPrefix("error.form.") }
    #expect(all == translated)
  }

  @Test(arguments: [("fr", "Nom : Ce champ est vide."), ("ja", "Nom：何も入力されていません。")])
  @MainActor func `a line is written as the language does`(_ language: String, _ text: String) async
  {
    let name = FormField<SignUp, String>("name", \.name, label: "Nom", rules: [.required])
    let form = FormModel(SignUp(), fields: FormFields { name })
    await form.submit { _ in }
    #expect(form.summary?.lines.first?.string(in: Locale(identifier: language)) == text)
  }
}
