// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All that one run has measured.
package struct Table {
  /// What is to be reached, against what.
  package struct Goal: Sendable {
    let name: String
    let ratio: Double
    let base: String

    package init(_ name: String, atLeast ratio: Double, of base: String) {
      (self.name, self.ratio, self.base) = (name, ratio, base)
    }
  }

  private let goals: [Goal]

  package init(goals: [Goal]) { self.goals = goals }

  /// A value that must not be exceeded, or has to be reached.
  struct Bound {
    let name: String
    let value: Double
    let unit: String
    let limit: Double
    let isMost: Bool

    var isMet: Bool { isMost ? value <= limit : value >= limit }
  }

  private var names: [String] = []
  private var rates: [String: [Double]] = [:]
  private var syncs: [Double] = []
  private var bounds: [Bound] = []

  package mutating func add(sync seconds: Double) { syncs.append(seconds) }

  /// So many a second.
  package mutating func add(_ name: String, _ count: Int, in seconds: Double) {
    guard seconds > 0 else { return }
    if rates[name] == nil { names.append(name) }
    rates[name, default: []].append(Double(count) / seconds)
  }

  package mutating func add(
    _ name: String, _ value: Double, _ unit: String, atMost limit: Double
  ) {
    bounds.append(Bound(name: name, value: value, unit: unit, limit: limit, isMost: true))
  }

  package mutating func add(
    _ name: String, _ value: Double, _ unit: String, atLeast limit: Double
  ) {
    bounds.append(Bound(name: name, value: value, unit: unit, limit: limit, isMost: false))
  }

  /// How long the disk took, in the median.
  package var sync: Double? { Self.median(syncs) }

  package var hasMissed: Bool {
    bounds.contains { !$0.isMet }
      || goals.contains { goal in ratio(goal).map { $0 < goal.ratio } ?? false }
  }

  private func median(_ name: String) -> Double? { rates[name].flatMap(Self.median) }

  private func ratio(_ goal: Goal) -> Double? {
    guard let own = median(goal.name), let base = median(goal.base) else { return nil }
    return own / base
  }

  package static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    return values.sorted()[values.count / 2]
  }

  package func text(conditions: String) -> String {
    let system = ProcessInfo.processInfo
    let sync = syncs.map { String(format: "%.2f", $0 * 1000) }.joined(separator: ", ")
    var lines = [
      "\(system.operatingSystemVersionString), \(system.activeProcessorCount) processors; "
        + "\(conditions); a write of 4 KB and the wait for the disk took, in ms: \(sync).",
      "", "| What | A second, median | Slowest | Fastest |", "|---|---:|---:|---:|",
    ]
    for name in names {
      let values = rates[name] ?? []
      lines.append(
        "| \(name) | \(count(median(name))) | \(count(values.min())) | \(count(values.max())) |")
    }
    lines += ["", "| Measured | Against | Times | Goal | |", "|---|---|---:|---:|---|"]
    for goal in goals {
      guard let ratio = ratio(goal) else { continue }
      let word = ratio >= goal.ratio ? "met" : "**not met**"
      let times = String(format: "%.2f", ratio)
      lines.append("| \(goal.name) | \(goal.base) | \(times) | ≥ \(goal.ratio) | \(word) |")
    }
    lines += ["", "| Measured | | Goal | |", "|---|---:|---:|---|"]
    for bound in bounds {
      let value = String(format: "%.2f", bound.value)
      let limit = "\(bound.isMost ? "≤" : "≥") \(bound.limit) \(bound.unit)"
      let word = bound.isMet ? "met" : "**not met**"
      lines.append("| \(bound.name) | \(value) \(bound.unit) | \(limit) | \(word) |")
    }
    return lines.joined(separator: "\n")
  }

  private func count(_ value: Double?) -> String { value.map { String(Int($0)) } ?? "" }
}
