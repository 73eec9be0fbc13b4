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
