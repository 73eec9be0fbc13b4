// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Mainstay
import MainstayServer

/// Does a write once under its `Idempotency-Key`, and repeats its answer after that.
///
/// What changes an item keeps its answer in the transaction of that change, and needs nothing else.
/// This is for what concerns the queue alone, which has no such transaction.
struct KeyedWrites: Sendable {
  private let middleware: IdempotencyMiddleware<VisitContext>

  /// - Parameter store: Where answers are kept.
  init(_ store: any IdempotencyStore) {
    var options = IdempotencyOptions()
    options.methods = [.post, .delete]
    // Nobody signs in here: whoever reaches the app may do everything, so all callers are one.
    middleware = IdempotencyMiddleware(store, options: options) { _, _ in "" }
  }

  /// The same action, once for each key.
  func once(_ action: @escaping RouteTable.Action) -> RouteTable.Action {
    { [middleware] request, context in
      var response = try await middleware.handle(request, context: context) {
        try await action($0, $1)
      }
      // The name that the other routes of the contract have for it.
      if response.headers[.idempotencyReplayed] != nil {
        response.headers[.idempotentReplayed] = "true"
      }
      return response
    }
  }
}
