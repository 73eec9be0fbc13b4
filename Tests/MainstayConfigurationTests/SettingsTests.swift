// SPDX-License-Identifier: Apache-2.0

import Configuration
import Mainstay
import MainstayConfiguration
import MainstayOutbox
import Testing

/// Settings of policies and the outbox, read from the values of swift-configuration.
@Suite struct SettingsTests {
  private typealias Breaker = CircuitBreaker.Configuration

  private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
    ConfigReader(provider: InMemoryProvider(values: values))
  }

  /// As a process sees them that was started with these variables.
  private func environment(_ variables: [String: String]) -> ConfigReader {
    ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
  }

  @Test func `a breaker gets what is set, and its defaults for the rest`() throws {
    let settings = try reader([
      "breakers.catalog.name": "catalog", "breakers.catalog.breakFor": 2.5,
      "breakers.catalog.tripRule.consecutiveFailures": 3,
      "breakers.catalog.halfOpen.permits": 4, "breakers.catalog.mode": "metricsOnly",
    ]).settings(Breaker.self, at: "breakers.catalog")
    #expect(
      settings
        == Breaker(
          name: "catalog", tripRule: .consecutiveFailures(3), breakFor: .seconds(2.5),
          halfOpen: .init(permits: 4), mode: .metricsOnly))
  }

  @Test func `the environment holds texts alone, and lists of rules as JSON`() throws {
    let settings = try environment([
      "BREAKERS_CATALOG_NAME": "catalog", "BREAKERS_CATALOG_BREAK_FOR": "10",
      "BREAKERS_CATALOG_BREAK_JITTER": "0.5",
      "BREAKERS_CATALOG_TRIP_RULE":
        #"[{"consecutiveFailures": 7}, {"failureRate": 0.5, "minimumThroughput": 20}]"#,
    ]).settings(Breaker.self, at: "breakers.catalog")
    #expect(settings.breakFor == .seconds(10))
    #expect(settings.breakJitter == 0.5)
    #expect(settings.tripRule != .consecutiveFailures(7))
    let breaker = try CircuitBreaker(validating: settings)
    for _ in 0..<7 { try breaker.admit().fail() }
    #expect(throws: Rejection.self) { try breaker.admit().succeed() }
  }

  @Test func `what the code says holds wherever nothing is set, also where it is longer`() throws {
    let code = Breaker(
      name: "catalog", breakFor: .seconds(9), maximumBreak: .seconds(90),
      halfOpen: .init(permits: 3, required: 2))
    let same = try reader([:]).settings(at: "breakers.catalog", over: code)
    #expect(same == code)
    let other = try reader(["breakers.catalog.breakFor": 4])
      .settings(at: "breakers.catalog", over: code)
    #expect(other.breakFor == .seconds(4))
    #expect(other.maximumBreak == .seconds(90))
    #expect(other.halfOpen == code.halfOpen)
  }

  @Test func `a group that is set replaces the one in the code whole`() throws {
    let code = Breaker(name: "catalog", halfOpen: .init(permits: 3, required: 2))
    let settings = try reader(["breaker.halfOpen.permits": 5]).settings(at: "breaker", over: code)
    #expect(settings.halfOpen == .init(permits: 5))
  }

  @Test func `null is no value, for an outbox without a bound`() throws {
    let key: ConfigKey = "outbox"
    let none = try environment(["OUTBOX_MAXIMUM_PENDING": "null", "OUTBOX_MAXIMUM_BYTES": "5000"])
      .settings(Outbox.Configuration.self, at: key)
    #expect(none.maximumPending == nil)
    #expect(none.maximumBytes == 5000)
    let usual = try environment([:]).settings(Outbox.Configuration.self, at: key)
    #expect(usual.maximumPending == 100_000)
    #expect(usual.maximumConcurrency == 4)
  }

  @Test(
    arguments: [
      (["breaker.name": "catalog", "breaker.breakFor": "soon"], "breaker.breakFor", "\"soon\""),
      (["breaker.breakFor": 5], "breaker.name", "nothing"),
      (["breaker.name": "catalog", "breaker.mode": "off"], "breaker.mode", "\"off\""),
      (
        ["breaker.name": "catalog", "breaker.halfOpen.permits": 1.5], "breaker.halfOpen.permits",
        "\"1.5\""
      ),
      (["breaker.name": "catalog", "breaker.tripRule": "[{"], "breaker.tripRule", "\"[{\""),
      (["breaker.name": "catalog", "breaker.tripRule": "often"], "breaker.tripRule", "\"often\""),
    ] as [([AbsoluteConfigKey: ConfigValue], String, String)])
  func `a value of another type is told with its whole key`(
    _ values: [AbsoluteConfigKey: ConfigValue], _ option: String, _ value: String
  ) throws {
    let reader = reader(values)
    let error = #expect(throws: ConfigurationError.self) {
      try reader.settings(Breaker.self, at: "breaker")
    }
    #expect(error?.violations.map(\.option) == [option])
    #expect(error?.violations.map(\.value) == [value])
    #expect(error?.subject == "CircuitBreaker.Configuration")
  }

  @Test func `all values of another type are told at once`() {
    let reader = reader([
      "breaker.breakFor": "soon", "breaker.mode": "off", "breaker.halfOpen.permits": 1.5,
      "breaker.tripRule": "[{",
    ])
    let all: Set = [
      "breaker.breakFor", "breaker.mode", "breaker.halfOpen.permits", "breaker.tripRule",
    ]
    let over = #expect(throws: ConfigurationError.self) {
      try reader.settings(at: "breaker", over: Breaker(name: "catalog"))
    }
    #expect(Set(over?.violations.map(\.option) ?? []) == all)
    #expect(over?.violations.count == all.count)
    let alone = #expect(throws: ConfigurationError.self) {
      try reader.settings(Breaker.self, at: "breaker")
    }
    let options = Set(alone?.violations.map(\.option) ?? [])
    #expect(options == all.union(["breaker.name"]))
  }

  @Test(arguments: [("nan", false), ("inf", true), ("-inf", false), ("1e30", true)])
  func `a number that is none, or far too large, traps nothing`(
    _ text: String, _ isLegal: Bool
  ) throws {
    let reader = environment(["BREAKER_NAME": "catalog", "BREAKER_BREAK_FOR": text])
    let settings = try reader.settings(Breaker.self, at: "breaker")
    let breaker = try? CircuitBreaker(validating: settings)
    #expect((breaker != nil) == isLegal)
  }

  @Test func `a value that is far too long is not repeated whole`() {
    let reader = reader([
      "breaker.name": "catalog",
      "breaker.breakFor": .init(stringLiteral: .init(repeating: "x", count: 9_000)),
    ])
    let error = #expect(throws: ConfigurationError.self) {
      try reader.settings(Breaker.self, at: "breaker")
    }
    #expect((error?.description.count ?? .max) < 400)
  }

  @Test func `a limit of rate takes its kind from keys, and from JSON below its law`() throws {
    typealias Limit = RateLimiter.Configuration
    let code = Limit(name: "search", kind: .slidingWindow(limit: 5, per: .seconds(1)))
    let keys: [AbsoluteConfigKey: ConfigValue] = [
      "search.name": "search", "search.kind.gcra.rate": 50, "search.kind.gcra.per": 2,
    ]
    #expect(
      try reader(keys).settings(at: "search", over: code).kind
        == .gcra(rate: 50, per: .seconds(2)))
    #expect(
      try reader(keys).settings(Limit.self, at: "search").kind
        == .gcra(rate: 50, per: .seconds(2)))
    let json = reader(["search.kind.tokenBucket": #"{"rate": 9, "per": 1, "burst": 3}"#])
    #expect(
      try json.settings(at: "search", over: code).kind
        == .tokenBucket(rate: 9, per: .seconds(1), burst: 3))
    #expect(try reader([:]).settings(at: "search", over: code) == code)
  }

  /// Settings as somebody else writes them, whose group asks first for what cannot be made up.
  private struct Mail: Codable, Equatable {
    struct Sender: Codable, Equatable {
      enum Way: String, Codable { case smtp, api }

      var way = Way.smtp
      var limit = 5
    }

    var sender = Sender()
  }

  @Test(
    arguments: [
      (["b.tripRule.minimumThroughput": 50], "b.tripRule"),
      (["b.tripRule.consecutiveFailures": 3, "b.tripRule.failureRate": 0.1], "b.tripRule"),
      (
        ["b.tripRule.failureRate": 0.1, "b.tripRule.calls": 5, "b.tripRule.seconds": 5],
        "b.tripRule.calls"
      ),
      (["b.halfOpen.whileProbing.callers": 5], "b.halfOpen.whileProbing.wait"),
      (["r.backoff.cap": 5], "r.backoff.growth"),
      (["r.backoff.cap": 5, "r.backoff.first": 1], "r.backoff.growth"),
      (["a.kind.maximum": 7], "a.kind.law"), (["a.kind.tolerance": 2], "a.kind.law"),
      (["l.kind.gcra.rate": 50], "l.kind.gcra.per"),
      (["l.kind.gcra.per": 1], "l.kind.gcra.rate"), (["m.sender.limit": 1], "m.sender.way"),
    ] as [([AbsoluteConfigKey: ConfigValue], String)])
  func `a group of which a part is set is never passed over in silence`(
    _ values: [AbsoluteConfigKey: ConfigValue], _ option: String
  ) {
    let reader = reader(values)
    let limit = RateLimiter.Configuration(name: "a", kind: .gcra(rate: 5, per: .seconds(1)))
    let error = #expect(throws: ConfigurationError.self) {
      switch option.first {
      case "b": _ = try reader.settings(at: "b", over: Breaker(name: "catalog"))
      case "r": _ = try reader.settings(at: "r", over: Retry.Configuration())
      case "a": _ = try reader.settings(at: "a", over: AdaptiveLimit.Configuration(name: "a"))
      case "l": _ = try reader.settings(at: "l", over: limit)
      default: _ = try reader.settings(at: "m", over: Mail())
      }
    }
    #expect(error?.violations.map(\.option) == [option])
  }

  @Test func `a part of a group is noticed also where the code says nothing`() {
    let reader = reader(["r.backoff.cap": 5, "l.name": "a"])
    let retry = #expect(throws: ConfigurationError.self) {
      try reader.settings(Retry.Configuration.self, at: "r")
    }
    #expect(retry?.violations.map(\.option) == ["r.backoff.growth"])
    let limit = #expect(throws: ConfigurationError.self) {
      try reader.settings(RateLimiter.Configuration.self, at: "l")
    }
    #expect(limit?.violations.map(\.option) == ["l.kind"], "it is told once")
  }

  @Test func `a group that is wrong hides no other mistake`() {
    let reader = reader([
      "b.tripRule.consecutiveFailures": 3, "b.tripRule.failureRate": 0.1, "b.mode": "off",
      "b.halfOpen.whileProbing.callers": 5, "b.breakGrowth": "fast",
    ])
    let error = #expect(throws: ConfigurationError.self) {
      try reader.settings(at: "b", over: Breaker(name: "catalog"))
    }
    #expect(
      error?.violations.map(\.option)
        == ["b.tripRule", "b.breakGrowth", "b.halfOpen.whileProbing.wait", "b.mode"])
  }

  @Test func `a word that is not one of those that are legal is told with them`() {
    let reader = reader(["breaker.name": "catalog", "breaker.mode": "off"])
    let error = #expect(throws: ConfigurationError.self) {
      try reader.settings(Breaker.self, at: "breaker")
    }
    #expect(
      error?.description
        == """
        CircuitBreaker.Configuration(breaker.mode: "off" is not legal: it must be one of enabled, \
        disabled, metricsOnly)
        """)
  }

  @Test func `a range is checked where something is made of the settings`() throws {
    let settings = try reader(["name": "catalog", "breakFor": -1, "breakJitter": 7])
      .settings(Breaker.self, at: [])
    let error = #expect(throws: ConfigurationError.self) {
      _ = try CircuitBreaker(validating: settings)
    }
    #expect(error?.violations.map(\.option) == ["breakFor", "breakJitter"])
  }

  @Test func `a limit of reports is taken from keys, from JSON and from null`() throws {
    typealias Settings = ErrorMonitor.Configuration
    func limit(_ values: [AbsoluteConfigKey: ConfigValue]) throws -> [Settings.Limit?] {
      let reader = reader(values)
      let fresh = try reader.settings(Settings.self, at: "errors")
      let over = try reader.settings(at: "errors", over: Settings())
      let without = try reader.settings(at: "errors", over: Settings(limit: nil))
      return [fresh.limit, over.limit, without.limit]
    }
    let usual = Settings.Limit()
    #expect(try limit(["errors.history": 500]) == [usual, usual, nil])
    let few = Settings.Limit(count: 100)
    #expect(try limit(["errors.limit.count": 100]) == [few, few, few])
    #expect(try limit(["errors.limit": #"{"count": 100}"#]) == [few, few, few])
    #expect(try limit(["errors.limit": "null"]) == [nil, nil, nil])
    let environment = environment(["ERRORS_LIMIT_COUNT": "100", "ERRORS_LIMIT_WINDOW": "5"])
    #expect(
      try environment.settings(Settings.self, at: "errors").limit
        == Settings.Limit(count: 100, window: .seconds(5)))
  }

  @Test func `every kind of settings comes back as it was written`() throws {
    func survives<Settings: Codable & Equatable>(_ settings: Settings) throws {
      #expect(try reader([:]).settings(at: "any", over: settings) == settings)
    }
    try survives(Breaker(name: "a", tripRule: .failureRate(0.5, over: .time(.seconds(30)))))
    try survives(Bulkhead.Configuration(name: "a", limit: 3, queue: 7, maximumWait: .seconds(1)))
    try survives(
      RateLimiter.Configuration(name: "a", kind: .gcra(rate: 5, per: .seconds(1), burst: 9)))
    try survives(Cooldown.Configuration())
    try survives(Retry.Configuration())
    try survives(RetryBudget.Configuration())
    try survives(AdaptiveLimit.Configuration(name: "a"))
    try survives(Throttle.Configuration(name: "a"))
    try survives(Timeout.Configuration(limit: .seconds(3)))
    try survives(RegistryConfiguration(idleAfter: nil))
    try survives(ErrorMonitor.Configuration(history: 7, limit: .init(count: 3)))
    try survives(ErrorMonitor.Configuration(limit: nil))
  }
}
