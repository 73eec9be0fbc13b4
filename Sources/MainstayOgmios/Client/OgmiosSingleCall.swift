// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// One call to one endpoint after the other.
struct OgmiosSingleCall<Output: Sendable>: Sendable {
  let request: OgmiosRequest<Output>
  let timeout: Duration
  let client: OgmiosClient
  let needsSocket: Bool
  /// How many steps of the chain may be asked for and not taken; 1 or more.
  var ahead = 1

  var method: String { request.method }

  func run(on link: OgmiosLink) async throws -> Output {
    do {
      return try request.read(try await answer(from: link))
    } catch let error where method == "nextTransaction" && Self.mayHaveGoneOn(error) {
      link.places.connection.withLock { $0.loseView() }
      throw (error as? OgmiosError)?.at(link.name) ?? error
    } catch let error as OgmiosError where error.kind == .invalidResponse {
      // The server has gone on by a step that nobody understands.
      if method == "nextBlock" { link.chainPlaces.connection.withLock { $0.chain = nil } }
      throw error.at(link.name)
    }
  }

  private func answer(from link: OgmiosLink) async throws -> JSONValue {
    guard link.hasSocket else {
      return try await link.callHTTP(method, request.params, timeout: timeout)
    }
    do {
      return try await placed(on: link)
    } catch let error as OgmiosError
      where error.isTransportFailure && !needsSocket && error.mayWorkOverHTTP
      && (OgmiosMethod.isRepeatable(method) || !error.mayHaveBeenSent)
    {
      let result = try await link.callHTTP(method, request.params, timeout: timeout)
      client.options.observer?(.fellBackToHTTP(endpoint: link.name))
      return result
    }
  }

  /// The call over the WebSocket, once that is where the caller is.
  private func placed(on link: OgmiosLink) async throws -> JSONValue {
    switch OgmiosMethod.conversation(of: method) {
    case .ledger where method.hasPrefix("queryLedgerState/"):
      return try await asked(of: link)
    case .chain where method == "nextBlock": return try await nextBlock(of: link)
    case .chain where method == "findIntersection": return try await intersection(of: link)
    case .mempool where method == "acquireMempool":
      return try await acquiring(of: link, within: timeout)
    case .mempool: return try await mempool(of: link)
    default: return try await plain(link)
    }
  }

  func plain(_ link: OgmiosLink) async throws -> JSONValue {
    try await link.callSocket(method, request.params, timeout: timeout)
  }

  /// Calls that bring the connection somewhere.
  private func bring(_ link: OgmiosLink) -> OgmiosLink.Places.Call {
    { try await link.callSocket($0, $1, timeout: client.options.timeout) }
  }

  // MARK: The ledger

  private func asked(of link: OgmiosLink) async throws -> JSONValue {
    do {
      try await link.places.bringLedger(bring(link))
      let result = try await plain(link)
      // A new connection may have come meanwhile that could not be brought to the view.
      let held = link.places.connection.withLock { $0.ledger }
      guard held != client.caller.now.ledger?.number else { return result }
      try await link.places.bringLedger(bring(link))
      return try await plain(link)
    } catch let error as OgmiosError where hasRunOut(error) {
      guard let view = client.caller.now.ledger else { throw error }
      client.caller.change { $0.expired(view.number) }
      link.places.connection.withLock { $0.ledger = nil }
      try await link.places.bringLedger(bring(link))
      client.options.observer?(.acquiredAgain(endpoint: link.name))
      return try await plain(link)
    }
  }

  /// Whether the view is gone and can be acquired again: also where this node does not have its
  /// point, for one of any point.
  private func hasRunOut(_ error: OgmiosError) -> Bool {
    error.code == 2003 || error.code == 2000 && client.caller.now.ledger?.isAnyPoint == true
  }

  // MARK: The chain

  /// Where the server is after one that was given up nobody knows, so it is brought to its place
  /// before the next block.
  private func intersection(of link: OgmiosLink) async throws -> JSONValue {
    try link.leaveStep()
    let places = link.chainPlaces
    let before = places.connection.withLock { connection in
      defer {
        connection.chain = nil
        connection.isMoving = true
      }
      return connection.chain
    }
    do {
      return try await link.callChain(method, request.params, timeout: timeout)
    } catch let error as OgmiosError where error.code == 1000 {
      // The server stayed where it was.
      places.connection.withLock { if $0.chain == nil { $0.chain = before } }
      throw error
    }
  }

  private func nextBlock(of link: OgmiosLink) async throws -> JSONValue {
    // Asked at another place, its answer is of no use.
    if link.chainPlaces.connection.withLock({ $0.chain }) != client.caller.now.chain {
      try link.leaveStep()
      link.chainPlaces.steps.drop()
    }
    let places = link.chainPlaces
    let bringing: OgmiosLink.Places.Call = { bringer, params in
      do {
        return try await link.callChain(bringer, params, timeout: client.options.timeout)
      } catch let error as OgmiosError where error.code == 1000 {
        throw error.refusing(placeAt: client.caller.now.cursor, for: method)
      }
    }
    try await places.bringChain(bringing)
    // An answer over a connection that was lost meanwhile is asked for again, and so is one over a
    // new connection that could not be brought to the place.
    guard let result = try await step(of: link),
      places.connection.withLock({ $0.isMoving && $0.chain == client.caller.now.chain })
    else { return try await nextBlock(of: link) }
    let isEcho = places.connection.withLock { connection in
      defer { connection.isEchoExpected = false }
      return connection.isEchoExpected
    }
    let place = client.caller.now
    guard let point = Self.end(ofStepBack: result) else { return result }
    if place.isTooFar(point) {
      throw OgmiosError(
        .invalidResponse, method: method, endpoint: link.name,
        note: "the chain goes back by more blocks than any chain does")
    }
    guard isEcho, !place.isBackwardDue, point == place.cursor else { return result }
    // The server confirms the place that the connection was brought to: nothing happened.
    return try await nextBlock(of: link)
  }

  /// The oldest step that was asked for, by earlier questions or by new ones; nil where it has to
  /// be asked for anew.
  private func step(of link: OgmiosLink) async throws -> JSONValue? {
    let places = link.chainPlaces
    let (steps, round) = link.ask(upTo: ahead)
    do {
      if !steps.isReady(round) {
        try await link.leaving(timeout).runSendable { try await steps.ready(round) }
      }
    } catch let error as TimedOut {
      // A question that waits for a connection is not dropped: it may be leaving right now.
      throw late(error, on: link, isConnected: link.isChainConnected)
    }
    // Before it is taken: a connection that comes after that begins where the caller was.
    places.connection.withLock { $0.isMoving = true }
    if let result = try steps.take(round) { return result }
    if steps.isAstray { places.connection.withLock { $0.chain = nil } }
    return nil
  }

  /// The error of a question that nobody answered in the time of the caller.
  ///
  /// Where there was no connection to send it over, that is a failure of the endpoint, and not that
  /// nothing has happened yet.
  func late(_ error: TimedOut, on link: OgmiosLink, isConnected: Bool) -> OgmiosError {
    let cause = isConnected ? error.appError : error.appError.adding(metadata: ["http.sent": "no"])
    return OgmiosError(.timeout, method: method, endpoint: link.name, cause: cause)
  }

  /// Where a step back ends; nil for any other step.
  private static func end(ofStepBack result: JSONValue) -> OgmiosPoint? {
    guard result["direction"]?.string == "backward", let point = result["point"] else { return nil }
    return try? OgmiosPoint(OgmiosReader(point, method: "nextBlock"))
  }
}

extension OgmiosError {
  /// Whether the same server may answer over HTTP: not where nobody listens, and not once the time
  /// for this server is over.
  fileprivate var mayWorkOverHTTP: Bool {
    cause?.metadata["jsonrpc.reason"] != "unreachable" && code != -32000 && kind != .timeout
  }
}
