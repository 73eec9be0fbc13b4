// SPDX-License-Identifier: Apache-2.0

/// The pages about policies, one template for all.
enum PolicyPageRules {
  /// What a page about a policy says, in this order: the states before the verbs.
  static let headings = [
    "## About", "## Diagram", "## Usage", "## Defaults", "## Telemetry", "## Anti-patterns",
  ]

  static func template(_ pages: [SourceFile]) -> [Violation] {
    pages.flatMap { page -> [Violation] in
      let found = page.lines.filter { $0.hasPrefix("## ") }.map(String.init)
      guard found != headings else { return [] }
      return [
        Violation(
          path: page.path, line: 1, rule: "the headings are \(found)",
          cure: "A page about a policy has \(headings), in this order")
      ]
    }
  }

  /// Pages without a picture of their states, and states that are not on it.
  ///
  /// - Parameters:
  ///   - pages: The pages about policies.
  ///   - drawn: The texts of the pictures, by their names without the extension.
  /// - Returns: What is missing.
  static func diagrams(_ pages: [SourceFile], drawn: [String: String]) -> [Violation] {
    pages.flatMap { page -> [Violation] in
      let name = String(page.path.split(separator: "/").last?.split(separator: ".").first ?? "")
      guard page.lines.contains(where: { $0.contains("](\(name))") }), let light = drawn[name],
        let dark = drawn[name + "~dark"]
      else {
        return [
          Violation(
            path: page.path, line: 1, rule: "no picture of the states",
            cure:
              "Write Documentation/Diagrams/Mainstay/\(name).dot, run `make diagrams`, and show it")
        ]
      }
      return MarkdownTable(under: "## Diagram", in: page).rows.compactMap { row in
        let title = "<title>\(row.cells.first ?? "")</title>"
        guard !light.contains(title) || !dark.contains(title) else { return nil }
        return Violation(
          path: page.path, line: row.line, rule: "the picture lacks this state",
          cure: "Draw it in Documentation/Diagrams/Mainstay/\(name).dot, and run `make diagrams`")
      }
    }
  }

  /// Rows of a Defaults table whose default stands in none of the sources.
  ///
  /// A row names an option and its default in backticks; the initialiser says `option: Type =
  /// default`, or `option name: Type = default`.
  static func defaults(_ pages: [SourceFile], sources: [SourceFile]) -> [Violation] {
    let code = sources.map { $0.lines.map { $0.filter { !$0.isWhitespace } }.joined() }
    return pages.flatMap { page in
      MarkdownTable(under: "## Defaults", in: page).rows.compactMap { row in
        guard let option = row.cells.first?.codeSpans.first, row.cells.count > 1,
          let value = row.cells[1].codeSpans.first,
          !code.contains(where: { declares(option, as: value, in: $0) })
        else { return nil }
        return Violation(
          path: page.path, line: row.line,
          rule: "no policy has an option `\(option)` whose default is `\(value)`",
          cure: "Say what the code says")
      }
    }
  }

  private static func declares(_ option: String, as value: String, in code: String) -> Bool {
    let value = value.filter { !$0.isWhitespace }
    for rest in code.ranges(of: option).map({ code[$0.upperBound...] }) {
      // A second, internal name may follow the option before the colon.
      let type = rest.drop(while: \.isLetter)
      guard type.first == ":", let equals = type.firstIndex(of: "=") else { continue }
      let given = type[type.index(after: equals)...]
      guard given.hasPrefix(value) else { continue }
      let next = given.dropFirst(value.count).first
      if next == nil || next == "," || next == ")" || next == "/" { return true }
    }
    return false
  }
}
