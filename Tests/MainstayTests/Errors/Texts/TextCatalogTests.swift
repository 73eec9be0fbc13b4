// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private func title(_ locale: String, _ catalog: TextCatalog = .standard) -> String {
  TextCatalog.with(catalog) { AppError.offline().title.string(in: Locale(identifier: locale)) }
}

private let key = "error.network.offline.title"
private let english = "You’re offline"

@Suite struct TextCatalogTests {
  @Test(
    .requirement("A51", "B43"),
    arguments: [
      ("de", "Keine Internetverbindung"), ("de_AT", "Keine Internetverbindung"),
      ("es_MX", "No hay conexión"), ("fr_CA", "Vous êtes hors ligne"), ("ja_JP", "オフラインです"),
      ("zh-Hans", "当前处于离线状态"), ("zh_CN", "当前处于离线状态"), ("zh", "当前处于离线状态"),
      ("zh-Hans_SG", "当前处于离线状态"), ("zh-Hans-CN", "当前处于离线状态"),
    ])
  func `a built-in text is read in the reader's language`(_ locale: String, _ text: String) {
    #expect(title(locale) == text)
  }

  @Test(arguments: [
    "en", "en_US", "it_IT", "zh-Hant", "zh_TW", "zh_HK", "", "@", "xx-yy-zz", "sr-Latn_RS",
    "de-" + "x", "_", "---",
  ])
  func `a language without texts falls back to English and never to the key`(_ locale: String) {
    #expect(title(locale) == (locale == "de-x" ? "Keine Internetverbindung" : english))
  }

  @Test(.requirement("A51")) func `arguments are written in the reader's way`() throws {
    let error = AppError.http(status: 503, isRepeatable: true, retryAfter: .seconds(90))
    let suggestion = try #require(error.suggestion)
    let german = suggestion.string(in: Locale(identifier: "de_DE"))
    #expect(german == "Warten Sie 1 Minute und 30 Sekunden, bevor Sie es erneut versuchen.")
    #expect(suggestion.string(in: Locale(identifier: "ja_JP")).hasSuffix("後にもう一度お試しください。"))
    #expect(suggestion.description == "Try again in 1 minute, 30 seconds.")
  }

  @Test func `an app replaces a text by its key, nearest language first`() {
    let catalog = TextCatalog.standard
      .adding([key: "Kein Netz", "error.network.timeout.title": ""], language: "DE")
      .adding([key: "Kei Netz"], language: "de_ch")
      .adding([key: "Senza rete"], language: "it")
      .adding([key: "No network"], language: "en")
    #expect(title("de_DE", catalog) == "Kein Netz")
    #expect(title("de_CH", catalog) == "Kei Netz")
    #expect(title("it_IT", catalog) == "Senza rete")
    #expect(title("pl_PL", catalog) == "No network")
    #expect(title("fr_FR", catalog) == "Vous êtes hors ligne")
    let timeout = TextCatalog.with(catalog) {
      AppError.timeout().title.string(in: Locale(identifier: "de"))
    }
    #expect(timeout == "Das dauert zu lange", "a blank text is none")
    #expect(catalog.languages == ["de", "de-CH", "en", "es", "fr", "it", "ja", "zh-Hans"])
  }

  @Test(arguments: ["zh-CN", "zh", "zh-Hans", "zh-Hans-CN"])
  func `an app replaces a text though the built-in one stands under a nearer tag`(_ tag: String) {
    let catalog = TextCatalog.standard.adding([key: "没有网络"], language: tag)
    #expect(title("zh_CN", catalog) == "没有网络")
    #expect(title("zh-Hans-CN", catalog) == "没有网络")
    #expect(title("zh_SG", catalog) == (tag.hasSuffix("CN") ? title("zh_SG") : "没有网络"))
    let blank = TextCatalog.standard.adding([key: " "], language: tag)
    #expect(title("zh_CN", blank) == "当前处于离线状态")
  }

  @Test func `English of an app comes after built-in texts of the reader's language`() {
    let catalog = TextCatalog.standard.adding([key: "No network"], language: "en")
    #expect(title("zh_CN", catalog) == "当前处于离线状态")
    #expect(title("en_GB", catalog) == "No network")
  }

  @Test func `a closure is asked first, the newest before the others`() {
    let catalog = TextCatalog.standard
      .adding { key, _ in key.hasSuffix(".title") ? "old" : nil }
      .adding { key, locale in locale.identifier == "de" ? "new" : key }
    #expect(title("de", catalog) == "new")
    #expect(title("fr", catalog) == "old")
    let recursive = TextCatalog.standard.adding { _, locale in
      AppError.offline().title.string(in: locale) + "!"
    }
    #expect(title("de", recursive) == "Keine Internetverbindung!")
  }

  @Test(arguments: ["{1}", "{0} {9999}", "x {3}", "{0}{1}"])
  func `a wording that names an argument that is not there is not taken`(_ wording: String) {
    let text = LocalizableText(key: "k", english: "\(3) left")
    let catalog = TextCatalog.standard.adding(["k": wording], language: "de")
    TextCatalog.with(catalog) {
      #expect(text.string(in: Locale(identifier: "de")) == "3 left")
    }
  }

  @Test func `a wording may turn its arguments round`() {
    let text = LocalizableText(key: "k", english: "\("a") of \("b")")
    let catalog = TextCatalog.standard.adding(["k": "{1}: {0} {{x}}"], language: "de")
    TextCatalog.with(catalog) {
      #expect(text.string(in: Locale(identifier: "de")) == "b: a {x}")
      #expect(text.description == "a of b", "logs stay English (T21)")
    }
  }

  @Test func `texts with a key and without a translation are English`() {
    let text = LocalizableText(key: "shop.closed", english: "The shop is closed.")
    #expect(text.string(in: Locale(identifier: "de")) == "The shop is closed.")
    #expect(TextCatalog.standard.pattern(for: "shop.closed", in: Locale(identifier: "de")) == nil)
  }

  @Test func `bootstrap sets the catalogue of the process, once`() async throws {
    await #expect(processExitsWith: .success) {
      TextCatalog.bootstrap(.standard.adding([key: "Kein Netz"], language: "de"))
      precondition(AppError.offline().title.string(in: Locale(identifier: "de")) == "Kein Netz")
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      TextCatalog.bootstrap(.standard)
      TextCatalog.bootstrap(.standard)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("TextCatalog.bootstrap was called twice"))
  }

  @Test func `an async operation runs under its own catalogue`() async {
    let catalog = TextCatalog.standard.adding([key: "Kein Netz"], language: "de")
    let text = await TextCatalog.with(catalog) {
      await Task.yield()
      return AppError.offline().title.string(in: Locale(identifier: "de"))
    }
    #expect(text == "Kein Netz")
    #expect(title("de") == "Keine Internetverbindung")
  }

  @Test(.ends(withinMinutes: 5)) func `a wording of a million bytes is filled in one pass`() {
    for piece in ["{0}", "{", "}}", "{12", "あ", "{0}{1}"] {
      let wording = String(repeating: piece, count: 1_000_000 / piece.utf8.count)
      let text = LocalizableText(key: "k", english: "\("")\("")x")
      TextCatalog.with(.standard.adding(["k": wording], language: "de")) {
        _ = text.string(in: Locale(identifier: "de"))
      }
    }
  }
}

@Suite struct TextCatalogFilesTests {
  private func german(_ catalog: TextCatalog) -> String? {
    catalog.pattern(for: key, language: "de")
  }

  @Test func `a strings file is read with comments and escapes`() throws {
    let text = #"""
      /* A comment; "x" = "y"; */
      "error.network.offline.title" = "Kein \"Netz\"\n\U00e4";  // end
      "b"="";"c" = "/* no comment */";
      """#
    let catalog = try TextCatalog.standard.adding(strings: "\u{FEFF}" + text, language: "de")
    #expect(german(catalog) == "Kein \"Netz\"\nä")
    #expect(catalog.pattern(for: "c", language: "de") == "/* no comment */")
  }

  @Test(arguments: [
    ("\"a\" = \"b\"", 1), ("\n\n\"a\" \"b\";", 3), ("\"a\" = \"b;\n", 1), ("a = \"b\";", 1),
    ("/* x", 1), ("\n/x", 2), ("\"a\" = \"\\U00zz\";", 1), ("\"a\" = \"\\Ud800\";", 1),
    ("\"a\\", 1), ("\"", 1), ("= ;", 1), ("\"a\" = \"\\U00", 1), ("/", 1), ("\"a\" = \"b\"; }", 1),
  ])
  func `what is in no form says where and why`(_ text: String, _ line: Int) throws {
    let thrown = #expect(throws: TextCatalog.Unreadable.self) {
      try TextCatalog.standard.adding(strings: text, named: "x.strings", language: "de")
    }
    let error = try #require(thrown)
    #expect(error.line == line)
    #expect(error.appError.details?.contains("x.strings:\(line): ") == true)
    #expect(error.appError.kind == .configuration)
  }

  @Test func `files are read by their form`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let line = "\"\(key)\" = \"Kein Netz\";"
    let files: [(String, Data?)] = [
      ("a.json", Data("{\"\(key)\": \"Kein Netz\"}".utf8)), ("b.strings", Data(line.utf8)),
      ("c.strings", line.data(using: .utf16)),
    ]
    for (name, data) in files {
      let file = folder.appending(path: name)
      try #require(data).write(to: file)
      let catalog = try TextCatalog.standard.adding(contentsOf: file, language: "de")
      #expect(german(catalog) == "Kein Netz", "\(name)")
    }
    let broken: [(String, Data?)] = [
      ("d.json", Data("[1]".utf8)), ("e.strings", Data([0xff, 0x41, 0x42])), ("f.strings", nil),
      ("g.json", Data("{\"a\": 3}".utf8)), ("h.json", Data()),
    ]
    for (name, data) in broken {
      let file = folder.appending(path: name)
      try data?.write(to: file)
      let thrown = #expect(throws: TextCatalog.Unreadable.self, "\(name)") {
        try TextCatalog.standard.adding(contentsOf: file, language: "de")
      }
      #expect(thrown?.file == name)
      #expect(thrown?.appError.details?.contains(folder.path) == false)
    }
  }

  @Test func `any file is read or refused and never stops the program`() {
    var generator = SeededGenerator(seed: 11)
    let pieces = ["\"", "\\", "=", ";", "/", "*", "a", "\n", "U", "00e4", " ", "{0}", "\u{301}"]
    for _ in 0..<3_000 {
      _ = try? TextCatalog.standard.adding(
        strings: generator.text(of: pieces, pieces: 20), language: "de")
    }
  }
}
