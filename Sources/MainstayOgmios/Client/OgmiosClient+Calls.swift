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
  ///   - ahead: How many steps of the chain may be asked for and not taken.
  /// - Returns: The answer, and who gave it.
  /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
  func located<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration?, only index: Int? = nil,
    ahead: Int = 1
  ) async throws -> (Output, OgmiosLink) {
    if let timeout, timeout <= .zero {
      throw Self.outOfTime(request.method, "there was no time for it")
    }
    return try await persisting(request.method) {
      try await once(request, timeout, index, ahead)
    }
  }

  /// Looks at how things are now, whatever the caller holds.
  ///
  /// Where one endpoint does not answer in time, the next one is asked.
  ///
  /// - Parameters:
  ///   - indices: The endpoints, in the order in which they are asked.
  ///   - method: The method that it is about.
  ///   - timeout: How long each question waits for its answer; nil for what is usual.
  ///   - lookout: Keeps connections for the next look; nil for nobody.
  ///   - look: Asks; it is given what calls a method on a connection of its own, and whether that
  ///     lasts for more than one question.
  /// - Returns: What it returns.
  /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
  func looking<T>(
    at indices: [Int], for method: String, _ timeout: Duration? = nil,
    keeping lookout: OgmiosLookout? = nil,
    _ look: (_ call: @escaping OgmiosLink.Places.Call, _ isLasting: Bool) async throws -> T
  ) async throws -> T {
    try await persisting(method) {
      try await trying(
        indices, method: method, isRepeatable: true, passesSilence: true
      ) { link in
        try await link.looking(
          for: method, timeout: timeout ?? options.timeout, keeping: lookout
        ) {
          try await look($0, link.hasSocket)
        }
      }
    }
  }

  /// Asks, and asks again as the options say, and tells how that ended.
  private func persisting<T>(
    _ method: String, _ ask: () async throws -> T
  ) async throws -> T {
    let isRepeatable = OgmiosMethod.isRepeatable(method)
    /// That nothing has happened in the time of the caller is no reason to wait once more, and what
    /// may have arrived is not sent twice, whatever the retry repeats.
    func patiently() async throws -> Result<T, OgmiosError> {
      do {
        return .success(try await ask())
      } catch let error as OgmiosError
        where error.isImpatience
        || !isRepeatable && error.appError.disposition == .unknownOutcome
      {
        return .failure(error)
      }
    }
    return try await watching(method) {
      guard let retry = options.retry else { return try await ask() }
      guard isRepeatable else {
        // The name of the effect that the task works on lets nobody send this twice.
        return try await IdempotencyKey.$current.withValue(nil) {
          try await retry.run { try await patiently() }
        }.get()
      }
      return try await retry.run { try await patiently() }.get()
    }
  }

  private func once<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration?, _ only: Int?, _ ahead: Int
  ) async throws -> (Output, OgmiosLink) {
    let method = request.method
    let call = OgmiosSingleCall(
      request: request, timeout: timeout ?? usualTimeout(method), client: self,
      needsSocket: needsSocket(method), ahead: ahead)
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

extension OgmiosClient {
  /// The view of the mempool is that of a connection from now on.
  func hold(_ link: OgmiosLink) {
    let number = caller.change { $0.acquiredMempool() }
    link.places.connection.withLock { $0.mempool = number }
  }
}

extension OgmiosError {
  /// The same, as the error of a call of another method.
  func during(_ method: String) -> OgmiosError {
    OgmiosError(
      kind, method: method, endpoint: endpoint, code: code, message: serverMessage, data: data,
      cause: cause, note: note)
  }

  func at(_ endpoint: String) -> OgmiosError {
    OgmiosError(
      kind, method: method, endpoint: endpoint, code: code, message: serverMessage, data: data,
      cause: cause, note: note)
  }
}
