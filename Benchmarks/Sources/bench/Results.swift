// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything that one run has measured.
struct Results: Sendable {
  /// What the machine and the way of measuring were, for whoever reads the table later.
  var conditions: [String] = []
  var scenarios: [Scenario] = []
  var measurements: [String: Measurement] = [:]
  /// Megabytes that stay behind, by scenario; microseconds where its name begins with `slow-`.
  var memory: [String: Double] = [:]
  /// Instructions of one call, by scenario; empty where they were not counted.
  var instructions: [String: Double] = [:]
  /// Whether the fastest run of each scenario stands for it, in the place of the median.
  var usesFastest = false

  /// Nanoseconds of one call.
  func time(_ scenario: String) -> Double? {
    guard let measurement = measurements[scenario], !measurement.runs.isEmpty else { return nil }
    return usesFastest ? measurement.fastest : measurement.median
  }

  var verdicts: [Ceiling.Verdict] { Ceiling.all.compactMap { $0.verdict(self) } }

  /// The tables as Markdown.
  var text: String {
    (conditions + [""] + costs + [""] + memoryRows + ceilings).joined(separator: "\n") + "\n"
  }

  private var costs: [String] {
    let raw = time("raw")
    let withInstructions = !instructions.isEmpty
    var rows = [
      "| Scenario | What a call does | ns, median | ns, fastest | × raw | Allocations |"
        + (withInstructions ? " Instructions |" : ""),
      "|---|---|---:|---:|---:|---:|" + (withInstructions ? "---:|" : ""),
    ]
    for scenario in scenarios {
      guard let measurement = measurements[scenario.name], let own = time(scenario.name) else {
        continue
      }
      let ratio = raw.map { (own / $0).rounded(to: 2) } ?? ""
      let allocations = measurement.allocations.map { $0.rounded(to: 2) } ?? "not counted"
      var row =
        "| `\(scenario.name)` | \(scenario.summary) | \(measurement.median.rounded(to: 1)) "
        + "| \(measurement.fastest.rounded(to: 1)) | \(ratio) | \(allocations) |"
      if withInstructions { row += " \(instructions[scenario.name]?.rounded(to: 0) ?? "") |" }
      rows.append(row)
    }
    return rows
  }

  private var memoryRows: [String] {
    guard !memory.isEmpty else { return [] }
    let rows = memory.sorted { $0.key < $1.key }.map { name, value in
      let unit = name.hasPrefix("slow-") ? "µs, 99 of 100 are faster" : "MB stay behind"
      return "| `\(name)` | \(value.rounded(to: 1)) \(unit) |"
    }
    return ["| Scenario, in a process of its own | Measured |", "|---|---:|"] + rows + [""]
  }

  private var ceilings: [String] {
    let rows = verdicts.map { verdict in
      let word = verdict.isMet.map { $0 ? "met" : "**not met**" } ?? "not measured"
      return "| `\(verdict.scenario)` | \(verdict.measured) | \(verdict.limit) | \(word) |"
    }
    return ["| Scenario | Measured | Ceiling | |", "|---|---|---|---|"] + rows
  }
}
