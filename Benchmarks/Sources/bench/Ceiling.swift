// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a scenario may cost at most, as a ratio to a raw limit of the same run where there is one.
struct Ceiling: Sendable {
  enum Limit: Sendable {
    /// So many times the raw limit.
    case ratio(Double, of: String)
    /// So many times the raw limit on top of it.
    case onTop(Double, of: String)
    /// As much as several raw limits together.
    case sum(of: [String])
    /// So many allocations, besides those of another scenario.
    case allocations(Double)
    /// So many megabytes of memory that stay behind.
    case megabytes(Double)
    /// So many microseconds.
    case microseconds(Double)
    /// So many nanoseconds of one call.
    case nanoseconds(Double)
    /// At least so many millions of something in a second, of which a call does some.
    case millions(Double, of: String, each: Double)
  }

  let scenario: String
  let limit: Limit

  static let all: [Ceiling] = [
    Ceiling(scenario: "breaker", limit: .onTop(1.5, of: "raw")),
    Ceiling(scenario: "retry", limit: .onTop(0.75, of: "raw")),
    Ceiling(scenario: "breaker-open", limit: .sum(of: ["clock", "raw"])),
    Ceiling(scenario: "breaker-open-outcome", limit: .sum(of: ["clock", "raw"])),
    Ceiling(scenario: "pipeline-5", limit: .ratio(4, of: "raw")),
    Ceiling(scenario: "timeout", limit: .ratio(1.4, of: "child")),
    Ceiling(scenario: "deadline", limit: .ratio(1.4, of: "child")),
    Ceiling(scenario: "limits-2", limit: .ratio(1.4, of: "child")),
    Ceiling(scenario: "limits-4", limit: .ratio(1.4, of: "child")),
    Ceiling(scenario: "pipeline-5-limits", limit: .ratio(1.8, of: "child")),
    Ceiling(scenario: "breaker-8-tasks", limit: .ratio(6, of: "raw-8-tasks")),
    Ceiling(scenario: "state-update", limit: .ratio(4, of: "actor")),
    // Ten times as many who watch cost ten times as much, and nothing beyond.
    Ceiling(scenario: "state-update-100-watch", limit: .ratio(11, of: "state-update-10-watch")),
    Ceiling(scenario: "present-same", limit: .nanoseconds(10_000)),
    Ceiling(scenario: "present-varied", limit: .nanoseconds(10_000)),
    Ceiling(scenario: "present-new", limit: .nanoseconds(10_000)),
    Ceiling(scenario: "breaker", limit: .allocations(0)),
    Ceiling(scenario: "retry", limit: .allocations(0)),
    Ceiling(scenario: "bulkhead", limit: .allocations(0)),
    Ceiling(scenario: "rate-limiter", limit: .allocations(0)),
    Ceiling(scenario: "memory-timeout", limit: .megabytes(5)),
    Ceiling(scenario: "memory-capture", limit: .megabytes(30)),
    Ceiling(scenario: "memory-capture-stalled", limit: .megabytes(30)),
    Ceiling(scenario: "slow-capture-stalled", limit: .microseconds(20)),
    Ceiling(scenario: "slow-capture-8-tasks-stalled", limit: .microseconds(20)),
    Ceiling(scenario: "capture", limit: .millions(1, of: "captures/s", each: 1)),
    Ceiling(scenario: "capture-8-tasks", limit: .millions(1, of: "captures/s", each: 1)),
    Ceiling(scenario: "fingerprint-typed", limit: .nanoseconds(500)),
    Ceiling(scenario: "message-template", limit: .millions(50, of: "bytes/s", each: 100)),
  ]

  /// A ceiling beside what was measured.
  struct Verdict {
    let scenario: String
    let measured: String
    let limit: String
    /// Nil where it could not be measured.
    let isMet: Bool?
  }

  func verdict(_ results: Results) -> Verdict? {
    switch limit {
    case .ratio(let most, let raw):
      guard let own = results.time(scenario), let base = results.time(raw) else { return nil }
      return verdict(own / base, most, "× \(raw)")
    case .onTop(let most, let raw):
      guard let own = results.time(scenario), let base = results.time(raw) else { return nil }
      return verdict((own - base) / base, most, "× \(raw) on top")
    case .sum(let parts):
      let times = parts.compactMap(results.time)
      guard let own = results.time(scenario), times.count == parts.count else { return nil }
      return verdict(own / times.reduce(0, +), 1, "× (\(parts.joined(separator: " + ")))")
    case .allocations(let most):
      guard let measurement = results.measurements[scenario] else { return nil }
      guard let count = measurement.allocations else {
        return Verdict(
          scenario: scenario, measured: "not counted here", limit: "\(most.rounded(to: 0))",
          isMet: nil)
      }
      return verdict(count, most, "allocations")
    case .megabytes(let most):
      guard let memory = results.memory[scenario] else { return nil }
      return verdict(memory, most, "MB")
    case .microseconds(let most):
      guard let time = results.memory[scenario] else { return nil }
      return verdict(time, most, "µs")
    case .nanoseconds(let most):
      return results.time(scenario).map { verdict($0, most, "ns") }
    case .millions(let least, let unit, let each):
      guard let own = results.time(scenario) else { return nil }
      let rate = (each * 1_000 / own * 100).rounded() / 100
      return Verdict(
        scenario: scenario, measured: "\(rate.rounded(to: 2)) million \(unit)",
        limit: "at least \(least.rounded(to: 2)) million", isMet: rate >= least)
    }
  }

  private func verdict(_ measured: Double, _ most: Double, _ unit: String) -> Verdict {
    // What is shown decides, so that no row contradicts itself.
    let shown = (measured * 100).rounded() / 100
    return Verdict(
      scenario: scenario, measured: "\(shown.rounded(to: 2)) \(unit)",
      limit: "\(most.rounded(to: 2)) \(unit)", isMet: shown <= most)
  }
}

extension Double {
  /// The number with at most so many digits after the point.
  func rounded(to digits: Int) -> String {
    guard isFinite else { return "?" }
    // What rounds to nothing has no sign.
    let isNothing = abs(self) < 0.5 * pow(10, -Double(digits))
    let text = String(format: "%.\(digits)f", isNothing ? 0 : self)
    guard text.contains(".") else { return text }
    let short = text.reversed().drop { $0 == "0" }.reversed()
    return String(short.last == "." ? Array(short.dropLast()) : Array(short))
  }
}
