// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension OgmiosClient {
  /// The chain, block after block.
  public var chainSync: ChainSync { ChainSync(client: self) }

  /// Goes along the chain.
  ///
  /// There is one place for the whole client, so calls go one after the other. It survives
  /// connections and endpoints: a new one is brought to the newest block of the caller that it has.
  public struct ChainSync: Sendable {
    let client: OgmiosClient

    /// Goes to the first of some points that the server has.
    ///
    /// The next step goes back to that point, whatever came before.
    ///
    /// - Parameters:
    ///   - points: The points, the preferred one first; with none, the beginning of the chain.
    ///   - timeout: How long to wait; more than zero, the default is that of the options.
    /// - Returns: The point, and the end of the chain.
    /// - Throws: ``OgmiosError``, with the code 1000 where the server has none of them; a
    ///   `Rejection`, and a cancellation.
    @discardableResult
    public func findIntersection(
      _ points: [OgmiosPoint] = [], timeout: Duration? = nil
    ) async throws -> OgmiosIntersection {
      let request = OgmiosRequest.findIntersection(points)
      return try await client.inTurn(client.turns.chain, request.method, timeout) { timeout in
        let (found, link) = try await client.located(request, timeout)
        let places = link.chainPlaces
        places.steps.drop()
        let number = client.caller.change { $0.intersected(points, at: found.point) }
        places.connection.withLock {
          $0.moved(number)
          $0.isEchoExpected = false
        }
        return found
      }
    }

    /// Waits for the next step of the chain.
    ///
    /// - Parameter timeout: How long to wait; more than zero, the default is 10 minutes. The place
    ///   is kept where the time is over, and where the task is cancelled: no block is lost.
    /// - Returns: The next block, or the point that the chain went back to.
    /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
    public func nextBlock(timeout: Duration? = nil) async throws -> OgmiosChainStep {
      try await next(ahead: 1, timeout)
    }

    /// The next step, with questions for some of those after it on their way.
    func next(ahead: Int, _ timeout: Duration?) async throws -> OgmiosChainStep {
      try await client.inTurn(client.turns.chain, "nextBlock", timeout) { timeout in
        let (step, link) = try await client.located(.nextBlock, timeout, ahead: ahead)
        let number = client.caller.change { $0.stepped(step) }
        link.chainPlaces.connection.withLock { $0.moved(number) }
        link.chainPlaces.steps.told()
        return step
      }
    }
  }

  /// The view of the ledger that questions are about.
  public var ledgerState: LedgerState { LedgerState(client: self) }

  /// Holds on to one view of the ledger, so that all answers fit together.
  ///
  /// There is one view for the whole client. It is acquired again where it has run out, once for
  /// each question, and on each new connection.
  public struct LedgerState: Sendable {
    let client: OgmiosClient

    /// Acquires a view.
    ///
    /// - Parameter point: The point; nil, the default, for the newest one. Then another point is
    ///   taken where the view has run out, and where a new connection leads to a node that does not
    ///   have it.
    /// - Returns: The point that is looked at.
    /// - Throws: ``OgmiosError``, with the code 2000 where the server no longer has that point; a
    ///   `Rejection`, and a cancellation.
    @discardableResult
    public func acquire(at point: OgmiosPoint? = nil) async throws -> OgmiosPoint {
      try await client.inTurn(client.turns.ledger, "acquireLedgerState", nil) { _ in
        let before = client.caller.now.ledger
        let view = client.caller.change { $0.look(at: point) }
        do {
          // The question brings the connection to the view, and answers which one that is.
          return try await client.repeated(.ledgerTip)
        } catch {
          client.caller.change { $0.abandoned(view.number, for: before) }
          throw error
        }
      }
    }

    /// Lets go of the view; questions are about the end of the ledger again.
    ///
    /// - Throws: ``OgmiosError`` of the kind `timeout` where calls before it take too long; a
    ///   `Rejection`, and a cancellation.
    public func release() async throws {
      try await client.inTurn(client.turns.ledger, "releaseLedgerState", nil) { _ in
        guard let view = client.caller.now.ledger else { return }
        client.caller.change { $0.lookAway() }
        for link in client.links
        where link.places.connection.withLock({ $0.ledger }) == view.number {
          link.places.connection.withLock { $0.ledger = .max }
          let release = OgmiosRequest<Void>.releaseLedgerState
          // A connection that is gone has let go by itself.
          let released = try? await link.callSocket(
            release.method, release.params, timeout: client.options.timeout)
          if released != nil { link.places.connection.withLock { $0.ledger = nil } }
        }
      }
    }
  }
}
