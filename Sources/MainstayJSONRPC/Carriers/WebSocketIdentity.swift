// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOSSL

/// What several clients of one server know of whom to trust: it is read once, and not for each of
/// their connections.
package final class WebSocketIdentity: Sendable {
  private let known = Locked<(trust: JSONRPCClient.WebSocket.Trust, context: NIOSSLContext)?>(nil)

  /// Nothing is known yet.
  package init() {}

  /// What is known, or what is made now.
  func context(
    _ trust: JSONRPCClient.WebSocket.Trust,
    _ make: (JSONRPCClient.WebSocket.Trust) throws -> NIOSSLContext
  ) throws -> NIOSSLContext {
    if let known = known.withLock({ $0 }), known.trust == trust { return known.context }
    let context = try make(trust)
    known.withLock { $0 = (trust, context) }
    return context
  }
}
