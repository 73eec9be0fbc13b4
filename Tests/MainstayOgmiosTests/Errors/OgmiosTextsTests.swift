// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayJSONRPC
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

/// What people read about errors of Ogmios, in six languages.
@Suite struct OgmiosTextsTests {
  /// One error of each number, and those that the client makes by itself.
  private func errors() async throws -> [AppError] {
    let answers = OgmiosErrorCatalog.entries.map {
      OgmiosError(code: $0.code, message: "x", method: "nextBlock")
    }
    let early = Data(#"{"validityInterval":{"invalidBefore":2},"currentSlot":1}"#.utf8)
    let waiting = OgmiosError(
      code: 3118, message: "", data: JSONValue(json: early), method: "submitTransaction")
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let format = await #expect(throws: OgmiosError.self) {
      try await client.transactions.submit(cbor: "XY")
    }
    let method = await #expect(throws: OgmiosError.self) {
      try await client.chainSync.nextBlock()
    }
    let response = #expect(throws: OgmiosError.self) {
      try client.ledgerStateQuery.epoch.request.read(.null)
    }
    let own = [format, method, response].compactMap(\.self)
    #expect(own.count == 3)
    return (answers + [waiting] + own).map(\.appError)
  }

  private func texts(of errors: [AppError]) -> [LocalizableText] {
    errors.flatMap { [$0.title, $0.message] + [$0.suggestion].compactMap(\.self) }
  }

  @Test(.requirement("A5", "A51", "A52", "B3", "B43", "E10", "E11"))
  func `what Ogmios says has no findings in any language`() async throws {
    let errors = try await errors()
    #expect(errors.count == 102 && errors.allSatisfy { $0.suggestion != nil })
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: errors) {
      Issue.record("\(finding)")
    }
  }

  @Test(.requirement("B43"), arguments: Translations.languages)
  func `each language says all that English says, and nothing else`(_ language: String)
    async throws
  {
    let texts = texts(of: try await errors())
    for problem in Translations.problems(of: texts, in: language) { Issue.record("\(problem)") }
    let keys = Set(texts.compactMap(\.key).compactMap { TextLibrary.keys(for: $0).last })
    #expect(keys == OgmiosTexts.library.keys(in: language))
    // 98 meanings, 24 topics with two texts, three errors of the client's with three, and a wait.
    #expect(keys.count == 156)
  }

  @Test(
    .requirement("A51", "B43"),
    arguments: [
      (
        "de_CH", "Die Transaktion ist zu groß",
        "Die Transaktion ist größer, als der Ledger erlaubt.", "Teilen Sie sie in kleinere auf."
      ),
      ("ja_JP", "トランザクションが大きすぎます", "トランザクションが、台帳の上限より大きくなっています。", "小さく分けてください。"),
      (
        "it_IT", "The transaction is too large",
        "The transaction is larger than the ledger allows.", "Split it into smaller ones."
      ),
    ])
  func `an error of Ogmios is read in the reader's language`(
    _ locale: String, _ title: String, _ message: String, _ suggestion: String
  ) throws {
    let error = OgmiosError(code: 3119, message: "x", method: "submitTransaction").appError
    let recorded = try JSONDecoder().decode(AppError.self, from: JSONEncoder().encode(error))
    let locale = Locale(identifier: locale)
    for error in [error, recorded] {
      #expect(error.title.string(in: locale) == title)
      #expect(error.message.string(in: locale) == message)
      #expect(error.suggestion?.string(in: locale) == suggestion)
    }
    #expect(error.description.contains("3119") && !error.description.contains(title))
  }

  @Test func `a number below zero is read by its code, too`() {
    let error = OgmiosError(code: -32000, message: "x", method: "nextBlock").appError
    #expect(error.message.key == "error.ogmios.minus-32000.message")
    #expect(
      error.message.string(in: Locale(identifier: "de"))
        == "Der Dienst hat gerade keine Verbindung zu seinem Node.")
  }

  @Test func `an app replaces the title of one number, or of its topic`() {
    let catalog = TextCatalog.standard.adding(
      [
        "error.ogmios.3119.title": "Zu viele Bytes", "error.ogmios.topic.size.title": "Zu viel",
      ], language: "de")
    let titles = TextCatalog.with(catalog) {
      [3119, 3120, 3005].map {
        OgmiosError(code: $0, message: "", method: "submitTransaction").appError.title
          .string(in: Locale(identifier: "de"))
      }
    }
    #expect(titles == ["Zu viele Bytes", "Zu viel", "Dies gehört nicht zur aktuellen Ära"])
  }

  @Test func `any client of JSON-RPC with the catalogue says the same in all languages`() throws {
    let json = try JSONEncoder().encode(OgmiosErrorCatalog.catalog)
    let catalog = try JSONRPCErrorCatalog(json: json)
    let locale = Locale(identifier: "fr")
    for code in OgmiosErrorCatalog.entries.map(\.code) {
      let own = OgmiosError(code: code, message: "", method: "nextBlock").appError
      // A method that does no harm twice.
      let other = JSONRPCError(
        code: code, message: "", method: "a", catalog: catalog, isRepeatable: true
      ).asAppError
      #expect(other.title.string(in: locale) == own.title.string(in: locale))
      #expect(other.message.string(in: locale) == own.message.string(in: locale))
      #expect(other.suggestion?.string(in: locale) == own.suggestion?.string(in: locale))
    }
  }

  @Test func `a client makes errors of an earlier run readable in all languages`() async {
    await #expect(processExitsWith: .success) {
      let text = LocalizableText(key: "error.ogmios.3119.title", english: "Too large")
      let locale = Locale(identifier: "de")
      precondition(text.string(in: locale) == "Too large")
      let client = try OgmiosClient(endpoints: ["ws://localhost:1337"])
      precondition(text.string(in: locale) == "Die Transaktion ist zu groß")
      client.close()
    }
  }
}
