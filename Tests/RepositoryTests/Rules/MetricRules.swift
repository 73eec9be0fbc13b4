// SPDX-License-Identifier: Apache-2.0

/// Each metric stands in the table of their names, and nothing else does.
enum MetricRules {
  static let page = "Sources/Mainstay/Mainstay.docc/Monitoring/MetricNames.md"

  /// - Parameters:
  ///   - page: The page with the table.
  ///   - files: The sources.
  /// - Returns: Metrics that the table lacks, and those that nobody makes.
  static func violations(_ page: SourceFile, sources files: [SourceFile]) -> [Violation] {
    let told = Set(
      page.lines.compactMap { $0.firstMatch(of: /^\| `([a-z_.]+)` \|/).map { String($0.1) } })
    var made: Set<String> = []
    var found: [Violation] = []
    for file in files where file.lines.contains(where: { $0.hasSuffix("import Metrics") }) {
      for (index, line) in file.lines.enumerated() {
        for name in names(in: String(line)) {
          made.insert(name)
          guard !told.contains(name) else { continue }
          found.append(
            Violation(
              path: file.path, line: index + 1, rule: "the metric \(name) is in no table",
              cure: "Add it to MetricNames.md"))
        }
      }
    }
    return found
      + told.subtracting(made).sorted().map { name in
        Violation(
          path: Self.page, line: 1, rule: "nobody makes the metric \(name)",
          cure: "Take it out, or name it as the code does")
      }
  }

  /// The names in a line of code; those of dimensions stand in tuples.
  private static func names(in line: String) -> [String] {
    guard !line.contains("///") else { return [] }
    return line.matches(of: /"((?:mainstay|http)\.[a-z_]+(?:\.[a-z_]+)*)"/).compactMap { match in
      let before = line[..<match.range.lowerBound]
      let isDimension = before.last == "(" && before.dropLast().last?.isLetter != true
      return isDimension ? nil : String(match.1)
    }
  }
}
