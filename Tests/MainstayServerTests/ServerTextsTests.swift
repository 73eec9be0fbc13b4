// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Mainstay
import MainstayHTTP
import MainstayServer
import MainstayTesting
import TestSupport
import Testing

/// What callers of a service read about what was refused, in six languages.
@Suite struct ServerTextsTests {
  private let errors: [AppError] = [
    .missingKey("Idempotency-Key"), .wrongKey("Idempotency-Key"), .stillRunning,
    .otherRequest("Idempotency-Key"), .answerLost, .busy, .unknownHost,
  ]

  private var texts: [LocalizableText] {
    errors.flatMap { [$0.title, $0.message] + [$0.suggestion].compactMap(\.self) }
  }

  @Test(.requirement("A51", "A52", "B43", "E10", "E11"))
  func `what a service says of keys has no findings in any language`() {
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: errors) {
      Issue.record("\(finding)")
    }
  }

  @Test(.requirement("B43"), arguments: Translations.languages)
  func `each language says all that English says, and nothing else`(_ language: String) {
    for problem in Translations.problems(of: texts, in: language) { Issue.record("\(problem)") }
    #expect(Set(texts.compactMap(\.key)) == ServerTexts.library.keys(in: language))
  }

  @Test(
    arguments: [
      (nil, "The field Idempotency-Key must have 1 to 255 characters that can be printed."),
      (
        "fr-CH, en;q=0.5",
        "Le champ Idempotency-Key doit comporter de 1 à 255 caractères imprimables."
      ),
      ("ja", "フィールドIdempotency-Keyは、1〜255文字の印字できる文字で指定する必要があります。"),
    ] as [(String?, String)])
  func `a refusal is in the language of the caller`(_ languages: String?, _ text: String) {
    let answer = ProblemAnswers().answer(
      to: AppError.wrongKey("Idempotency-Key"), languages: languages)
    #expect(answer.status.code == 400)
    #expect(ProblemDetails(json: answer.body)?.detail == text)
  }
}
