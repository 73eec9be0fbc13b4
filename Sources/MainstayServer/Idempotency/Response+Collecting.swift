// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Mainstay
import NIOCore

extension Response {
  /// Reads the body into memory, and puts it back.
  ///
  /// - Parameter maximum: How many bytes are given back at most.
  /// - Returns: The body; nil where it is larger, and then it is sent all the same.
  /// - Throws: What the body is written with.
  mutating func collected(upTo maximum: Int) async throws -> ByteBuffer? {
    let collected = Collected()
    try await body.write(Collector(collected: collected))
    let buffer = collected.buffer
    body = ResponseBody(byteBuffer: buffer)
    return buffer.readableBytes <= maximum ? buffer : nil
  }
}

/// Takes a body as the connection would.
private struct Collector: ResponseBodyWriter {
  let collected: Collected

  mutating func write(_ part: ByteBuffer) async throws {
    collected.add(part)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// What was written so far.
private final class Collected: Sendable {
  private let state = Locked(ByteBuffer())

  var buffer: ByteBuffer { state.withLock { $0 } }

  func add(_ part: ByteBuffer) {
    state.withLock { _ = $0.writeImmutableBuffer(part) }
  }
}
