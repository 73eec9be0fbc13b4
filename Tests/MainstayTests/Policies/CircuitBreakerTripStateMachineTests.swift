// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// The rules that open a closed breaker.
@Suite struct CircuitBreakerTripTests {
  private typealias Machine = CircuitBreakerStateMachine

  private let overTen = CircuitBreaker.Window.count(10)
  private let overTime = CircuitBreaker.Window.time(.seconds(10))

  private func rate(
    _ threshold: Double, of counted: CircuitBreakerStateMachine.Rate.Counted = .failures,
    over span: CircuitBreaker.Window, minimum: Int = 4
  ) -> CircuitBreakerStateMachine.Rate {
    .init(counts: counted, threshold: threshold, span: span, minimum: minimum)
  }

  /// Settles one call after another and returns the index of the one that opened the breaker.
  private func trip(
    _ settings: CircuitBreakerStateMachine.Settings, _ calls: String, every step: Duration = .zero
  ) throws -> Int? {
    var machine = Machine(settings)
    for (index, call) in calls.enumerated() {
      let now = step * index
      let token = try machine.token(at: now)
      let took: Duration = call.isUppercase ? .milliseconds(1_001) : .milliseconds(1_000)
      let verdict: Machine.Verdict =
        switch call {
        case "s", "S": .success
        case "f", "F": .failure
        default: .neutral
        }
      let event = machine.settle(token, verdict, took: took, now: now, fraction: 0)
      if case .opened = event { return index }
      #expect(event == nil)
    }
    return nil
  }

  @Test func `a rate over a count opens at its threshold, once enough calls are known`() throws {
    let settings = Machine.Settings(failureThreshold: nil, rates: [rate(0.5, over: overTen)])
    #expect(try trip(settings, "fff") == nil)
    #expect(try trip(settings, "ffff") == 3)
    #expect(try trip(settings, "sssffs") == nil)
    #expect(try trip(settings, "sssfff") == 5)
    // Only the latest ten count.
    #expect(try trip(settings, String(repeating: "s", count: 50) + "fffff") == 54)
  }

  @Test func `a rate over a time counts the calls of that time only`() throws {
    let settings = Machine.Settings(failureThreshold: nil, rates: [rate(0.5, over: overTime)])
    #expect(try trip(settings, "ssssssss" + "ffff", every: .seconds(1)) == nil)
    #expect(try trip(settings, "ssssssss" + "fffff", every: .seconds(1)) == 12)
    #expect(try trip(settings, "ffffffff", every: .seconds(4)) == nil)
  }

  @Test(.requirement("P8")) func `a success never opens, whatever the window says`() throws {
    // Enough calls are known only with the last one, which is a success: 3 of 4 have failed.
    let settings = Machine.Settings(failureThreshold: nil, rates: [rate(0.5, over: overTen)])
    #expect(try trip(settings, "fffs") == nil)
    #expect(try trip(settings, "fffsf") == 4)
    // Old successes have left the window when a new one comes: 4 of 7 have failed.
    let overTime = Machine.Settings(failureThreshold: nil, rates: [rate(0.5, over: overTime)])
    #expect(try trip(overTime, "sssssssffffnnns", every: .seconds(1)) == nil)
    #expect(try trip(overTime, "sssssssffffnnnsf", every: .seconds(1)) == 15)
  }

  @Test(.requirement("P8")) func `a call without a verdict is not counted`() throws {
    let settings = Machine.Settings(failureThreshold: nil, rates: [rate(0.5, over: overTen)])
    #expect(try trip(settings, "fffnnnnnn") == nil)
    #expect(try trip(settings, "fnfnfnf") == 6)
    #expect(try trip(settings, "fnfnfNN") == nil)
  }

  @Test func `any of several rules opens`() throws {
    let settings = Machine.Settings(
      failureThreshold: 3,
      rates: [rate(0.5, over: overTen, minimum: 6), rate(0.2, over: .count(100), minimum: 20)])
    #expect(try trip(settings, "fff") == 2)
    #expect(try trip(settings, "fsfsff") == 5)
    let mostlyGood = String(repeating: "s", count: 40)
    #expect(try trip(settings, mostlyGood + "fsssfsssffss" + "fssffs") == 56)
  }

  @Test func `slow calls open, failed or not, and at the threshold a call is not slow`() throws {
    let settings = Machine.Settings(
      failureThreshold: nil, slowerThan: .seconds(1),
      rates: [rate(0.75, of: .slowCalls, over: overTen)])
    #expect(try trip(settings, "ssssffffffff") == nil)
    #expect(try trip(settings, "SSSS") == 3)
    #expect(try trip(settings, "SFSsF") == 4)
    #expect(try trip(settings, "SFSs") == nil)
    #expect(try trip(settings, "SNNNSNS") == nil)
  }

  @Test func `a slow success looks at all rules, but starts the count of failures again`() throws {
    let settings = Machine.Settings(
      failureThreshold: 2, slowerThan: .seconds(1),
      rates: [rate(1, of: .slowCalls, over: overTen), rate(0.7, over: overTen)])
    #expect(try trip(settings, "fSfSfS") == nil)
    #expect(try trip(settings, "fSff") == 3)
  }

  @Test(.requirement("P13")) func `a call whose time was not measured is not slow`() throws {
    var machine = Machine(
      .init(
        failureThreshold: nil, slowerThan: .nanoseconds(1),
        rates: [rate(0.1, of: .slowCalls, over: overTen, minimum: 1)]))
    for took in [nil, .zero, .seconds(-5), Duration.nanoseconds(1)] {
      let token = try machine.token(at: 0)
      #expect(machine.settle(token, .success, took: took, now: .seconds(99), fraction: 0) == nil)
    }
    #expect(machine.windows[0].totals == .init(calls: 4))
    let token = try machine.token(at: 0)
    #expect(
      machine.settle(token, .success, took: .nanoseconds(2), now: .zero, fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(5), leaseExpired: false))
  }

  @Test(.requirement("P10"), arguments: [0.0001, 0.1, 0.7, 1.0 / 3, 2.0 / 3, 1])
  func `a rate is reached exactly where the quotient says so`(threshold: Double) {
    let rate = rate(threshold, over: .count(3_000), minimum: 1)
    for calls in [1, 3, 7, 10, 30, 3_000] {
      for failures in stride(from: 0, through: calls, by: max(1, calls / 30)) {
        let totals = SlidingWindow.Totals(calls: calls, failures: failures)
        let isReached = Double(failures) >= threshold * Double(calls) - 1e-9
        #expect((rate.causes(in: totals) != nil) == isReached, "\(failures) of \(calls)")
      }
    }
    #expect(rate.causes(in: .init()) == nil)
  }

  @Test(.requirement("P10")) func `the smallest window and the smallest throughput work`() throws {
    let smallest = Machine.Settings(
      failureThreshold: nil, rates: [rate(1, over: .count(1), minimum: 1)])
    #expect(try trip(smallest, "ssf") == 2)
    let never = Machine.Settings(
      failureThreshold: nil, rates: [rate(0.01, over: overTime, minimum: .max)])
    #expect(try trip(never, String(repeating: "f", count: 200)) == nil)
  }

  @Test(.requirement("P8")) func `the minimum throughput is not asked for while half-open`() throws
  {
    var machine = Machine(
      .init(failureThreshold: 1, rates: [rate(0.5, over: overTen, minimum: 10)]))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    let probe = try machine.token(at: 5)
    #expect(
      machine.settle(probe, .failure, now: .seconds(5), fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(10), leaseExpired: false))
  }

  @Test func `a slow probe counts as failed, where a rule says what is slow`() throws {
    for slowerThan in [Duration.seconds(1), nil] {
      var machine = Machine(.init(failureThreshold: 1, slowerThan: slowerThan))
      _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
      let event = machine.settle(
        try machine.token(at: 5), .success, took: .seconds(2), now: .seconds(7), fraction: 0)
      #expect(
        event
          == (slowerThan == nil
            ? .closed : .opened(failures: 1, breakFor: .seconds(10), leaseExpired: false)))
    }
  }

  @Test func `a breaker that closes begins with empty windows`() throws {
    var machine = Machine(.init(failureThreshold: nil, rates: [rate(0.5, over: overTen)]))
    for _ in 0..<4 {
      _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    }
    #expect(machine.state == .open(until: .seconds(5)))
    let probe = try machine.token(at: 5)
    #expect(machine.settle(probe, .success, now: .seconds(5), fraction: 0) == .closed)
    #expect(machine.windows.map(\.totals) == [.init()])
    for _ in 0..<3 {
      let token = try machine.token(at: 6)
      #expect(machine.settle(token, .failure, now: .seconds(6), fraction: 0) == nil)
    }
  }

  @Test func `one window serves all rules that name its span`() {
    let machine = Machine(
      .init(
        slowerThan: .seconds(1),
        rates: [
          rate(0.5, over: overTen), rate(0.5, of: .slowCalls, over: overTen),
          rate(0.5, over: overTime),
        ]))
    #expect(machine.windows.map(\.span) == [overTen, overTime])
  }

  @Test func `the clock is needed at the end of a call only where the rules ask for it`() throws {
    func isDone(
      _ settings: CircuitBreakerStateMachine.Settings, _ verdict: Machine.Verdict,
      took: Duration? = nil
    ) throws -> Bool {
      var machine = Machine(settings)
      return machine.settleWithoutClock(try machine.token(at: 0), verdict, took: took)
    }
    let count = Machine.Settings(slowerThan: .seconds(1), rates: [rate(0.5, over: overTen)])
    let time = Machine.Settings(rates: [rate(0.5, over: overTime)])
    #expect(try isDone(.init(), .success) && isDone(.init(), .failure))
    #expect(try !isDone(.init(failureThreshold: 1), .failure))
    #expect(try isDone(count, .success) && !isDone(count, .failure))
    #expect(try !isDone(count, .success, took: .seconds(2)))
    #expect(try !isDone(time, .success) && isDone(time, .neutral))
  }
}

/// When a breaker does what a new one would do, so that nothing is lost with it.
@Suite struct CircuitBreakerPristineTests {
  private typealias Machine = CircuitBreakerStateMachine

  @Test(.requirement("P36")) func `new, it is pristine, and again after a success`() throws {
    var machine = Machine(.init())
    #expect(machine.isPristine(now: .zero) == true)
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.isPristine(now: .zero) == false)
    _ = machine.settle(try machine.token(at: 0), .success, now: .zero, fraction: 0)
    #expect(machine.isPristine(now: .zero) == true)
  }

  @Test(.requirement("P36")) func `it is not while open, half-open or isolated`() throws {
    // Breaks do not grow, so that nothing but the state tells it from a new one.
    var machine = Machine(.init(failureThreshold: 1, growth: 1))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.isPristine(now: .seconds(9)) == false)
    let probe = try machine.token(at: 9)
    #expect(machine.isPristine(now: .seconds(9)) == false)
    _ = machine.settle(probe, .success, now: .seconds(9), fraction: 0)
    #expect(machine.isPristine(now: .seconds(9)) == true)
    _ = machine.isolate()
    #expect(machine.isPristine(now: .seconds(9)) == false)
    _ = machine.endIsolation()
    #expect(machine.isPristine(now: .seconds(9)) == true)
  }

  @Test(.requirement("P36")) func `it is not while the next break is longer than the first`() {
    var machine = Machine(.init())
    _ = machine.restore(.init(failures: 0, nextBreak: .seconds(10)), now: .zero)
    #expect(machine.isPristine(now: .zero) == false)
    _ = machine.restore(.init(failures: 0, nextBreak: .seconds(5)), now: .zero)
    #expect(machine.isPristine(now: .zero) == true)
  }

  @Test(.requirement("P36", "P9"), arguments: [true, false])
  func `it is not while a failed or a slow call is in a window`(isFailure: Bool) throws {
    let rate = Machine.Rate(
      counts: .failures, threshold: 1, span: .time(.seconds(10)), minimum: 9)
    var machine = Machine(.init(slowerThan: .seconds(1), rates: [rate]))
    _ = machine.settle(
      try machine.token(at: 0), isFailure ? .failure : .success,
      took: isFailure ? .zero : .seconds(2), now: .zero, fraction: 0)
    // The count of failures in a row begins again; the window remembers.
    _ = machine.settle(
      try machine.token(at: 0), .success, took: .zero, now: .zero, fraction: 0)
    #expect(machine.failures == 0)
    #expect(machine.isPristine(now: .zero) == false)
    #expect(machine.isPristine(now: .seconds(8)) == false)
    #expect(machine.isPristine(now: .seconds(10)) == true)
  }

  @Test(.requirement("P36", "P12")) func `a clock that went back does not bring calls back`() throws
  {
    let rate = Machine.Rate(
      counts: .failures, threshold: 1, span: .time(.seconds(10)), minimum: 9)
    var machine = Machine(.init(rates: [rate]))
    for verdict in [Machine.Verdict.failure, .success] {
      _ = machine.settle(try machine.token(at: 0), verdict, now: .zero, fraction: 0)
    }
    _ = try machine.token(at: 20)
    #expect(machine.isPristine(now: .seconds(-50)) == true)
  }

  @Test func `without further settings it does what the policy does by default`() throws {
    let policy = try CircuitBreaker.Configuration(name: "catalog").checked()
    let settings = Machine.Settings()
    #expect(settings.mode == policy.mode && settings.rates == policy.rates)
    #expect(settings.failureThreshold == policy.failureThreshold)
    #expect(settings.slowerThan == policy.slowerThan && settings.lease == policy.lease)
    #expect(settings.firstBreak == policy.firstBreak)
    #expect(settings.maximumBreak == policy.maximumBreak)
    #expect(settings.growth == policy.growth && settings.jitter == policy.jitter)
    #expect(settings.permits == policy.permits && settings.required == policy.required)
  }
}
