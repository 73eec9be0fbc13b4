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
  fileprivate struct State {
    var names: Set<String> = []
    var counters: [Series: Counter] = [:]
    var timers: [Series: Timer] = [:]
    var meters: [Series: Meter] = [:]
    var isolated: Set<String> = []
  }

  fileprivate enum Metric: String {
    case events = "mainstay.policy.events"
    case call = "mainstay.call.duration"
    case wait = "mainstay.wait.duration"
    case breaker = "mainstay.breaker.state"
    case limit = "mainstay.limit"
    case abandoned = "mainstay.abandoned"

    /// All series of a metric have the same dimensions, as some backends demand.
    var dimensions: [String] {
      switch self {
      case .events: ["policy", "event", "reason"]
      case .call: ["policy", "ending"]
      case .wait, .breaker, .limit, .abandoned: ["policy"]
      }
    }
  }

  fileprivate struct Series: Hashable {
    let metric: Metric
    let values: [String]

    var dimensions: [(String, String)] { Array(zip(metric.dimensions, values)) }
  }

  /// What an event is to be told to; nil for a metric that is not there yet.
  fileprivate struct Found {
    let count: Series
    let counter: Counter?
    var reading: Reading?
  }

  fileprivate enum Reading {
    case time(Series, Timer?, Duration)
    /// A value that belongs to one policy; the values of several must not be mixed.
    case level(Series, Meter?, Int)
  }

  fileprivate static let others = "other"

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
    // All of it under one lock: each call that ends has a counter and a timer.
    let found = state.withLock { $0.find(event, maximumNames: maximumNames) }
    let counter =
      found.counter ?? keep(\.counters, found.count, Counter.init(label:dimensions:factory:))
    counter.increment()
    switch found.reading {
    case .time(let series, let known, let duration):
      let timer = known ?? keep(\.timers, series, Timer.init(label:dimensions:factory:))
      timer.recordNanoseconds(Int64(duration.clamped.inSeconds * 1e9))
    case .level(let series, let known, let value):
      let meter = known ?? keep(\.meters, series, Meter.init(label:dimensions:factory:))
      meter.set(value)
    case nil: break
    }
  }

  /// The metric of a series that was not there yet, made outside of the lock.
  private func keep<Made: Sendable>(
    _ path: any WritableKeyPath<State, [Series: Made]> & Sendable, _ series: Series,
    _ make: (String, [(String, String)], any MetricsFactory) -> Made
  ) -> Made {
    let made = make(series.metric.rawValue, series.dimensions, factory ?? MetricsSystem.factory)
    return state.withLock { state in
      if let known = state[keyPath: path][series] { return known }
      state[keyPath: path][series] = made
      return made
    }
  }
}

// Under the lock, where nobody else's code runs.
extension PolicyMetrics.State {
  fileprivate mutating func find(
    _ event: PolicyEvent, maximumNames: Int
  ) -> PolicyMetrics.Found {
    let policy = name(event.policy, maximumNames)
    let count = PolicyMetrics.Series(
      metric: .events, values: [policy, event.what.name, event.what.label ?? "none"])
    return PolicyMetrics.Found(
      count: count, counter: counters[count], reading: reading(of: event.what, policy))
  }

  private mutating func name(_ policy: String, _ maximum: Int) -> String {
    if names.contains(policy) { return policy }
    guard names.count < maximum else { return PolicyMetrics.others }
    names.insert(policy)
    return policy
  }

  private mutating func reading(
    of what: PolicyEvent.What, _ policy: String
  ) -> PolicyMetrics.Reading? {
    switch what {
    case .callEnded(let ending, let took): return time(.call, [policy, ending.rawValue], took)
    case .waited(let wait): return time(.wait, [policy], wait)
    case .circuitClosed:
      isolated.remove(policy)
      return level(.breaker, policy, 0)
    // A reset does not close a breaker that somebody isolates.
    case .circuitReset: return isolated.contains(policy) ? nil : level(.breaker, policy, 0)
    case .circuitHalfOpened: return level(.breaker, policy, 1)
    case .circuitOpened: return level(.breaker, policy, 2)
    case .circuitIsolated:
      isolated.insert(policy)
      return level(.breaker, policy, 3)
    case .limitChanged(_, let limit): return level(.limit, policy, limit)
    case .abandoned(let stillRunning), .abandonedEnded(let stillRunning):
      return level(.abandoned, policy, stillRunning)
    default: return nil
    }
  }

  private func time(
    _ metric: PolicyMetrics.Metric, _ values: [String], _ duration: Duration
  ) -> PolicyMetrics.Reading {
    let series = PolicyMetrics.Series(metric: metric, values: values)
    return .time(series, timers[series], duration)
  }

  private func level(
    _ metric: PolicyMetrics.Metric, _ policy: String, _ value: Int
  ) -> PolicyMetrics.Reading? {
    guard policy != PolicyMetrics.others else { return nil }
    let series = PolicyMetrics.Series(metric: metric, values: [policy])
    return .level(series, meters[series], value)
  }
}
