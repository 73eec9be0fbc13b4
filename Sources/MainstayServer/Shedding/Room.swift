// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// What holds requests back until there is room for them.
enum Room: Sendable {
  case fixed(Bulkhead)
  case learned(AdaptiveLimit)

  var name: String {
    switch self {
    case .fixed(let bulkhead): bulkhead.name
    case .learned(let limit): limit.name
    }
  }

  /// How many there may be now.
  var limit: Int {
    switch self {
    case .fixed(let bulkhead): bulkhead.limit
    case .learned(let limit): limit.limit
    }
  }

  /// How many there are, and how many wait.
  var load: (running: Int, waiting: Int) {
    switch self {
    case .fixed(let bulkhead): (bulkhead.running, bulkhead.waiting)
    case .learned(let limit): (limit.running, limit.waiting)
    }
  }

  /// Why there is none, where nobody waits for it.
  var reason: Rejection.Reason {
    switch self {
    case .fixed: .bulkheadFull
    case .learned: .limitReached
    }
  }

  /// A place if one is free.
  func tryEnter() -> LoadShedding.Place? {
    switch self {
    case .fixed(let bulkhead):
      guard let permit = bulkhead.tryAcquire() else { return nil }
      return LoadShedding.Place(permit)
    case .learned(let limit):
      guard let permit = limit.tryAcquire() else { return nil }
      return LoadShedding.Place(learning: permit)
    }
  }

  /// A place as soon as one is free.
  ///
  /// - Throws: `Rejection`, and `CancellationError`.
  func enter() async throws -> LoadShedding.Place {
    switch self {
    case .fixed(let bulkhead): LoadShedding.Place(try await bulkhead.acquire())
    case .learned(let limit): LoadShedding.Place(learning: try await limit.acquire())
    }
  }
}
