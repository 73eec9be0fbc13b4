// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

// Views of the mempool.
extension OgmiosSingleCall {
  /// A view, by the question for one that is on its way, or by a new one.
  ///
  /// The server answers what is asked about the mempool in its order, and goes on to the new view
  /// whoever waits for it: where nobody does any more, the one before is of no use.
  func acquiring(of link: OgmiosLink, within limit: Duration) async throws -> JSONValue {
    try Task.checkCancellation()
    let places = link.places
    let acquire = OgmiosRequest<UInt64>.acquireMempool
    let (number, answer) = places.acquisition.current {
      try await letGoOfLostView(on: link)
      return try await link.callSocket(
        acquire.method, acquire.params, timeout: OgmiosPendingStep.patience)
    }
    do {
      let result = try await link.leaving(limit).runSendable { try await answer.value }
      if places.acquisition.taken(number) { return result }
    } catch {
      if places.acquisition.standing != .none {
        places.connection.withLock { $0.mempool = nil }
      }
      guard let error = error as? TimedOut else { throw error }
      let isConnected = link.socketStatus == .connected
      if !isConnected {
        // Another endpoint is asked. If it has left right now, there is a view that nobody holds.
        places.acquisition.drop()
        places.connection.withLock { $0.loseView() }
      }
      throw late(error, on: link, isConnected: isConnected)
    }
    // It came over a connection that was lost meanwhile.
    return try await acquiring(of: link, within: limit)
  }

  /// Lets go of a view that nobody goes through any more: with it, the server would wait for the
  /// mempool to change.
  private func letGoOfLostView(on link: OgmiosLink) async throws {
    let places = link.places
    guard places.connection.withLock({ $0.hasLostView }) else { return }
    let release = OgmiosRequest<Void>.releaseMempool
    do {
      _ = try await link.callSocket(
        release.method, release.params, timeout: client.options.timeout)
    } catch let error as OgmiosError where error.code == 4000 {
      // It is a new connection.
    }
    places.connection.withLock { $0.hasLostView = false }
  }

  /// Whether the server may be at the next transaction after a question that ended like this: any
  /// end that is no answer, unless it was certainly not sent.
  static func mayHaveGoneOn(_ error: any Error) -> Bool {
    guard let error = error as? OgmiosError else { return error.isCancellation }
    return error.kind == .invalidResponse || error.kind != .response && error.mayHaveBeenSent
  }

  func mempool(of link: OgmiosLink) async throws -> JSONValue {
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
    return try await link.looking(for: method, timeout: timeout) { call in
      _ = try await call(acquire.method, acquire.params)
      return try await call(method, request.params)
    }
  }
}
