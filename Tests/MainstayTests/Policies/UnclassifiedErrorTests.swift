// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Who hears that an error of a type that nobody has classified is not repeated.
@Suite(.requirement("P38")) struct UnclassifiedErrorTests {
  private struct Plain: Error {}

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
}
