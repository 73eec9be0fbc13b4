// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird

/// The routes by address; any method that an address does not have is refused with those it has.
struct RouteTable {
  typealias Action = @Sendable (Request, UpstreamContext) async throws -> Response

  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]

  let router: Router<UpstreamContext>

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
          throw Problem.wrongMethod(allowed: names)
        }
      }
    }
  }
}

extension UpstreamContext {
  /// A part of the address, as text.
  func part(_ name: String) throws -> String {
    let text = try parameters.require(name)
    return text.removingPercentEncoding ?? text
  }

  /// The id in the address, in lower case.
  func twinID() throws -> String {
    let text = try part("id")
    guard let id = UUID(uuidString: text) else {
      throw Problem.badAddress("\(text) is no UUID.")
    }
    return id.uuidString.lowercased()
  }
}
