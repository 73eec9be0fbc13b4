// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayJSONRPC
import MainstayTesting
import TestSupport
import Testing

/// What people read about answers of JSON-RPC, in six languages.
@Suite struct JSONRPCTextsTests {
  private let errors = JSONRPCErrorCatalog.standard.entries.map {
    JSONRPCError(code: $0.code, message: "x", method: "a", isRepeatable: true).asAppError
  }

  private func texts(of errors: [AppError]) -> [LocalizableText] {
    errors.flatMap { [$0.title, $0.message] + [$0.suggestion].compactMap(\.self) }
  }

  @Test(.requirement("A51", "A52", "B3", "B43", "E10", "E11"))
  func `what JSON-RPC itself says has no findings in any language`() {
    #expect(errors.count == 5 && errors.allSatisfy { $0.suggestion != nil })
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: errors) {
      Issue.record("\(finding)")
    }
  }

  @Test(.requirement("B43"), arguments: Translations.languages)
  func `each language says all that English says, and nothing else`(_ language: String) {
    let texts = texts(of: errors)
    for problem in Translations.problems(of: texts, in: language) { Issue.record("\(problem)") }
    #expect(Set(texts.compactMap(\.key)) == JSONRPCTexts.library.keys(in: language))
  }

  @Test func `words of an app's catalogue are not read as the standard's words`() {
    let entry = JSONRPCErrorCatalog.Entry(
      -32603, "Broken", title: "The mill stands still", meaning: "The mill broke.",
      disposition: .transient())
    let error = JSONRPCError(
      code: -32603, message: "", method: "a",
      catalog: .standard.merging(JSONRPCErrorCatalog([entry])))
    let title = error.asAppError.title
    let german = Locale(identifier: "de")
    #expect(title.key == "error.jsonrpc.minus-32603.title")
    #expect(title.string(in: german) == "The mill stands still")
    let catalog = TextCatalog.standard.adding(
      ["error.jsonrpc.minus-32603.title": "Die Mühle steht"], language: "de")
    #expect(TextCatalog.with(catalog) { title.string(in: german) } == "Die Mühle steht")
  }

  @Test func `a catalogue from a file says under which keys its texts are translated`() throws {
    let json = """
      [{"code": -32000, "name": "Full", "title": "The mill is full", "meaning": "It takes no more.",
        "disposition": {"name": "transient"}, "textKey": "mill.full"}]
      """
    let catalog = try JSONRPCErrorCatalog(json: Data(json.utf8))
    let shown = JSONRPCError(code: -32000, message: "", method: "a", catalog: catalog).asAppError
    #expect(shown.title.key == "mill.full.title")
    #expect(shown.message.key == "mill.full.message")
    let again = try JSONRPCErrorCatalog(json: JSONEncoder().encode(catalog))
    #expect(again == catalog && again[-32000]?.textKey == "mill.full")
  }
}
