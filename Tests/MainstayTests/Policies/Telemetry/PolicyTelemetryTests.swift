// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct PolicyTelemetryTests {
  struct Secretive: Error, CustomStringConvertible {
    var description: String { "no luck with token=abc123secret" }
  }

  private static let rejection = Rejection(
    policy: "x", reason: .circuitOpen, retryAfter: .seconds(5))

  /// One of each.
  static let everything: [PolicyEvent.What] = [
    .attemptFailed(attempt: 1, error: Secretive(), nextDelay: .seconds(2)),
    .recovered(attempts: 2), .gaveUp(attempts: 3, reason: .attemptsUsedUp),
    .unclassified(type: "T", cure: "Do"), .timedOut(.total("x", .seconds(1))),
    .rejected(rejection), .circuitOpened(failures: 5, breakFor: .seconds(5)), .circuitHalfOpened,
    .circuitClosed, .circuitIsolated, .circuitReset, .probeExpired,
    .staleResult(succeeded: true, admittedIn: 1, endedIn: 2), .wouldHaveRejected(rejection),
    .settingsChanged, .waited(.seconds(1)), .limitChanged(from: 1, to: 2),
    .hedgeStarted(copy: 2, after: .seconds(1)), .hedgeWon(copy: 2),
    .hedgeWithheld(copy: 2, reason: .budgetExhausted), .coalesced,
    .cooldownBegan(key: "mary@example.com", for: .seconds(1)), .chaosInjected("latency"),
    .abandoned(stillRunning: 1), .abandonedEnded(stillRunning: 0),
    .registryOverflowed(count: 3, maximumCount: 2), .eventsDropped(count: 4),
    .callEnded(.succeeded, took: .seconds(1)), .cacheHit(isRevalidating: true), .cacheMissed,
    .staleServed(key: "mary@example.com", age: nil, error: Secretive()),
    .revalidationFailed(key: "mary@example.com", error: Secretive()),
    .lateAnswerDropped(key: "mary@example.com"), .cacheStorageFailed(Secretive()),
  ]

  private func log(_ what: [PolicyEvent.What], minimum: Severity = .debug) -> [String] {
    let log = Log()
    let logger = log.logger { "\($0.level) \($0.message)\($0.pairs())" }
    let observer = PolicyLogger(logger, minimumSeverity: minimum)
    for what in what {
      observer.observe(PolicyEvent(policy: "catalog", what: what, reading: .zero))
    }
    return log.lines
  }

  @Test func `every event has the name of its case, and a level`() {
    for what in Self.everything {
      #expect(what.name == String("\(what)".prefix { $0 != "(" }))
    }
    #expect(Set(Self.everything.map(\.name)).count == Self.everything.count)
    let levels = Dictionary(grouping: Self.everything, by: \.severity).mapValues {
      $0.map(\.name)
    }
    #expect(levels[.error] == ["gaveUp", "circuitOpened"])
    #expect(
      levels[.warning] == [
        "attemptFailed", "unclassified", "timedOut", "circuitIsolated", "probeExpired",
        "cooldownBegan", "chaosInjected", "abandoned", "registryOverflowed", "eventsDropped",
        "staleServed", "cacheStorageFailed",
      ])
    #expect(levels[.critical] == nil)
  }

  @Test(.requirement("P38")) func `the last attempt is told once as an error, by giving up`() {
    let last = PolicyEvent.What.attemptFailed(attempt: 3, error: Secretive(), nextDelay: nil)
    #expect(last.severity == .debug)
    let stopped = PolicyEvent.What.attemptFailed(
      attempt: 1, error: CancellationError(), nextDelay: .seconds(1))
    #expect(stopped.severity == .debug)
    #expect(PolicyEvent.What.gaveUp(attempts: 3, reason: .budgetExhausted).severity == .error)
    #expect(PolicyEvent.What.gaveUp(attempts: 1, reason: .notRetryable).severity == .info)
    #expect(PolicyEvent.What.gaveUp(attempts: 1, reason: .insideAnotherRetry).severity == .info)
    #expect(PolicyEvent.What.gaveUp(attempts: 1, reason: .cancelled).severity == .debug)
  }

  @Test(.requirement("D35")) func `a log line has a level, a fixed message and metadata`() {
    #expect(
      log([.circuitOpened(failures: 5, breakFor: .seconds(5)), .rejected(Self.rejection)]) == [
        "error circuitOpened breakFor=5.0s failures=5 policy=catalog",
        "info rejected policy=catalog reason=circuitOpen retryAfter=5.0s",
      ])
    #expect(log(Self.everything).count == Self.everything.count)
  }

  @Test func `texts of errors and keys are redacted`() {
    let lines = log(Self.everything).joined(separator: "\n")
    #expect(lines.contains("PolicyTelemetryTests.Secretive") && lines.contains("token"))
    #expect(!lines.contains("abc123secret") && !lines.contains("mary@example.com"))
  }

  @Test func `what is milder than asked for is not written`() {
    #expect(log(Self.everything, minimum: .error).count == 2)
    let log = Log()
    var logger = log.logger { "\($0.level) \($0.message)\($0.pairs())" }
    logger.logLevel = .warning
    for what in Self.everything {
      PolicyLogger(logger).observe(PolicyEvent(policy: "c", what: what, reading: .zero))
    }
    #expect(log.lines.count == 14)
  }

  @Test func `several observers are told in order`() {
    struct Named: PolicyObserver {
      let name: String
      let log: Log
      func observe(_ event: PolicyEvent) { log.add(name + " " + event.what.name) }
    }
    let log = Log()
    let both = PolicyObservers(Named(name: "a", log: log), Named(name: "b", log: log))
    for what in [PolicyEvent.What.circuitHalfOpened, .circuitClosed] {
      both.observe(PolicyEvent(policy: "c", what: what, reading: .zero))
    }
    #expect(
      log.lines == [
        "a circuitHalfOpened", "b circuitHalfOpened", "a circuitClosed", "b circuitClosed",
      ])
  }
}
