// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

// What every method goes through: its turn, the retry, the endpoints, and the place of the caller.
extension OgmiosClient {
  func execute<Output>(
    _ request: OgmiosRequest<Output>, timeout: Duration? = nil
  ) async throws -> Output {
    let method = request.method
    switch OgmiosMethod.conversation(of: method) {
    case .chain:
      return try await inTurn(turns.chain, method, timeout) { try await repeated(request, $0) }
    case .mempool:
      if let answer = try await glance(request, timeout) { return answer }
      return try await inTurn(turns.mempool, method, timeout) { try await repeated(request, $0) }
    case .ledger where caller.now.ledger != nil:
      return try await inTurn(turns.ledger, method, timeout) { try await repeated(request, $0) }
    case .ledger, .network, .submission: return try await repeated(request, timeout)
    }
  }

  /// A call within its turn.
  func repeated<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration? = nil, only index: Int? = nil
  ) async throws -> Output {
    try await located(request, timeout, only: index).0
  }

  /// A call within its turn, and the endpoint that answered.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - timeout: How long to wait for the answer of one endpoint; nil for what is usual.
  ///   - index: The only endpoint to ask; nil for all.
  /// - Returns: The answer, and who gave it.
  /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
  func located<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration?, only index: Int? = nil
  ) async throws -> (Output, OgmiosLink) {
    if let timeout, timeout <= .zero {
      throw Self.outOfTime(request.method, "there was no time for it")
    }
    return try await persisting(request.method) { try await once(request, timeout, index) }
  }

  /// Looks at how things are now, whatever the caller holds.
  ///
  /// - Parameters:
  ///   - indices: The endpoints, in the order in which they are asked.
  ///   - method: The method that it is about.
  ///   - timeout: How long each question waits for its answer; nil for what is usual.
  ///   - look: Asks; it is given what calls a method on a connection of its own, and whether that
  ///     lasts for more than one question.
  /// - Returns: What it returns.
  /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
  func looking<T>(
    at indices: [Int], for method: String, _ timeout: Duration? = nil,
    _ look: (_ call: @escaping OgmiosLink.Places.Call, _ isLasting: Bool) async throws -> T
  ) async throws -> T {
    try await persisting(method) {
      try await trying(indices, method: method, isRepeatable: true) { link in
        try await link.looking(timeout: timeout ?? options.timeout) {
          try await look($0, link.hasSocket)
        }
      }
    }
  }

  /// Asks, and asks again as the options say, and tells how that ended.
  private func persisting<T>(
    _ method: String, _ ask: () async throws -> T
  ) async throws -> T {
    /// That nothing has happened in the time of the caller is no reason to wait once more.
    func patiently() async throws -> Result<T, OgmiosError> {
      do {
        return .success(try await ask())
      } catch let error as OgmiosError where error.isImpatience {
        return .failure(error)
      }
    }
    return try await watching(method) {
      guard let retry = options.retry else { return try await ask() }
      guard OgmiosMethod.isRepeatable(method) else {
        // The name of the effect that the task works on lets nobody send this twice.
        return try await IdempotencyKey.$current.withValue(nil) {
          try await retry.run { try await patiently() }
        }.get()
      }
      return try await retry.run { try await patiently() }.get()
    }
  }

  private func once<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration?, _ only: Int?
  ) async throws -> (Output, OgmiosLink) {
    let method = request.method
    let call = SingleCall(
      request: request, timeout: timeout ?? usualTimeout(method), client: self,
      needsSocket: needsSocket(method))
    let all = only.map { [$0] } ?? order(preferring: holder(for: method))
    let usable = call.needsSocket ? all.filter { links[$0].hasSocket } : all
    return try await trying(
      usable, method: method, isRepeatable: OgmiosMethod.isRepeatable(method),
      waiting: OgmiosMethod.isWaiting(method) ? call.timeout : nil
    ) { (try await call.run(on: $0), $0) }
  }

  private func needsSocket(_ method: String) -> Bool {
    if OgmiosMethod.needsConnection(method) { return true }
    return OgmiosMethod.conversation(of: method) == .ledger && caller.now.ledger != nil
  }

  /// The endpoint whose connection has the view that a method is about; nil where none has.
  private func holder(for method: String) -> Int? {
    let place = caller.now
    switch OgmiosMethod.conversation(of: method) {
    case .mempool:
      guard let number = place.mempool else { return nil }
      return links.firstIndex { $0.places.connection.withLock { $0.mempool } == number }
    case .ledger:
      guard let number = place.ledger?.number else { return nil }
      return links.firstIndex { $0.places.connection.withLock { $0.ledger } == number }
    case .chain, .network, .submission: return nil
    }
  }
}

/// One call to one endpoint after the other.
private struct SingleCall<Output: Sendable>: Sendable {
  let request: OgmiosRequest<Output>
  let timeout: Duration
  let client: OgmiosClient
  let needsSocket: Bool

  private var method: String { request.method }

  func run(on link: OgmiosLink) async throws -> Output {
    do {
      return try request.read(try await answer(from: link))
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

  private func plain(_ link: OgmiosLink) async throws -> JSONValue {
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
      defer { connection.chain = nil }
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
      link.chainPlaces.step.drop()
    }
    let places = link.chainPlaces
    let bringing: OgmiosLink.Places.Call = {
      try await link.callChain($0, $1, timeout: client.options.timeout)
    }
    try await places.bringChain(bringing)
    // An answer over a connection that was lost meanwhile is asked for again.
    guard let result = try await step(of: link) else { return try await nextBlock(of: link) }
    guard places.connection.withLock({ $0.chain }) == client.caller.now.chain else {
      // It came over a new connection that could not be brought to the place.
      try await places.bringChain(bringing)
      return try await nextBlock(of: link)
    }
    let isEcho = places.connection.withLock { connection in
      defer { connection.isEchoExpected = false }
      return connection.isEchoExpected
    }
    let place = client.caller.now
    guard isEcho, !place.isBackwardDue, Self.isBackward(result, to: place.cursor) else {
      return result
    }
    // The server confirms the place that the connection was brought to: nothing happened.
    return try await nextBlock(of: link)
  }

  /// The answer to the question that is on its way, or to a new one; nil where nobody wants it any
  /// more.
  private func step(of link: OgmiosLink) async throws -> JSONValue? {
    let (step, method) = (link.chainPlaces.step, method)
    let (number, answer) = step.current {
      // A connection that says nothing is noticed by its pings.
      try await link.callChain(method, nil, timeout: .seconds(86_400))
    }
    do {
      let result = try await link.leaving(timeout).runSendable { try await answer.value }
      return step.taken(number) ? result : nil
    } catch let error as TimedOut {
      throw OgmiosError(.timeout, method: method, endpoint: link.name, cause: error.appError)
    }
  }

  private static func isBackward(_ result: JSONValue, to cursor: OgmiosPoint) -> Bool {
    guard result["direction"]?.string == "backward", let point = result["point"] else {
      return false
    }
    return (try? OgmiosPoint(OgmiosReader(point, method: "nextBlock"))) == cursor
  }

  // MARK: The mempool

  /// A view, by the question for one that is on its way, or by a new one.
  ///
  /// The server answers what is asked about the mempool in its order, and goes on to the new view
  /// whoever waits for it: where nobody does any more, the one before is of no use.
  private func acquiring(of link: OgmiosLink, within limit: Duration) async throws -> JSONValue {
    try Task.checkCancellation()
    let places = link.places
    let acquire = OgmiosRequest<UInt64>.acquireMempool
    let (number, answer) = places.acquisition.current {
      // A connection that says nothing is noticed by its pings.
      try await link.callSocket(acquire.method, acquire.params, timeout: .seconds(86_400))
    }
    do {
      let result = try await link.leaving(limit).runSendable { try await answer.value }
      if places.acquisition.taken(number) { return result }
    } catch {
      if places.acquisition.standing != .none {
        places.connection.withLock { $0.mempool = nil }
      }
      guard let error = error as? TimedOut else { throw error }
      throw OgmiosError(
        .timeout, method: acquire.method, endpoint: link.name, cause: error.appError)
    }
    // It came over a connection that was lost meanwhile.
    return try await acquiring(of: link, within: limit)
  }

  private func mempool(of link: OgmiosLink) async throws -> JSONValue {
    let places = link.places
    let wanted = client.caller.now.mempool
    let isThere = wanted != nil && places.connection.withLock { $0.mempool } == wanted
    let isRestartable = OgmiosMethod.isAboutAnyMempoolView(method)
    let isRelease = method == "releaseMempool"
    let standing = places.acquisition.standing
    // A view that is gone can't be gone through from where it was left, and while the server waits
    // for the next one there is none to let go of.
    if !isThere, !isRestartable, isRelease ? standing == .asked : wanted != nil {
      throw OgmiosError(
        .response, method: method, endpoint: link.name, code: 4000,
        message: "The connection with the view of the mempool is gone.")
    }
    switch standing {
    case .none: break
    case .asked where isRestartable: return try await glance(at: link)
    case .answered where isRelease: places.acquisition.drop()
    case .asked, .answered: return try await acquiringAgain(of: link, within: timeout)
    }
    do {
      return try await plain(link)
    } catch let error as OgmiosError where error.code == 4000 && !isRelease {
      guard isRestartable || wanted == nil else { throw error }
      return try await acquiringAgain(of: link, within: client.options.longTimeout)
    }
  }

  private func acquiringAgain(
    of link: OgmiosLink, within limit: Duration
  ) async throws -> JSONValue {
    _ = try await acquiring(of: link, within: limit)
    client.hold(link)
    return try await plain(link)
  }

  /// The answer by a view of another connection, which waits for nothing.
  private func glance(at link: OgmiosLink) async throws -> JSONValue {
    let acquire = OgmiosRequest<UInt64>.acquireMempool
    return try await link.looking(timeout: timeout) { call in
      _ = try await call(acquire.method, acquire.params)
      return try await call(method, request.params)
    }
  }
}

extension OgmiosClient {
  /// The view of the mempool is that of a connection from now on.
  func hold(_ link: OgmiosLink) {
    let number = caller.change { $0.acquiredMempool() }
    link.places.connection.withLock { $0.mempool = number }
  }
}

extension OgmiosError {
  func at(_ endpoint: String) -> OgmiosError {
    OgmiosError(
      kind, method: method, endpoint: endpoint, code: code, message: serverMessage, data: data,
      cause: cause, note: note)
  }

  /// Whether the same server may answer over HTTP: not where nobody listens, and not once the time
  /// for this server is over.
  fileprivate var mayWorkOverHTTP: Bool {
    cause?.metadata["jsonrpc.reason"] != "unreachable" && code != -32000 && kind != .timeout
  }
}
