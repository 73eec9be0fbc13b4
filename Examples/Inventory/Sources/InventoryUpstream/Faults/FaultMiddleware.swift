// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Does to each request what the faults that are on demand.
struct FaultMiddleware: RouterMiddleware {
  typealias Context = UpstreamContext

  private static let page = """
    <!DOCTYPE html>
    <html lang="en">
    <head><title>Welcome to the guest network</title></head>
    <body>
    <h1>Welcome to the guest network</h1>
    <form method="post" action="/login">
    <label>Room <input name="room"></label> <button>Connect</button>
    </form>
    </body>
    </html>

    """

  let faults: FaultControl

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !request.isControl else { return try await next(request, context) }
    let plan = await faults.plan(isWrite: request.isWrite)
    var context = context
    context.plan = plan
    if let refusal = plan.refusal { return try await refuse(refusal, context) }
    // A write waits while its key is taken, so its route does it.
    if !request.isWrite { try await faults.wait(plan) }
    if plan.isCutAfterwards {
      _ = try? await next(request, context)
      throw await context.cut()
    }
    var response = try await next(request, context)
    if let limit = plan.limit { response.headers[.rateLimitPolicy] = policy(limit) }
    return response
  }

  private func refuse(_ refusal: FaultPlan.Refusal, _ context: Context) async throws -> Response {
    switch refusal {
    case .cut: throw await context.cut()
    case .portal:
      return Response(
        status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: Self.page)))
    case .unavailable: throw Problem.unavailable
    case .serverError: throw Problem.serverError
    case .tooManyRequests(let retryAfter):
      var problem = Problem.tooManyRequests(retryAfter: retryAfter)
      problem.headers[.rateLimitPolicy] = context.plan.limit.map(policy)
      throw problem
    }
  }

  // https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
  private func policy(_ limit: Int) -> String { "\"requests\";q=\(limit);w=1" }
}
