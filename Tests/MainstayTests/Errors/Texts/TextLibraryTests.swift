// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Texts that a library outside the core brings along.
@Suite(.requirement("A51", "B43")) struct TextLibraryTests {
  private static let shelf = TextLibrary.joining(
    "test-shelf",
    texts: [
      "de": """
      topic.full = Das Regal ist voll
      ! Räumen Sie es auf.
      full
      > Kein Platz für {0}.
      wobbly = Das Regal wackelt
      """
    ],
    sharing: ["full": "topic.full", "wobbly": "topic.full"])

  private let title = Self.shelf.text("error.test-shelf.full.title", english: "The shelf is full")
  private let german = Locale(identifier: "de_AT")

  private func read(_ text: LocalizableText, _ catalog: TextCatalog) -> String {
    TextCatalog.with(catalog) { text.string(in: german) }
  }

  @Test func `its texts are found by every catalogue, and are English in other languages`() {
    let message = Self.shelf.text("error.test-shelf.full.message", english: "No room for \("a")")
    let early = TextCatalog.standard.adding(["x": "y"], language: "de")
    #expect(read(title, early) == "Das Regal ist voll")
    #expect(read(message, early) == "Kein Platz für a.")
    #expect(title.string(in: Locale(identifier: "it")) == "The shelf is full")
    #expect(title.description == "The shelf is full")
  }

  @Test func `a text of its own comes before the one that it shares`() {
    let wobbly = LocalizableText(key: "error.test-shelf.wobbly.title", english: "It wobbles")
    let advice = LocalizableText(key: "error.test-shelf.wobbly.suggestion", english: "Tidy up.")
    #expect(read(wobbly, .standard) == "Das Regal wackelt")
    #expect(read(advice, .standard) == "Räumen Sie es auf.")
  }

  @Test func `an app replaces one text, or what several share`() {
    let shared = TextCatalog.standard
      .adding(["error.test-shelf.topic.full.title": "Voll"], language: "de")
      .adding(["error.test-shelf.topic.full.title": "Pieno"], language: "it")
    #expect(read(title, shared) == "Voll")
    let pieno = TextCatalog.with(shared) { title.string(in: Locale(identifier: "it")) }
    #expect(pieno == "Pieno")
    let own = shared.adding(["error.test-shelf.full.title": "Bis oben voll"], language: "de")
    #expect(read(title, own) == "Bis oben voll")
    #expect(own.pattern(for: title.key ?? "", language: "de") == "Bis oben voll")
    #expect(own.pattern(for: title.key ?? "", nearest: "de-CH") == "Bis oben voll")
    let asked = own.adding { key, _ in key.contains(".topic.") ? "Aus dem Bündel" : key }
    #expect(read(title, asked) == "Aus dem Bündel")
    #expect(asked.pattern(for: title.key ?? "", language: "de") == "Aus dem Bündel")
  }

  @Test func `it says in which language it has which keys`() {
    #expect(
      Self.shelf.keys(in: "de") == [
        "error.test-shelf.topic.full.title", "error.test-shelf.topic.full.suggestion",
        "error.test-shelf.full.message", "error.test-shelf.wobbly.title",
      ])
    #expect(Self.shelf.keys(in: "fr").isEmpty)
    #expect(TextLibrary.keys(for: "error.test-shelf.full.message").count == 1)
    #expect(TextLibrary.keys(for: "error.network.offline.title").count == 1)
  }

  @Test func `texts are read by many tasks at once`() async {
    let texts = await withTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { read(title, .standard) } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts == ["Das Regal ist voll"])
  }
}
