// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP
internal import MainstayJSONRPC

// Goes along the chain.
extension OgmiosLink {
  /// What the chain is gone along by: at first the WebSocket of all calls.
  struct ChainLine: Sendable {
    let places: Places
    /// Nil where that is the WebSocket of all calls.
    var socket: JSONRPCClient?
  }

  /// Where the connection is that the chain is gone along by.
  var chainPlaces: Places { chainLine.withLock { $0.places } }

  /// Whether the WebSocket is open that the chain is gone along by.
  var isChainConnected: Bool {
    let own = chainLine.withLock { $0.socket }
    return (own?.status ?? socketStatus) == .connected
  }

  /// Calls over the connection that the chain is gone along by.
  func callChain(
    _ method: String, _ params: JSONValue?, timeout: Duration
  ) async throws -> JSONValue {
    guard let socket = chainLine.withLock({ $0.socket }) else {
      return try await callSocket(method, params, timeout: timeout)
    }
    return try await call(socket, method, params, timeout: timeout, over: .websocket)
  }

  /// Asks for the next step, and for some of those after it.
  ///
  /// - Parameter limit: How many may be asked for and not taken.
  /// - Returns: The steps, and the round that the next one belongs to.
  func ask(upTo limit: Int) -> (steps: OgmiosSteps, round: UInt64) {
    let line = chainLine.withLock { $0 }
    let (method, name) = ("nextBlock", name)
    let round = line.places.steps.ask(upTo: limit) { ended in
      guard let client = line.socket ?? socket else {
        ended(.failure(OgmiosError(.invalidMethod, method: method, endpoint: name)))
        return {}
      }
      return client.begin(method) { outcome in
        ended(
          outcome.mapError { error -> any Error in
            OgmiosError.from(error, method: method, endpoint: name, over: .websocket)
          })
      }
    }
    return (line.places.steps, round)
  }

  /// Leaves questions for steps that were given up and are not answered yet.
  ///
  /// Until a block comes, the server takes nothing else about the chain on that connection, or
  /// refuses it with 1001. So the chain gets a connection of its own, and views of the ledger and
  /// of the mempool stay where they are.
  func leaveStep() throws(ConfigurationError) {
    let line = chainLine.withLock { $0 }
    guard line.places.steps.isAsking, let newChainSocket else { return }
    line.places.steps.drop()
    let places = Places(caller: line.places.caller, parts: .chain, restored: line.places.restored)
    let socket = try newChainSocket(places)
    self.places.parts.withLock { _ = $0.remove(.chain) }
    chainLine.withLock { $0 = ChainLine(places: places, socket: socket) }
    line.socket?.close()
    if looks.withLock({ $0.isClosed }) { socket.close() }
  }
}
