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

  /// Pages that have nothing to copy near their top: the first code comes before the states, after
  /// one sentence.
  static func codeFirst(_ pages: [SourceFile]) -> [Violation] {
    pages.flatMap { page -> [Violation] in
      let code = page.lines.firstIndex { $0 == "```swift" }
      guard code.map({ $0 >= latestCode }) ?? true else { return [] }
      return [
        Violation(
          path: page.path, line: 1, rule: "there is no code in its first \(latestCode) lines",
          cure: "Begin with a few lines that a reader can copy, and one sentence about them")
      ]
    }
  }

  /// The line by which the first code begins.
  private static let latestCode = 12

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
  /// default`, or `option name: Type = default`. A property says `var option = default` as well,
  /// and `var option: Type?` where the default is nil.
  ///
  /// - Parameters:
  ///   - pages: The pages.
  ///   - heading: Below which each of them has its table.
  ///   - sources: The code.
  /// - Returns: The rows.
  static func defaults(
    _ pages: [SourceFile], under heading: String = "## Defaults", sources: [SourceFile]
  ) -> [Violation] {
    let code = sources.map { $0.lines.map { $0.filter { !$0.isWhitespace } }.joined() }
    return pages.flatMap { page in
      MarkdownTable(under: heading, in: page).rows.compactMap { row in
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
    for range in code.ranges(of: option) {
      let rest = code[range.upperBound...]
      if code[..<range.lowerBound].hasSuffix("var"), holds(rest, value) { return true }
      // A second, internal name may follow the option before the colon.
      let type = rest.drop(while: \.isLetter)
      guard type.first == ":", let equals = type.firstIndex(of: "=") else { continue }
      let given = type[type.index(after: equals)...]
      if isWhole(value, at: given) { return true }
    }
    return false
  }

  /// Whether a property, of which this follows the name, begins with a value.
  private static func holds(_ rest: Substring, _ value: String) -> Bool {
    if rest.first == "=" {
      let given = rest.dropFirst()
      // As in: `Duration.seconds(1)`.
      return isWhole(value, at: given) || isWhole(value, at: given.drop(while: \.isLetter))
    }
    let type = rest.dropFirst().prefix { !"={/".contains($0) }
    let isNil = rest.first == ":" && type.last == "?" && type.endIndex < rest.endIndex
    return value == "nil" && isNil && rest[type.endIndex] != "="
  }

  private static func isWhole(_ value: String, at given: Substring) -> Bool {
    guard given.hasPrefix(value) else { return false }
    let next = given.dropFirst(value.count).first
    return next == nil || next == "," || next == ")" || next == "/"
  }
}
