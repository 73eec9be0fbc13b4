// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private let english = Locale(identifier: "en_US")
private let german = Locale(identifier: "de_DE")

@Suite struct LocalizableTextTests {
  @Test func `interpolated values become arguments`() {
    let text: LocalizableText = "“\("Dune")” was saved \(3) times."
    #expect(text.pattern == "“{0}” was saved {1} times.")
    #expect(text.arguments == [.text("Dune"), .integer(3)])
    #expect(text.string(in: english) == "“Dune” was saved 3 times.")
  }

  @Test func `a public text is read like any other, also by builds that do not know of it`()
    throws
  {
    let text: LocalizableText = "No \(public: "Search") here"
    #expect(text.arguments == [.publicText("Search")])
    #expect(text.string(in: german) == "No Search here")
    let other: LocalizableText = "No \("Search") here"
    #expect(text != other && text.description == other.description)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let argument = try encoder.encode(text.arguments[0])
    #expect(String(decoding: argument, as: UTF8.self) == #"{"public":true,"text":"Search"}"#)
  }

  @Test(.requirement("A51")) func `values are written in the reader's way`() {
    let text: LocalizableText = "\(1_234_567) of \(2.5)"
    #expect(text.string(in: english) == "1,234,567 of 2.5")
    #expect(text.string(in: german) == "1.234.567 of 2,5")
  }

  @Test func `a text in a text is put into the reader's words, and kept`() throws {
    let inner = LocalizableText(key: "error.form.empty.message", english: "Nothing of \(1_000).")
    let text = LocalizableText(key: "none", english: "First: \(argument: .localized(inner))")
    #expect(text.description == "First: Nothing of 1,000.")
    #expect(text.string(in: german) == "First: \(inner.string(in: german))")
    #expect(inner.string(in: german) != inner.description)
    let copy = try JSONDecoder().decode(
      LocalizableText.self, from: JSONEncoder().encode(text))
    #expect(copy == text)
  }

  @Test(arguments: [
    (Duration.zero, "0 seconds"), (.milliseconds(1), "1 second"),
    (.seconds(90), "1 minute, 30 seconds"),
    (.seconds(-5), "0 seconds"), (.seconds(Int64.max), "365 days"),
    (.seconds(3_599), "59 minutes, 59 seconds"), (.seconds(3_601), "1 hour, 1 second"),
  ])
  func `a wait is never announced shorter than it is`(_ wait: Duration, _ words: String) {
    let text: LocalizableText = "\(wait)"
    #expect(text.string(in: english) == words)
  }

  @Test func `braces of the author and of a value stay braces`() {
    let text: LocalizableText = "{\("{0}")} {1}"
    #expect(text.string(in: english) == "{{0}} {1}")
    #expect(LocalizableText(verbatim: "{0} {").string(in: english) == "{0} {")
  }

  @Test func `an accent after a value or a brace does no harm`() {
    let text: LocalizableText = "\("a")\u{301} {\u{301}"
    #expect(text.string(in: english) == "a\u{301} {\u{301}")
  }

  @Test(
    .requirement("A6"),
    arguments: [
      "", " ", "\n\t", "\u{200B}", "\u{FEFF}\u{2060}", "\u{00AD}", "\u{3000}", "\0",
    ])
  func `a text without anything to see is blank`(_ text: String) {
    let interpolated: LocalizableText = "\(text)\(" ")"
    #expect(LocalizableText(verbatim: text).isBlank)
    #expect(interpolated.isBlank)
  }

  @Test(arguments: ["x", "?", "👩‍👩‍👧", "あ", "0", "."])
  func `a text with something to see is not blank`(_ text: String) {
    #expect(!LocalizableText(verbatim: text).isBlank)
  }

  @Test func `texts of a server that differ are different`() {
    #expect(LocalizableText(verbatim: "a") != LocalizableText(verbatim: "b"))
    #expect(LocalizableText(verbatim: "a").arguments != LocalizableText(verbatim: "b").arguments)
  }

  @Test func `comes back from JSON with every kind of argument`() throws {
    let text: LocalizableText = """
      \("t") \(UInt8(3)) \(2.5) \(Duration.milliseconds(1_500)) \(Date(timeIntervalSince1970: 5))
      \(public: "p")
      """
    let keyed = LocalizableText(key: "a.b", english: text)
    #expect(try throughJSON(keyed) == keyed)
  }

  @Test func `numbers and dates that JSON has no word for do not lose the text`() throws {
    let text: LocalizableText =
      "\(Double.nan) \(Double.infinity) \(Date(timeIntervalSince1970: .nan))"
    let read = try throughJSON(text)
    #expect(read.pattern == text.pattern)
    #expect(!read.string(in: english).isEmpty)
  }

  @Test func `an argument of a newer build leaves the rest readable`() throws {
    let json = #"{"pattern": "Only {0} left", "arguments": [{"measure": {"kg": 3}}]}"#
    #expect(try decode(LocalizableText.self, json).string(in: english) == "Only … left")
  }

  @Test(arguments: ["{}", #"{"pattern": 3, "arguments": []}"#, "[]", #"{"pattern": "a"}"#])
  func `nonsense is a decoding error`(_ json: String) {
    #expect(throws: DecodingError.self) { try decode(LocalizableText.self, json) }
  }

  @Test(arguments: [1e300, -1e300, .infinity, .nan, 1e15])
  func `a date that no calendar knows is shown all the same`(_ seconds: Double) {
    let text: LocalizableText = "\(Date(timeIntervalSince1970: seconds))"
    #expect(!text.string(in: english).isEmpty)
  }

  @Test func `any stored pattern is shown and never stops the program`() throws {
    var generator = SeededGenerator(seed: 5)
    let pieces = [
      "{", "}", "{0}", "{1}", "{00}", "{+0}", "{-1}", "{99999999999999999999}", "{ 0}", "{{", "}}",
      "a", "\u{301}", "👩‍👧",
    ]
    for _ in 0..<3_000 {
      let pattern = generator.text(of: pieces, pieces: 12)
      let document = try JSONSerialization.data(
        withJSONObject: ["pattern": pattern, "arguments": [["text": "x"]]])
      let text = try JSONDecoder().decode(LocalizableText.self, from: document)
      #expect(text.string(in: english).unicodeScalars.count <= pattern.unicodeScalars.count)
    }
  }

  @Test(.ends(withinMinutes: 5)) func `a long hostile pattern is shown in one pass`() throws {
    for piece in ["{", "{0", "}", "{0}", "{1"] {
      let pattern = String(repeating: piece + "x", count: 100_000)
      let document = try JSONSerialization.data(
        withJSONObject: ["pattern": pattern, "arguments": [["text": ""]]])
      let text = try JSONDecoder().decode(LocalizableText.self, from: document)
      #expect(!text.string(in: english).isEmpty)
    }
  }
}
