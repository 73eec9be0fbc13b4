// SPDX-License-Identifier: Apache-2.0

import Mainstay

extension LoadShedding {
  /// The place of a request that was let in; it is free once released, or forgotten.
  public final class Place: Sendable {
    /// Gives the permit back as it goes.
    fileprivate final class Holder: Sendable {
      private let permit: Bulkhead.Permit?
      private let learning: AdaptiveLimit.Permit?

      init(_ permit: consuming Bulkhead.Permit?, _ learning: consuming AdaptiveLimit.Permit?) {
        self.permit = permit
        self.learning = learning
      }

      func learn(from error: (any Error)?) {
        if let error { learning?.fail(with: error) } else { learning?.succeed() }
      }
    }

    private struct State {
      var holder: Holder?
      var hasEnded = false
    }

    private let state: Locked<State>
    /// Whether its caller, and not the service, has said how long it may take.
    private let isHurried = OwnRefusal.isHurried

    init(
      _ permit: consuming Bulkhead.Permit? = nil,
      learning: consuming AdaptiveLimit.Permit? = nil
    ) {
      state = Locked(State(holder: Holder(permit, learning)))
    }

    /// Handles the request, and says how that has ended, as ``ended(with:)`` does.
    ///
    /// Beyond that it knows what the caller gave no time for (``RequestDeadline``), which says
    /// nothing of what there is room for. The place is still taken after it.
    ///
    /// - Parameter operation: Handles the request.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation throws.
    public func handle<T>(_ operation: () async throws -> T) async throws -> T {
      // What a caller gave no time for is told apart also where no errors are reported.
      let refusal = OwnRefusal.current ?? OwnRefusal()
      return try await OwnRefusal.$current.withValue(refusal) {
        do {
          let answer = try await operation()
          ended()
          return answer
        } catch {
          ended(with: error)
          throw error
        }
      }
    }

    /// Says that the request was handled, and with which error: an `AdaptiveLimit` learns from
    /// that how many requests can be answered at once.
    ///
    /// The place is still taken, since the answer is not sent yet. The first time counts, and only
    /// before the place is released.
    ///
    /// - Parameter error: What the handler threw; nil where it has an answer.
    public func ended(with error: (any Error)? = nil) {
      let holder = state.withLock { state in
        defer { state.hasEnded = true }
        return state.hasEnded ? nil : state.holder
      }
      // What a caller gave no time for says nothing of what there is room for.
      if let error, isHurried || OwnRefusal.current?.explains(error) == true { return }
      // Outside the lock, for it may wake whoever waits.
      holder?.learn(from: error)
    }

    /// Makes room for the next request; once is enough.
    public func release() {
      // It goes outside the lock, for it wakes whoever waits.
      _ = state.withLock { state in
        defer { state.holder = nil }
        return state.holder
      }
    }
  }
}
