// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Texts that are cut where something is that must not be seen.
@Suite(.requirement("A46")) struct MonitorPrivacyTests {
  private static let secrets = [
    ("see https://ada:hunter2@db.example/x", ["ada", "hunter2", "hunt"]),
    ("mail ada.lovelace@example.com now", ["ada", "lovelace"]),
    ("password: hunter2", ["hunt"]),
    ("Authorization: Digest user=ada, nonce=hunter2", ["ada", "hu"]),
    (" Bearer abcdefgh12345", ["abc"]), ("id eyJhbGciOi.eyJzdWIiOiIx.c2ln ok", ["eyJ"]),
    ("key sk_live_1234567890abcdef", ["sk_", "123"]), ("/Users/ada/x", ["ada"]),
    (#"{"token":"hunter2 and more"}"#, ["hunt", "more"]),
    ("get https://db.example/x?name=ada&q=hunter2", ["ada", "hunt"]),
    (#"{"name": "token", "value": "hunter2 and more"}"#, ["hunt", "more"]),
    ("GET /x?name=ada&q=hunter2", ["ada", "hunt"]),
    ("-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----", ["hunt"]),
    ("got " + String(repeating: "QUJD+/8=", count: 90), ["QUJD"]),
    ("https://" + String(repeating: "hunter2.", count: 200) + ":ada@db.example/x", ["hunter2"]),
  ]

  private static let marks = ["<redacted>", "<email>", "<user>", "<data>"]

  private func check(_ text: String?, _ words: [String], limit: Int, _ when: String) {
    let text = text ?? ""
    #expect(text.utf8.count <= limit, "\(when)")
    let seen = words.filter { text.contains($0) }
    #expect(seen.isEmpty, "\(when): \(text.suffix(60))")
    guard let start = text.lastIndex(of: "<") else { return }
    let mark = text[start...]
    #expect(Self.marks.contains { mark.hasPrefix($0) }, "a mark was cut, \(when): \(mark)")
  }

  @Test(arguments: ["x ", "x", "日本"])
  func `what is cut in two is not seen in parts`(filler: String) {
    let monitor = ErrorMonitor(.init(breadcrumbs: 1))
    for (secret, words) in Self.secrets {
      for length in 130...205 {
        let count = length / filler.utf8.count
        let text = String(repeating: filler, count: count) + secret + " and so on"
        monitor.addBreadcrumb(text)
        check(monitor.breadcrumbs.last?.message, words, limit: 200, "\(length), \(secret)")
      }
    }
  }

  @Test func `what is set on a presentation after it was made is redacted and cut`() throws {
    let (monitor, error) = (ErrorMonitor(), AppError.http(status: 503, isRepeatable: true))
    monitor.capture(error)
    let text = "ada@example.com " + String(repeating: "x", count: 1_000_000)
    var shown = ErrorReport.Presentation(style: "alert")
    shown.titleKey = text
    monitor.recordPresentation(shown, of: error)
    let key = try #require(monitor.history.first?.presentation?.titleKey)
    #expect(key.hasPrefix("<email> ") && key.utf8.count <= 200)
    shown.style = text
    shown.time = Date(timeIntervalSince1970: .infinity)
    monitor.recordPresentation(shown, of: error)
    let presentation = try #require(monitor.history.first?.presentation)
    #expect(presentation.style.hasPrefix("<email> ") && presentation.style.utf8.count <= 200)
    #expect(presentation.time?.timeIntervalSince1970.isFinite == true)
  }

  @Test(arguments: [2_000, 4_000, 8_000])
  func `long texts are cut as carefully`(limit: Int) {
    let monitor = ErrorMonitor(.init(limit: nil))
    for (secret, words) in Self.secrets {
      for length in stride(from: limit - 50, through: limit + 3, by: 7) {
        let text = String(repeating: "x ", count: length / 2) + secret + " and so on"
        let error = AppError(
          code: "a.b", kind: .server, disposition: .permanent, title: "Title",
          message: LocalizableText(verbatim: text), details: limit == 4_000 ? text : nil,
          metadata: ["a": text])
        monitor.capture(error, message: text, metadata: ["b": .public(text)])
        let report = monitor.history.first
        let place = "\(length), \(secret)"
        check(report?.message, words, limit: 2_000, place)
        check(report?.details, words, limit: 8_003, place)
        check(report?.metadata["a"], words, limit: 2_000, place)
        check(report?.metadata["b"], words, limit: 2_000, place)
      }
    }
  }

  @Test func `data that shrinks brings nothing half-seen into what is kept`() {
    let data = String(repeating: "QUJD+/8=", count: 145)
    for length in 0..<60 {
      let text = data + String(repeating: " ", count: length) + "https://ada:hunter2@db.example/x"
      let monitor = ErrorMonitor()
      monitor.addBreadcrumb(text)
      check(monitor.breadcrumbs.first?.message, ["ada", "hunt"], limit: 200, "\(length)")
    }
  }

  @Test func `what texts say of a person stays on the device, numbers and public names do not`()
    async throws
  {
    let name = "Ada Lovelace"
    let inner = LocalizableText(key: "a.inner", english: "\(name) has \(3) of them")
    let monitor = ErrorMonitor()
    monitor.capture(
      AppError(
        code: "library.not-saved", kind: .storage, disposition: .permanent,
        title: "“\(name)” was not saved",
        message: "Tell \(name), item \(7) of \(public: "Search"): \(argument: .localized(inner)).",
        suggestion: "\(name)"))
    let report = try #require(monitor.history.first)
    #expect(report.title == "“<private>” was not saved" && report.suggestion == "<private>")
    #expect(report.message == "Tell <private>, item 7 of Search: <private> has 3 of them.")
    var bodies = [ErrorReport.Encoding.otlp, .sentry, .json].map { $0.body(of: report) }
    bodies.append(try await Diagnostics.Source(monitor).collect().encoded())
    for body in bodies {
      let text = String(decoding: body, as: UTF8.self)
      #expect(!text.contains("Lovelace") && text.contains("private"))
    }
  }

  @Test func `a text that was kept stays private, also where it is no longer translated`() {
    let long = String(repeating: "Ada Lovelace ", count: 20)
    let texts: [LocalizableText] = ["Tell \(long)", "Tell \("Ada")", "Tell \(public: "Ada")"]
    let kept = texts.map { $0.kept(upTo: 100) }
    #expect(kept.map { $0.description.hasPrefix("Tell Ada") } == [true, true, true])
    let monitor = ErrorMonitor()
    for (number, text) in kept.enumerated() {
      monitor.capture(
        AppError(
          code: ErrorCode("kept-\(number)") ?? "kept", kind: .storage, disposition: .permanent,
          title: "Title", message: text))
    }
    #expect(monitor.history.map(\.message) == ["Tell Ada", "Tell <private>", "<private>"])
  }

  @Test func `the ending of a long name says that its value is a secret`() {
    let name = String(repeating: "very.long.", count: 30) + "access_token"
    let monitor = ErrorMonitor(facts: [name: "hush"])
    monitor.addBreadcrumb("step", metadata: [name: .public("hush")])
    monitor.capture(storeError().adding(metadata: [name: "hush"]))
    #expect(monitor.facts.values.map { $0 } == ["<redacted>"])
    #expect(monitor.breadcrumbs.first?.metadata.values.map { $0 } == ["<redacted>"])
    #expect(monitor.history.first?.metadata.values.map { $0 } == ["<redacted>"])
    #expect(monitor.facts.keys.allSatisfy { $0.utf8.count <= 200 })
  }
}
