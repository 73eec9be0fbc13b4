// SPDX-License-Identifier: Apache-2.0

/// When it is found out again about capabilities that do not work, as a value without a clock.
struct CapabilityRecheckStateMachine: Sendable, Equatable {
  typealias ID = CapabilityRegistry.ID
  typealias Status = CapabilityRegistry.Status

  private struct Wait: Sendable, Equatable {
    /// How often in a row it did not work.
    var failures: Int
    var due: Duration
    var isRunning = false
  }

  let backoff: Backoff
  private var waits: [ID: Wait] = [:]

  init(backoff: Backoff) { self.backoff = backoff }

  /// When the next one is due; nil where none waits.
  var nextWake: Duration? { waits.values.filter { !$0.isRunning }.map(\.due).min() }

  /// What is known of all of them.
  mutating func heard(_ all: [ID: Status], now: Duration, random: inout SplitMix64) {
    waits = waits.filter { id, _ in all[id]?.passingError != nil }
    for (id, status) in all.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard waits[id] == nil, let error = status.passingError else { continue }
      waits[id] = Wait(failures: 1, due: due(1, error, now, &random))
    }
  }

  /// Those to be looked at now.
  mutating func next(at now: Duration) -> [ID] {
    let due = waits.filter { !$0.value.isRunning && $0.value.due <= now }.keys
    for id in due { waits[id]?.isRunning = true }
    return due.sorted { $0.rawValue < $1.rawValue }
  }

  /// One was looked at; what nobody knows was broken off, and says nothing.
  mutating func found(_ id: ID, _ status: Status, now: Duration, random: inout SplitMix64) {
    guard var wait = waits[id] else { return }
    guard status != .unknown else {
      waits[id] = Wait(
        failures: wait.failures, due: due(wait.failures, nil, now, &random))
      return
    }
    guard let error = status.passingError else {
      waits[id] = nil
      return
    }
    wait.failures = min(wait.failures, Int.max - 1) + 1
    waits[id] = Wait(
      failures: wait.failures, due: due(wait.failures, error, now, &random))
  }

  /// The network has become better, so what did not work may work now.
  mutating func improved(now: Duration) {
    for id in waits.keys {
      waits[id]?.failures = 0
      waits[id]?.due = now
    }
  }

  private func due(
    _ failures: Int, _ error: AppError?, _ now: Duration, _ random: inout SplitMix64
  ) -> Duration {
    let own = backoff.delay(attempt: max(failures, 1), fraction: random.fraction())
    // Whatever stands there, it is not asked without a pause.
    let wait = max(own, error?.disposition.retryAfter ?? .zero, Self.shortest)
    return now + wait.clamped
  }

  /// How long at least one waits before it is looked at again.
  static let shortest = Duration.seconds(1)
}

extension CapabilityRegistry.Status {
  /// Why it does not work; nil where it does, where nobody knows, or where a person is needed.
  fileprivate var passingError: AppError? {
    guard case .unavailable(let error) = self, error.disposition != .needsUser else { return nil }
    return error
  }
}
