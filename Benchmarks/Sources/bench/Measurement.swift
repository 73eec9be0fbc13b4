// SPDX-License-Identifier: Apache-2.0

import CAllocations
import Foundation

/// What one call of a scenario costs.
struct Measurement: Sendable, Codable {
  /// Nanoseconds of each run.
  var runs: [Double] = []
  /// Allocations on the heap; nil where they cannot be counted.
  var allocations: Double?

  var median: Double {
    let sorted = runs.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  var fastest: Double { runs.min() ?? .nan }
}

/// By what time is measured.
enum Stopwatch: String, Sendable, CaseIterable {
  /// The time that passes; what users wait for.
  case wall
  /// The time that the processors spend on this process; steadier beside other work, and more than
  /// what passes where several threads run.
  case processor

  /// Seconds since some fixed start.
  var now: Double {
    switch self {
    case .wall: Self.start.duration(to: .now) / .seconds(1)
    case .processor: Double(clock()) / Double(CLOCKS_PER_SEC)
    }
  }

  private static let start = ContinuousClock.now
}

/// Runs scenarios in rounds, each scenario once per round, so that what else goes on in the machine
/// meets all of them alike.
struct Measuring: Sendable {
  var rounds = 7
  var secondsPerRun = 0.5
  var stopwatch = Stopwatch.wall

  func measure(
    _ scenarios: [Scenario], progress: (String) -> Void
  ) async throws -> [String: Measurement] {
    var found: [String: Measurement] = [:]
    var counts: [String: Int] = [:]
    for scenario in scenarios {
      progress("calibrating \(scenario.name)")
      counts[scenario.name] = try await count(for: scenario)
      found[scenario.name] = Measurement(allocations: try await allocations(of: scenario))
    }
    for round in 1...max(1, rounds) {
      progress("round \(round) of \(rounds)")
      for scenario in scenarios {
        let count = counts[scenario.name] ?? 1
        let seconds = try await seconds(for: count, of: scenario)
        found[scenario.name]?.runs.append(seconds * 1e9 / Double(count))
      }
    }
    return found
  }

  /// How many calls take about as long as a run is to last; a multiple of eight.
  private func count(for scenario: Scenario) async throws -> Int {
    var count = 1_000
    while true {
      let seconds = try await seconds(for: count, of: scenario)
      if seconds >= secondsPerRun / 8 {
        return max(8, Int(Double(count) * secondsPerRun / seconds) / 8 * 8)
      }
      count *= 4
    }
  }

  /// Runs in a task of its own, so that it is on no actor.
  private func seconds(for count: Int, of scenario: Scenario) async throws -> Double {
    let stopwatch = stopwatch
    return try await Task.detached {
      let start = stopwatch.now
      try await scenario.calls(count)
      return stopwatch.now - start
    }.value
  }

  /// Allocations of one call: what 10,000 calls more cost, so that what happens once is left out.
  private func allocations(of scenario: Scenario) async throws -> Double? {
    guard allocations_can_be_counted() else { return nil }
    return try await Task.detached {
      func counted(_ calls: Int) async throws -> Int64 {
        allocations_start()
        do { try await scenario.calls(calls) } catch {
          _ = allocations_stop()
          throw error
        }
        return allocations_stop()
      }
      let few = try await counted(1_000)
      let many = try await counted(11_000)
      return Double(many - few) / 10_000
    }.value
  }
}
