// SPDX-License-Identifier: Apache-2.0

public import Metrics

extension ErrorReport {
  /// Counts errors and recoveries with swift-metrics.
  ///
  /// | Metric | Kind | Dimensions | Holds |
  /// |---|---|---|---|
  /// | `mainstay.errors` | counter | `error.type` | how many errors were captured |
  /// | `mainstay.recoveries` | counter | `error.type`, `outcome` | how often recovery was tried |
  ///
  /// `error.type` is the code; codes beyond the first ones are counted together as `_OTHER`, so the
  /// number of series is bounded. Errors that were suppressed count with the next report of their
  /// group, or with the one that closes it. `outcome` is `succeeded` or `failed`.
  public final class MetricsSink: ReportSink {
    private struct Series: Hashable {
      let code: String
      let succeeded: Bool?
    }

    private struct State {
      var codes: Set<String> = []
      var counters: [Series: Counter] = [:]
    }

    /// The name.
    public let name: String
    /// Its own figures: handed everything.
    public var purpose: ErrorReport.Purpose { .log }

    private let factory: (any MetricsFactory)?
    private let maximumCodes: Int
    private let state = Locked(State())

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - factory: Where metrics are made; the default, nil, is the one that `MetricsSystem` was
    ///     given.
    ///   - name: The name in the ledger.
    ///   - maximumCodes: How many codes are told apart; 1 or more, the default is 100.
    public init(
      factory: (any MetricsFactory)? = nil, name: String = "metrics", maximumCodes: Int = 100
    ) {
      precondition(
        maximumCodes >= 1,
        "MetricsSink(maximumCodes: \(maximumCodes)) is not legal: it must be 1 or more")
      self.factory = factory
      self.name = name
      self.maximumCodes = maximumCodes
    }

    /// Counts a batch.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      for report in batch.reports {
        let untold = min(max(0, Int64(report.suppressed?.count ?? 0)), Int64(Int32.max))
        counter(report.code, nil).increment(by: 1 + untold)
      }
      for recovery in batch.recoveries { counter(recovery.code, recovery.succeeded).increment() }
      return .accepted
    }

    /// The counter of one series, made when it is first needed, outside of the lock.
    private func counter(_ code: ErrorCode, _ succeeded: Bool?) -> Counter {
      let (series, known) = state.withLock { state in
        let isKnown = state.codes.contains(code.rawValue)
        let isNamed = isKnown || state.codes.count < maximumCodes
        if isNamed { state.codes.insert(code.rawValue) }
        let series = Series(code: isNamed ? code.rawValue : "_OTHER", succeeded: succeeded)
        return (series, state.counters[series])
      }
      if let known { return known }
      var dimensions = [("error.type", series.code)]
      if let succeeded { dimensions.append(("outcome", succeeded ? "succeeded" : "failed")) }
      let made = Counter(
        label: succeeded == nil ? "mainstay.errors" : "mainstay.recoveries",
        dimensions: dimensions, factory: factory ?? MetricsSystem.factory)
      return state.withLock { state in
        if let known = state.counters[series] { return known }
        state.counters[series] = made
        return made
      }
    }
  }
}
