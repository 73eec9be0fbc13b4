// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct RetryTests {
  struct Flaky: Error, Equatable { var number = 0 }

  /// Fails with the given errors, then returns how often it ran.
  actor Dependency {
    private var errors: [any Error]
    private(set) var calls = 0

    init(_ errors: [any Error]) { self.errors = errors }

    func call() throws -> Int {
      calls += 1
      if errors.isEmpty { return calls }
      throw errors.removeFirst()
    }
  }

  static func transient(_ retryAfter: Duration? = nil) -> AppError {
    .http(status: 503, isRepeatable: true, retryAfter: retryAfter)
  }

  @Test(.requirement("A42", "D31")) func `two failures and a success are three attempts`()
    async throws
  {
    let recorder = EventRecorder()
    let retry = Retry(backoff: .none, observer: recorder)
    let dependency = Dependency([Self.transient(), Self.transient()])
    #expect(try await retry.run { try await dependency.call() } == 3)
    #expect(recorder.names == ["attemptFailed", "attemptFailed", "recovered"])
  }

  @Test(.requirement("C20", "D11", "T7"))
  func `throws the last error once all attempts are used up`() async {
    let retry = Retry(maximumAttempts: 3, backoff: .none)
    let errors = (1...9).map {
      AppError.http(status: 503, isRepeatable: true).adding(metadata: ["n": "\($0)"])
    }
    let dependency = Dependency(errors)
    let error = await #expect(throws: AppError.self) {
      try await retry.run { try await dependency.call() }
    }
    #expect(error?.metadata["n"] == "3")
    #expect(await dependency.calls == 3)
  }

  @Test(.requirement("C20", "P10")) func `one attempt is one call`() async {
    let dependency = Dependency([Self.transient()])
    await #expect(throws: AppError.self) {
      try await Retry(maximumAttempts: 1, backoff: .none).run { try await dependency.call() }
    }
    #expect(await dependency.calls == 1)
  }

  @Test(
    .requirement("D10"),
    arguments: [
      NSError(domain: "NSURLErrorDomain", code: -1005), POSIXError(.ECONNRESET),
      AppError.timeout(), AppError.http(status: 503, isRepeatable: true),
    ] as [any Error])
  func `what the connection or the time took is repeated`(_ error: any Error) async throws {
    let dependency = Dependency([error])
    #expect(try await Retry(backoff: .none).run { try await dependency.call() } == 2)
  }

  @Test(.requirement("D11", "T7", "T13")) func `an error that nobody classified is not repeated`()
    async
  {
    let recorder = EventRecorder()
    let retry = Retry(backoff: .none, observer: recorder)
    let dependency = Dependency([Flaky(), Flaky(), Flaky()])
    await #expect(throws: Flaky()) { try await retry.run { try await dependency.call() } }
    await #expect(throws: Flaky()) { try await retry.run { try await dependency.call() } }
    #expect(await dependency.calls == 2)
    #expect(recorder.names.filter { $0 == "unclassified" }.count == 1, "told once per type")
  }

  @Test func `one word repeats whatever is not a cancellation`() async throws {
    let dependency = Dependency([Flaky(), Flaky()])
    let retry = Retry(backoff: .none, retryIf: .anythingButCancellation)
    #expect(try await retry.run { try await dependency.call() } == 3)
    let stopped = Dependency([CancellationError()])
    await #expect(throws: CancellationError.self) {
      try await retry.run { try await stopped.call() }
    }
    #expect(await stopped.calls == 1)
  }

  @Test func `a function of one's own decides`() async throws {
    let retry = Retry(
      backoff: .none,
      retryIf: .init { error, disposition in
        (error as? Flaky)?.number == 1 ? .afterBackoff(hint: nil) : disposition.retry
      })
    let dependency = Dependency([Flaky(number: 1), Flaky(number: 2)])
    await #expect(throws: Flaky(number: 2)) {
      try await retry.run { try await dependency.call() }
    }
    #expect(await dependency.calls == 2)
  }

  @Test(.requirement("P24", "T9")) func `waits as long as the service asks`() async throws {
    let clock = ManualClock()
    let retry = Retry(backoff: .none, clock: clock, seed: 1)
    let dependency = Dependency([Self.transient(.seconds(7))])
    async let result = retry.run { try await dependency.call() }
    await clock.sleepers(atLeast: 1)
    let wait = try #require(clock.nextWakeUp)
    #expect(wait >= .seconds(7) && wait <= .seconds(7.7))
    clock.advance(by: .seconds(8))
    #expect(try await result == 2)
  }

  @Test(.requirement("P21", "T9"))
  func `a sleep that is cancelled ends the retry with cancellation`()
    async
  {
    let clock = ManualClock()
    let recorder = EventRecorder()
    let retry = Retry(backoff: .constant(.seconds(5)), clock: clock, observer: recorder)
    let dependency = Dependency([Self.transient(), Self.transient()])
    let task = Task { try await retry.run { try await dependency.call() } }
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await dependency.calls == 1)
    #expect(recorder.names == ["attemptFailed", "gaveUp"])
  }

  @Test(.requirement("P21")) func `nothing is run for a caller that has gone away`() async {
    let dependency = Dependency([])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Retry(backoff: .none).run { try await dependency.call() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await dependency.calls == 0)
  }

  @Test(.requirement("P21", "P22")) func `no attempt follows once the caller has gone away`() async
  {
    let dependency = Dependency([Self.transient(), Self.transient()])
    let task = Task {
      try await Retry(backoff: .none).run {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await dependency.call()
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await dependency.calls == 1)
  }

  @Test(.requirement("T18")) func `a real failure in a cancelled task is told as it is`() async {
    let task = Task {
      try await Retry(backoff: .none).run {
        withUnsafeCurrentTask { $0?.cancel() }
        throw AppError.http(status: 404)
      }
    }
    let error = await #expect(throws: AppError.self) { try await task.value }
    #expect(error?.httpStatus == 404)
  }

  @Test(
    .requirement("P26", "T4"),
    arguments: [
      CancellationError() as any Error, URLErrorLike.cancelled, AppError.cancelled(),
      CocoaError(.userCancelled), POSIXError(.ECANCELED),
    ])
  func `no form of cancellation is repeated`(error: any Error) async {
    let dependency = Dependency([error])
    await #expect(throws: (any Error).self) {
      try await Retry(backoff: .none, retryIf: .anythingButCancellation).run {
        try await dependency.call()
      }
    }
    #expect(await dependency.calls == 1)
  }

  @Test func `a caller that cancels gets that, whatever the operation throws`() async {
    let call = Task {
      try await Retry(backoff: .none).run {
        withUnsafeCurrentTask { $0?.cancel() }
        throw POSIXError(.ECANCELED)
      }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    // Where nobody has cancelled, the error is the operation's own.
    await #expect(throws: POSIXError.self) {
      try await Retry(backoff: .none).run { throw POSIXError(.ECANCELED) }
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-3)])
  func `a time to wait that is none leaves the backoff as it is`(hint: Duration) async throws {
    let clock = ManualClock()
    let retry = Retry(backoff: .constant(.seconds(2), jitter: .none), clock: clock)
    let dependency = Dependency([AppError.http(status: 429, retryAfter: hint)])
    async let calls = retry.run { try await dependency.call() }
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await calls == 2)
  }

  enum URLErrorLike {
    static let cancelled = NSError(domain: "NSURLErrorDomain", code: -999)
  }

  @Test func `an unknown outcome is repeated only under an idempotency key`() async throws {
    let unknown = AppError.http(status: 500, isRepeatable: false)
    let bare = Dependency([unknown])
    await #expect(throws: AppError.self) {
      try await Retry(backoff: .none).run { try await bare.call() }
    }
    let keyed = Dependency([unknown])
    let calls = try await IdempotencyKey().active {
      try await Retry(backoff: .none).run { try await keyed.call() }
    }
    #expect(calls == 2)
  }

  @Test(.requirement("P17")) func `its own rejections are not repeated without a deadline`() async {
    let dependency = Dependency([
      Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .zero)
    ])
    await #expect(throws: Rejection.self) {
      try await Retry(backoff: .none).run { try await dependency.call() }
    }
    #expect(await dependency.calls == 1)
  }

  @Test(.requirement("P20")) func `two calls under one retry draw different delays`() async throws {
    let clock = ManualClock()
    let retry = Retry(backoff: .constant(.seconds(100)), clock: clock, seed: 3)
    var seen: Set<Duration> = []
    for _ in 0..<20 { seen.insert(try await Self.wait(of: retry, by: clock)) }
    #expect(seen.count == 20)
  }

  @Test func `retries without a seed draw different delays`() async throws {
    #expect(Set((0..<20).map { _ in Chance().fraction() }).count == 20)
    var seen: Set<Duration> = []
    for _ in 0..<20 {
      let clock = ManualClock()
      let retry = Retry(backoff: .constant(.seconds(100)), clock: clock)
      seen.insert(try await Self.wait(of: retry, by: clock))
    }
    #expect(seen.count == 20)
  }

  /// How long a call waits for its second attempt, which succeeds.
  private static func wait(of retry: Retry, by clock: ManualClock) async throws -> Duration {
    let dependency = Dependency([transient()])
    async let result = retry.run { try await dependency.call() }
    await clock.sleepers(atLeast: 1)
    let wait = try #require(clock.nextWakeUp)
    clock.advance(by: .seconds(101))
    _ = try await result
    return wait
  }

  @Test(.requirement("P38")) func `every attempt is told once, and the last one as the last`() async
  {
    let recorder = EventRecorder()
    let retry = Retry(maximumAttempts: 3, backoff: .none, observer: recorder)
    let dependency = Dependency([Self.transient(), Self.transient(), Self.transient()])
    await #expect(throws: AppError.self) {
      try await retry.run { try await dependency.call() }
    }
    let told = recorder.events.compactMap { event -> (attempt: Int, isLast: Bool)? in
      guard case .attemptFailed(let attempt, _, let next) = event.what else { return nil }
      return (attempt, next == nil)
    }
    #expect(told.map(\.attempt) == [1, 2, 3])
    #expect(told.map(\.isLast) == [false, false, true])
    #expect(recorder.gaveUpReasons == [.attemptsUsedUp])
  }

  @Test(.requirement("P38")) func `a call that was cancelled before it began tells nothing`() async
  {
    let recorder = EventRecorder()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Retry(backoff: .none, observer: recorder).run {}
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(recorder.events.isEmpty)
  }

  @Test(.requirement("P38")) func `an error that is thrown again and again does not grow`() async {
    let error = AppError.http(status: 503, isRepeatable: true)
    let retry = Retry(maximumAttempts: 50, backoff: .none, budget: .unlimited)
    let thrown = await #expect(throws: AppError.self) { try await retry.run { throw error } }
    #expect(thrown?.id == error.id && thrown?.context.count == 0)
    #expect(thrown?.underlying.count == 0)
  }

  @Test func `illegal settings stop the program and name the option and its range`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Retry(maximumAttempts: 0)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("maximumAttempts: 0") && said.contains("1 or more"))
    await #expect(processExitsWith: .failure) { _ = Retry(maximumServerDelay: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = Retry(maximumElapsed: .zero) }
  }

  @MainActor final class Model {
    var attempts = 0

    func load(_ retry: Retry) async throws -> Int {
      try await retry.run {
        MainActor.assertIsolated()
        attempts += 1  // not Sendable, not captured elsewhere: the operation never leaves
        await Task.yield()
        MainActor.assertIsolated()
        if attempts < 3 { throw RetryTests.transient() }
        return attempts
      }
    }
  }

  @Test func `stays on its caller's actor through every attempt`() async throws {
    #expect(try await Model().load(Retry(backoff: .none)) == 3)
  }
}

extension EventRecorder {
  /// The names of the events, without what they carry.
  var names: [String] {
    events.map { event in
      let text = String(describing: event.what)
      return String(text.prefix { $0 != "(" })
    }
  }
}
