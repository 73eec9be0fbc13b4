// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// How a pipeline tells that a call ended.
@Suite struct CallReportsTests {
  private func endings(_ recorder: EventRecorder) -> [String] {
    recorder.events.map { event in
      guard case .callEnded(let ending, let took) = event.what else { return "\(event.what)" }
      return "\(event.policy) \(ending) \(took.inWords)"
    }
  }

  @Test(.requirement("P38")) func `tells every call exactly once, with its ending and its length`()
    async throws
  {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let pipeline = Pipeline("catalog", clock: clock, observer: recorder) {
      Retry(maximumAttempts: 3, backoff: .none)
    }
    try await pipeline.run { clock.advance(by: .seconds(2)) }
    let errors: [any Error] = [
      AppError.http(status: 404), AppError.http(status: 503, isRepeatable: true),
      Rejection(policy: "x", reason: .circuitOpen), TimedOut.total("x", .seconds(1)),
      CancellationError(), AppError.cancelled(),
    ]
    for error in errors {
      await #expect(throws: (any Error).self) {
        try await pipeline.run {
          clock.advance(by: .seconds(1))
          throw error
        }
      }
    }
    _ = await pipeline.outcome { throw CancellationError() }
    _ = try await pipeline.run {
      throw AppError.http(status: 404)
    } fallback: { _ in
      7
    }
    #expect(
      endings(recorder) == [
        "catalog succeeded 2 s", "catalog failed 1 s", "catalog failed 3 s",
        "catalog rejected 1 s", "catalog timedOut 3 s", "catalog cancelled 1 s",
        "catalog cancelled 1 s", "catalog cancelled 0 s", "catalog failed 0 s",
      ])
  }

  @Test func `a pipeline inside of another one tells of its own calls`() async throws {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let inner = Pipeline("inner", clock: clock, observer: recorder) {}
    let outer = Pipeline("outer", clock: clock, observer: recorder) { inner }
    try await outer.run {}
    #expect(endings(recorder) == ["inner succeeded 0 s", "outer succeeded 0 s"])
  }

  @Test func `a concurrent pipeline tells too`() async throws {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let pipeline = Pipeline("hedged", clock: clock, observer: recorder) { PipelineTests.Race() }
    try await pipeline.run {}
    _ = try? await pipeline.run { throw CancellationError() }
    #expect(endings(recorder) == ["hedged succeeded 0 s", "hedged cancelled 0 s"])
  }

  @Test(.requirement("P12")) func `a clock that goes back makes no call shorter than nothing`()
    async throws
  {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let pipeline = Pipeline("back", clock: clock, observer: recorder) {}
    try await pipeline.run { clock.advance(by: .seconds(-5)) }
    #expect(endings(recorder) == ["back succeeded 0 s"])
  }

  @Test(.requirement("P38", "P21")) func `a call of a cancelled task is told once, as cancelled`()
    async
  {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let pipeline = Pipeline("gone", clock: clock, observer: recorder) { Retry(clock: clock) }
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await pipeline.run { _ = Issue.record("it ran") }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(endings(recorder) == ["gone cancelled 0 s"])
  }

  @Test func `the observer of the process is told of every pipeline`() async {
    await #expect(processExitsWith: .success) {
      let recorder = EventRecorder()
      PolicyObservation.bootstrap(recorder)
      try await Pipeline("plain") {}.run {}
      guard recorder.events.map(\.policy) == ["plain"] else { fatalError("\(recorder.events)") }
    }
    await #expect(processExitsWith: .failure) {
      PolicyObservation.bootstrap(EventRecorder())
      PolicyObservation.bootstrap(EventRecorder())
    }
  }
}
