// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP
internal import MainstayJSONRPC

// Looks at how things are now, whatever the callers hold.
extension OgmiosLink {
  /// The connections that are there for one look each.
  struct Looks: Sendable {
    var isClosed = false
    var sockets: [ObjectIdentifier: JSONRPCClient] = [:]
    /// The requests that go on beside all connections.
    var requests: [UInt64: Task<OgmiosHealth, any Error>] = [:]
    var lastRequest: UInt64 = 0
  }

  /// Makes a request that ends with the link; once that has ended, it is not made.
  func untilClosed(
    _ operation: @escaping @Sendable () async throws -> OgmiosHealth
  ) async throws -> OgmiosHealth {
    let begun = looks.withLock { looks -> (key: UInt64, task: Task<OgmiosHealth, any Error>)? in
      guard !looks.isClosed else { return nil }
      looks.lastRequest += 1
      let task = Task { try await operation() }
      looks.requests[looks.lastRequest] = task
      return (looks.lastRequest, task)
    }
    guard let (key, task) = begun else { throw CancellationError() }
    defer { looks.withLock { $0.requests[key] = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Asks on a connection of its own, which has no view of the ledger or of the mempool; over HTTP
  /// each question has one.
  ///
  /// On such a connection nothing is waited for: where the view of the mempool does not come, that
  /// is the failure of the look, and not that nothing has happened yet.
  ///
  /// - Parameters:
  ///   - method: The method that it is about.
  ///   - timeout: How long each question waits for its answer.
  ///   - lookout: Keeps the connection for the next look where this one succeeds; nil for nobody.
  ///   - look: Asks; it is given what calls a method.
  /// - Returns: What it returns.
  /// - Throws: ``OgmiosError``, and a cancellation.
  func looking<T>(
    for method: String, timeout: Duration, keeping lookout: OgmiosLookout? = nil,
    _ look: (_ call: @escaping Places.Call) async throws -> T
  ) async throws -> T {
    do {
      guard let newSocket else {
        return try await look { try await self.callHTTP($0, $1, timeout: timeout) }
      }
      let (socket, end) = try lookout?.take(name) ?? begunLook(newSocket)
      do {
        let result = try await look { method, params in
          try await self.call(socket, method, params, timeout: timeout, over: .websocket)
        }
        if let lookout { lookout.keep(socket, to: name, end: end) } else { end() }
        return result
      } catch {
        end()
        throw error
      }
    } catch let error as OgmiosError where error.kind == .invalidResponse {
      throw error.at(name)
    } catch let error as OgmiosError where error.isImpatience {
      throw error.during(method)
    }
  }

  /// A connection for looks, and what ends it; once the link is closed it is closed, too.
  private func begunLook(
    _ newSocket: () throws(ConfigurationError) -> JSONRPCClient
  ) throws(ConfigurationError) -> (socket: JSONRPCClient, end: @Sendable () -> Void) {
    let socket = try newSocket()
    let key = ObjectIdentifier(socket)
    let isClosed = looks.withLock { looks in
      looks.sockets[key] = socket
      return looks.isClosed
    }
    if isClosed { socket.close() }
    return (
      socket,
      { [weak self] in
        self?.looks.withLock { $0.sockets[key] = nil }
        socket.close()
      }
    )
  }

  /// Ends those that go on, and those that come.
  func closeLooks() {
    let (sockets, requests) = looks.withLock { looks in
      looks.isClosed = true
      return (looks.sockets.values, looks.requests.values)
    }
    for socket in sockets { socket.close() }
    for request in requests { request.cancel() }
  }
}
