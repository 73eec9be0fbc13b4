// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct AdaptiveLimitTests {
  private typealias Gate = BreakerBench.Gate

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func limit(_ kind: AdaptiveLimit.Kind = .aimd(), queue: Int = 0) -> AdaptiveLimit {
    AdaptiveLimit("catalog", kind, queue: queue, clock: clock, seed: 1, observer: events)
  }

  @Test func `a call beyond the limit is refused at once, or waits`() async throws {
    for queue in 0...1 {
      let limit = limit(.aimd(initial: 1, maximum: 1), queue: queue)
      let gate = Gate()
      let held = Task { try await limit.run { await gate.pass() } }
      await gate.arrivals(atLeast: 1)
      #expect(limit.running == 1)
      if queue == 0 {
        let rejection = await #expect(throws: Rejection.self) { try await limit.run {} }
        #expect(rejection == Rejection(policy: "catalog", reason: .limitReached))
      } else {
        let waiting = await started { try await limit.run { 42 } }
        #expect(limit.waiting == 1)
        gate.open()
        #expect(try await waiting.value == 42)
      }
      gate.open()
      try await held.value
      #expect(limit.running == 0)
    }
    #expect(BreakerBench.names(events.events) == ["rejected", "waited"])
  }

  @Test(
    .requirement("P34", "P26"),
    arguments: [
      AppError.http(status: 429), AppError.http(status: 503, isRepeatable: true),
      BreakerBench.error(.throttled()),
      AppError(
        code: "test.full", kind: .exhausted, disposition: .transient(), title: "Full",
        message: "Full."),
    ])
  func `a drop lowers the limit, and that is told`(error: AppError) async {
    let limit = limit()
    await #expect(throws: AppError.self) { try await limit.run { throw error } }
    #expect(limit.limit == 18)
    #expect(limit.running == 0)
    guard events.events.count == 1, case .limitChanged(20, 18) = events.events.first?.what else {
      Issue.record("\(events.events)")
      return
    }
  }

  @Test(.ends(withinMinutes: 2)) func `an observer may use the limit`() async throws {
    final class Curious: PolicyObserver {
      let limit = Locked<AdaptiveLimit?>(nil)
      let seen = Log()
      func observe(_ event: PolicyEvent) {
        guard let limit = limit.withLock({ $0 }) else { return }
        seen.add("\(event.what.name) \(limit.limit) \(limit.waiting) \(limit.running <= 1)")
        guard case .limitChanged = event.what else { return }
        try? limit.update(limit.configuration)
      }
    }
    let curious = Curious()
    let limit = AdaptiveLimit("catalog", .aimd(), clock: clock, seed: 1, observer: curious)
    curious.limit.withLock { $0 = limit }
    await #expect(throws: AppError.self) {
      try await limit.run { throw AppError.http(status: 429) }
    }
    #expect(curious.seen.lines == ["limitChanged 18 0 true", "settingsChanged 18 0 true"])
    curious.limit.withLock { $0 = nil }
  }

  @Test(
    .requirement("P34", "P26"),
    arguments: [
      AppError.http(status: 404), AppError.http(status: 401), AppError.offline(),
      AppError.cancelled(), AppError.unknown(CocoaError(.featureUnsupported)),
      Rejection(policy: "inner", reason: .circuitOpen).appError,
    ])
  func `what says nothing about room changes nothing`(error: AppError) async {
    let limit = limit(.aimd(initial: 1, maximum: 10))
    await #expect(throws: AppError.self) { try await limit.run { throw error } }
    #expect(limit.limit == 1)
    #expect(limit.running == 0)
    #expect(events.events.isEmpty)
  }

  @Test(.requirement("P26", "P34")) func `a time limit that passes counts, whoever set it`()
    async throws
  {
    let patience = ManualClock()
    let outside = limit()
    let around = Pipeline("reads") {
      Timeout(.seconds(1), clock: clock)
      outside
    }
    let first = Task { try await around.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await first.value }
    #expect(outside.limit == 18)
    let inside = limit()
    let within = Pipeline("reads") {
      inside
      Timeout(.seconds(1), clock: clock)
    }
    let second = Task { try await within.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await second.value }
    #expect(inside.limit == 18)
  }

  @Test(.requirement("P34", "P31")) func `a caller that cancels lowers nothing`() async throws {
    let limit = limit(.aimd(initial: 1, maximum: 1), queue: 1)
    let patience = ManualClock()
    let call = Task { try await limit.run { try await untilCancelled(patience) } }
    await patience.sleepers(atLeast: 1)
    let waiting = await started { try await limit.run { Issue.record("it ran") } }
    #expect(limit.waiting == 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(limit.running == 0 && limit.waiting == 0)
    #expect(events.events.isEmpty)
  }

  @Test(.requirement("P34")) func `it grows where it is used, by the time of answers`()
    async throws
  {
    let limit = limit(.aimd(initial: 1, maximum: 3))
    for _ in 0..<20 { try await limit.run { clock.advance(by: .milliseconds(10)) } }
    // One call at a time is half of two, and less than half of three.
    #expect(limit.limit == 3)
    let gate = Gate()
    let calls = (0..<3).map { _ in Task { try await limit.run { await gate.pass() } } }
    await gate.arrivals(atLeast: 3)
    clock.advance(by: .seconds(6))
    gate.open()
    for call in calls { try await call.value }
    #expect(limit.limit == 2)
  }

  @Test(.requirement("P34", "P31", "P35"), arguments: [2...9, 3...3])
  func `no place is lost, whatever becomes of many tasks`(bounds: ClosedRange<Int>) async throws {
    let initial = min(5, bounds.upperBound)
    let limit = limit(
      .aimd(initial: initial, minimum: bounds.lowerBound, maximum: bounds.upperBound), queue: 1_000)
    // Counted here, since the number of the limit itself is what may be wrong.
    let inside = InsideCount()
    let excess = Log()
    await withTaskGroup(of: Void.self) { group in
      for seed in 0..<30 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(seed))
          for _ in 0..<50 {
            let chance = Int.random(in: 0..<100, using: &random)
            _ = try? await limit.run {
              let count = inside.enter()
              defer { inside.leave() }
              if max(count, limit.running) > bounds.upperBound { excess.add("\(count)") }
              if chance.isMultiple(of: 3) { await Task.yield() }
              clock.advance(by: .milliseconds(chance))
              if chance < 10 { throw BreakerBench.error(.throttled()) }
              if chance < 20 { throw CancellationError() }
            }
          }
        }
      }
    }
    #expect(excess.lines.isEmpty, "\(excess.lines)")
    #expect(limit.running == 0 && limit.waiting == 0)
    #expect(bounds ~= limit.limit)
    try limit.update(limit.configuration)
    await events.told("settingsChanged")
    // Each change begins where the one before ended.
    var last = initial
    for event in events.events {
      guard case .limitChanged(let from, let to) = event.what else { continue }
      #expect(from == last && from != to)
      last = to
    }
    #expect(last == limit.limit)
  }
}

@Suite(.requirement("P10", "P23", "T8")) struct AdaptiveLimitConfigurationTests {
  private func options(_ kind: AdaptiveLimit.Kind) -> [String] {
    let settings = AdaptiveLimit.Configuration(
      name: "", kind: kind, queue: -1, maximumWait: .zero)
    do throws(ConfigurationError) {
      _ = try AdaptiveLimit(validating: settings)
      return []
    } catch { return error.violations.map(\.option) }
  }

  @Test func `everything that is wrong is said at once`() {
    let rest = ["queue", "maximumWait"]
    #expect(
      options(
        .aimd(initial: 0, minimum: 0, maximum: -1, backoffRatio: .nan, timeout: .seconds(-1)))
        == ["name", "initial", "minimum", "maximum", "backoffRatio", "timeout"] + rest)
    #expect(
      options(.vegas(initial: 2_000_000, maximum: 1_000_001))
        == ["name", "initial", "maximum"] + rest)
    #expect(
      options(.gradient2(initial: 20, minimum: 30, tolerance: .infinity))
        == ["name", "initial", "tolerance"] + rest)
    #expect(options(.gradient2(tolerance: 0.99)) == ["name", "tolerance"] + rest)
    #expect(options(.aimd(backoffRatio: 1)) == ["name", "backoffRatio"] + rest)
  }

  @Test(arguments: [
    AdaptiveLimit.Kind.aimd(
      initial: 3, minimum: 2, maximum: 4, backoffRatio: 0.5, timeout: .milliseconds(1_500)),
    .vegas(initial: 7), .gradient2(tolerance: 10), .gradient2(initial: 1, minimum: 1, maximum: 1),
  ])
  func `settings survive JSON`(kind: AdaptiveLimit.Kind) async throws {
    let settings = AdaptiveLimit.Configuration(
      name: "a", kind: kind, queue: 3, maximumWait: .seconds(2))
    let json = try JSONEncoder().encode(settings)
    let read = try JSONDecoder().decode(AdaptiveLimit.Configuration.self, from: json)
    #expect(read == settings)
    #expect(try await AdaptiveLimit(validating: read).run { 42 } == 42)
  }

  @Test(arguments: [
    (#"{"law": "aimd"}"#, AdaptiveLimit.Kind.aimd()), (#"{"law": "vegas"}"#, .vegas()),
    (#"{"law": "gradient2"}"#, .gradient2()),
  ])
  func `missing keys get their defaults`(json: String, kind: AdaptiveLimit.Kind) throws {
    #expect(try JSONDecoder().decode(AdaptiveLimit.Kind.self, from: Data(json.utf8)) == kind)
    #expect(
      try JSONDecoder().decode(
        AdaptiveLimit.Configuration.self, from: Data(#"{"name": "a"}"#.utf8))
        == AdaptiveLimit.Configuration(name: "a"))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AdaptiveLimit.Kind.self, from: Data(#"{"law": "reno"}"#.utf8))
    }
  }

  @Test func `a minimum of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = AdaptiveLimit("catalog", .vegas(minimum: 0))
    }
  }
}
