// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Mainstay

/// The routes by address; any method that an address does not have is refused with those it has.
struct RouteTable {
  typealias Action = @Sendable (Request, VisitContext) async throws -> Response

  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]

  let router: Router<VisitContext>

  func add(_ path: RouterPath, _ actions: [HTTPRequest.Method: Action]) {
    // What can be read has a head too, which the router makes by itself.
    let allowed = Self.methods.filter {
      actions[$0] != nil || ($0 == .head && actions[.get] != nil)
    }
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    for method in Self.methods {
      if let action = actions[method] {
        router.on(path, method: method, use: action)
      } else if !allowed.contains(method) {
        router.on(path, method: method) { _, _ -> Response in
          throw AppError.wrongMethod(allowed: names).adding(metadata: ["http.allow": names])
        }
      }
    }
  }
}
