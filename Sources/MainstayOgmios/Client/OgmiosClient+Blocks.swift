// SPDX-License-Identifier: Apache-2.0

extension OgmiosClient.ChainSync {
  /// Goes along the chain from here on, with questions for the next steps on their way.
  ///
  /// ```swift
  /// for try await step in client.chainSync.blocks() { try await index.take(step) }
  /// ```
  ///
  /// Each step is told once, in its order, as ``nextBlock(timeout:)`` tells it: across connections
  /// and endpoints, and back by no more blocks than a chain can take back. At the end of the chain
  /// it waits, for as long as it takes. Where a loop ends, also by an error or a cancellation, the
  /// next one goes on: what was asked for ahead is not lost. A step counts as told when it is
  /// handed out; whoever keeps what they did keeps the point with it.
  ///
  /// - Parameter ahead: How many steps may be asked for that nobody has taken, 1 to 500; a value
  ///   outside of that is taken for the nearest one. 100 by default. Each may be a block in memory.
  /// - Returns: The steps; its errors are those of ``nextBlock(timeout:)``.
  public func blocks(ahead: Int = 100) -> Blocks {
    let most = OgmiosLookAheadStateMachine<Void>.mostAhead
    return Blocks(chain: self, ahead: min(max(ahead, 1), most))
  }

  /// The steps of the chain from the place of a client on.
  public struct Blocks: AsyncSequence, Sendable {
    let chain: OgmiosClient.ChainSync
    let ahead: Int

    /// Goes along the chain; all iterators of a client share its place.
    public func makeAsyncIterator() -> Iterator { Iterator(chain: chain, ahead: ahead) }

    /// Goes along the chain.
    public struct Iterator: AsyncIteratorProtocol {
      let chain: OgmiosClient.ChainSync
      let ahead: Int

      /// Waits for the next step, however long that takes.
      ///
      /// - Returns: The step; never nil, since a chain does not end.
      /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation; the place is kept.
      public mutating func next() async throws -> OgmiosChainStep? {
        while true {
          do {
            return try await chain.next(ahead: ahead, nil)
          } catch let error as OgmiosError where error.isImpatience && !OgmiosClient.isOutOfTime {
            // Nothing has happened on the chain for a while.
          }
        }
      }
    }
  }
}
