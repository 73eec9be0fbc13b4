// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All that one run has measured.
struct Table {
  /// What is to be reached, against what.
  struct Goal {
    let name: String
    let ratio: Double
    let base: String

    init(_ name: String, atLeast ratio: Double, of base: String) {
      (self.name, self.ratio, self.base) = (name, ratio, base)
    }
  }

  static let goals = [
    Goal("enqueue 1", atLeast: 0.8, of: "raw enqueue 1"),
    Goal("enqueue, 32 callers", atLeast: 10, of: "raw enqueue 1"),
    Goal("enqueue, 32 callers", atLeast: 10, of: "huey enqueue"),
    Goal("enqueue, 32 callers", atLeast: 10, of: "persist-queue enqueue"),
    Goal("enqueue 100 at once", atLeast: 0.6, of: "raw enqueue 100"),
    Goal("enqueue 1,000 at once", atLeast: 0.6, of: "raw enqueue 1,000"),
    Goal("claim and end 1", atLeast: 1.8, of: "raw drain 1"),
    Goal("claim and end 1", atLeast: 2, of: "persist-queue take"),
    Goal("claim and end 100", atLeast: 0.5, of: "raw drain 100"),
    Goal("claim and end 100", atLeast: 20, of: "persist-queue take"),
    Goal("claim and end 100", atLeast: 5, of: "litequeue take"),
    Goal("claim and end 100", atLeast: 50, of: "litequeue take, 20,000 retained"),
    Goal(Scans.row, atLeast: 0.5, of: "enqueue, 32 callers"),
    Goal("claim and end 100, full file", atLeast: 0.8, of: "claim and end 100, empty file"),
  ]

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

  mutating func add(sync seconds: Double) { syncs.append(seconds) }

  /// So many a second.
  mutating func add(_ name: String, _ count: Int, in seconds: Double) {
    guard seconds > 0 else { return }
    if rates[name] == nil { names.append(name) }
    rates[name, default: []].append(Double(count) / seconds)
  }

  mutating func add(
    _ name: String, _ value: Double, _ unit: String, atMost limit: Double
  ) {
    bounds.append(Bound(name: name, value: value, unit: unit, limit: limit, isMost: true))
  }

  mutating func add(
    _ name: String, _ value: Double, _ unit: String, atLeast limit: Double
  ) {
    bounds.append(Bound(name: name, value: value, unit: unit, limit: limit, isMost: false))
  }

  /// How long the disk took, in the median.
  var sync: Double? { Self.median(syncs) }

  var hasMissed: Bool {
    bounds.contains { !$0.isMet }
      || Self.goals.contains { goal in ratio(goal).map { $0 < goal.ratio } ?? false }
  }

  private func median(_ name: String) -> Double? { rates[name].flatMap(Self.median) }

  private func ratio(_ goal: Goal) -> Double? {
    guard let own = median(goal.name), let base = median(goal.base) else { return nil }
    return own / base
  }

  static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    return values.sorted()[values.count / 2]
  }

  func text(conditions: String) -> String {
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
    for goal in Self.goals {
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
