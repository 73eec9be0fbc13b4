// SPDX-License-Identifier: Apache-2.0

/// The example alarms, against the page that lists what can be measured.
enum AlarmRules {
  static let file = "Documentation/Alarms/prometheus.yml"

  /// What an alarm asks for and nothing writes, and the alarms of the page that are not there.
  ///
  /// - Parameters:
  ///   - alarms: Rules of Prometheus, as swift-prometheus names metrics: with underscores for dots,
  ///     and the endings of a histogram for timers.
  ///   - page: The page with the tables of metrics, alarms and values.
  /// - Returns: What differs.
  static func violations(_ alarms: SourceFile, page: SourceFile) -> [Violation] {
    let metrics = metrics(on: page)
    var asked: Set<String> = []
    var found: [Violation] = []
    for (index, line) in alarms.lines.enumerated() where !line.contains("#") {
      func add(_ rule: String) {
        found.append(
          Violation(
            path: alarms.path, line: index + 1, rule: rule,
            cure: "Take what stands on the page of events and metrics"))
      }
      for match in line.matches(of: /\b((?:mainstay|http_server)_\w+)(?:\{([^}]*)\})?/) {
        guard let metric = metrics.first(where: { $0.isWritten(as: match.1) }) else {
          add("nothing writes the metric \(match.1)")
          continue
        }
        asked.insert(metric.name)
        for label in (match.2 ?? "").matches(of: /(\w+)=~?"([^"]*)"/) {
          if !metric.dimensions.contains(String(label.1)) {
            add("\(metric.name) has no \(label.1)")
          }
          let known = values(of: label.1, on: page)
          for value in label.2.split(separator: "|") where known?.contains(String(value)) == false {
            add("no \(label.1) is \(value)")
          }
        }
      }
    }
    let due = MarkdownTable(under: "### Alarms", in: page).rows.compactMap {
      $0.cells.first?.codeSpans.first
    }
    found += Set(due).subtracting(asked).sorted().map {
      Violation(
        path: alarms.path, line: 1, rule: "no alarm is about \($0), as the page wants",
        cure: "Add one, or take the row away")
    }
    return found
  }

  private struct Metric {
    let name: String
    let isTimer: Bool
    let dimensions: Set<String>

    func isWritten(as series: Substring) -> Bool {
      let plain = name.replacing(".", with: "_")
      return isTimer
        ? ["_bucket", "_count", "_sum"].contains { plain + $0 == series } : plain == series
    }
  }

  private static func metrics(on page: SourceFile) -> [Metric] {
    MarkdownTable(under: "## Metrics", in: page).rows.compactMap { row in
      guard row.cells.count > 2, let name = row.cells[0].codeSpans.first else { return nil }
      let dimensions = row.cells[2].codeSpans.map { $0.replacing(".", with: "_") }
      return Metric(
        name: name, isTimer: row.cells[1] == "timer", dimensions: Set(dimensions))
    }
  }

  /// The values that a label can have, as far as a table of the page lists them all.
  private static func values(of label: Substring, on page: SourceFile) -> Set<String>? {
    let heading =
      switch label {
      case "event": "## Events of policies"
      case "ending": "## How a call ended"
      default: ""
      }
    guard !heading.isEmpty else { return nil }
    let rows = MarkdownTable(under: heading, in: page).rows
    return Set(rows.compactMap { $0.cells.first?.codeSpans.first })
  }
}
