// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What is told of a body that breaks off while it is read.
@Suite(.ends(withinMinutes: 5)) struct ClientStreamTests {
  struct Asked: Sendable, CustomTestStringConvertible {
    let verb: HTTPVerb
    var hasKey = false
    var isOnce = false
    let disposition: Disposition

    var testDescription: String { "\(verb)\(hasKey ? " key" : "")\(isOnce ? " once" : "")" }

    var request: ResilientClient.Request {
      let parts = HTTPByteStream(Data("photo".utf8))
      return ResilientClient.Request(
        verb, "/a", body: isOnce ? .once(parts) : nil, key: hasKey ? IdempotencyKey() : nil)
    }
  }

  static let asked = [
    Asked(verb: .get, disposition: .transient()), Asked(verb: .put, disposition: .transient()),
    Asked(verb: .post, hasKey: true, disposition: .transient()),
    Asked(verb: .post, disposition: .unknownOutcome),
    Asked(verb: .patch, disposition: .unknownOutcome),
    Asked(verb: .put, isOnce: true, disposition: .unknownOutcome),
  ]

  /// A stream whose first part has been read.
  private func reading(
    _ asked: Asked, of parts: AsyncThrowingStream<Data, any Error>,
    clock: ManualClock = ManualClock()
  ) async throws -> HTTPByteStream.AsyncIterator {
    let transport = ScriptedTransport { _, _ in
      HTTPReply(status: 200, headers: [:], body: HTTPByteStream(parts))
    }
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    var iterator = try await books.stream(asked.request).body.makeAsyncIterator()
    #expect(try await iterator.next() == Data("one".utf8))
    return iterator
  }

  @Test(arguments: asked)
  func `a change that must not be made twice is of unknown outcome where its answer breaks off`(
    _ asked: Asked
  ) async throws {
    let (parts, source) = AsyncThrowingStream<Data, any Error>.makeStream()
    source.yield(Data("one".utf8))
    source.finish(throwing: URLError(.networkConnectionLost))
    var iterator = try await reading(asked, of: parts)
    let error = await #expect(throws: AppError.self) { try await iterator.next() }
    #expect(error?.disposition == asked.disposition)
    #expect(error?.mayHaveBeenSent == true)
    #expect(error?.kind == .network)
  }

  @Test(arguments: asked) func `so it is where it is silent for too long`(
    _ asked: Asked
  ) async throws {
    let (parts, source) = AsyncThrowingStream<Data, any Error>.makeStream()
    source.yield(Data("one".utf8))
    let clock = ManualClock()
    var iterator = try await reading(asked, of: parts, clock: clock)
    let waiting = clock.sleeperCount
    async let end: Void = {
      await clock.sleepers(atLeast: waiting + 1)
      clock.advance(by: .seconds(30))
    }()
    let error = await #expect(throws: AppError.self) { try await iterator.next() }
    #expect(error?.disposition == asked.disposition)
    #expect(error?.kind == .timeout && error?.mayHaveBeenSent == true)
    await end
  }

  @Test func `a key of the task counts as one of the request, and a cancellation is one`()
    async throws
  {
    let (parts, source) = AsyncThrowingStream<Data, any Error>.makeStream()
    source.yield(Data("one".utf8))
    let post = Asked(verb: .post, disposition: .unknownOutcome)
    var iterator = try await IdempotencyKey.$current.withValue(IdempotencyKey()) {
      try await reading(post, of: parts)
    }
    source.finish(throwing: URLError(.networkConnectionLost))
    let error = await #expect(throws: AppError.self) { try await iterator.next() }
    #expect(error?.disposition == .transient())
    let (others, other) = AsyncThrowingStream<Data, any Error>.makeStream()
    other.yield(Data("one".utf8))
    var given = try await reading(post, of: others)
    other.finish(throwing: CancellationError())
    let cancelled = await #expect(throws: AppError.self) { try await given.next() }
    #expect(cancelled?.disposition == .cancelled)
  }
}
