// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private func error(
  _ title: LocalizableText, _ message: LocalizableText = "Nobody answers at the door.",
  suggestion: LocalizableText? = "Ring again.", _ disposition: Disposition = .transient(),
  code: ErrorCode = "shop.closed"
) -> AppError {
  AppError(
    code: code, kind: .server, disposition: disposition, title: title, message: message,
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
    let lint = MessageLint(languages: TextCatalog.standard.languages, catalog: .standard)
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
    // Those of other modules, which the core does not have in English.
    let others = ["error.outbox.", "error.form.", "error.connection.", "error.view."]
    let translated = TextCatalog.builtInKeys(in: language)
      .filter { key in !others.contains(where: key.hasPrefix) }
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

  @Test(.requirement("T21"), arguments: ["", " ", "\u{200B}", "\u{FEFF}\n"])
  func `a translation with nothing to see is blank and nothing else`(_ text: String) {
    let keyed = error(
      closed, LocalizableText(key: "m", english: "Nobody answers."), .transient())
    let catalog = TextCatalog.standard.adding(["m": text], language: "de")
    let findings = MessageLint(languages: ["de"], catalog: catalog).findings(in: [keyed])
    #expect(findings.filter { $0.key == "m" }.map(\.rule) == [.blank])
  }

  @Test(.requirement("T21"), arguments: ["The shop is closed.", "the shop is Closed!"])
  func `a message that only repeats the title is found`(_ text: String) {
    #expect(rules(error(closed, "The shop is closed.")) == [.identical])
    #expect(rules(error(closed, LocalizableText(verbatim: text))) == [.identical])
    let moved = LocalizableText(verbatim: "The shop has moved.")
    let asked = LocalizableText(verbatim: text + " Why?")
    #expect(rules(error(closed, asked, suggestion: moved)).isEmpty)
    let catalog = TextCatalog.standard.adding(["m": text], language: "en")
    let keyed = error(closed, LocalizableText(key: "m", english: "Nobody answers."))
    #expect(rules(keyed, "en", catalog) == [.identical])
  }

  @Test(.requirement("T21")) func `names of faults and the error's own code are found`() {
    for text in [
      "It failed with ENOSPC.", "The program got SIGSEGV.", "It says shop.not-open.",
      "The door is not-open.",
    ] as [LocalizableText] {
      #expect(rules(error(closed, text, code: "shop.not-open")) == [.code], "\(text)")
    }
    #expect(rules(error(closed, "It was not-found.", code: "not-found")) == [.code])
    for text in [
      "Your sign-in has expired.", "The USB stick is full.", "Nobody is open.", "Not open-minded.",
    ] as [LocalizableText] {
      #expect(rules(error(closed, text, code: "shop.sign-in.not-open")).isEmpty, "\(text)")
    }
  }

  @Test(.requirement("B43"))
  func `a region reads what is written for its language`() {
    let catalog = TextCatalog.standard
      .adding(["error.network.offline.title": "You’re cut off"], language: "en-GB")
      .adding(["error.network.offline.title": "Kein Netz"], language: "de-CH")
    let findings = MessageLint(languages: catalog.languages, catalog: catalog)
      .findings(in: [.offline(), .timeout()])
    #expect(findings.isEmpty, "\(findings)")
    let hant = MessageLint(languages: ["zh-TW", "pt-BR"], catalog: catalog)
      .findings(in: [.timeout()])
    #expect(Set(hant.map(\.rule)) == [.missingTranslation])
    #expect(Set(hant.map(\.language)) == ["zh-TW", "pt-BR"])
  }

  @Test func `an app is read in the languages in which it has texts, and else in English`() {
    let text = LocalizableText(key: "m", english: "Three are left")
    #expect(MessageLint(catalog: .standard).findings(in: [error(text)]).isEmpty)
    let german = TextCatalog.standard.adding(["other": "Andere"], language: "de")
    let missing = MessageLint(catalog: german).findings(in: [error(text)])
    #expect(Set(missing.map(\.language)) == ["de"])
    #expect(Set(missing.map(\.rule)) == [.missingTranslation])
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
