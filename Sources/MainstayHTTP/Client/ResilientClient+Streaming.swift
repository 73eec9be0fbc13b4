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
    /// reading gives the rest up. After a change that must not be made twice, the outcome of a body
    /// that breaks off is unknown.
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
    let doubt = BrokenOff(request)
    return try await core.perform(request) { [core, silence, verb = request.verb] reply, way in
      StreamedResponse(
        status: reply.status, headers: reply.headers,
        body: HTTPByteStream(
          WatchedBody(stream: reply.body, silence: silence, doubt: doubt, core: core),
          length: reply.length(to: verb)),
        address: way.address)
    }
  }
}

/// What is told of a body that breaks off, by what was asked: the policies, which know that of a
/// whole answer, have ended with its head.
private enum BrokenOff: Sendable {
  case question
  /// A change that may be made again, and may have been made.
  case change
  /// One that must not be made twice.
  case changeOnce

  init(_ request: ResilientClient.Request) {
    let mayBeRepeated = request.mayBeRepeated
    self = mayBeRepeated ? (request.verb.isSafe ? .question : .change) : .changeOnce
  }

  func told(_ error: any Error) -> AppError {
    let failure = ErrorMapping.current.map(error)
    // That somebody reads it twice says nothing about what was asked.
    guard self != .question, failure.disposition != .cancelled,
      failure.code != HTTPByteStream.wasRead.code
    else { return failure }
    let told = failure.adding(metadata: ["http.sent": "maybe"])
    return self == .change ? told : told.with(disposition: .unknownOutcome)
  }
}

/// A body that does not stay silent for ever, and whose errors say what they mean.
private struct WatchedBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let stream: HTTPByteStream
  let silence: Timeout?
  let doubt: BrokenOff
  /// A transport ends its connections with itself, so it stays for as long as somebody reads.
  let core: ResilientClient.Core

  struct AsyncIterator: AsyncIteratorProtocol {
    var parts: HTTPByteStream.AsyncIterator
    let body: WatchedBody

    mutating func next() async throws -> Data? {
      do {
        guard let silence = body.silence else { return try await parts.next() }
        return try await silence.run { try await parts.next() }
      } catch {
        throw body.doubt.told(error)
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(parts: stream.makeAsyncIterator(), body: self)
  }
}
