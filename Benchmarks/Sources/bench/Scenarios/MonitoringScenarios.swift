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
  static func growthOfCaptures() async -> Double? {
    await growth(of: ErrorMonitor())
  }

  /// The same while every sink is stalled and every error becomes a report, of which all but what
  /// a sink holds are lost.
  static func growthOfCapturesWhileStalled() async -> Double? {
    let monitor = MonitoringScenarios.stalledMonitor()
    let growth = await growth(of: monitor)
    let ledger = monitor.ledger
    // A batch is on its way, and the queue is full behind it.
    let settings = monitor.configuration
    precondition(ledger.stored(for: "a") <= settings.queue + settings.batch)
    precondition(ledger.dropped(for: "a")[.overflow] == ledger.kept - ledger.stored(for: "a"))
    return growth
  }

  private static func growth(of monitor: ErrorMonitor) async -> Double? {
    let errors = MonitoringScenarios.errors
    guard let before = resident else { return nil }
    await fromEightTasks { task in
      for index in 0..<125_000 {
        monitor.capture(errors[(task * 2_000 + index) % errors.count], during: "Save item")
      }
    }
    let after = resident
    precondition(monitor.ledger.isBalanced && monitor.ledger.captured == 1_000_000)
    precondition(monitor.groups.count == 1_000)
    return after.map { $0 - before }
  }

  /// The time within which 99 of 100 captures are over while every sink is stalled and far more
  /// than ten times as much comes as they hold, in microseconds.
  static func slowCaptureWhileStalled() async -> Double? {
    let monitor = MonitoringScenarios.stalledMonitor()
    return microseconds(slowest(of: times(of: 20 * 256 * 10, 0, monitor)))
  }

  /// The same from eight tasks at once.
  ///
  /// On fewer processors than that, whoever the system stops in the middle of a capture waits for
  /// the others too.
  static func slowCaptureFromEightTasksWhileStalled() async -> Double? {
    let monitor = MonitoringScenarios.stalledMonitor()
    var all: [Duration] = []
    await withTaskGroup(of: [Duration].self) { group in
      for task in 0..<8 { group.addTask { times(of: 125_000, task, monitor) } }
      for await times in group { all += times }
    }
    return microseconds(slowest(of: all))
  }

  private static func times(
    of count: Int, _ task: Int, _ monitor: ErrorMonitor
  ) -> [Duration] {
    let (errors, clock) = (MonitoringScenarios.errors, ContinuousClock())
    return (0..<count).map { index in
      let start = clock.now
      monitor.capture(errors[(task * 2_000 + index) % errors.count], during: "Save item")
      return start.duration(to: clock.now)
    }
  }

  private static func slowest(of times: [Duration]) -> Duration {
    times.sorted()[times.count * 99 / 100]
  }

  private static func microseconds(_ duration: Duration) -> Double {
    duration / .microseconds(1)
  }

  private static func fromEightTasks(_ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 { group.addTask { body(task) } }
    }
  }
}
