// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What a client is told holds for all its requests, and is checked when it is made.
@Suite struct ClientSettingsTests {
  private struct Book: Codable, Equatable, Sendable { var printedOn: Date }

  private struct Unencodable: Encodable, Sendable {
    struct Failure: Error {}

    func encode(to encoder: any Encoder) throws { throw Failure() }
  }

  private static let address = URL(string: "https://books.example.com")

  private func client(
    _ transport: ScriptedTransport, _ change: (inout ResilientClient.Settings) -> Void
  ) throws -> ResilientClient {
    var settings = ResilientClient.Settings()
    change(&settings)
    return try ResilientClient(
      "books", at: #require(Self.address), over: transport, validating: settings,
      clock: ManualClock())
  }

  @Test func `a body that a request carries is encoded as the client says`() async throws {
    let transport = ScriptedTransport { _, _ in
      .json(#"{"printed_on":"1970-01-01T00:00:00Z"}"#)
    }
    let books = try client(transport) {
      $0.encoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
      }
      $0.decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
      }
    }
    let book = Book(printedOn: Date(timeIntervalSince1970: 0))
    try await books.post("/books", json: book)
    _ = try await books.send(ResilientClient.Request(.post, "/books", body: .json(book)))
    #expect(try await books.put("/books/1", json: book, as: Book.self) == book)
    #expect(try await books.patch("/books/1", json: book, as: Book.self) == book)
    #expect(transport.sent.count == 4)
    for request in transport.sent {
      #expect(try await request.content() == #"{"printed_on":"1970-01-01T00:00:00Z"}"#)
      #expect(request.headers["content-type"] == "application/json")
    }
    let own = try HTTPMessageBody.json(book, encoder: JSONEncoder())
    _ = try await books.send(ResilientClient.Request(.post, "/books", body: own))
    #expect(try await transport.sent.last?.content() == #"{"printedOn":-978307200}"#)
  }

  @Test func `what cannot be encoded is not sent`() async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport) { _ in }
    let request = ResilientClient.Request(.post, "/books", body: .json(Unencodable()))
    let error = await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(error?.metadata["http.sent"] == "no")
    #expect(error?.cause(as: Unencodable.Failure.self) != nil)
    #expect(transport.sent.isEmpty)
  }

  @Test func `settings that are not legal are refused when the client is made, all at once`()
    throws
  {
    let error = #expect(throws: ConfigurationError.self) {
      try client(ScriptedTransport(.json())) {
        $0.redirections = .anywhere(maximum: -1)
        $0.maximumAnswer = 0
        $0.transferLimit = .zero
        $0.streamSilence = .zero
        $0.headers = ["User Agent": "a"]
        $0.keyField = ""
        $0.deadlineField = "a\nb"
      }
    }
    #expect(error?.subject == "ResilientClient")
    #expect(
      error?.violations.map(\.option) == [
        "redirections", "maximumAnswer", "transferLimit", "streamSilence", "headers", "keyField",
        "deadlineField",
      ])
    _ = try client(ScriptedTransport(.json())) {
      $0.redirections = .sameOrigin(maximum: 0)
      $0.streamSilence = nil
      $0.maximumAnswer = 1
    }
  }

  @Test func `in code they stop the program`() async {
    await #expect(processExitsWith: .failure) {
      var settings = ResilientClient.Settings()
      settings.maximumAnswer = -1
      _ = ResilientClient("books", at: URL(filePath: "/"), settings: settings)
    }
  }
}
