// SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// Refuses requests while there are more than can be answered.
///
/// It stands behind ``ProblemMiddleware``, which answers what it refuses, and before all that
/// costs.
public struct LoadSheddingMiddleware<Context: RequestContext>: RouterMiddleware {
  private let shedding: LoadShedding

  /// Makes the middleware.
  ///
  /// - Parameter shedding: Which requests are let in.
  public init(_ shedding: LoadShedding) {
    self.shedding = shedding
  }

  /// Answers a request that is let in; its place is free once the answer has been sent.
  ///
  /// - Throws: `Rejection` where it is not let in, and what the handler throws.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let place = try await shedding.admit(request.head)
    do {
      var response = try await place.handle { try await next(request, context) }
      let body = response.body
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        defer { place.release() }
        try await body.write(writer)
      }
      return response
    } catch {
      place.release()
      throw error
    }
  }
}
