// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTestSupport
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

@Suite struct URLSessionTransportTests {
  @Test(
    .requirement("D10", "E14", "D6"), .ends(withinMinutes: 2),
    arguments: ClientConformance.Promise.allCases)
  func `a client over it keeps its promises`(_ promise: ClientConformance.Promise) async throws {
    try await ClientConformance(URLSessionTransport()).check(promise)
  }

  @Test(.ends(withinMinutes: 2), arguments: TransferConformance.Case.allCases)
  func `it tells that the parts of a long body go`(_ body: TransferConformance.Case) async throws {
    try await TransferConformance.check(URLSessionTransport(), body)
  }

  /// The body of an answer whose transport nobody has any more.
  private static func body(of origin: String) async throws -> HTTPByteStream {
    let address = try #require(URL(string: origin))
    return try await URLSessionTransport().send(HTTPTransmission(.get, address)).body
  }

  @Test(.ends(withinMinutes: 5))
  func `what ends with its session is a lost connection, and no cancellation`() async throws {
    let server = try await LoopbackServer { _, _ in .endless(200, body: Data("[".utf8)) }
    let body = try await Self.body(of: server.origin)
    let error = await #expect(throws: AppError.self) {
      for try await _ in body {}
    }
    #expect(error?.kind == .network)
    #expect(error?.isCancellation == false)
    #expect(error?.mayHaveBeenSent == true)
    #expect(server.received.count == 1, "it is there until the end")
  }

  @Test(.ends(withinMinutes: 5), arguments: [0, 3, 5])
  func `a body that is shorter or longer than it was announced is not sent`(
    _ length: Int
  ) async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let address = try #require(URL(string: server.origin))
    // Its time stands still, so the usual limits end nothing.
    let client = ResilientClient("uploads", at: address, clock: ManualClock())
    let body = HTTPMessageBody.stream {
      let parts = AsyncThrowingStream<Data, any Error> { continuation in
        for _ in 0..<2 { continuation.yield(Data("ab".utf8)) }
        continuation.finish()
      }
      return HTTPByteStream(parts, length: length)
    }
    let error = await #expect(throws: AppError.self) {
      try await client.send(ResilientClient.Request(.post, "/a", body: body))
    }
    #expect(error?.disposition == .permanent)
    #expect(error?.mayHaveBeenSent == false)
    #expect(server.received.isEmpty)
  }

  @Test(.ends(withinMinutes: 5))
  func `a body over a kept connection that ends is a lost connection, and sent once`()
    async throws
  {
    let server = try await LoopbackServer { _, earlier in earlier == 1 ? .hangUp : .reply(200) }
    let address = try #require(URL(string: server.origin))
    let transport = URLSessionTransport()
    _ = try await transport.send(HTTPTransmission(.get, address)).body.collect(upTo: 10)
    let change = HTTPTransmission(
      .post, address, body: .bytes(Data("whole".utf8)), isRepeatable: true)
    let error = await #expect(throws: AppError.self) { try await transport.send(change) }
    #expect(error?.kind == .network && error?.mayHaveBeenSent == true)
    #expect(server.received.map(\.method) == ["GET", "POST"])
    #expect(try await transport.send(change).status == 200)
    #expect(server.received.last?.body == Data("whole".utf8))
  }

  private static func broken(by error: any Error) -> HTTPByteStream {
    HTTPByteStream(
      AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("a".utf8))
        continuation.finish(throwing: error)
      })
  }

  @Test(.ends(withinMinutes: 5))
  func `a body that cannot be read leaves no doubt that nothing was sent`() async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let address = try #require(URL(string: server.origin))
    // Its time stands still, so the usual limits end nothing.
    let client = ResilientClient("uploads", at: address, clock: ManualClock())
    let body = HTTPMessageBody.stream { Self.broken(by: CocoaError(.fileReadNoSuchFile)) }
    let error = await #expect(throws: AppError.self) {
      try await client.send(ResilientClient.Request(.post, "/a", body: body))
    }
    #expect(error?.kind == .notFound)
    #expect(error?.disposition == .permanent)
    #expect(error?.mayHaveBeenSent == false)
    #expect(server.received.isEmpty)
  }

  @Test(.ends(withinMinutes: 5))
  func `a body that could not be read for a moment is made again and sent`() async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let address = try #require(URL(string: server.origin))
    let client = ResilientClient("uploads", at: address) { _ in
      Pipeline("uploads") { Retry(maximumAttempts: 2, backoff: .none) }
    }
    let made = Locked(0)
    let body = HTTPMessageBody.stream {
      let count = made.withLock { made in
        made += 1
        return made
      }
      if count == 1 { return Self.broken(by: AppError.broken) }
      return HTTPByteStream(Data("whole".utf8))
    }
    _ = try await client.send(ResilientClient.Request(.post, "/a", body: body))
    #expect(server.received.map(\.body) == [Data("whole".utf8)])
  }
}
