// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private func error(
  _ title: LocalizableText, _ message: LocalizableText = "Nobody answers at the door.",
  suggestion: LocalizableText? = "Ring again.", _ disposition: Disposition = .transient()
) -> AppError {
  AppError(
    code: "shop.closed", kind: .server, disposition: disposition, title: title, message: message,
    suggestion: suggestion)
}

private func rules(
  _ error: AppError, _ language: String = "en", _ catalog: TextCatalog = .standard
) -> [MessageLint.Rule] {
  MessageLint(languages: [language], catalog: catalog).findings(in: [error]).map(\.rule)
}

private let closed: LocalizableText = "The shop is closed"

@Suite struct MessageLintTests {
  /// Every text that Mainstay brings along, in six languages.
  @Test(
    .requirement("A5", "A51", "A52", "B1", "B3", "B20", "B36", "E10", "E11", "E34", "T21", "B43"))
  func `the package's own texts have no findings in any language`() {
    let errors =
      AppError.builtIn.flatMap(\.errors) + [
        .validation("This name is taken."), .unsupportedProvider("Acme"),
        .offline().with(disposition: .unknownOutcome),
      ]
    let lint = MessageLint(catalog: .standard)
    #expect(TextCatalog.standard.languages.count == 6)
    for finding in lint.findings(in: errors) where !isOfTheTest(finding) {
      Issue.record("\(finding)")
    }
  }

  /// The message of a validation comes from the caller, here without a key.
  private func isOfTheTest(_ finding: MessageLint.Finding) -> Bool {
    finding.key == nil && finding.rule == .missingTranslation
  }

  @Test(.requirement("B43"), arguments: ["de", "es", "fr", "ja", "zh-Hans"])
  func `each language says what English says, and nothing else`(_ language: String) {
    let keys = Set(TextCatalog.english.keys)
    #expect(keys.count > 200)
    let translated = TextCatalog.builtInKeys(in: language)
      .filter { !$0.hasPrefix("error.outbox.") }
    #expect(translated.subtracting(keys).isEmpty, "no English text has this key")
    #expect(keys.subtracting(translated).isEmpty, "this is not translated")
  }

  @Test(
    .requirement("T21"),
    arguments: [
      ("Error", "en"), ("An error occurred", "en"), ("Oops!", "en"), ("Problem", "en"),
      ("Fehler", "de"), ("Fehler beim Laden", "de"), ("¡Error!", "es"), ("Aviso", "es"),
      ("Erreur réseau", "fr"), ("Oups", "fr"), ("エラー", "ja"), ("通信エラー", "ja"), ("错误", "zh-Hans"),
      ("出错", "zh-Hans"),
    ])
  func `a title that says nothing is found`(_ title: String, _ language: String) {
    let titled = error(LocalizableText(key: "shop.title", english: "The shop is closed"))
    let catalog = TextCatalog.standard.adding(["shop.title": title], language: language)
    #expect(rules(titled, language, catalog).contains(.saysNothing))
  }

  @Test func `a good error has no findings`() {
    #expect(rules(error(closed)).isEmpty)
    #expect(rules(error("“\("Dune")” is sold out", "Wait for \(3) more; z.B. here.")).isEmpty)
    #expect(rules(error(closed, "Your iPhone has no Wi-Fi.")).isEmpty)
    #expect(rules(error(closed, LocalizableText(verbatim: "said by the server"))).isEmpty)
  }

  @Test func `texts of programs are found`() {
    for text in [
      "Status 404.", "The user_id is bad.", "The userID is bad.", "Look at shop.cart.total.",
    ] as [LocalizableText] {
      #expect(rules(error(closed, text)) == [.code], "\(text)")
    }
    for text in ["The JSON is bad.", "A null was found.", "The API said no."] as [LocalizableText] {
      #expect(rules(error(closed, text)) == [.technicalWord], "\(text)")
    }
  }

  @Test func `what an editor would mark is found`() {
    #expect(rules(error("The shop is closed.")) == [.fullStop])
    #expect(rules(error(closed, "Nobody answers")) == [.fullStop])
    #expect(rules(error(closed, suggestion: "Ring again")) == [.fullStop])
    #expect(rules(error(closed, "It's closed.")) == [.quotes])
    #expect(rules(error(closed, "Nobody  answers.")) == [.spaces])
    #expect(rules(error(" The shop is closed")) == [.spaces])
    #expect(rules(error(closed, suggestion: "Nobody answers at the door.")) == [.identical])
    #expect(rules(error(closed, suggestion: nil)) == [.missingSuggestion])
    #expect(rules(error(closed, suggestion: nil, .permanent)).isEmpty)
    #expect(rules(error(closed, suggestion: nil, .cancelled)).isEmpty)
    let long = error("The shop is closed, and so are all the other shops in this street")
    #expect(rules(long) == [.tooLong])
    let wide = String(repeating: "店", count: 26)
    let catalog = TextCatalog.standard.adding(["t": wide], language: "ja")
    let keyed = error(LocalizableText(key: "t", english: closed))
    #expect(rules(keyed, "ja", catalog).contains(.tooLong))
  }

  @Test func `missing languages and wrong places are found`() {
    let text = LocalizableText(key: "m", english: "\(3) left.")
    let catalog = TextCatalog.standard.adding(["m": "{1} übrig."], language: "de")
    let findings = MessageLint(languages: ["en", "de", "fr"], catalog: catalog)
      .findings(in: [error(closed, text)])
    #expect(findings.filter { $0.rule == .places }.map(\.language) == ["de"])
    let missing = findings.filter { $0.rule == .missingTranslation && $0.key == "m" }
    #expect(missing.map(\.language) == ["fr"])
    #expect(missing.first?.description == "fr m: missingTranslation: {0} left.")
    let twice = MessageLint(languages: ["fr"]).findings(in: [
      error(closed, text), error(closed, text),
    ])
    #expect(twice.count == Set(twice).count)
  }
}
