// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing
import Tracing

@Suite struct PolicyTracingTests {
  private let tracer = RecordingTracer()

  @Test func `a span for the call and one for each attempt`() async throws {
    let calls = Log()
    let pipeline = Pipeline("catalog") {
      Trace("call")
      Retry(backoff: .none)
      Trace("attempt")
    }
    try await withTracer(tracer) {
      try await pipeline.run {
        calls.add("ran")
        if calls.lines.count < 2 { throw AppError.http(status: 503, isRepeatable: true) }
      }
    }
    #expect(tracer.log.lines.count == 8)
    #expect(
      tracer.log.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "call began", "attempt began", "attempt status", "attempt error", "attempt ended",
        "attempt began", "attempt ended", "call ended",
      ])
    #expect(tracer.log.lines[2] == "attempt status error")
  }

  @Test(.requirement("P26")) func `a cancellation and a refusal are no errors of the span`() async {
    await withTracer(tracer) {
      for error in [
        CancellationError() as any Error, Rejection(policy: "x", reason: .circuitOpen),
      ] {
        _ = try? await Trace("call").run { throw error }
      }
    }
    #expect(
      tracer.log.lines.filter { $0.contains("status") } == ["call status ok", "call status ok"])
    #expect(!tracer.log.lines.contains { $0.contains("error") })
  }

  @Test(.requirement("P26")) func `what a time limit cancelled is an error of the span`() async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let tracer = tracer
    let task = Task {
      try await withTracer(tracer) {
        try await Timeout(.seconds(1), clock: clock).run {
          try await Trace("attempt").run { try await untilCancelled(patience) }
        }
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(tracer.log.lines.contains("attempt status error"))
  }

  @Test func `errors are recorded redacted`() async {
    await withTracer(tracer) {
      _ = try? await Trace("call").run { throw PolicyTelemetryTests.Secretive() }
    }
    #expect(tracer.log.lines.contains { $0.contains("call error") && $0.contains("Secretive") })
    #expect(!tracer.log.lines.contains { $0.contains("abc123secret") })
  }

  @Test func `events are noted on the span of their call`() async throws {
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakJitter: 0, clock: ManualClock(),
      observer: PolicyTracing())
    await withTracer(tracer) {
      _ = try? await Trace("call").run { try await breaker.run { throw BreakerBench.down } }
    }
    #expect(
      tracer.log.lines.contains(
        "call event mainstay.circuitOpened mainstay.breakFor=5.0s "
          + "mainstay.error.code=test.failed mainstay.failures=1 mainstay.policy=catalog"))
  }

  @Test(.requirement("P26"), arguments: [true, false])
  func `a span that is begun inside of a traced call is the current one where the tracer can tell`(
    tells: Bool
  ) async throws {
    let tracer = RecordingTracer(tellsSpans: tells)
    let headers = Log()
    let monitor = ErrorMonitor(sinks: [ErrorReport.SpanSink()])
    try await withTracer(tracer) {
      try await Trace("checkout").run {
        try await withSpan("charge") { _ in
          for (name, value) in Trace.headers { headers.add("\(name) \(value)") }
          monitor.capture(AppError.timeout(), isHandled: false)
          PolicyTracing().observe(PolicyEvent(policy: "c", what: .circuitClosed, reading: .zero))
          _ = try await Trace("attempt").run { monitor.capture(AppError.offline()) }
        }
      }
    }
    let notes = tracer.log.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
      .filter { $0.contains("event") || $0.contains("status") }
    let outer = tells ? "charge" : "checkout"
    #expect(
      notes == [
        "\(outer) event mainstay.errorReported", "\(outer) status error",
        "\(outer) event mainstay.circuitClosed", "attempt event mainstay.errorReported",
      ])
    #expect(headers.lines == (tells ? ["span charge"] : []))
  }

  @Test func `without a span nothing is noted, and mild events never are`() async throws {
    withTracer(tracer) {
      PolicyTracing().observe(PolicyEvent(policy: "c", what: .circuitClosed, reading: .zero))
    }
    try await withTracer(tracer) {
      try await Trace("call").run {
        PolicyTracing().observe(PolicyEvent(policy: "c", what: .coalesced, reading: .zero))
      }
    }
    #expect(tracer.log.lines == ["call began", "call ended"])
  }

  @MainActor final class Model {
    var count = 0

    func load() async throws -> Int {
      try await Trace("load").run {
        MainActor.assertIsolated()
        count += 1
        await Task.yield()
        MainActor.assertIsolated()
        return count
      }
    }
  }

  @Test func `stays on its caller's actor`() async throws {
    #expect(try await Model().load() == 1)
  }
}
