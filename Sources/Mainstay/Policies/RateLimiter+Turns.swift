// SPDX-License-Identifier: Apache-2.0

extension RateLimiter {
  /// A turn at a ``RateLimiter``; it is given back when it is dropped before it has come.
  ///
  /// A turn that has come is used up, whether or not anything was run. Where another kind of limit
  /// would move it beyond what its caller was willing to wait, it is lost, and ``wait()`` says so.
  public struct Reservation: ~Copyable, Sendable {
    /// Nil where it has come already.
    private var turn: Turn?

    init(turn: Turn?) { self.turn = turn }

    /// How long it takes until the turn comes; zero for one that has come or was lost.
    ///
    /// It gets shorter when others give theirs back.
    public var delay: Duration { turn?.delay ?? .zero }

    /// Returns when the turn has come, on the caller's actor.
    ///
    /// - Throws: `CancellationError` for a caller that is cancelled meanwhile; the turn is given
    ///   back then. ``Rejection`` where another kind of limit would make it wait for too long.
    public consuming func wait() async throws { try await turn.take()?.wait() }

    /// Gives the turn back, if it has not come.
    public consuming func cancel() { turn.take()?.giveBack() }

    deinit { turn?.giveBack() }
  }

  /// A turn that has not come yet.
  @usableFromInline
  struct Turn: Sendable {
    let limiter: RateLimiter
    let waiter: Waiter
    let start: Duration

    var delay: Duration {
      let now = limiter.timeline.now
      return limiter.turn(of: waiter.id).map { max(.zero, $0 - now) } ?? .zero
    }

    func giveBack() { limiter.giveBack(waiter) }

    @usableFromInline
    func wait(isolation: isolated (any Actor)? = #isolation) async throws {
      let ending = await waiter.ending(isolation: isolation) { giveBack() }
      if case .expired(let refusal?) = ending, !Task.isCancelled { throw refusal }
      guard ending == .granted, !Task.isCancelled else { throw CancellationError() }
      limiter.tell { .waited(max(.zero, $0 - start)) }
    }
  }
}
