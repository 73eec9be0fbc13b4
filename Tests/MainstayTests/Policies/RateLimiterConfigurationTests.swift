// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite(.requirement("P10", "P23", "T8")) struct RateLimiterConfigurationTests {
  private func options(_ configuration: RateLimiter.Configuration) -> [String] {
    do throws(ConfigurationError) {
      _ = try RateLimiter(validating: configuration)
      return []
    } catch { return error.violations.map(\.option) }
  }

  @Test func `everything that is wrong is said at once`() {
    #expect(
      options(
        .init(
          name: " ", kind: .tokenBucket(rate: 0, per: .zero, burst: -1),
          maximumWait: .seconds(-1), queue: -1))
        == ["name", "rate", "burst", "per", "maximumWait", "queue"])
    #expect(
      options(.init(name: "", kind: .gcra(rate: .max, per: .seconds(-1), burst: .max)))
        == ["name", "rate", "burst", "per"])
    #expect(
      options(.init(name: "a", kind: .slidingWindow(limit: 100_001, per: Duration(attoseconds: 1))))
        == ["limit", "per"])
    #expect(
      options(.init(name: "a", kind: .slidingWindow(limit: .min, per: .seconds(1)))) == ["limit"])
  }

  @Test(
    .requirement("P18"),
    arguments: [
      RateLimiter.Kind.tokenBucket(rate: 1, per: .nanoseconds(1), burst: 1_000_000_000),
      .tokenBucket(rate: 1_000_000_000, per: .seconds(Int64.max)),
      .gcra(rate: 1, per: .seconds(Int64.max), burst: 1),
      .slidingWindow(limit: 100_000, per: .seconds(Int64.max)),
    ])
  func `settings at the edge of what is legal are legal`(kind: RateLimiter.Kind) async throws {
    for (wait, queue) in [(Duration.zero, 0), (.seconds(Int64.max), 1_000_000)] {
      let limiter = try RateLimiter(
        validating: .init(name: "a", kind: kind, maximumWait: wait, queue: queue))
      #expect(try await limiter.run { 42 } == 42)
    }
  }

  @Test(arguments: [
    RateLimiter.Kind.tokenBucket(rate: 3, per: .milliseconds(1_500), burst: 9),
    .gcra(rate: 3, per: .seconds(1), burst: 2), .slidingWindow(limit: 7, per: .seconds(60)),
  ])
  func `settings survive JSON`(kind: RateLimiter.Kind) throws {
    let settings = RateLimiter.Configuration(
      name: "a", kind: kind, maximumWait: .seconds(2), queue: 7)
    let json = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(RateLimiter.Configuration.self, from: json) == settings)
  }

  @Test(arguments: [
    (
      #"{"name": "a", "kind": {"tokenBucket": {"rate": 9, "per": 1}}}"#,
      RateLimiter.Kind.tokenBucket(rate: 9, per: .seconds(1), burst: 9)
    ),
    (
      #"{"name": "a", "kind": {"gcra": {"rate": 9, "per": 0.5}}}"#,
      .gcra(rate: 9, per: .milliseconds(500), burst: 1)
    ),
    (
      #"{"name": "a", "kind": {"slidingWindow": {"limit": 9, "per": 1e300}}}"#,
      .slidingWindow(limit: 9, per: .seconds(365 * 86_400))
    ),
  ])
  func `missing keys get their defaults`(json: String, kind: RateLimiter.Kind) throws {
    let read = try JSONDecoder().decode(RateLimiter.Configuration.self, from: Data(json.utf8))
    #expect(read == RateLimiter.Configuration(name: "a", kind: kind))
  }

  @Test(arguments: [
    "{}", #"{"leakyBucket": {"rate": 1, "per": 1}}"#, #"{"gcra": {"rate": 1}}"#,
    #"{"gcra": {"rate": 1, "per": 1}, "slidingWindow": {"limit": 1, "per": 1}}"#, "3",
    #"{"tokenBucket": {"rate": "many", "per": 1}}"#,
  ])
  func `a kind that nobody knows is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RateLimiter.Kind.self, from: Data(json.utf8))
    }
  }

  @Test func `a rate of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = RateLimiter("search", .gcra(rate: 0, per: .seconds(1)))
    }
  }

  @Test func `a span of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = RateLimiter("search", .slidingWindow(limit: 1, per: .zero))
    }
  }
}
