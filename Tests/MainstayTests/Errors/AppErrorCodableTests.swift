// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private enum BankError: Error { case refused(card: String), closed }

@Suite struct AppErrorCodableTests {
  private func sample() throws -> AppError {
    AppError(
      code: "payments.declined", kind: .denied, disposition: .throttled(retryAfter: .seconds(3)),
      severity: .critical, title: LocalizableText(key: "k", english: "Card \("4") declined"),
      message: "The bank said no.", suggestion: "Use another card.", details: "HTTP status 402",
      metadata: ["order": "7"], actions: [.retry, .help],
      help: URL(string: "https://example.org/help"), field: "/card",
      underlying: [BankError.closed], time: Date(timeIntervalSince1970: 1_000))
  }

  @Test func `comes back from JSON as it went in`() throws {
    let error = try sample().adding(context: AppError.Frame("Pay", site: SourceSite()))
    let read = try throughJSON(error)
    #expect(read == error)
    #expect(read.id == error.id)
    #expect(read.time == error.time)
    #expect(read.severity == .critical)
    #expect(read.title == error.title)
    #expect(read.message == error.message)
    #expect(read.suggestion == error.suggestion)
    #expect(read.details == error.details)
    #expect(read.metadata == error.metadata)
    #expect(read.actions == error.actions)
    #expect(read.help == error.help)
    #expect(read.context == error.context)
    #expect(read.site == error.site)
  }

  @Test(.requirement("B2", "T13")) func `its causes become records of type, code and text`() throws
  {
    let read = try throughJSON(try sample())
    let cause = try #require(read.cause(as: RecordedError.self))
    #expect(cause.type.hasSuffix("BankError"))
    #expect(!cause.type.contains("unknown context"))
    #expect(cause.text == "closed")
    #expect(try throughJSON(read).underlying.count == read.underlying.count)
  }

  @Test func `what stands inside a cause is left out`() {
    let record = RecordedError(BankError.refused(card: "4111 1111 1111 1111"))
    #expect(record.text == "refused")
    #expect(!record.description.contains("4111"))
    let info = [NSLocalizedDescriptionKey: "No answer", "card": "4111"]
    #expect(RecordedError(NSError(domain: "d", code: 1, userInfo: info)).text == "No answer")
    #expect(RecordedError(NSError(domain: "d", code: 1, userInfo: ["card": "4111"])).text.isEmpty)
  }

  @Test func `details, values and causes are redacted, before they are stored`() throws {
    let error = AppError(
      code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
      details: "GET https://u:p@example.org/x?key=1 failed for anna@example.org",
      metadata: ["Authorization": "Bearer abc def", "path": "/Users/anna/x", "status": "503"],
      underlying: [TextError("password: hunter2")]
    ).adding(
      context: AppError.Frame(
        "Mail anna@example.org", metadata: ["api_key": "k e y"], site: SourceSite()))
    let json = String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
    for secret in ["u:p", "key=1", "anna", "abc", "def", "hunter2", "k e y"] {
      #expect(!json.contains(secret), "\(secret)")
    }
    #expect(json.contains("503"))
  }

  @Test func `what a newer build wrote can be read`() throws {
    var document = try object(try sample())
    document["kind"] = "quantum"
    document["disposition"] = ["name": "healing"]
    document["severity"] = "apocalyptic"
    document["future"] = [1, 2]
    document["actions"] = [
      ["id": "beam-up", "title": ["pattern": "Beam Up", "arguments": []], "role": "heroic"]
    ]
    let read = try decode(document)
    #expect(read.kind.rawValue == "quantum")
    #expect(read.disposition == .unclassified)
    #expect(read.severity == .error)
    #expect(read.actions.first?.id.rawValue == "beam-up")
    #expect(read.actions.first?.role == .normal)
  }

  @Test(.requirement("B1")) func `blank texts in a file are replaced too`() throws {
    var document = try object(try sample())
    document["title"] = ["pattern": " ", "arguments": []]
    document["message"] = ["pattern": "{0}", "arguments": [["text": ""]]]
    document["suggestion"] = ["pattern": "", "arguments": []]
    let read = try decode(document)
    #expect(!read.title.isBlank)
    #expect(!read.message.isBlank)
    #expect(read.suggestion == nil)
  }

  @Test(arguments: [
    "code", "kind", "disposition", "severity", "title", "message", "details", "metadata", "actions",
    "help", "field", "context", "underlying", "site", "time", "id",
  ])
  func `damage in any field is a decoding error`(_ field: String) throws {
    for damage in [["x": ["y": 3]], [[1]], true] as [Any] {
      var document = try object(try sample())
      document[field] = damage
      #expect(throws: DecodingError.self) { try decode(document) }
    }
  }

  @Test func `text cut off anywhere is a decoding error`() throws {
    let data = try JSONEncoder().encode(try sample())
    for length in stride(from: 0, to: data.count - 1, by: 7) {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(AppError.self, from: data.prefix(length))
      }
    }
  }

  @Test func `a time that is no number does not lose the error`() throws {
    let error = AppError(
      code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
      time: Date(timeIntervalSince1970: .infinity))
    #expect(try throughJSON(error) == error)
  }

  private func object(_ error: AppError) throws -> [String: Any] {
    let any = try JSONSerialization.jsonObject(with: JSONEncoder().encode(error))
    return try #require(any as? [String: Any])
  }

  private func decode(_ document: [String: Any]) throws -> AppError {
    try JSONDecoder().decode(
      AppError.self, from: JSONSerialization.data(withJSONObject: document))
  }
}
