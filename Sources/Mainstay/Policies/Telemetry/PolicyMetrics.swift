// SPDX-License-Identifier: Apache-2.0

public import Metrics

/// Counts the events of policies with swift-metrics.
///
/// | Metric | Kind | Dimensions | Holds |
/// |---|---|---|---|
/// | `mainstay.policy.events` | counter | `policy`, `event`, `reason` | how often it happened |
/// | `mainstay.call.duration` | timer | `policy`, `ending` | how long calls of pipelines took |
/// | `mainstay.wait.duration` | timer | `policy` | how long calls waited for their turn |
/// | `mainstay.breaker.state` | meter | `policy` | 0 closed, 1 half-open, 2 open, 3 isolated |
/// | `mainstay.limit` | meter | `policy` | the limit on calls at the same time |
/// | `mainstay.abandoned` | meter | `policy` | what was given up at its limit and still runs |
///
/// Every dimension has a few values that stand in the code, so the number of series is small. Names
/// of policies beyond the first ones, such as those made from keys, are counted together as
/// `other`, and have no meters. A meter is there from the first event that sets it.
public final class PolicyMetrics: PolicyObserver {
  private struct State {
    var names: Set<String> = []
    var counters: [Series: Counter] = [:]
    var timers: [Series: Timer] = [:]
    var meters: [Series: Meter] = [:]
    var isolated: Set<String> = []
  }

  private struct Series: Hashable {
    let metric: String
    let dimensions: [String]
  }

  private static let others = "other"

  private let factory: (any MetricsFactory)?
  private let maximumNames: Int
  private let state = Locked(State())

  /// Makes a counter of events.
  ///
  /// - Parameters:
  ///   - factory: Where metrics are made; the default, nil, is the one that `MetricsSystem` was
  ///     given.
  ///   - maximumNames: How many policies are told apart; 1 or more, the default is 100.
  public init(factory: (any MetricsFactory)? = nil, maximumNames: Int = 100) {
    precondition(
      maximumNames >= 1,
      "PolicyMetrics(maximumNames: \(maximumNames)) is not legal: it must be 1 or more")
    self.factory = factory
    self.maximumNames = maximumNames
  }

  /// Counts an event.
  public func observe(_ event: PolicyEvent) {
    let policy = knownName(event.policy)
    count(event.what, of: policy)
    switch event.what {
    case .callEnded(let ending, let took):
      time("mainstay.call.duration", took, [("policy", policy), ("ending", ending.rawValue)])
    case .waited(let time): self.time("mainstay.wait.duration", time, [("policy", policy)])
    case .circuitClosed: setState(0, of: policy, isIsolated: false)
    case .circuitReset: setState(0, of: policy)
    case .circuitHalfOpened: setState(1, of: policy)
    case .circuitOpened: setState(2, of: policy)
    case .circuitIsolated: setState(3, of: policy, isIsolated: true)
    case .limitChanged(_, let limit): set("mainstay.limit", limit, of: policy)
    case .abandoned(let stillRunning), .abandonedEnded(let stillRunning):
      set("mainstay.abandoned", stillRunning, of: policy)
    default: break
    }
  }

  private func knownName(_ policy: String) -> String {
    state.withLock { state in
      if state.names.contains(policy) { return policy }
      guard state.names.count < maximumNames else { return Self.others }
      state.names.insert(policy)
      return policy
    }
  }

  private func count(_ what: PolicyEvent.What, of policy: String) {
    // All series of a metric have the same dimensions, as some backends demand.
    let dimensions = [
      ("policy", policy), ("event", what.name), ("reason", what.label ?? "none"),
    ]
    series(\.counters, "mainstay.policy.events", dimensions) { label, factory in
      Counter(label: label, dimensions: dimensions, factory: factory)
    }.increment()
  }

  private func time(_ metric: String, _ duration: Duration, _ dimensions: [(String, String)]) {
    series(\.timers, metric, dimensions) { label, factory in
      Timer(label: label, dimensions: dimensions, factory: factory)
    }.recordNanoseconds(Int64(duration.clamped.inSeconds * 1e9))
  }

  /// Sets a value that belongs to one policy; the values of several must not be mixed.
  private func set(_ metric: String, _ value: Int, of policy: String) {
    guard policy != Self.others else { return }
    let dimensions = [("policy", policy)]
    series(\.meters, metric, dimensions) { label, factory in
      Meter(label: label, dimensions: dimensions, factory: factory)
    }.set(value)
  }

  /// A reset does not close a breaker that somebody isolates.
  private func setState(_ value: Int, of policy: String, isIsolated: Bool? = nil) {
    let staysIsolated = state.withLock { state in
      switch isIsolated {
      case true?: _ = state.isolated.insert(policy)
      case false?: _ = state.isolated.remove(policy)
      case nil: return state.isolated.contains(policy)
      }
      return false
    }
    if !staysIsolated { set("mainstay.breaker.state", value, of: policy) }
  }

  /// The metric of one series, made when it is first needed, outside of the lock.
  private func series<Metric: Sendable>(
    _ path: any WritableKeyPath<State, [Series: Metric]> & Sendable, _ label: String,
    _ dimensions: [(String, String)], make: (String, any MetricsFactory) -> Metric
  ) -> Metric {
    let key = Series(metric: label, dimensions: dimensions.map(\.1))
    if let known = state.withLock({ $0[keyPath: path][key] }) { return known }
    let made = make(label, factory ?? MetricsSystem.factory)
    return state.withLock { state in
      if let known = state[keyPath: path][key] { return known }
      state[keyPath: path][key] = made
      return made
    }
  }
}
