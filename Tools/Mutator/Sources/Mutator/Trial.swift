// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs the tests with one mutant awake.
///
/// First those that are named after the file, then all of them, until one fails.
struct Trial: Sendable {
  let program: URL
  let tests: String
  let scratch: URL
  let mutantCount: Int
  let shortestTimeLimit: Duration
  /// Whether only the tests that are named after a file are run.
  let isQuick: Bool
  /// What is known to survive; it is not tried on all tests again.
  let known: Set<Mutant.Key>

  /// Some tests, and how they behave when nothing is changed.
  struct Standard: Sendable {
    let filter: String
    let limits: Command.Limits
    let time: Duration
    let reached: Set<Int>
  }

  struct Standards: Sendable {
    /// The tests named after a file, by its name; none where no test is.
    var near: [String: Standard] = [:]
    /// All tests; nil in a quick trial.
    var whole: Standard?
  }

  /// The tests that are named after a file: those with `Retry` in the name of their suite for
  /// `RetryStateMachine+Waits.swift`.
  static func filter(for file: String, tests: String) -> String {
    let stem = file.prefix { $0 != "+" && $0 != "." }
    let name = stem.hasSuffix("StateMachine") ? stem.dropLast("StateMachine".count) : stem
    return "^\(tests)\\.\\w*\(name)"
  }

  /// Runs the tests without a change; they must pass.
  func standards(for files: Set<String>) async throws -> Standards {
    var standards = Standards()
    if !isQuick {
      standards.whole = try await standard(filter: "^\(tests)\\.", name: "unmutated")
    }
    for file in files.sorted() {
      let filter = Self.filter(for: file, tests: tests)
      standards.near[file] = try await standard(filter: filter, name: file)
    }
    guard standards.whole != nil || !standards.near.isEmpty else {
      throw MutatorFailure.noTests(program.path)
    }
    return standards
  }

  /// One run without a change; nil when there was no such test.
  private func standard(filter: String, name: String) async throws -> Standard? {
    let map = scratch.appending(path: "\(name).reached")
    try Data(count: mutantCount + 1).write(to: map)
    let log = scratch.appending(path: "\(name).log")
    let start = ContinuousClock.now
    let (end, used) = try await command(
      filter: filter, log: log, environment: [SwitchSource.reachedVariable: map.path]
    ).run(.generous)
    let total = ContinuousClock.now - start
    let text = try String(contentsOf: log, encoding: .utf8)
    // That nothing was run is told by another code than 0.
    guard !text.contains("Test run with 0 tests") else { return nil }
    // Whoever prints the sign without failing would later be taken for a test that fails.
    let hasPassed = text.contains("Test run with ") && !text.contains(Self.failureSign)
    guard end == .exited(0), hasPassed else {
      throw MutatorFailure.failsUnmutated(log: log.path)
    }
    let reached = try Data(contentsOf: map).enumerated().filter { $0.element != 0 }.map(\.offset)
    // Whoever is slowed down by a change is not to be taken for one that hangs.
    let limits = Command.Limits(
      processor: max(shortestTimeLimit / 2, used * 5), idle: shortestTimeLimit,
      total: max(shortestTimeLimit * 3, total * 10))
    return Standard(filter: filter, limits: limits, time: total, reached: Set(reached))
  }

  /// What becomes of a mutant.
  func fate(of mutant: Mutant, _ standards: Standards) async throws -> Campaign.Fate {
    var fate = Campaign.Fate.notReached
    let whole = known.contains(mutant.key) ? nil : standards.whole
    for standard in [standards.near[mutant.key.file], whole] {
      guard let standard, standard.reached.contains(mutant.number) else { continue }
      fate = try await self.fate(of: mutant, filter: standard.filter, standard.limits)
      if fate != .survived { return fate }
    }
    return fate
  }

  private func fate(
    of mutant: Mutant, filter: String, _ limits: Command.Limits
  ) async throws -> Campaign.Fate {
    let log = scratch.appending(path: "mutant-\(mutant.number).log")
    defer { try? FileManager.default.removeItem(at: log) }
    var command = command(
      filter: filter, log: log,
      environment: [SwitchSource.activeVariable: String(mutant.number)])
    command.stop = Self.failureSign
    switch try await command.run(limits).end {
    case .exited(0): return .survived
    case .timedOut: return .timedOut
    case .signalled(let signal): return .killed(by: "signal \(signal)")
    case .stopped, .exited:
      let text = try String(contentsOf: log, encoding: .utf8)
      let line = text.split(separator: "\n").first { $0.contains(Self.failureSign) }
      return .killed(by: line.map(String.init) ?? "a crash")
    }
  }

  /// With what Swift Testing begins a line about something that went wrong.
  private static let failureSign = "✘"

  private func command(filter: String, log: URL, environment: [String: String]) -> Command {
    #if os(Linux)
      // A mutant that fills a list without end is stopped before the machine has no memory left.
      let arguments = [
        "bash", "-c", "ulimit -v 8388608; exec \"$0\" \"$@\"", program.path,
        "--testing-library", "swift-testing", "--filter", filter,
      ]
    #else
      // The program is a bundle there, and SwiftPM knows how to load it.
      let arguments = [
        "swift", "test", "--skip-build", "--package-path",
        scratch.appending(path: "package").path, "--scratch-path",
        scratch.appending(path: "build").path, "--filter", filter,
      ]
    #endif
    // A backtrace of each mutant that crashes takes longer than all its tests.
    let quiet = ["SWIFT_BACKTRACE": "enable=no"]
    return Command(
      arguments: arguments, environment: environment.merging(quiet) { $1 }, log: log)
  }
}
