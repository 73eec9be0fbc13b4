// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Mainstay
import NIOCore

extension Response {
  /// The same answer, with which a run ends: before it is sent where its length is known, and once
  /// it was sent where it is a stream, which may be without end.
  ///
  /// A stream whose reader goes is not made to its end, for it may have none. What the handler has
  /// done is done all the same, so the run ends with the head alone, and only a stream that fails
  /// by itself gives the key back.
  ///
  /// - Parameters:
  ///   - run: What ends.
  ///   - maximum: How many bytes of the body are kept at most.
  /// - Returns: What is sent.
  /// - Throws: What a body of known length is written with.
  func kept(by run: IdempotentRun, upTo maximum: Int) async throws -> Response {
    var response = self
    let (head, body) = (head, body)
    guard let length = body.contentLength else {
      let copy = BodyCopy(upTo: maximum)
      let copied = body.map { part in
        copy.add(part)
        return part
      }
      // From here on, also a stream that nobody asks for belongs to a request that was handled.
      run.handled(with: head)
      response.body = ResponseBody { writer in
        let reader = ReaderWatch()
        do {
          try await run.whileActive { try await copied.write(reader.watching(writer)) }
          // Who makes it may not have heeded that nobody took a part of it.
          await run.end(with: head, body: reader.hasGone ? nil : copy.data)
        } catch {
          if reader.hasGone || (error.isCancellation && Task.isCancelled) {
            await run.end(with: head, body: nil)
          } else {
            await run.fail()
          }
          throw error
        }
      }
      return response
    }
    guard length <= maximum else {
      await run.end(with: head, body: nil)
      return response
    }
    let copy = BodyCopy(upTo: .max)
    try await run.whileActive { try await body.write(Collecting(copy: copy)) }
    let buffer = copy.buffer ?? ByteBuffer()
    let data = Data(buffer.readableBytesView)
    await run.end(with: head, body: data.count <= maximum ? data : nil)
    response.body = ResponseBody(byteBuffer: buffer)
    return response
  }
}

extension IdempotentRun {
  /// Runs an operation under the key; a writer belongs to no actor, and neither does this.
  @concurrent fileprivate func whileActive(
    _ operation: @concurrent () async throws -> Void
  ) async throws {
    try await IdempotencyKey.$current.withValue(key, operation: operation)
  }
}

/// Takes a body as the connection would.
private struct Collecting: ResponseBodyWriter {
  let copy: BodyCopy

  mutating func write(_ part: ByteBuffer) async throws { copy.add(part) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// What was written so far; nothing once that is too much.
private final class BodyCopy: Sendable {
  private let maximum: Int
  private let state: Locked<ByteBuffer?> = Locked(ByteBuffer())

  init(upTo maximum: Int) { self.maximum = maximum }

  var buffer: ByteBuffer? { state.withLock { $0 } }

  var data: Data? { buffer.map { Data($0.readableBytesView) } }

  func add(_ part: ByteBuffer) {
    state.withLock { copy in
      guard let count = copy?.readableBytes else { return }
      if part.readableBytes > maximum - count {
        copy = nil
      } else {
        copy?.writeImmutableBuffer(part)
      }
    }
  }
}
