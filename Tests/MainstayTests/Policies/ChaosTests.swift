// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ChaosTests {
  private let recorder = EventRecorder()

  private func chaos(
    _ disturbance: Chaos.Disturbance, rate: Double = 1, clock: ManualClock = ManualClock(),
    seed: UInt64 = 1
  ) -> Chaos {
    Chaos(
      enabledInRelease: true, disturbance, rate: rate, clock: clock, seed: seed,
      observer: recorder)
  }

  @Test func `is off in release builds unless it is made for them`() async throws {
    let plain = Chaos(.error(AppError.http(status: 503, isRepeatable: true)), rate: 1)
    #if DEBUG
      #expect(Chaos.isOnByDefault)
      await #expect(throws: AppError.self) { try await plain.run {} }
    #else
      #expect(!Chaos.isOnByDefault)
      try await plain.run {}
    #endif
    #expect(plain.isEnabled == Chaos.isOnByDefault)
    let never = Chaos(
      enabledInRelease: false, .error(AppError.http(status: 503, isRepeatable: true)), rate: 1)
    try await never.run {}
    await #expect(throws: AppError.self) {
      try await chaos(.error(AppError.http(status: 503, isRepeatable: true))).run {}
    }
  }

  @Test func `an error is thrown without the call being made`() async {
    let error = await #expect(throws: AppError.self) {
      try await chaos(.error(AppError.http(status: 503, isRepeatable: true))).run {
        Issue.record("it ran")
      }
    }
    #expect(error?.httpStatus == 503)
    #expect(recorder.names == ["chaosInjected"])
  }

  @Test(.requirement("P38")) func `each call gets an error made for it`() async {
    let made = Log()
    let error: @Sendable () -> any Error = {
      made.add("made")
      return AppError.http(status: 503, isRepeatable: true)
    }
    let chaos = chaos(.error(error()))
    for _ in 0..<3 { _ = try? await chaos.run {} }
    #expect(made.lines.count == 3)
  }

  @Test func `a latency lets the call wait and then makes it`() async throws {
    let clock = ManualClock()
    let chaos = chaos(.latency(.seconds(2)), clock: clock)
    let call = Task { try await chaos.run { 42 } }
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await call.value == 42)
  }

  @Test func `a call that returns an optional is made as well`() async throws {
    let disturbances: [Chaos.Disturbance] = [.latency(.zero), .behavior {}]
    for disturbance in disturbances {
      let name: String? = try await chaos(disturbance).run { "Ada" }
      #expect(name == "Ada")
    }
    // What is said to come back instead still does.
    let none: String? = try await chaos(.outcome(String?.none)).run { "Ada" }
    #expect(none == nil)
  }

  @Test func `an outcome that does not fit a call is not told`() async throws {
    let chaos = chaos(.outcome(7))
    #expect(try await chaos.run { "text" } == "text")
    #expect(recorder.names.isEmpty)
    #expect(try await chaos.run { 42 } == 7)
    #expect(recorder.names == ["chaosInjected"])
  }

  @Test func `a latency by chance stays within its bounds`() async throws {
    let clock = ManualClock()
    let chaos = chaos(.latency(.seconds(1) ... .seconds(3)), clock: clock)
    for _ in 0..<50 {
      let call = Task { try await chaos.run {} }
      await clock.sleepers(atLeast: 1)
      let wait = try #require(clock.nextWakeUp)
      #expect((.seconds(1) ... .seconds(3)).contains(wait))
      clock.advance(by: wait)
      try await call.value
    }
  }

  @Test(.requirement("P21")) func `a latency ends when the caller is cancelled`() async {
    let clock = ManualClock()
    let chaos = chaos(.latency(.seconds(2)), clock: clock)
    let call = Task { try await chaos.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test func `a timeout outside cuts a latency off`() async {
    let (clock, latency) = (ManualClock(), ManualClock())
    let pipeline = Pipeline("slow") {
      Timeout(.seconds(1), clock: clock)
      chaos(.latency(.seconds(60)), clock: latency)
    }
    let call = Task { try await pipeline.run {} }
    await clock.sleepers(atLeast: 1)
    await latency.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await call.value }
  }

  @Test func `an outcome is returned instead, unless the call returns something else`() async throws
  {
    let chaos = chaos(.outcome(7))
    #expect(try await chaos.run { 42 } == 7)
    #expect(try await chaos.run { "text" } == "text")
    let optional: Int? = try await chaos.run { nil }
    #expect(optional == 7)
  }

  @Test func `a behavior comes before the call, which it can prevent`() async throws {
    let log = Log()
    try await chaos(.behavior { log.add("emptied") }).run { log.add("ran") }
    #expect(log.lines == ["emptied", "ran"])
    await #expect(throws: AppError.self) {
      try await chaos(.behavior { throw AppError.http(status: 500, isRepeatable: true) }).run {
        Issue.record("it ran")
      }
    }
  }

  @Test func `disturbs its part of the calls, the same ones for the same seed`() async {
    func disturbed(seed: UInt64) async -> [Bool] {
      let chaos = chaos(
        .error(AppError.http(status: 503, isRepeatable: true)), rate: 0.1, seed: seed)
      var disturbed: [Bool] = []
      for _ in 0..<2000 { disturbed.append((try? await chaos.run {}) == nil) }
      return disturbed
    }
    let first = await disturbed(seed: 3)
    #expect((150...250).contains(first.count { $0 }))
    #expect(await disturbed(seed: 3) == first)
    #expect(await disturbed(seed: 4) != first)
  }

  @Test func `disturbs only while its condition holds, and never at a rate of zero`() async throws {
    let isOn = Flag()
    let chaos = Chaos(
      enabledInRelease: true, .error(AppError.http(status: 503, isRepeatable: true)), rate: 1,
      when: { isOn.isRaised })
    try await chaos.run {}
    isOn.raise()
    await #expect(throws: AppError.self) { try await chaos.run {} }
    try await self.chaos(.error(AppError.http(status: 503, isRepeatable: true)), rate: 0).run {}
  }

  @Test func `says what it does`() {
    let slow = Pipeline("slow") {
      Timeout(.seconds(9))
      chaos(.latency(.milliseconds(1) ... .seconds(2)), rate: 0.125)
    }.explain()
    #expect(slow.stages[1].words == "disturbs 12.5 % of the calls: latency of 1 ms to 2 s")
    #expect(slow.findings.map(\.rule) == [.chaosInReleases])
    let off = Pipeline("off") {
      Timeout(.seconds(9))
      Chaos(enabledInRelease: false, .error(AppError.http(status: 503, isRepeatable: true)))
    }.explain()
    #expect(off.stages[1].words == "does nothing" && off.findings.isEmpty)
  }

  @MainActor final class Model {
    var count = 0

    func load(_ chaos: Chaos) async throws -> Int {
      try await chaos.run {
        MainActor.assertIsolated()
        count += 1
        return count
      }
    }
  }

  @Test func `stays on its caller's actor`() async throws {
    #expect(try await Model().load(chaos(.behavior { await Task.yield() })) == 1)
  }

  @Test(.requirement("P23", "T8")) func `settings from outside say everything that is wrong`()
    async throws
  {
    func decode(_ json: String) throws -> Chaos.Configuration {
      try JSONDecoder().decode(Chaos.Configuration.self, from: Data(json.utf8))
    }
    #expect(try decode("{}") == Chaos.Configuration())
    let settings = Chaos.Configuration(
      rate: 1, shortestLatency: .seconds(1), longestLatency: .seconds(3))
    let json = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
    #expect(try decode(json) == settings)
    let wrong = try decode(#"{"rate": 1.5, "shortestLatency": -2, "longestLatency": -3}"#)
    let error = #expect(throws: ConfigurationError.self) {
      try Chaos(validating: wrong, enabledInRelease: true)
    }
    #expect(error?.violations.map(\.option) == ["rate", "shortestLatency", "longestLatency"])
    let clock = ManualClock()
    let slow = try Chaos(
      validating: .init(rate: 1, shortestLatency: .seconds(2)), enabledInRelease: true,
      clock: clock)
    let call = Task { try await slow.run {} }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    try await call.value
  }

  @Test func `a failure from outside comes after its latency, without the call being made`()
    async throws
  {
    let settings = Chaos.Configuration(
      rate: 1, shortestLatency: .seconds(2), status: 429, retryAfter: .seconds(7))
    let json = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(Chaos.Configuration.self, from: json) == settings)
    let clock = ManualClock()
    let isOn = Flag()
    let chaos = try Chaos(
      validating: settings, enabledInRelease: true, when: { isOn.isRaised }, clock: clock,
      observer: recorder)
    #expect(try await chaos.run { 42 } == 42)
    isOn.raise()
    let call = Task { try await chaos.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.httpStatus == 429)
    #expect(error?.disposition == .throttled(retryAfter: .seconds(7)))
    #expect(recorder.names == ["chaosInjected", "chaosInjected"])
    let words = Pipeline("reads") { chaos }.explain().description
    #expect(words.contains("100.0 % of the calls: error after latency of 2 s"))
  }

  @Test(.requirement("P23", "T8"))
  func `a failure from outside without latency fails at once, and is checked`() async throws {
    let down = try Chaos(validating: .init(rate: 1, status: 503), enabledInRelease: true)
    let error = await #expect(throws: AppError.self) { try await down.run {} }
    #expect(error?.httpStatus == 503)
    for wrong in [Chaos.Configuration(status: 200, retryAfter: .seconds(-1)), .init(status: 600)] {
      let error = #expect(throws: ConfigurationError.self) {
        try Chaos(validating: wrong, enabledInRelease: true)
      }
      #expect(error?.violations.first?.option == "status")
    }
    let lonely = #expect(throws: ConfigurationError.self) {
      try Chaos(validating: .init(retryAfter: .zero), enabledInRelease: true)
    }
    #expect(lonely?.violations.map(\.option) == ["retryAfter"])
  }

  @Test(.requirement("P23", "P10", "T8")) func `illegal settings stop the program`() async {
    for rate in ["-0.1", "1.1", "nan", "inf"] {
      let said = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [rate = rate as String] in
        _ = Chaos(.latency(.zero), rate: Double(rate) ?? 0)
      }
      let text = String(decoding: said?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("0 to 1"))
    }
    await #expect(processExitsWith: .failure) {
      _ = Chaos.Disturbance.latency(.seconds(-1))
    }
    _ = Chaos(.latency(.zero ... .seconds(Int64.max)), rate: 1)
  }
}
