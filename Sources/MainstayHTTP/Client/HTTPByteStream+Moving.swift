// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

extension HTTPByteStream {
  /// How many bytes are sent in one part, where somebody here makes the parts.
  package static let partLength = 65_536

  /// The same bytes, each part of which moves the end of the attempt's limit.
  ///
  /// A part is asked for once those before it have gone, and is there once it has come.
  package func moving(_ patience: Patience) -> HTTPByteStream {
    if let file { return HTTPByteStream(file, moving: patience) }
    return HTTPByteStream(MovingParts(stream: self, patience: patience), length: length)
  }

  /// Makes a stream of bytes that are there, in parts of which can be seen that they go.
  package init(inParts bytes: Data) {
    self.init(BytesInParts(bytes: bytes), length: bytes.count)
  }
}

extension HTTPTransmission.Body {
  /// The same body, whose parts move the end of the attempt's limit where there is one that moves.
  ///
  /// Bytes that are there are the transport's: it knows what has gone of them.
  func moving(_ patience: Patience?) -> HTTPTransmission.Body {
    guard let patience, case .stream(let stream) = self else { return self }
    return .stream(stream.moving(patience))
  }
}

extension HTTPReply {
  /// The same answer, whose parts move the end of the attempt's limit where there is one that
  /// moves.
  func moving(_ patience: Patience?) -> HTTPReply {
    guard let patience else { return self }
    return HTTPReply(status: status, headers: headers, body: body.moving(patience))
  }
}

struct MovingParts: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let stream: HTTPByteStream
  let patience: Patience

  struct AsyncIterator: AsyncIteratorProtocol {
    var parts: HTTPByteStream.AsyncIterator
    let patience: Patience

    mutating func next() async throws -> Data? {
      patience.moved()
      let part = try await parts.next()
      patience.moved()
      return part
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(parts: stream.makeAsyncIterator(), patience: patience)
  }
}

private struct BytesInParts: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let bytes: Data

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: Data

    mutating func next() async throws -> Data? {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(HTTPByteStream.partLength) }
      return rest.prefix(HTTPByteStream.partLength)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: bytes) }
}
