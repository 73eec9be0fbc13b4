// SPDX-License-Identifier: Apache-2.0

/// The pages about the life of something: its states, drawn, and each transition by its name.
enum LifecycleRules {
  /// The pages, and the heading below which each lists its states.
  static let pages = [
    "Sources/Mainstay/Mainstay.docc/Types/ErrorLifecycle.md": "## States",
    "Sources/Mainstay/Mainstay.docc/Policies/BreakingCircuits.md": "## Diagram",
    "Sources/Mainstay/Mainstay.docc/Degradation/DegradingGracefully.md": "## States of the level",
    "Sources/MainstayOutbox/MainstayOutbox.docc/OperationLifecycle.md": "## States",
    "Sources/MainstayOutbox/MainstayOutbox.docc/ResolvingConflicts.md": "## States of a record",
  ]

  /// An arrow of a diagram, with one of the names on it.
  struct Arrow: Hashable {
    let from: String
    let to: String
    let name: String
  }

  /// Where a page and its diagram do not say the same.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - heading: Below which it lists its states.
  ///   - diagram: The source of its picture.
  ///   - pictures: The picture as it was drawn, for light and for dark pages.
  /// - Returns: What differs.
  static func differences(
    _ page: SourceFile, heading: String, diagram: String, pictures: [String]
  ) -> [Violation] {
    func violation(_ line: Int, _ rule: String) -> Violation {
      Violation(
        path: page.path, line: line, rule: rule,
        cure: "Let the page and its file in Documentation/Diagrams agree, and run `make diagrams`")
    }
    let arrows = arrows(in: diagram)
    let drawn = Set(arrows.flatMap { [$0.from, $0.to] }).subtracting(["start"])
    let states = MarkdownTable(under: heading, in: page).rows
    let transitions = transitions(of: page)
    guard !states.isEmpty, !transitions.isEmpty, !arrows.isEmpty else {
      return [violation(1, "there is no table of states or transitions, or nothing is drawn")]
    }

    var found = states.compactMap { row -> Violation? in
      let state = row.cells.first ?? ""
      let isDrawn = pictures.count == 2 && pictures.allSatisfy { $0.contains(title(state)) }
      return drawn.contains(state) && isDrawn ? nil : violation(row.line, "\(state) is not drawn")
    }
    let named = Set(states.compactMap(\.cells.first))
    found += drawn.subtracting(named).sorted().map { violation(1, "no row is about \($0)") }
    found += arrows.filter { arrow in !transitions.contains { $0.allows(arrow) } }.map {
      violation(1, "no row has \($0.name), from \($0.from) to \($0.to)")
    }
    let names = Set(arrows.map(\.name))
    found += transitions.filter { !names.contains($0.name) }.map {
      violation($0.line, "\($0.name) is not drawn")
    }
    return found
  }

  /// The arrows of a diagram in Graphviz's language; a label holds names between commas, and
  /// `dir=back` turns an arrow round.
  static func arrows(in diagram: String) -> [Arrow] {
    diagram.split(separator: "\n").flatMap { line -> [Arrow] in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count > 4, parts[2].contains("->"),
        let label = parts.firstIndex(where: { $0.hasSuffix("label=") }), label + 1 < parts.count
      else { return [] }
      return parts[label + 1].replacing("\\n", with: " ").split(separator: ",").map { name in
        let words = name.split(separator: " ").joined(separator: " ")
        let (from, to) = line.contains("dir=back") ? (parts[3], parts[1]) : (parts[1], parts[3])
        return Arrow(from: String(from), to: String(to), name: words)
      }
    }
  }

  private struct Transition {
    let name: String
    let from: String
    let to: String
    let line: Int

    func allows(_ arrow: Arrow) -> Bool {
      guard name == arrow.name, to.contains(arrow.to) else { return false }
      if arrow.from == "start" { return from.isEmpty }
      return from.contains(arrow.from) || from.hasPrefix("any")
    }
  }

  private static func transitions(of page: SourceFile) -> [Transition] {
    let heading = page.lines.first { $0.hasSuffix("# Transitions") }.map(String.init) ?? ""
    guard !heading.isEmpty else { return [] }
    return MarkdownTable(under: heading, in: page).rows.filter { $0.cells.count > 3 }.flatMap {
      row in
      row.cells[0].split(separator: ", ").map {
        Transition(name: String($0), from: row.cells[1], to: row.cells[2], line: row.line)
      }
    }
  }

  private static func title(_ state: String) -> String {
    "<title>\(state)</title>"
  }
}
