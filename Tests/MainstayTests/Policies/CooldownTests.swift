// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct CooldownTests {
  private let clock = ManualClock()
  private let events = EventRecorder()

  private func cooldown(
    maximum: Duration = .seconds(300), maximumWait: Duration = .seconds(60),
    spread: Duration = .zero
  ) -> Cooldown {
    Cooldown(
      "api.example.com", maximum: maximum, maximumWait: maximumWait, spread: spread,
      clock: clock, seed: 1, observer: events)
  }

  private func answer(_ disposition: Disposition, at cooldown: Cooldown) async {
    await #expect(throws: AppError.self) {
      try await cooldown.run { throw BreakerBench.error(disposition) }
    }
  }

  @Test(.requirement("P24")) func `one throttled call holds all others back`() async throws {
    let cooldown = cooldown()
    #expect(cooldown.remaining == nil)
    await answer(.throttled(retryAfter: .seconds(5)), at: cooldown)
    #expect(cooldown.remaining == .seconds(5))
    let ran = Log()
    let calls = await started(5) { _ in try await cooldown.run { ran.add("ran") } }
    #expect(cooldown.waiting == 5)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(4_999))
    #expect(ran.lines.isEmpty)
    clock.advance(by: .milliseconds(1))
    for call in calls { try await call.value }
    #expect(ran.lines.count == 5)
    #expect(cooldown.remaining == nil)
    guard case .cooldownBegan("api.example.com", .seconds(5)) = events.events.first?.what else {
      Issue.record("\(events.events)")
      return
    }
  }

  @Test(
    .requirement("P8", "P26"),
    arguments: [
      Disposition.transient(retryAfter: .seconds(9)), .permanent, .needsUser, .unknownOutcome,
      .cancelled, .rejected(retryAfter: .seconds(9)), .unclassified,
    ])
  func `nothing else begins a cooldown`(disposition: Disposition) async {
    let cooldown = cooldown()
    await answer(disposition, at: cooldown)
    #expect(cooldown.remaining == nil)
    #expect(events.events.isEmpty)
  }

  @Test(arguments: [nil, .zero, .seconds(-5)] as [Duration?])
  func `a service that names no time to come holds calls back for the usual one`(
    hint: Duration?
  ) async {
    let cooldown = cooldown()
    await answer(.throttled(retryAfter: hint), at: cooldown)
    #expect(cooldown.remaining == .seconds(1))
  }

  @Test(.requirement("P24")) func `each extension is told once, a shorter hint is not`() async {
    let cooldown = cooldown(maximum: .seconds(8))
    cooldown.begin(for: .seconds(5))
    cooldown.begin(for: .seconds(3))
    cooldown.begin(for: .seconds(5))
    cooldown.begin(for: .seconds(600))
    cooldown.begin()
    #expect(BreakerBench.names(events.events) == ["cooldownBegan", "cooldownBegan"])
    #expect(cooldown.remaining == .seconds(8))
  }

  @Test func `those who wait wake up spread out`() async throws {
    let cooldown = cooldown(spread: .seconds(10))
    cooldown.begin(for: .seconds(5))
    let ran = Log()
    var random = SplitMix64(seed: 1)
    let moments = (0..<20).map { _ in 5 + 10 * random.fraction() }
    let calls = await started(20) { _ in try await cooldown.run { ran.add("ran") } }
    #expect(cooldown.waiting == 20)
    for second in 1...15 {
      clock.advance(by: .seconds(1))
      let due = moments.count { $0 <= Double(second) }
      await ran.lines(atLeast: due)
      #expect(ran.lines.count == due)
    }
    for call in calls { try await call.value }
    #expect(Set(moments.map { Int($0) }).count > 5)
    #expect(cooldown.waiting == 0)
  }

  @Test(.requirement("P22", "P33", "T9"))
  func `a wait that is too long, or beyond the deadline, is refused at once`() async {
    let cooldown = cooldown(maximumWait: .seconds(3))
    cooldown.begin(for: .seconds(5))
    let expected = Rejection(
      policy: "api.example.com", reason: .coolingDown, retryAfter: .seconds(5))
    let long = await #expect(throws: Rejection.self) { try await cooldown.run {} }
    #expect(long == expected)
    let patient = Cooldown("api.example.com", spread: .zero, clock: clock)
    patient.begin(for: .seconds(5))
    let pipeline = Pipeline("reads") {
      Deadline(.seconds(5), clock: clock)
      patient
    }
    let late = await #expect(throws: Rejection.self) { try await pipeline.run {} }
    #expect(late == expected)
    #expect(BreakerBench.names(events.events) == ["cooldownBegan", "rejected"])
  }

  @Test func `a cooldown that gets longer holds those who wait`() async throws {
    let cooldown = cooldown()
    cooldown.begin(for: .seconds(5))
    let call = Task { try await cooldown.run { clock.now.offset } }
    await clock.sleepers(atLeast: 1)
    cooldown.begin(for: .seconds(8))
    clock.advance(by: .seconds(5))
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    #expect(try await call.value == .seconds(8))
    #expect(
      BreakerBench.names(events.events) == ["cooldownBegan", "cooldownBegan", "waited"])
  }

  @Test(.requirement("P22", "P26")) func `a cancelled waiter goes at once and changes nothing`()
    async
  {
    let cooldown = cooldown()
    cooldown.begin(for: .seconds(5))
    let call = Task { try await cooldown.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(cooldown.remaining == .seconds(5))
    #expect(BreakerBench.names(events.events) == ["cooldownBegan"])
  }

  @MainActor @Test func `a waiter stays on its actor`() async throws {
    let cooldown = cooldown()
    cooldown.begin(for: .seconds(1))
    let moving = Task {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
    }
    var count = 0
    try await cooldown.run {
      MainActor.assertIsolated()
      count += 1
    }
    await moving.value
    #expect(count == 1)
  }
}

@Suite struct CooldownsTests {
  private let clock = ManualClock()

  @Test(.requirement("P36")) func `what holds calls back is never forgotten`() {
    let cooldowns = Cooldowns(capacity: 10, clock: clock)
    cooldowns.cooldown(for: "busy").begin(for: .seconds(60))
    let inHand = cooldowns.cooldown(for: "in hand")
    for number in 0..<1_000 { _ = cooldowns.cooldown(for: "\(number)") }
    #expect(cooldowns.count <= 12)
    #expect(cooldowns.cooldown(for: "busy").remaining == .seconds(60))
    #expect(cooldowns.cooldown(for: "in hand") === inHand)
    clock.advance(by: .seconds(60))
    for number in 0..<1_000 { _ = cooldowns.cooldown(for: "\(number)") }
    #expect(cooldowns.count <= 11)
  }

  @Test(.requirement("P36")) func `beyond the capacity only what holds calls back is kept`() {
    let cooldowns = Cooldowns(capacity: 4, clock: clock)
    for number in 0..<100 { cooldowns.cooldown(for: "\(number)").begin(for: .seconds(60)) }
    #expect(cooldowns.count == 100)
    for number in 0..<100 {
      #expect(cooldowns.cooldown(for: "\(number)").remaining == .seconds(60))
    }
    clock.advance(by: .seconds(60))
    for number in 100..<400 { _ = cooldowns.cooldown(for: "\(number)") }
    #expect(cooldowns.count < 10)
  }

  @Test func `who was used last is kept`() {
    let cooldowns = Cooldowns(capacity: 8, clock: clock)
    let first = ObjectIdentifier(cooldowns.cooldown(for: "often"))
    for number in 0..<100 {
      _ = cooldowns.cooldown(for: "\(number)")
      #expect(ObjectIdentifier(cooldowns.cooldown(for: "often")) == first)
    }
    #expect(cooldowns.count <= 8)
  }
}

@Suite(.requirement("P10", "P23", "T8")) struct CooldownConfigurationTests {
  @Test func `everything that is wrong is said at once`() {
    let wrong = Cooldown.Configuration(
      withoutHint: .seconds(-1), maximum: .zero, maximumWait: .seconds(Int64.min),
      spread: .seconds(-1))
    let names = ["withoutHint", "maximum", "maximumWait", "spread"]
    let one = #expect(throws: ConfigurationError.self) { try Cooldown(" ", validating: wrong) }
    #expect(one?.violations.map(\.option) == ["name"] + names)
    let many = #expect(throws: ConfigurationError.self) {
      try Cooldowns(capacity: 0, validating: wrong)
    }
    #expect(many?.violations.map(\.option) == ["capacity"] + names)
    #expect(many?.subject == "Cooldowns")
  }

  @Test(.requirement("P18")) func `settings at the edge of what is legal are legal`() async throws {
    let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
    let clock = ManualClock()
    for settings in [
      Cooldown.Configuration(
        withoutHint: longest, maximum: longest, maximumWait: longest, spread: longest),
      .init(
        withoutHint: .zero, maximum: Duration(attoseconds: 1), maximumWait: .zero, spread: .zero),
    ] {
      let cooldown = try Cooldown("a", validating: settings, clock: clock)
      cooldown.begin()
      cooldown.begin(for: longest)
      cooldown.begin(for: .zero - longest)
      clock.advance(by: .seconds(366 * 86_400))
      #expect(try await cooldown.run { 42 } == 42)
    }
  }

  @Test func `settings survive JSON, and missing keys get their defaults`() throws {
    let short = try JSONDecoder().decode(Cooldown.Configuration.self, from: Data("{}".utf8))
    #expect(short == Cooldown.Configuration())
    let long = Cooldown.Configuration(
      withoutHint: .seconds(2), maximum: .seconds(9), maximumWait: .milliseconds(500),
      spread: .zero)
    #expect(
      try JSONDecoder().decode(
        Cooldown.Configuration.self, from: JSONEncoder().encode(long)) == long)
  }

  @Test(.ends(withinMinutes: 2)) func `an observer may use the cooldown`() {
    final class Curious: PolicyObserver {
      let cooldown = Locked<Cooldown?>(nil)
      let seen = Log()
      func observe(_ event: PolicyEvent) {
        guard let cooldown = cooldown.withLock({ $0 }) else { return }
        seen.add("\(event.what.name) \(cooldown.remaining == .seconds(5)) \(cooldown.waiting)")
        // As long as it lasts already, which is nothing new.
        cooldown.begin(for: .seconds(5))
      }
    }
    let curious = Curious()
    let cooldown = Cooldown("a", spread: .zero, clock: ManualClock(), seed: 1, observer: curious)
    curious.cooldown.withLock { $0 = cooldown }
    cooldown.begin(for: .seconds(5))
    #expect(curious.seen.lines == ["cooldownBegan true 0"])
    curious.cooldown.withLock { $0 = nil }
  }

  @Test func `a maximum of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = Cooldown("a", maximum: .zero) }
  }

  @Test func `a capacity of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = Cooldowns(capacity: 0) }
  }
}
