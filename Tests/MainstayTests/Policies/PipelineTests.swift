// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct PipelineTests {
  /// Writes down when a run goes in and out of it.
  struct Witness: Policy {
    let name: String
    let log: Log

    func run<T>(_ operation: () async throws -> T) async throws -> T {
      log.add("+" + name)
      defer { log.add("-" + name) }
      return try await operation()
    }
  }

  /// Runs the operation twice at once, which only a concurrent policy may.
  struct Race: ConcurrentPolicy {
    func runSendable<T: Sendable>(
      _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
      async let first = operation()
      _ = try await operation()
      return try await first
    }
  }

  enum PaymentError: Error, Equatable {
    case declined
  }

  @Test func `runs an operation through no stage at all`() async throws {
    let pipeline = Pipeline("empty") {}
    #expect(try await pipeline.run { 42 } == 42)
  }

  @Test func `the first listed stage is the outermost`() async throws {
    let log = Log()
    let pipeline = Pipeline("order") {
      Witness(name: "a", log: log)
      Witness(name: "b", log: log)
      Witness(name: "c", log: log)
    }
    try await pipeline.run { log.add("run") }
    #expect(log.lines == ["+a", "+b", "+c", "run", "-c", "-b", "-a"])
  }

  @Test func `throws the operation's own error`() async {
    let pipeline = Pipeline("own") { Retry(backoff: .none) }
    await #expect(throws: PaymentError.declined) {
      try await pipeline.run { throw PaymentError.declined }
    }
  }

  @Test(.requirement("C10", "A42", "A55")) func `falls back once nothing helped`() async throws {
    let pipeline = Pipeline("fallback") { Retry(maximumAttempts: 2, backoff: .none) }
    let log = Log()
    let value = try await pipeline.run {
      log.add("tried")
      throw AppError.http(status: 503, isRepeatable: true)
    } fallback: { error in
      (error as? AppError)?.httpStatus ?? 0
    }
    #expect(value == 503)
    #expect(log.lines == ["tried", "tried"])
  }

  @Test(
    .requirement("P26", "T4"),
    arguments: [CancellationError() as any Error, AppError.cancelled()])
  func `never falls back for a cancellation`(error: any Error) async {
    let pipeline = Pipeline("cancelled") { Retry(backoff: .none) }
    await #expect(throws: (any Error).self) {
      try await pipeline.run {
        throw error
      } fallback: { _ in
        Issue.record("fell back for a cancellation")
      }
    }
  }

  @Test func `an outcome keeps the type of the error`() async throws {
    let pipeline = Pipeline("typed") { Retry(backoff: .none) }
    let outcome = await pipeline.outcome { () throws(PaymentError) -> Int in
      throw PaymentError.declined
    }
    guard case .failure(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let typed: PaymentError = error
    #expect(typed == .declined)
    #expect(throws: PaymentError.declined) { try outcome.get() }
  }

  @Test func `an outcome tells a success, a refusal, a time-out and a cancellation apart`() async {
    let pipeline = Pipeline("outcomes") {}
    let rejection = Rejection(policy: "x", reason: .circuitOpen)
    let timedOut = TimedOut.total("x", .seconds(1))
    #expect(await pipeline.outcome { 1 }.name == "success")
    #expect(await pipeline.outcome { throw rejection }.name == "rejected")
    #expect(await pipeline.outcome { throw timedOut }.name == "timedOut")
    #expect(await pipeline.outcome { throw CancellationError() }.name == "cancelled")
    #expect(await pipeline.outcome { throw AppError.cancelled() }.name == "cancelled")
    #expect(await pipeline.outcome { throw PaymentError.declined }.name == "failure")
  }

  @Test func `an outcome survives a stage that replaces the error`() async {
    struct Replacing: Policy {
      struct Other: Error {}
      func run<T>(_ operation: () async throws -> T) async throws -> T {
        do { return try await operation() } catch { throw Other() }
      }
    }
    let outcome = await Pipeline("foreign") { Replacing() }
      .outcome { () throws(PaymentError) -> Int in throw .declined }
    guard case .rejected(let rejection) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(rejection.reason == .foreignError && rejection.cause is Replacing.Other)
  }

  @MainActor final class Model {
    var count = 0  // not Sendable, not locked

    func load() async throws -> Int {
      let clock = ManualClock()  // nobody moves it: no machine is too slow
      let plain = Pipeline("plain") {
        Deadline(.seconds(60), clock: clock)
        Retry(backoff: .none, clock: clock)
        Timeout(.seconds(30), clock: clock)
      }
      return try await plain.run {
        MainActor.assertIsolated()
        count += 1
        await Task.yield()
        MainActor.assertIsolated()
        if count < 3 { throw AppError.http(status: 503, isRepeatable: true) }
        return count
      }
    }
  }

  @Test func `a pipeline of plain policies stays on its caller's actor`() async throws {
    #expect(try await Model().load() == 3)
  }

  @Test func `a concurrent stage makes the whole pipeline concurrent`() async throws {
    let pipeline = Pipeline("hedged") {
      Retry(backoff: .none)
      Race()
      Timeout(.seconds(30))
    }
    let log = Log()
    let value = try await pipeline.run {
      log.add("ran")
      return 7
    }
    #expect(value == 7)
    #expect(log.lines == ["ran", "ran"])
  }

  @Test func `a pipeline is a stage of another one`() async throws {
    let recorder = EventRecorder()
    let inner = Pipeline("inner") { Retry(backoff: .none, observer: recorder) }
    let outer = Pipeline("outer") {
      Deadline(.seconds(30))
      inner
    }
    let failures = Log()
    try await outer.run {
      failures.add("ran")
      if failures.lines.count < 2 { throw AppError.http(status: 503, isRepeatable: true) }
    }
    #expect(recorder.events.map(\.policy) == ["inner", "inner"])
  }

  @Test func `names stages that have no name of their own`() async throws {
    let recorder = EventRecorder()
    let pipeline = Pipeline("catalog") {
      Retry(backoff: .none, observer: recorder)
      Retry(maximumAttempts: 1, name: "mine", observer: recorder)
    }
    _ = try? await pipeline.run { throw AppError.http(status: 503, isRepeatable: true) }
    #expect(Set(recorder.events.map(\.policy)) == ["catalog", "mine"])
  }
}

extension Outcome {
  var name: String { String(String(describing: self).prefix { $0 != "(" }) }
}
