// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// Lets calls that move the same place go one after the other.
struct OgmiosTurns: Sendable {
  let chain: Bulkhead
  let ledger: Bulkhead
  let mempool: Bulkhead

  init(clock: some Clock<Duration>) {
    // Each call says how long it waits.
    func turn(_ name: String) -> Bulkhead {
      Bulkhead(
        name, limit: 1, queue: 10_000, maximumWait: .seconds(365 * 86_400), clock: clock)
    }
    chain = turn("ogmios.chain")
    ledger = turn("ogmios.ledger")
    mempool = turn("ogmios.mempool")
  }
}

extension OgmiosClient {
  /// Makes a call in its turn, for which it waits no longer than for its answer.
  ///
  /// - Parameters:
  ///   - turn: The turns.
  ///   - method: The method that is called.
  ///   - timeout: How long to wait in all; nil for what is usual, for the turn and for the answer.
  ///   - operation: Calls, within the time that is left.
  /// - Returns: What it returns.
  /// - Throws: ``OgmiosError`` of the kind `timeout` where the turn did not come in time; what the
  ///   operation throws, a `Rejection`, and a cancellation.
  func inTurn<T>(
    _ turn: Bulkhead, _ method: String, _ timeout: Duration?,
    _ operation: (_ timeout: Duration?) async throws -> T
  ) async throws -> T {
    let limit = timeout ?? usualTimeout(method)
    guard limit > .zero else { throw Self.outOfTime(method, "there was no time for it") }
    let start = now()
    var isBegun = false
    do {
      return try await turn.run(waitingAtMost: limit) {
        isBegun = true
        let waited = now() - start
        return try await operation(timeout.map { $0 - waited })
      }
    } catch let error as Rejection where !isBegun && error.reason == .waitedTooLong {
      throw Self.outOfTime(method, "other calls about the same place took all of its time")
    }
  }

  /// How long a call waits for its answer where nobody says so.
  func usualTimeout(_ method: String) -> Duration {
    OgmiosMethod.isWaiting(method) ? options.longTimeout : options.timeout
  }

  /// The error of a call that was not sent.
  static func outOfTime(_ method: String, _ note: String) -> OgmiosError {
    OgmiosError(
      .timeout, method: method, cause: .timeout().adding(metadata: ["http.sent": "no"]),
      note: note)
  }

  /// Asks about the mempool while somebody waits for it to change, by a view of another
  /// connection; nil where nobody does, or the question is about the view that is there.
  func glance<Output>(
    _ request: OgmiosRequest<Output>, _ timeout: Duration?
  ) async throws -> Output? {
    guard OgmiosMethod.isAboutAnyMempoolView(request.method),
      let waiting = links.firstIndex(where: { $0.places.acquisition.standing == .asked })
    else { return nil }
    let acquire = OgmiosRequest<UInt64>.acquireMempool
    let usable = order(preferring: waiting).filter { links[$0].hasSocket }
    return try await looking(at: usable, for: request.method, timeout) { call, _ in
      _ = try await call(acquire.method, acquire.params)
      return try request.read(try await call(request.method, request.params))
    }
  }
}
