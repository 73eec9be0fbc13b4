// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting

/// What the tests of ``CircuitBreaker`` share.
enum BreakerBench {
  /// What became of a call, and whether its operation ran.
  enum Seen: Equatable {
    case ran
    case ranAndThrew
    case refused(Rejection.Reason, retryAfter: Duration?)
    case lost(String)

    static let probing = Seen.refused(.circuitProbing, retryAfter: nil)
    static let isolated = Seen.refused(.circuitIsolated, retryAfter: nil)
    static func open(_ retryAfter: Duration) -> Seen {
      .refused(.circuitOpen, retryAfter: retryAfter)
    }
  }

  /// Calls an operation that throws the error, or nothing.
  static func call(_ breaker: CircuitBreaker, throwing error: (any Error)? = nil) async -> Seen {
    var didRun = false
    do {
      try await breaker.run {
        didRun = true
        if let error { throw error }
      }
      return didRun ? .ran : .lost("nothing ran")
    } catch let rejection as Rejection where !didRun {
      return .refused(rejection.reason, retryAfter: rejection.retryAfter)
    } catch {
      return didRun ? .ranAndThrew : .lost("\(error)")
    }
  }

  /// An error of a dependency with a disposition.
  static func error(_ disposition: Disposition) -> AppError {
    AppError(
      code: "test.failed", kind: .server, disposition: disposition, title: "Failed",
      message: "It failed.")
  }

  static let down = error(.transient())

  /// The names of the events, without what they carry.
  static func names(_ events: [PolicyEvent]) -> [String] {
    events.map { event in String("\(event.what)".prefix { $0 != "(" }) }
  }

  /// Holds operations until it is opened.
  final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var arrived = 0
      var held: [CheckedContinuation<Void, Never>] = []
      var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    /// Returns as soon as the gate is open.
    func pass() async {
      await withCheckedContinuation { continuation in
        let (isOpen, ready) = state.withLock { state in
          state.arrived += 1
          if !state.isOpen { state.held.append(continuation) }
          let arrived = state.arrived
          let ready = state.watchers.filter { $0.count <= arrived }.map(\.continuation)
          state.watchers.removeAll { $0.count <= arrived }
          return (state.isOpen, ready)
        }
        if isOpen { continuation.resume() }
        for watcher in ready { watcher.resume() }
      }
    }

    /// Returns as soon as this many have arrived.
    func arrivals(atLeast count: Int) async {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.arrived >= count { return true }
          state.watchers.append((count, continuation))
          return false
        }
        if isThere { continuation.resume() }
      }
    }

    /// Lets everybody through, now and later.
    func open() {
      let held = state.withLock { state in
        state.isOpen = true
        defer { state.held = [] }
        return state.held
      }
      for continuation in held { continuation.resume() }
    }
  }
}

/// Counts how often it is read.
final class CountingClock: Clock, Sendable {
  private let inner = ManualClock()
  private let count = Locked(0)

  var readings: Int { count.withLock { $0 } }
  var minimumResolution: Duration { .zero }
  var now: ManualClock.Instant {
    count.withLock { $0 += 1 }
    return inner.now
  }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await inner.sleep(until: deadline)
  }
}
