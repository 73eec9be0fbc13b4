// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct CircuitBreakerConfigurationTests {
  @Test(.requirement("P10", "T8"))
  func `settings from outside are checked, and everything wrong is said at once`() throws {
    let configuration = CircuitBreaker.Configuration(
      name: " ", tripRule: .consecutiveFailures(0), breakFor: .zero, maximumBreak: .seconds(-1),
      breakGrowth: .nan, breakJitter: 1.5,
      halfOpen: .init(permits: 0, required: 101, lease: .zero))
    let error = try #require(throws: ConfigurationError.self) {
      try CircuitBreaker(validating: configuration)
    }
    #expect(error.subject == "CircuitBreaker")
    #expect(
      error.violations.map(\.option) == [
        "name", "consecutiveFailures", "breakFor", "maximumBreak", "breakGrowth", "breakJitter",
        "halfOpen.permits", "halfOpen.required", "halfOpen.lease",
      ])
    #expect(
      error.violations[1].description
        == "consecutiveFailures: 0 is not legal: it must be 1 or more")
    #expect(error.appError.kind == .configuration)
    #expect(error.appError.disposition == .permanent)
    #expect(error.appError.details?.contains("halfOpen.lease: 0.0 seconds") == true)
  }

  @Test(
    .requirement("P10", "P18", "T8"),
    arguments: [
      Duration(secondsComponent: .max, attosecondsComponent: 0), .seconds(1e15),
      Duration(attoseconds: 1),
    ])
  func `any length of a break above zero is legal`(breakFor: Duration) async throws {
    let clock = ManualClock()
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakFor: breakFor,
      halfOpen: .init(lease: breakFor), clock: clock)
    for _ in 0..<3 {
      #expect(await BreakerBench.call(breaker, throwing: BreakerBench.down) == .ranAndThrew)
      guard case .open(let retryAfter) = breaker.state else {
        Issue.record("\(breaker.state)")
        return
      }
      #expect(retryAfter > .zero && retryAfter <= .seconds(2 * 365 * 86_400))
      clock.advance(by: retryAfter)
    }
  }

  @Test(
    .requirement("P10"),
    arguments: [
      CircuitBreaker.Configuration(name: "a", tripRule: .consecutiveFailures(1)),
      .init(name: "a", tripRule: .consecutiveFailures(.max)),
      .init(name: "a", breakFor: .seconds(120)),
      .init(name: "a", tripRule: .failureRate(1, over: .count(1), minimumThroughput: 1)),
      .init(name: "a", tripRule: .failureRate(.leastNonzeroMagnitude, over: .time(.seconds(1e17)))),
      .init(
        name: "a", tripRule: .failureRate(1, over: .count(100_000), minimumThroughput: 100_000)),
      .init(name: "a", tripRule: .slowCalls(rate: 1, longerThan: .nanoseconds(1))),
      .init(name: "a", mode: .disabled),
      .init(name: "a", breakFor: .seconds(5), maximumBreak: .seconds(5)),
      .init(name: "a", breakGrowth: 1, breakJitter: 0),
      .init(name: "a", breakGrowth: 100, breakJitter: 1),
      .init(name: "a", halfOpen: .init(permits: 100, required: 100)),
      .init(name: "a", halfOpen: .init(permits: 1, required: 3)),
    ])
  func `settings at the edge of what is legal are legal`(
    configuration: CircuitBreaker.Configuration
  ) throws {
    #expect(try CircuitBreaker(validating: configuration).state == .closed)
  }

  @Test func `settings are read from JSON, spans of time in seconds, the rest by default`() throws {
    let short = try JSONDecoder().decode(
      CircuitBreaker.Configuration.self, from: Data(#"{"name": "catalog"}"#.utf8))
    #expect(short == CircuitBreaker.Configuration(name: "catalog"))
    let long = try JSONDecoder().decode(
      CircuitBreaker.Configuration.self,
      from: Data(
        #"""
        {"name": "catalog", "tripRule": {"consecutiveFailures": 3}, "breakFor": 2.5,
         "maximumBreak": 1e300, "breakGrowth": 1.5, "breakJitter": 0.1,
         "halfOpen": {"permits": 2, "lease": 0.25}, "mode": "metricsOnly"}
        """#.utf8))
    let expected = CircuitBreaker.Configuration(
      name: "catalog", tripRule: .consecutiveFailures(3), breakFor: .milliseconds(2500),
      maximumBreak: .seconds(365 * 86_400), breakGrowth: 1.5, breakJitter: 0.1,
      halfOpen: .init(permits: 2, lease: .milliseconds(250)), mode: .metricsOnly)
    #expect(long == expected)
    let again = try JSONDecoder().decode(
      CircuitBreaker.Configuration.self, from: JSONEncoder().encode(long))
    #expect(again == expected)
  }

  @Test(arguments: ["-3", "-1e300", "0"])
  func `a break that JSON makes negative is refused, not mended`(seconds: String) throws {
    let configuration = try JSONDecoder().decode(
      CircuitBreaker.Configuration.self,
      from: Data(#"{"name": "catalog", "breakFor": \#(seconds)}"#.utf8))
    let error = try #require(throws: ConfigurationError.self) {
      try CircuitBreaker(validating: configuration)
    }
    #expect(error.violations.map(\.option) == ["breakFor"])
  }

  @Test(.requirement("P10", "T8"))
  func `everything that is wrong with rules is said at once`() throws {
    let rule = CircuitBreaker.TripRule.any(
      of: .consecutiveFailures(0),
      .failureRate(.nan, over: .count(0), minimumThroughput: 0),
      .failureRate(1.01, over: .count(10)),
      .failureRate(0, over: .time(.zero), minimumThroughput: -1),
      .failureRate(-.infinity, over: .count(100_001), minimumThroughput: 100_002),
      .slowCalls(rate: .infinity, longerThan: .zero, over: .time(.seconds(-1))),
      .slowCalls(rate: 1, longerThan: .seconds(1)))
    let error = try #require(throws: ConfigurationError.self) {
      try CircuitBreaker(validating: .init(name: "a", tripRule: rule))
    }
    #expect(
      error.violations.map(\.option) == [
        "consecutiveFailures", "failureRate.rate", "failureRate.over",
        "failureRate.minimumThroughput", "failureRate.rate", "failureRate.minimumThroughput",
        "failureRate.rate", "failureRate.over", "failureRate.minimumThroughput",
        "failureRate.rate", "failureRate.over", "failureRate.minimumThroughput", "slowCalls.rate",
        "slowCalls.over", "slowCalls.longerThan", "slowCalls.longerThan",
      ])
    #expect(error.violations[5].rule == "it must be 1 to 10, the size of the window")
    for rule in [CircuitBreaker.TripRule.any(), tooMany] {
      let error = try #require(throws: ConfigurationError.self) {
        try CircuitBreaker(validating: .init(name: "a", tripRule: rule))
      }
      #expect(error.violations.map(\.option) == ["tripRule"])
    }
  }

  private var tooMany: CircuitBreaker.TripRule {
    let three = CircuitBreaker.TripRule.any(
      of: .consecutiveFailures(1), .failureRate(1), .failureRate(0.5))
    return .any(of: three, three, three)
  }

  @Test func `rules are read from JSON, one or a list of them`() throws {
    let list = try JSONDecoder().decode(
      CircuitBreaker.TripRule.self,
      from: Data(
        #"""
        [{"consecutiveFailures": 5}, {"failureRate": 0.5},
         {"failureRate": 0.25, "seconds": 2.5, "minimumThroughput": 7},
         {"slowCalls": 0.8, "longerThan": 1.5, "calls": 100, "minimumThroughput": 50}]
        """#.utf8))
    #expect(
      list
        == .any(
          of: .recommended,
          .failureRate(0.25, over: .time(.milliseconds(2_500)), minimumThroughput: 7),
          .slowCalls(
            rate: 0.8, longerThan: .milliseconds(1_500), over: .count(100), minimumThroughput: 50)))
    for rule in [list, .failureRate(0.5, over: .count(20)), .any()] {
      let json = try JSONEncoder().encode(rule)
      #expect(try JSONDecoder().decode(CircuitBreaker.TripRule.self, from: json) == rule)
    }
  }

  @Test(
    .requirement("P10"),
    arguments: [
      "{}", #"{"consecutiveFailures": 5, "failureRate": 0.5}"#, #"{"slowCalls": 0.5}"#,
      #"{"failureRate": 0.5, "calls": 10, "seconds": 10}"#, #"{"failureRate": "half"}"#,
      #"{"consecutiveFailures": null}"#, #"{"consecutiveFailures": 1e30}"#, "[[]]", "5",
    ])
  func `a rule that nobody can understand is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CircuitBreaker.TripRule.self, from: Data(json.utf8))
    }
  }

  @Test(.requirement("P10")) func `a rate of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = CircuitBreaker("catalog", .failureRate(0))
    }
  }

  @Test(.requirement("P10")) func `a threshold of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = CircuitBreaker("catalog", .consecutiveFailures(0))
    }
  }

  @Test(.requirement("P10")) func `a negative break in the code stops the program, with a reason`()
    async throws
  {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = CircuitBreaker("catalog", breakFor: .seconds(-1))
      })
    #if DEBUG
      let text = String(decoding: result.standardErrorContent, as: UTF8.self)
      #expect(text.contains("breakFor: -1.0 seconds is not legal: it must be more than zero"))
    #else
      #expect(result.exitStatus != .exitCode(0))  // a release build keeps no words
    #endif
  }

  @Test(.requirement("P39"))
  func `one breaker twice in one pipeline stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let breaker = CircuitBreaker("catalog")
      _ = Pipeline("reads") {
        breaker
        PassThrough()
        breaker
      }
    }
  }

  @Test(.requirement("P39")) func `two breakers of one name may stand in one pipeline`()
    async throws
  {
    let pipeline = Pipeline("reads") {
      CircuitBreaker("catalog")
      CircuitBreaker("catalog")
    }
    #expect(try await pipeline.run { 42 } == 42)
  }
}
