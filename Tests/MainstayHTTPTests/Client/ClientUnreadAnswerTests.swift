// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// A success whose body cannot be read: the service has mostly done what it was asked.
@Suite struct ClientUnreadAnswerTests {
  private struct Book: Codable, Sendable {
    var title: String
  }

  private let transport = ScriptedTransport(.json(#"{"name":"Dune"}"#, status: 201))

  @Test func `after a change nobody knows whether it was made`() async throws {
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey(), as: Book.self)
    }
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.kind == .decoding && error?.httpStatus == 201)
    #expect(error?.title.string() == AppError.http(status: 500, isRepeatable: false).title.string())
    #expect(error?.actions.contains { $0.id == RecoveryAction.retry.id } == false)
    #expect(error?.actions.contains { $0.id == RecoveryAction.checkOutcome.id } == true)
    #expect(transport.sent.count == 1, "it is not for the policies to send it again")
  }

  @Test func `a question can be asked again, and stays what it was`() async throws {
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Book.self) }
    #expect(error?.disposition == .permanent && error?.kind == .decoding)
  }

  @Test(arguments: [HTTPVerb.get, .put, .post])
  func `an answer that is too long says the same`(_ verb: HTTPVerb) async throws {
    var settings = ResilientClient.Settings()
    settings.maximumAnswer = 10
    let books = try client(transport, settings: settings)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(verb, "/a", key: IdempotencyKey()))
    }
    #expect(error?.disposition == (verb == .get ? .permanent : .unknownOutcome))
    #expect(error?.kind == .decoding && transport.sent.count == 1)
  }
}
