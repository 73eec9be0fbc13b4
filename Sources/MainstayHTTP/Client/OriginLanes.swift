// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The policies of a client, for its origin.
///
/// A transfer has the usual ones with other limits of time; budget, breaker and cooldown are the
/// same.
///
/// The usual ones are a type of their own: their stages are then compiled for each other, and a
/// call through them is no chain of unknown generic ones.
enum OriginLanes: Sendable {
  typealias Standard = Chain<
    Chain<Chain<Chain<Deadline, Retry>, Cooldown>, CircuitBreaker>, Timeout
  >

  case standard(OriginPolicies<Standard>, transfers: OriginPolicies<Standard>, CircuitBreaker?)
  case own(any OriginLane)

  func run<T: Sendable>(
    _ origin: HTTPOrigin, isTransfer: Bool, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    switch self {
    case .standard(let usual, let transfers, _):
      let lane = isTransfer ? transfers : usual
      return try await lane.kept(for: origin).pipeline.run { try await operation() }
    case .own(let lane): return try await lane.call(origin, operation)
    }
  }

  /// The breaker of the usual policies; nil where there is no origin, or policies are an app's own.
  var breaker: CircuitBreaker? {
    if case .standard(_, _, let breaker) = self { breaker } else { nil }
  }

  /// The usual policies, by the clock of the client.
  static func standard(
    _ name: String, for origin: HTTPOrigin?, over transport: any HTTPTransport,
    settings: ResilientClient.Settings, budget: RetryBudget?, clock: some Clock<Duration>,
    observer: (any PolicyObserver)?
  ) -> OriginLanes {
    let breaker = origin.map {
      CircuitBreaker("\(name) \($0)", clock: clock, observer: observer)
    }
    let cooldown = origin.map { Cooldown("\(name) \($0)", clock: clock, observer: observer) }
    // One for both lanes: two would let an origin in trouble be asked twice as often.
    let budget = budget ?? RetryBudget(clock: clock)
    func lane(_ total: Deadline, _ limit: Timeout) -> OriginPolicies<Standard> {
      OriginPolicies { origin in
        let name = "\(name) \(origin)"
        return Pipeline(name, clock: clock, observer: observer) {
          total
          Retry(retryIf: .unlessOver, budget: budget, clock: clock, observer: observer)
          cooldown ?? Cooldown(name, clock: clock, observer: observer)
          breaker ?? CircuitBreaker(name, clock: clock, observer: observer)
          limit
        }
      }
    }
    func total(_ limit: Duration) -> Deadline { Deadline(limit, clock: clock, observer: observer) }
    let limit = Timeout(.seconds(10), clock: clock, observer: observer)
    let isHeeded = transport is any DeadlineHeedingTransport && clock is ContinuousClock
    let silence = settings.streamSilence ?? settings.transferLimit
    return .standard(
      lane(total(.seconds(30)), isHeeded ? limit.heeded : limit),
      transfers: lane(total(settings.transferLimit), limit.patient(silence: silence)), breaker)
  }
}

/// Policies of an app's own.
protocol OriginLane: Sendable {
  func call<T: Sendable>(
    _ origin: HTTPOrigin, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T
}

/// The policies of the origin of a client, made at its first request.
///
/// All requests of a client begin at one origin, so it has policies for that one alone. What fails
/// at another one, where a redirection has led, they repeat and do not count.
///
/// To look them up among others, and to write down who uses them, would cost more than what they
/// do.
final class OriginPolicies<P: ConcurrentPolicy>: Sendable {
  /// A reference, since a copy of a pipeline is one of each of its parts.
  final class Kept: Sendable {
    let pipeline: Pipeline<P>

    init(_ pipeline: Pipeline<P>) { self.pipeline = pipeline }
  }

  private let make: @Sendable (HTTPOrigin) -> Pipeline<P>
  private let kept = Locked<Kept?>(nil)

  /// Keeps policies.
  ///
  /// - Parameter make: Makes them; where several requests are the first one, it may be called for
  ///   each of them, and one pipeline is kept.
  init(_ make: @escaping @Sendable (HTTPOrigin) -> Pipeline<P>) { self.make = make }

  /// The policies of the origin.
  func kept(for origin: HTTPOrigin) -> Kept {
    if let kept = kept.withLock({ $0 }) { return kept }
    // Outside of the lock: it runs what an app makes its policies with.
    let made = Kept(make(origin))
    return kept.withLock { kept in
      let first = kept ?? made
      kept = first
      return first
    }
  }
}

extension OriginPolicies: OriginLane {
  func call<T: Sendable>(
    _ origin: HTTPOrigin, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await kept(for: origin).pipeline.runSendable(operation)
  }
}
