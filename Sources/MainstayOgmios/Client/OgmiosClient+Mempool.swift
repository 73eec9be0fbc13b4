// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension OgmiosClient {
  /// The transactions that wait to be put into a block.
  public var mempoolMonitor: MempoolMonitor { MempoolMonitor(client: self) }

  /// Looks at the transactions that wait on one node.
  ///
  /// There is one view for the whole client. It belongs to one connection, and is gone with it.
  public struct MempoolMonitor: Sendable {
    let client: OgmiosClient

    /// Acquires a view; where there is one already, it waits until something has changed.
    ///
    /// - Parameter timeout: How long to wait; more than zero, the default is 10 minutes. Where the
    ///   time is over, and where the task is cancelled, the view before is gone, and the next one
    ///   who acquires gets the view that was asked for.
    /// - Returns: The slot that the view is for.
    /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
    @discardableResult
    public func acquire(timeout: Duration? = nil) async throws -> UInt64 {
      try await client.inTurn(client.turns.mempool, "acquireMempool", timeout) {
        try await acquireInTurn($0)
      }
    }

    private func acquireInTurn(_ timeout: Duration?) async throws -> UInt64 {
      let (slot, link) = try await client.located(.acquireMempool, timeout)
      client.hold(link)
      return slot
    }

    /// Goes on to the next transaction of the view.
    ///
    /// Where the time is over, the task is cancelled or the answer cannot be read, the view is
    /// gone: the server may be at the transaction after.
    ///
    /// - Parameter isWhole: Whether it is answered as a whole; by default only its name is.
    /// - Returns: The transaction; nil at the end.
    /// - Throws: ``OgmiosError``, with the code 4000 where the view is gone; a `Rejection`, and a
    ///   cancellation.
    public func nextTransaction(isWhole: Bool = false) async throws -> OgmiosWaitingTransaction? {
      try await client.execute(.nextTransaction(isWhole: isWhole))
    }

    /// Whether a transaction waits; a view that is gone is acquired again.
    ///
    /// - Parameter id: The name of the transaction.
    /// - Returns: Whether it waits.
    /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
    public func hasTransaction(_ id: String) async throws -> Bool {
      try await client.execute(.hasTransaction(id))
    }

    /// How full the mempool is; a view that is gone is acquired again.
    ///
    /// - Returns: How many transactions wait, and how many bytes they have.
    /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
    public func size() async throws -> OgmiosMempoolSize {
      try await client.execute(.sizeOfMempool)
    }

    /// Lets go of the view.
    ///
    /// - Throws: ``OgmiosError`` with the code 4000 where there is none; a `Rejection`, and a
    ///   cancellation.
    public func release() async throws {
      try await client.inTurn(client.turns.mempool, "releaseMempool", nil) { _ in
        try await releaseInTurn()
      }
    }

    private func releaseInTurn() async throws {
      let number = client.caller.now.mempool
      defer { client.caller.change { $0.releasedMempool() } }
      let index = number.flatMap { number in
        client.links.firstIndex { $0.places.connection.withLock { $0.mempool } == number }
      }
      for link in client.links where link.places.connection.withLock({ $0.mempool }) == number {
        link.places.connection.withLock { $0.mempool = nil }
      }
      try await client.repeated(.releaseMempool, only: index)
    }

    /// Waits until no transaction waits any more.
    ///
    /// It looks by views of its own, so one that was acquired stays.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait; more than zero.
    ///   - interval: How often to look; more than zero, once a second by default.
    ///   - clock: The clock; the default is the continuous one.
    /// - Throws: ``OgmiosError``, of the kind `timeout` where some wait even then, or nobody could
    ///   be asked; a `Rejection`, and a cancellation.
    public func waitForEmptyMempool(
      timeout: Duration, every interval: Duration = .seconds(1),
      clock: some Clock<Duration> = ContinuousClock()
    ) async throws {
      let start = clock.now
      let lookout = OgmiosLookout()
      defer { lookout.close() }
      var isSeen = false
      while true {
        let time = timeout - start.duration(to: clock.now)
        guard time > .zero else { throw notEmpty(after: timeout, isSeen: isSeen) }
        do {
          if try await Timeout(time, clock: clock).run({ try await count(lookout) }) == 0 {
            return
          }
          isSeen = true
        } catch let error as TimedOut {
          throw notEmpty(after: timeout, isSeen: isSeen, error.appError)
        } catch let error as OgmiosError where error.kind == .timeout {
          // Nobody has looked: that says nothing about the mempool.
          if OgmiosClient.isOutOfTime { throw error }
        }
        let left = timeout - start.duration(to: clock.now)
        if left > .zero { try await clock.sleep(for: min(left, interval)) }
      }
    }

    private func notEmpty(
      after timeout: Duration, isSeen: Bool, _ cause: AppError? = nil
    ) -> OgmiosError {
      OgmiosError(
        .timeout, method: "sizeOfMempool", endpoint: client.status.endpointInUse, cause: cause,
        note: isSeen
          ? "the mempool was not empty after \(timeout)"
          : "nobody said within \(timeout) whether the mempool was empty")
    }

    /// How many transactions wait right now, by a connection that nobody else has.
    private func count(_ lookout: OgmiosLookout) async throws -> UInt64 {
      let acquire = OgmiosRequest<UInt64>.acquireMempool
      let release = OgmiosRequest<Void>.releaseMempool
      let size = OgmiosRequest<OgmiosMempoolSize>.sizeOfMempool
      let usable = client.order(preferring: nil).filter { client.links[$0].hasSocket }
      return try await client.looking(at: usable, for: size.method, keeping: lookout) { call, _ in
        if lookout.isReused {
          do {
            // With the view of the last look, the server would wait for the mempool to change.
            _ = try await call(release.method, release.params)
          } catch let error as OgmiosError where error.code == 4000 {
            // The connection was opened again meanwhile.
          }
        }
        _ = try await call(acquire.method, acquire.params)
        return try size.read(try await call(size.method, size.params)).transactions
      }
    }
  }
}
