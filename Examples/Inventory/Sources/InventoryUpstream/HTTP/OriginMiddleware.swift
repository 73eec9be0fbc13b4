// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// Refuses writes that a page of another host makes with its visitor's browser.
struct OriginMiddleware: RouterMiddleware {
  typealias Context = UpstreamContext

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if request.isWrite, let origin = request.headers[.origin], !isOwn(origin, request) {
      throw Problem.foreignOrigin
    }
    return try await next(request, context)
  }

  private func isOwn(_ origin: String, _ request: Request) -> Bool {
    guard let host = URL(string: origin)?.host()?.lowercased(),
      let authority = request.head.authority,
      let own = URL(string: "http://\(authority)")?.host()?.lowercased()
    else { return false }
    return host == own
  }
}
