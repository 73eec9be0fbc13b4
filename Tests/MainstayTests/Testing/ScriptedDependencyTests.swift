// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A40", "A47", "D38")) struct ScriptedDependencyTests {
  private let clock = ManualClock()

  @Test func `takes as long as the script says and remembers its calls`() async throws {
    let service = ScriptedDependency(latency: .constant(2), clock: clock, seed: 1)
    let calls = (0..<3).map { _ in Task { try await service.call() } }
    await clock.sleepers(atLeast: 3)
    #expect(service.running == 3 && service.peak == 3)
    clock.advance(by: .seconds(2))
    for call in calls { try await call.value }
    #expect(service.running == 0)
    #expect(service.calls.map(\.concurrency) == [1, 2, 3])
    #expect(service.calls.allSatisfy { $0.began == .zero && $0.ended == .seconds(2) })
    #expect(service.calls.allSatisfy { $0.ending == .succeeded })
  }

  @Test func `is down for a time`() async {
    let outage = ScriptedCurve.steps([(.seconds(40), 0), (.seconds(10), 1)])
    let service = ScriptedDependency(failures: outage, clock: clock, seed: 1)
    var answers = ""
    for _ in 0..<5 {
      answers += (try? await service.call()) == nil ? "x" : "."
      clock.advance(by: .seconds(10))
    }
    #expect(answers == ".xxx.")
    #expect(service.calls[1].ending == .failed && service.calls[1].began == .seconds(10))
  }

  @Test func `the same seed gives the same failures`() async {
    func answers(seed: UInt64) async -> [Bool] {
      let service = ScriptedDependency(failures: .constant(0.3), clock: clock, seed: seed)
      for _ in 0..<500 { try? await service.call() }
      return service.calls.map { $0.ending == .failed }
    }
    let first = await answers(seed: 1)
    #expect((100...200).contains(first.count { $0 }))
    #expect(await answers(seed: 1) == first)
    #expect(await answers(seed: 2) != first)
  }

  @Test func `a caller that goes away is seen as such`() async {
    let service = ScriptedDependency(latency: .constant(2), clock: clock, seed: 1)
    let call = Task { try await service.call() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(service.calls.map(\.ending) == [.cancelled])
    #expect(service.calls[0].ended == .seconds(1) && service.running == 0)
  }

  @Test func `throws the error that it was given`() async {
    let service = ScriptedDependency(
      failures: .constant(1), error: PipelineTests.PaymentError.declined, clock: clock, seed: 1)
    await #expect(throws: PipelineTests.PaymentError.declined) { try await service.call() }
  }

  @Test func `curves follow time and load`() {
    func at(_ curve: ScriptedCurve, _ seconds: Int, concurrency: Int = 1) -> Double {
      curve.value(.init(time: .seconds(seconds), call: 1, concurrency: concurrency))
    }
    let ramp = ScriptedCurve.ramp(from: 1, to: 3, during: .seconds(10) ... .seconds(20))
    #expect([0, 10, 15, 20, 99].map { at(ramp, $0) } == [1, 1, 2, 3, 3])
    let point = ScriptedCurve.ramp(from: 1, to: 3, during: .seconds(10) ... .seconds(10))
    #expect([10, 11].map { at(point, $0) } == [1, 3])
    let load = ScriptedCurve.overload(beyond: 4, 0.5)
    #expect([1, 4, 8].map { at(load, 0, concurrency: $0) } == [0.5, 0.5, 1])
    #expect(at(ScriptedCurve { Double($0.call) }, 0) == 1)
  }

  @Test(.requirement("T8")) func `numbers without sense do no harm`() async throws {
    for value in [-1, Double.nan] {
      let service = ScriptedDependency(
        latency: .constant(value), failures: .constant(value), clock: clock, seed: 1)
      try await service.call()
    }
    let always = ScriptedDependency(failures: .constant(.infinity), clock: clock, seed: 1)
    await #expect(throws: AppError.self) { try await always.call() }
    await #expect(processExitsWith: .failure) { _ = ScriptedCurve.overload(beyond: 0, 1) }
  }

  @Test(.requirement("T16")) func `a breaker keeps the load of an outage small`() async {
    let service = ScriptedDependency(failures: .constant(1), clock: clock, seed: 1)
    let breaker = CircuitBreaker(
      "service", .consecutiveFailures(5), breakFor: .seconds(10), breakGrowth: 1, breakJitter: 0,
      clock: clock)
    for _ in 0..<1000 {
      _ = try? await breaker.run { try await service.call() }
      clock.advance(by: .milliseconds(100))
    }
    // Five until it opens, then one probe in each of the ten breaks.
    #expect((14...15).contains(service.calls.count))
  }
}
