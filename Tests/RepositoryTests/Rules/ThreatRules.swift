// SPDX-License-Identifier: Apache-2.0

/// Each threat that has a guard names a test that is there.
enum ThreatRules {
  static let page = "Documentation/ThreatModel.md"

  /// - Parameters:
  ///   - page: The page.
  ///   - files: Where tests are.
  /// - Returns: Rows of threats without a test, and tests that are not there.
  static func violations(_ page: SourceFile, tests files: [SourceFile]) -> [Violation] {
    let tests = names(in: files)
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
    of cell: String, at line: Int, _ tests: Set<String>
  ) -> [Violation] {
    let named = cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    guard !named.isEmpty else {
      return [
        Violation(
          path: page, line: line, rule: "a threat has no test",
          cure: "Name its test, or move it to the limits")
      ]
    }
    return named.filter { !tests.contains($0) }.map {
      Violation(
        path: page, line: line, rule: "no test is called `\($0)`",
        cure: "Name the test as it is called now")
    }
  }

  private static func names(in files: [SourceFile]) -> Set<String> {
    Set(
      files.flatMap { file in
        file.lines.compactMap { line in
          line.firstMatch(of: /func `([^`]+)`/).map { String($0.1) }
        }
      })
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
