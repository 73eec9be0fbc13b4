// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Answers every refusal with problem details.
struct ProblemMiddleware: RouterMiddleware {
  typealias Context = UpstreamContext

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      return try answer(problem)
    } catch let error as HTTPError where error.status == .notFound {
      return try answer(.notFound("No document has this address."))
    }
    // A cut, or bytes that are no HTTP: for those Hummingbird knows what to do.
  }

  private func answer(_ problem: Problem) throws -> Response {
    try .json(
      problem.document, problem.status, type: Problem.contentType, headers: problem.headers)
  }
}
