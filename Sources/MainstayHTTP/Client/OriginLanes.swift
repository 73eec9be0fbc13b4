// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The policies of a client, kept for each origin.
///
/// The usual ones are a type of their own: their stages are then compiled for each other, and a
/// call through them is no chain of unknown generic ones.
enum OriginLanes: Sendable {
  typealias Standard = Pipeline<
    Chain<Chain<Chain<Chain<Deadline, Retry>, Cooldown>, CircuitBreaker>, Timeout>
  >

  case standard(PolicyRegistry<HTTPOrigin, Standard>)
  case own(any OriginLane)

  func run<T: Sendable>(
    _ origin: HTTPOrigin, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    switch self {
    case .standard(let pipelines): try await pipelines.run(origin) { try await operation() }
    case .own(let lane): try await lane.call(origin, operation)
    }
  }

  /// The usual policies, by the clock of the client.
  static func standard(
    _ name: String, budget: RetryBudget?, clock: some Clock<Duration>,
    observer: (any PolicyObserver)?
  ) -> OriginLanes {
    .standard(
      PolicyRegistry(name, clock: clock, observer: observer) { origin in
        let name = "\(name) \(origin)"
        return Pipeline(name, clock: clock, observer: observer) {
          Deadline(.seconds(30), clock: clock, observer: observer)
          Retry(retryIf: .unlessUnknown, budget: budget, clock: clock, observer: observer)
          Cooldown(name, clock: clock, observer: observer)
          CircuitBreaker(name, clock: clock, observer: observer)
          Timeout(.seconds(10), clock: clock, observer: observer)
        }
      })
  }
}

/// Policies of an app's own.
protocol OriginLane: Sendable {
  func call<T: Sendable>(
    _ origin: HTTPOrigin, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T
}

extension PolicyRegistry: OriginLane where Key == HTTPOrigin {
  func call<T: Sendable>(
    _ origin: HTTPOrigin, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await run(origin, operation)
  }
}
