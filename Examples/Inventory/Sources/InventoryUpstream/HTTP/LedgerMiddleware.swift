// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Writes down every request and what it was answered.
struct LedgerMiddleware: RouterMiddleware {
  typealias Context = UpstreamContext

  let store: UpstreamStore
  let now: @Sendable () -> Timestamp

  /// Whether requests without a key are written down too.
  let isComplete: Bool

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !request.isControl else { return try await next(request, context) }
    let arrival = now()
    do {
      let response = try await next(request, context)
      await finish(request, arrival, response.status.code)
      return response
    } catch {
      await finish(request, arrival, nil)
      throw error
    }
  }

  private func finish(_ request: Request, _ arrival: Timestamp, _ status: Int?) async {
    let key = request.headers[.idempotencyKey]
    guard isComplete || key != nil else { return }
    await store.finish(Ledger.Request(at: arrival, key: key, status: status))
  }
}
