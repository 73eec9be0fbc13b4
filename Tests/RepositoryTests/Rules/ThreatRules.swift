// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// Each threat that has a guard names the one test that shows it.
enum ThreatRules {
  static let page = "Documentation/ThreatModel.md"

  /// - Parameters:
  ///   - page: The page.
  ///   - files: Where tests are.
  /// - Returns: Rows of threats without a test, and names that no test has, or several have.
  static func violations(_ page: SourceFile, tests files: [SourceFile]) -> [Violation] {
    let tests = suites(in: files)
    var isThreats = false
    return page.lines.enumerated()
      .flatMap { index, line -> [Violation] in
        guard line.hasPrefix("|") else {
          isThreats = false
          return []
        }
        let cells = line.split(separator: "|").map { $0.trimming(while: { $0 == " " }) }
        if cells.last == "Shown by" { isThreats = true }
        guard isThreats, let last = cells.last, last != "Shown by", !last.hasPrefix("-") else {
          return []
        }
        return violations(of: String(last), at: index + 1, tests)
      }
  }

  private static func violations(
    of cell: String, at line: Int, _ suites: [String: [String]]
  ) -> [Violation] {
    func violation(_ rule: String, cure: String) -> Violation {
      Violation(path: page, line: line, rule: rule, cure: cure)
    }
    let named = cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    guard !named.isEmpty else {
      return [
        violation("a threat has no test", cure: "Name its test, or move it to the limits")
      ]
    }
    return named.compactMap { name in
      let parts = name.split(separator: " › ", maxSplits: 1).map(String.init)
      var found = suites[parts.last ?? ""] ?? []
      if parts.count == 2 { found = found.filter { $0 == parts[0] } }
      if found.isEmpty {
        return violation("no test is called `\(name)`", cure: "Name the test as it is called now")
      }
      // The one that shows nothing of the threat would do for the other.
      guard found.count > 1 else { return nil }
      return violation(
        "\(found.count) tests are called `\(name)`", cure: "Name its suite, too: `Suite › name`")
    }
  }

  /// The suites that have a test of a name.
  private static func suites(in files: [SourceFile]) -> [String: [String]] {
    let tests = files.flatMap(\.declarations).filter { $0.keyword == "func" }
    return Dictionary(grouping: tests, by: \.name).mapValues { tests in
      tests.map { $0.types.joined(separator: ".") }
    }
  }
}

extension Substring {
  /// The text without such characters at both ends.
  fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
    var text = drop(while: isLeftOut)
    while let last = text.last, isLeftOut(last) { text.removeLast() }
    return text
  }
}
