// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayJSONRPC

/// The connections of somebody who looks again and again: one for each endpoint, and no more.
final class OgmiosLookout: Sendable {
  private struct State {
    var isReused = false
    var kept: [String: (socket: JSONRPCClient, end: @Sendable () -> Void)] = [:]
  }

  private let state = Locked(State())

  /// Whether the look that goes on has the connection of one before.
  var isReused: Bool { state.withLock { $0.isReused } }

  /// Takes the connection to an endpoint, with what ends it; nil where there is none.
  func take(_ endpoint: String) -> (socket: JSONRPCClient, end: @Sendable () -> Void)? {
    state.withLock { state in
      let kept = state.kept.removeValue(forKey: endpoint)
      state.isReused = kept != nil
      return kept
    }
  }

  /// Keeps a connection for the next look.
  func keep(_ socket: JSONRPCClient, to endpoint: String, end: @escaping @Sendable () -> Void) {
    state.withLock { $0.kept[endpoint] = (socket, end) }
  }

  /// Ends all connections that are kept.
  func close() {
    let kept = state.withLock { state in
      defer { state.kept = [:] }
      return Array(state.kept.values)
    }
    for connection in kept { connection.end() }
  }
}
