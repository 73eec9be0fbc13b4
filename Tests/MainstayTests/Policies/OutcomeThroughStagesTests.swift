// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing
import Tracing

/// What a stage that changes nothing does with outcomes: they pass through it as they are.
@Suite struct OutcomeThroughStagesTests {
  private let clock = ManualClock()

  /// Whether an outcome whose error is that of a policy as well comes out as it went in; thrown on
  /// its way, nobody could tell whose it was.
  private func isUntouched(by stage: some Policy) async -> Bool {
    let outcome = await stage.outcome { () async -> Outcome<Int, CancellationError> in
      .failure(CancellationError())
    }
    guard case .failure = outcome else { return false }
    let value = await stage.outcome { () async -> Outcome<Int, CancellationError> in .success(7) }
    guard case .success(7) = value else { return false }
    return true
  }

  @Test func `a span and a disturbance that is off throw nothing inside`() async {
    let tracer = RecordingTracer()
    await withTracer(tracer) { #expect(await isUntouched(by: Trace("call"))) }
    #expect(tracer.log.lines.filter { $0.contains("status") } == ["call status ok"])
    #expect(await isUntouched(by: Chaos(enabledInRelease: false, .latency(.seconds(1)))))
    #expect(await isUntouched(by: Chaos(enabledInRelease: true, .latency(.seconds(1)), rate: 0)))
  }

  @Test func `a span says how outcomes ended`() async {
    let tracer = RecordingTracer()
    let (clock, down) = (clock, BreakerBench.down)
    let pipeline = Pipeline("catalog") {
      Trace("call")
      CircuitBreaker("catalog", .consecutiveFailures(1), clock: clock)
    }
    await withTracer(tracer) {
      _ = await pipeline.outcome { 1 }
      _ = await pipeline.outcome { () throws(AppError) -> Int in throw down }
      let refused = await pipeline.outcome { 1 }
      guard case .rejected(let rejection) = refused else {
        Issue.record("\(refused)")
        return
      }
      #expect(rejection.reason == .circuitOpen)
    }
    #expect(
      tracer.log.lines.filter { $0.contains("status") } == [
        "call status error", "call status ok",
      ])
    #expect(tracer.log.lines.count { $0.contains("call error") } == 1)
  }

  @Test func `a disturbance makes outcomes and errors as by run`() async throws {
    let value = Chaos(enabledInRelease: true, .outcome(42), rate: 1, clock: clock)
    let made = await value.outcome { () async -> Outcome<Int, AppError> in .success(1) }
    #expect(try made.get() == 42)
    let other = await value.outcome { () async -> Outcome<String, AppError> in .success("own") }
    #expect(try other.get() == "own")
    let error = Chaos(enabledInRelease: true, .error(BreakerBench.down), rate: 1, clock: clock)
    let failed = await error.outcome { () async -> Outcome<Int, AppError> in .success(1) }
    guard case .failure(BreakerBench.down) = failed else {
      Issue.record("\(failed)")
      return
    }
  }
}
