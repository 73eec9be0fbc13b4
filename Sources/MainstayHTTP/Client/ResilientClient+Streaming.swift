// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension ResilientClient {
  /// An answer whose body is read while it comes.
  public struct StreamedResponse: Sendable {
    /// The status.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaderFields
    /// The body, whose errors are `AppError`.
    ///
    /// One that is silent for longer than ``Settings/streamSilence`` ends with one. Who stops
    /// reading gives the rest up.
    public let body: HTTPByteStream
    /// The address that answered, after redirections.
    public var url: URL { address.url }

    let address: WireAddress
  }

  /// Sends a request, and returns as soon as the head of the answer is there.
  ///
  /// The client and its connections stay for as long as the body is read.
  ///
  /// The policies are about the head: what fails while the body is read is not repeated, since a
  /// part of it has been handed out.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer, with a status of success.
  /// - Throws: `AppError` for anything else, cancellations included.
  public func stream(_ request: Request) async throws(AppError) -> StreamedResponse {
    try await core.perform(request) { [core, silence, verb = request.verb] reply, way in
      StreamedResponse(
        status: reply.status, headers: reply.headers,
        body: HTTPByteStream(
          WatchedBody(stream: reply.body, silence: silence, core: core),
          length: reply.length(to: verb)),
        address: way.address)
    }
  }
}

/// A body that does not stay silent for ever, and whose errors say what they mean.
private struct WatchedBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let stream: HTTPByteStream
  let silence: Timeout?
  /// A transport ends its connections with itself, so it stays for as long as somebody reads.
  let core: ResilientClient.Core

  struct AsyncIterator: AsyncIteratorProtocol {
    var parts: HTTPByteStream.AsyncIterator
    let silence: Timeout?
    let core: ResilientClient.Core

    mutating func next() async throws -> Data? {
      do {
        guard let silence else { return try await parts.next() }
        return try await silence.run { try await parts.next() }
      } catch {
        throw ErrorMapping.current.map(error)
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(parts: stream.makeAsyncIterator(), silence: silence, core: core)
  }
}
