// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Who hears that an error of a type that nobody has classified is not repeated.
@Suite(.requirement("P38")) struct UnclassifiedErrorTests {
  private struct Plain: Error {}

  /// An app's own error, whose author has not decided yet.
  private struct Undecided: AppErrorConvertible {
    var appError: AppError { UnclassifiedErrorTests.error("shop.undecided") }
  }

  private static func error(_ code: ErrorCode, _ causes: [any Error] = []) -> AppError {
    AppError(
      code: code, kind: .unknown, disposition: .unclassified, title: "Not sure",
      message: "Nobody has decided yet.", underlying: causes)
  }

  private static func fail(_ policy: some Policy) async {
    do { try await policy.run { throw Plain() } } catch { precondition(error is Plain) }
  }

  @Test func `an error that nobody has classified is logged once where nobody listens`() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      let logger = log.logger { "\($0.level) \($0.message)\($0.pairs())" }
      LoggingSystem.bootstrap { _ in logger.handler }
      let clock = ManualClock()
      for name in ["first", "first", "second"] {
        await Self.fail(Pipeline(name) { Retry(name: name, clock: clock) })
      }
      let lines = log.lines
      guard lines.count == 1, let line = lines.first, line.hasPrefix("warning unclassified "),
        line.contains("AppErrorConvertible"), line.contains(" policy=first "),
        line.contains("Plain")
      else { fatalError("\(lines)") }
    }
  }

  @Test func `an observer that comes later is told of an unclassified error, too`() async {
    await #expect(processExitsWith: .success) {
      let (clock, recorder) = (ManualClock(), EventRecorder())
      let retry = Retry(clock: clock)
      await Self.fail(retry)
      PolicyObservation.bootstrap(recorder)
      await Self.fail(retry)
      await Self.fail(retry)
      let told = recorder.events.filter {
        if case .unclassified = $0.what { true } else { false }
      }
      guard told.count == 1 else { fatalError("\(recorder.events)") }
    }
  }

  @Test func `an error that is repeated all the same is not told as unclassified`() async {
    let recorder = EventRecorder()
    let patient = Retry(
      backoff: .none,
      retryIf: .init { error, disposition in
        error is Plain ? .afterBackoff(hint: nil) : disposition.retry
      }, observer: recorder)
    await Self.fail(patient)
    #expect(recorder.names == ["attemptFailed", "attemptFailed", "attemptFailed", "gaveUp"])
    // Of another type it is, once.
    await #expect(throws: AppError.self) { try await patient.run { throw Self.error("shop.a") } }
    #expect(recorder.names.filter { $0 == "unclassified" }.count == 1)
  }

  @Test func `what to do about an unclassified error fits what it is`() async {
    let recorder = EventRecorder()
    let retry = Retry(backoff: .none, observer: recorder)
    let failures: [any Error] = [
      Self.error("shop.a"), Self.error("shop.b", [Plain()]), Self.error("shop.a"), Undecided(),
      AppError.unknown(Plain()), Plain(), Undecided(),
    ]
    for failure in failures {
      await #expect(throws: (any Error).self) { try await retry.run { throw failure } }
    }
    let told = recorder.events.compactMap { event -> [String]? in
      if case .unclassified(let type, let cure) = event.what { [type, cure] } else { nil }
    }
    let plain = "MainstayTests.UnclassifiedErrorTests.Plain"
    let undecided = "MainstayTests.UnclassifiedErrorTests.Undecided"
    let advice = "a disposition, such as .transient() or .permanent"
    let end = "; until then it is not retried."
    #expect(
      told == [
        ["Mainstay.AppError", "Give the AppError with the code shop.a \(advice)\(end)"],
        [
          "Mainstay.AppError",
          "Give the AppError with the code shop.b \(advice), or classify \(plain)\(end)",
        ],
        [undecided, "Give the appError of \(undecided) \(advice)\(end)"],
        [
          plain,
          """
          Let \(plain) conform to AppErrorConvertible, or add it to the ErrorMapping set by \
          ErrorMapping.bootstrap\(end)
          """,
        ],
      ])
  }
}
