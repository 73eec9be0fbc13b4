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
  /// number of series is bounded. `outcome` is `succeeded` or `failed`.
  ///
  /// All count in the call that captures or recovers, suppressed ones too, so that a burst loses
  /// none of them. Where another sink hands batches on to this one, it counts what stands in them.
  public final class MetricsSink: ReportSink, CaptureNoting {
    private struct Series: Hashable {
      let code: String
      let succeeded: Bool?
    }

    private struct State {
      /// Whether a monitor tells it of each error, so that batches hold nothing new.
      var isNoting = false
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

    func beginNoting() { state.withLock { $0.isNoting = true } }

    func noteCaptured(_ report: ErrorReport) { counter(report.code, nil).increment() }

    func noteSuppressed(_ code: ErrorCode, isHandled: Bool) { counter(code, nil).increment() }

    func noteRecovery(_ recovery: ErrorReport.Recovery) {
      counter(recovery.code, recovery.succeeded).increment()
    }

    /// Counts a batch, unless a monitor has this sink and counted it when it was captured.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      guard !state.withLock({ $0.isNoting }) else { return .accepted }
      for report in batch.reports {
        let untold = min(max(0, Int64(report.suppressed?.count ?? 0)), Int64(Int32.max))
        counter(report.code, nil).increment(by: 1 + untold)
      }
      for recovery in batch.recoveries { counter(recovery.code, recovery.succeeded).increment() }
      return .accepted
    }

    /// The counter of one series, made when it is first needed, outside of the lock.
    private func counter(_ code: ErrorCode, _ succeeded: Bool?) -> Counter {
      let (series, known) = state.withLock { state -> (Series, Counter?) in
        // Nearly always there: a flood looks for one thing alone.
        let own = Series(code: code.rawValue, succeeded: succeeded)
        if let known = state.counters[own] { return (own, known) }
        let isKnown = state.codes.contains(code.rawValue)
        let isNamed = isKnown || state.codes.count < maximumCodes
        if isNamed { state.codes.insert(code.rawValue) }
        let series = isNamed ? own : Series(code: "_OTHER", succeeded: succeeded)
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
