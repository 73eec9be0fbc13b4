// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// A connection whose reader goes: it takes a few parts of a body, and nothing after them.
struct BrokenConnection: RouterMiddleware {
  typealias Context = BasicRequestContext

  /// What it fails with.
  struct Gone: Error {}

  /// How many parts it takes.
  let parts: Int

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    let (body, parts) = (response.body, parts)
    response.body = ResponseBody { _ in try await body.write(Writer(left: parts)) }
    return response
  }

  private struct Writer: ResponseBodyWriter {
    var left: Int

    mutating func write(_ part: ByteBuffer) async throws {
      guard left > 0 else { throw Gone() }
      left -= 1
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
      guard left > 0 else { throw Gone() }
    }
  }
}
