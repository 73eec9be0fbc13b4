// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Settings as a careless file has them, clocks that jump, errors of all kinds: nothing stops the
/// program, and every call comes to an end.
@Suite(.ends(withinMinutes: 5)) struct PolicyFuzzTests {
  /// A policy that can be made from a document, and a legal one to spoil.
  struct Subject: Sendable {
    let name: String
    let document: Data
    let make: @Sendable (Data, JumpingClock, UInt64) throws -> any ConcurrentPolicy

    init<Settings: Codable & SendableMetatype>(
      _ name: String, _ settings: Settings,
      _ make: @escaping @Sendable (Settings, JumpingClock, UInt64) throws -> any ConcurrentPolicy
    ) throws {
      self.name = name
      document = try JSONEncoder().encode(settings)
      self.make = { try make(JSONDecoder().decode(Settings.self, from: $0), $1, $2) }
    }
  }

  static let count = 11

  static let subjects: Result<[Subject], any Error> = Result {
    [
      try Subject("Retry", Retry.Configuration()) {
        try Retry(validating: $0, clock: $1, seed: $2)
      },
      try Subject("RetryBudget", RetryBudget.Configuration()) {
        Retry(
          maximumAttempts: 5, budget: try RetryBudget(validating: $0, clock: $1), clock: $1,
          seed: $2)
      },
      try Subject("CircuitBreaker", CircuitBreaker.Configuration(name: "catalog")) {
        try CircuitBreaker(validating: $0, clock: $1, seed: $2)
      },
      try Subject("Timeout", Timeout.Configuration(limit: .seconds(1))) { settings, clock, _ in
        try Timeout(validating: settings, clock: clock)
      },
      try Subject("Deadline", Timeout.Configuration(limit: .seconds(1))) { settings, clock, _ in
        try Deadline(validating: settings, clock: clock)
      },
      try Subject("Bulkhead", Bulkhead.Configuration(name: "catalog", limit: 2)) {
        settings, clock, _ in
        try Bulkhead(validating: settings, clock: clock)
      },
      try Subject(
        "RateLimiter",
        RateLimiter.Configuration(name: "catalog", kind: .tokenBucket(rate: 5, per: .seconds(1)))
      ) { settings, clock, _ in
        try RateLimiter(validating: settings, clock: clock)
      },
      try Subject("AdaptiveLimit", AdaptiveLimit.Configuration(name: "catalog")) {
        try AdaptiveLimit(validating: $0, clock: $1, seed: $2)
      },
      try Subject("Cooldown", Cooldown.Configuration()) {
        try Cooldown("catalog", validating: $0, clock: $1, seed: $2)
      },
      try Subject("Throttle", Throttle.Configuration(name: "catalog")) {
        try Throttle(validating: $0, clock: $1, seed: $2)
      },
      try Subject("Hedge", Hedge.Configuration()) { settings, clock, _ in
        try Hedge(validating: settings, safety: .safeToRepeat, clock: clock)
      },
    ]
  }

  @Test(
    .requirement("P10", "P12", "P18", "P23", "P24", "T8"), arguments: 0..<Self.count)
  func `no document, no clock and no error stops the program or hangs a call`(
    number: Int
  ) async throws {
    let subjects = try Self.subjects.get()
    try #require(subjects.count == Self.count)
    let subject = subjects[number]
    var made = 0
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SplitMix64(seed: seed)
      let document = try Spoiler.spoil(subject.document, &random)
      let clock = JumpingClock(seed: seed)
      do {
        let policy = try subject.make(document, clock, seed)
        made += 1
        await use(policy, seed)
      } catch let error as ConfigurationError {
        #expect(!error.violations.isEmpty && !error.description.isEmpty)
      } catch is DecodingError {
        // Not even a document of this kind.
      }
    }
    // A legal document stays legal often enough, or nothing was tried.
    #expect(made > RandomDose.cases / 10, "\(subject.name)")
  }

  private func use(_ policy: any ConcurrentPolicy, _ seed: UInt64) async {
    await withTaskGroup { group in
      for caller in 0..<4 {
        group.addTask {
          let operation = FlakyOperation(seed: seed &* 31 &+ UInt64(caller))
          for _ in 0..<5 {
            _ = try? await Pipeline("fuzz") { Bridge(inside: policy) }.run { try operation.run() }
          }
        }
      }
    }
  }

  /// Stands for a policy whose type is not known.
  private struct Bridge: ConcurrentPolicy {
    let inside: any ConcurrentPolicy

    func runSendable<T: Sendable>(
      _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
      try await inside.runSendable(operation)
    }
  }
}

/// Fails in many ways, and then no longer: a retry without an end has one.
private final class FlakyOperation: Sendable {
  private struct Unclassified: Error {}

  private static let hints: [Duration?] = [
    nil, .zero, .seconds(-5), .nanoseconds(1), .seconds(3), .seconds(1e9),
    Duration(secondsComponent: .max, attosecondsComponent: 0),
  ]
  private static let statuses = [-1, 0, 200, 304, 400, 404, 408, 409, 412, 425, 429, 500, 503, 999]

  private let random: Locked<(generator: SplitMix64, calls: Int)>

  init(seed: UInt64) { random = Locked((SplitMix64(seed: seed), 0)) }

  func run() throws -> Int {
    let error: (any Error)? = random.withLock { state in
      state.calls += 1
      guard state.calls < 100 else { return nil }
      let hint = Self.hints.randomElement(using: &state.generator) ?? nil
      switch Int.random(in: 0..<8, using: &state.generator) {
      case 0...2: return nil
      case 3: return CancellationError()
      case 4: return Unclassified()
      case 5: return Rejection(policy: "inner", reason: .bulkheadFull, retryAfter: hint)
      default:
        let status = Self.statuses.randomElement(using: &state.generator) ?? 503
        return AppError.http(status: status, isRepeatable: true, retryAfter: hint)
      }
    }
    if let error { throw error }
    return 1
  }
}

/// A clock that jumps at every look, back as well; a sleep on it is over at once.
struct JumpingClock: Clock {
  typealias Instant = ManualClock.Instant

  private final class State: Sendable {
    let value: Locked<(offset: Duration, random: SplitMix64)>
    init(seed: UInt64) { value = Locked((.zero, SplitMix64(seed: seed))) }
  }

  private static let jumps: [Duration] = [
    .zero, .zero, .nanoseconds(1), .milliseconds(3), .seconds(1), .seconds(-1), .seconds(600),
    .seconds(-600), .seconds(1e8), .seconds(-1e8),
  ]

  private let state: State

  init(seed: UInt64) { state = State(seed: seed) }

  var minimumResolution: Duration { .zero }

  var now: Instant {
    state.value.withLock { state in
      state.offset += Self.jumps.randomElement(using: &state.random) ?? .zero
      return Instant(offset: state.offset)
    }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.value.withLock { $0.offset = max($0.offset, deadline.offset) }
    await Task.yield()
  }
}

/// Puts nonsense into documents.
private enum Spoiler {
  private static let nonsense: [any Sendable] = [
    0, 1, 2, 3, -1, 7, 100, Int.max, Int.min, 0.0, 0.2, 0.5, 1.5, -0.1, 1e-12, 1e12, 1e300,
    Double.greatestFiniteMagnitude, "", "P1D", "🙈", true, [Int](), [String: Int](),
  ]

  /// A document with some of its values replaced; half of the time with none.
  static func spoil(_ document: Data, _ random: inout SplitMix64) throws -> Data {
    guard Bool.random(using: &random) else { return document }
    let object = try JSONSerialization.jsonObject(with: document)
    return try JSONSerialization.data(withJSONObject: spoiled(object, &random))
  }

  private static func spoiled(_ value: Any, _ random: inout SplitMix64) -> Any {
    switch value {
    case let object as [String: Any]:
      var copy = object
      for key in object.keys.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
        copy[key] = object[key].map { spoiled($0, &random) }
      }
      return copy
    case let list as [Any]: return list.map { spoiled($0, &random) }
    default: return nonsense.randomElement(using: &random) ?? 0
    }
  }
}
