// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import Metrics
import TestSupport
import Testing

@Suite struct PolicyMetricsTests {
  private func observe(
    _ events: [PolicyEvent.What], maximumNames: Int = 100, policy: (Int) -> String = { _ in "c" }
  ) -> RecordingMetrics {
    let factory = RecordingMetrics()
    let metrics = PolicyMetrics(factory: factory, maximumNames: maximumNames)
    for (index, what) in events.enumerated() {
      metrics.observe(PolicyEvent(policy: policy(index), what: what, reading: .zero))
    }
    return factory
  }

  @Test func `counts events by policy, event and reason`() {
    let rejected = PolicyEvent.What.rejected(Rejection(policy: "c", reason: .bulkheadFull))
    #expect(
      observe([rejected, .recovered(attempts: 2), .gaveUp(attempts: 3, reason: .attemptsUsedUp)])
        .log.lines == [
          "mainstay.policy.events{policy=c,event=rejected,reason=bulkheadFull} +1",
          "mainstay.policy.events{policy=c,event=recovered,reason=none} +1",
          "mainstay.policy.events{policy=c,event=gaveUp,reason=attemptsUsedUp} +1",
        ])
  }

  @Test func `times calls and waits`() {
    let lines = observe([.callEnded(.timedOut, took: .seconds(2)), .waited(.milliseconds(7))])
      .log.lines
    #expect(lines.contains("mainstay.call.duration{policy=c,ending=timedOut} 2000ms"))
    #expect(lines.contains("mainstay.wait.duration{policy=c} 7ms"))
  }

  @Test func `shows the state of a breaker, which a reset does not change while it is isolated`() {
    let lines = observe([
      .circuitOpened(failures: 1, breakFor: .seconds(1)), .circuitHalfOpened, .circuitClosed,
      .circuitIsolated, .circuitReset, .circuitClosed, .circuitReset,
    ]).log.lines.filter { $0.hasPrefix("mainstay.breaker.state") }
    #expect(lines.map { $0.suffix(2) } == ["=2", "=1", "=0", "=3", "=0", "=0"])
  }

  @Test func `shows limits and what was abandoned`() {
    let lines = observe([.limitChanged(from: 20, to: 18), .abandoned(stillRunning: 3)]).log.lines
    #expect(lines.contains("mainstay.limit{policy=c} =18"))
    #expect(lines.contains("mainstay.abandoned{policy=c} =3"))
  }

  @Test func `makes each series once, and every metric has the same dimensions`() {
    let factory = observe(PolicyTelemetryTests.everything + PolicyTelemetryTests.everything)
    #expect(Set(factory.made.lines).count == factory.made.lines.count)
    let byMetric = Dictionary(grouping: factory.made.lines) { $0.prefix { $0 != "{" } }
    for series in byMetric.values {
      let shapes = Set(series.map { $0.split(separator: ",").map { $0.split(separator: "=")[0] } })
      #expect(shapes.count == 1)
    }
  }

  @Test(.requirement("P36")) func `names beyond the first ones are counted together`() {
    let factory = observe(
      Array(repeating: .coalesced, count: 50), maximumNames: 3, policy: { "host-\($0)" })
    #expect(factory.made.lines.count == 4)
    #expect(factory.log.lines.count { $0.contains("policy=other") } == 47)
  }

  @Test func `policies that are counted together have no meters`() {
    let lines = observe(
      Array(repeating: .limitChanged(from: 1, to: 2), count: 3), maximumNames: 1,
      policy: { "host-\($0)" }
    ).log.lines
    #expect(lines.filter { $0.hasPrefix("mainstay.limit") } == ["mainstay.limit{policy=host-0} =2"])
  }

  @Test func `goes to the metrics of the process where it is given none`() {
    let factory = RecordingMetrics()
    let metrics = PolicyMetrics()
    withMetricsFactory(factory) {
      metrics.observe(PolicyEvent(policy: "c", what: .coalesced, reading: .zero))
    }
    #expect(factory.log.lines.count == 1)
  }

  @Test func `a whole pipeline is seen`() async {
    let factory = RecordingMetrics()
    let (clock, metrics) = (ManualClock(), PolicyMetrics(factory: factory))
    let pipeline = Pipeline("catalog", clock: clock, observer: metrics) {
      Retry(maximumAttempts: 2, backoff: .none, clock: clock, observer: metrics)
      CircuitBreaker("catalog", .consecutiveFailures(2), clock: clock, observer: metrics)
    }
    for _ in 0..<2 { _ = try? await pipeline.run { throw BreakerBench.down } }
    #expect(
      factory.log.lines.filter { $0.hasPrefix("mainstay.call") || $0.hasPrefix("mainstay.br") }
        == [
          "mainstay.breaker.state{policy=catalog} =2",
          "mainstay.call.duration{policy=catalog,ending=failed} 0ms",
          "mainstay.call.duration{policy=catalog,ending=rejected} 0ms",
        ])
  }

  @Test(.requirement("P23", "T8")) func `a number of names below one stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = PolicyMetrics(maximumNames: 0) }
  }
}
