// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// What it costs to tell the team about an error.
enum MonitoringScenarios {
  static let all = [
    Scenario(
      "capture", "`ErrorMonitor.capture`, no sink: errors of 1,000 codes, made before",
      calls: capturing(ErrorMonitor())),
    Scenario(
      "capture-8-tasks", "the same monitor, from 8 tasks",
      calls: Scenario.inEightTasks(capturing(ErrorMonitor()))),
    Scenario("capture-typed", "an app's own enum, which is asked for its `AppError`") { count in
      let monitor = ErrorMonitor()
      for _ in 0..<count { keep(monitor.capture(CartError.closed, during: "Save item")) }
    },
    Scenario("app-error", "making that `AppError`, which is most of it") { count in
      for _ in 0..<count { keep(CartError.closed.appError) }
    },
    Scenario(
      "capture-told", "no limit, no sink: every error becomes a report",
      calls: capturing(ErrorMonitor(.init(limit: nil)))),
    Scenario(
      "capture-stalled", "no limit, two sinks that never answer: every report replaces another one",
      calls: capturing(stalledMonitor())),
  ]

  enum CartError: AppErrorConvertible {
    case closed

    var appError: AppError {
      AppError(
        code: "cart.closed", kind: .storage, disposition: .permanent, title: "Closed",
        message: "The cart is closed.")
    }
  }

  /// Never answers.
  private struct StalledSink: ReportSink {
    let name: String
    let purpose = ErrorReport.Purpose.log

    func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      try? await Task.sleep(for: .seconds(86_400))
      return .accepted
    }
  }

  static func stalledMonitor() -> ErrorMonitor {
    ErrorMonitor(.init(limit: nil), sinks: [StalledSink(name: "a"), StalledSink(name: "b")])
  }

  /// More errors than a monitor remembers, so that none is a duplicate when its turn comes again.
  static let errors: [AppError] = (0..<16_000).map { number in
    AppError(
      code: ErrorCode("bench.failed-\(number % 1_000)") ?? "bench", kind: .storage,
      disposition: .permanent, title: "Not saved", message: "It was not saved.",
      details: "disk \(number % 7) answered with a fault", metadata: ["table": "items"])
  }

  private static func capturing(
    _ monitor: ErrorMonitor
  ) -> @Sendable (Int) async throws -> Void {
    { count in
      // Each task begins elsewhere, so that they do not capture the same errors at once.
      let first = Int.random(in: 0..<errors.count)
      for index in 0..<count {
        keep(monitor.capture(errors[(first + index) % errors.count], during: "Save item"))
      }
    }
  }
}

extension Memory {
  /// What a million captures of 1,000 different errors from eight tasks leave behind, in megabytes.
  static func growthOfCaptures(on monitor: ErrorMonitor) async -> Double? {
    let errors = MonitoringScenarios.errors
    guard let before = resident else { return nil }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<125_000 {
            monitor.capture(errors[(task * 2_000 + index) % errors.count], during: "Save item")
          }
        }
      }
    }
    let after = resident
    precondition(monitor.ledger.isBalanced && monitor.ledger.captured == 1_000_000)
    precondition(monitor.groups.count == 1_000)
    return after.map { $0 - before }
  }

  /// The time within which 99 of 100 captures are over while every sink is stalled and ten times as
  /// much comes as they hold, in microseconds.
  ///
  /// - Parameter tasks: How many capture at once.
  /// - Returns: The time.
  static func slowCaptureWhileStalled(tasks: Int) async -> Double? {
    let (errors, monitor) = (MonitoringScenarios.errors, MonitoringScenarios.stalledMonitor())
    let clock = ContinuousClock()
    let times = await withTaskGroup(of: [Duration].self) { group in
      for task in 0..<tasks {
        group.addTask {
          (0..<20 * 256 * 10 / tasks).map { index in
            let start = clock.now
            monitor.capture(
              errors[(task * 2_000 + index) % errors.count], during: "Save item")
            return start.duration(to: clock.now)
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    precondition(monitor.ledger.isBalanced)
    let slow = times.sorted()[times.count * 99 / 100]
    return Double(slow.components.attoseconds) / 1e12 + Double(slow.components.seconds) * 1e6
  }
}
