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
    /// The states that it begins at: several where it begins at a frame around them.
    let from: [String]

    /// The states that it may end in: several where it ends at a frame around them.
    let to: [String]
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
    let drawn = Set(arrows.flatMap { $0.from + $0.to }).subtracting([start])
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
    found += transitions.flatMap { row in
      row.missing(from: arrows, states: named).map { violation(row.line, $0) }
    }
    found += arrows.flatMap { missing($0, from: transitions) }.map { violation(1, $0) }
    let labels = labels(ofDiagram: diagram)
    if !pictures.allSatisfy({ self.labels(ofPicture: $0) == labels }) {
      found.append(violation(1, "a picture has other arrows than its diagram"))
    }
    return found
  }

  /// What an arrow says and no row does.
  private static func missing(_ arrow: Arrow, from rows: [Transition]) -> [String] {
    let lost = arrow.from.filter { from in
      !rows.contains {
        $0.name == arrow.name && $0.from.contains(from) && $0.to.contains(where: arrow.to.contains)
      }
    }
    return lost.map {
      "no row has \(arrow.name), from \($0) to \(arrow.to.joined(separator: " or "))"
    }
  }

  private static func title(_ state: String) -> String { "<title>\(state)</title>" }
}

// The source of a picture, and the picture.
extension LifecycleRules {
  /// What an arrow begins at that begins a life.
  private static let start = "start"

  /// A line of Graphviz's language about one arrow, as it stands there.
  private struct Line {
    let tail: String
    let head: String
    let label: String
    let text: Substring

    init?(_ text: Substring) {
      let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count > 4, parts[2].contains("->"),
        let label = parts.firstIndex(where: { $0.hasSuffix("label=") }), label + 1 < parts.count
      else { return nil }
      (tail, head, self.text) = (String(parts[1]), String(parts[3]), text)
      let words = parts[label + 1].replacing("\\n", with: " ").split(separator: " ")
      self.label = words.joined(separator: " ")
    }
  }

  private static func lines(of diagram: String) -> [Line] {
    diagram.split(separator: "\n").compactMap(Line.init)
  }

  /// The arrows of a diagram in Graphviz's language.
  ///
  /// A label holds names between commas, `dir=back` turns an arrow round, and `ltail` and `lhead`
  /// let it begin and end at a frame.
  static func arrows(in diagram: String) -> [Arrow] {
    let frames = frames(in: diagram)
    return lines(of: diagram).flatMap { line -> [Arrow] in
      let tail = line.text.firstMatch(of: /ltail=(\w+)/).flatMap { frames[String($0.1)] }
      let head = line.text.firstMatch(of: /lhead=(\w+)/).flatMap { frames[String($0.1)] }
      var (from, to) = (tail ?? [line.tail], head ?? [line.head])
      if line.text.contains("dir=back") { swap(&from, &to) }
      return line.label.split(separator: ", ").map { Arrow(from: from, to: to, name: String($0)) }
    }
  }

  /// The states in each frame of a diagram.
  private static func frames(in diagram: String) -> [String: [String]] {
    var frames: [String: [String]] = [:]
    var open: (name: String, depth: Int)?
    for line in diagram.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "subgraph", words.count > 1 { open = (String(words[1]), 0) }
      guard var frame = open else { continue }
      frame.depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      open = frame.depth > 0 ? frame : nil
      let isState = words.first?.hasPrefix("\"") == true && !line.contains("->")
      if isState { frames[frame.name, default: []].append(String(line.split(separator: "\"")[1])) }
    }
    return frames
  }

  /// Between what each arrow of a diagram is drawn, and its label.
  private static func labels(ofDiagram diagram: String) -> [String] {
    lines(of: diagram).map { "\($0.tail)-&gt;\($0.head): \($0.label)" }.sorted()
  }

  /// The same of a picture that Graphviz has drawn.
  private static func labels(ofPicture picture: String) -> [String] {
    picture.split(separator: "class=\"edge\"").dropFirst().compactMap { rest -> String? in
      let edge = rest.firstRange(of: "</g>").map { rest[..<$0.lowerBound] } ?? rest
      guard let title = edge.firstMatch(of: /<title>([^<]*)<\/title>/) else { return nil }
      let texts = edge.matches(of: /<text[^>]*>([^<]*)<\/text>/).map(\.1)
      return "\(title.1): \(texts.joined(separator: " "))"
    }.sorted()
  }
}

// The table of a page.
extension LifecycleRules {
  private struct Transition {
    let name: String

    /// The states that it begins at; ``start`` for what begins a life.
    let from: [String]
    let to: [String]
    let line: Int

    /// What the row says and no arrow does, and what it calls a state that is none.
    func missing(from arrows: [Arrow], states: Set<String>) -> [String] {
      let strangers = (from + to).filter { $0 != start && !states.contains($0) }
      guard strangers.isEmpty else { return strangers.map { "“\($0)” is no state" } }
      return from.flatMap { from in
        to.filter { to in
          !arrows.contains { $0.name == name && $0.from.contains(from) && $0.to.contains(to) }
        }.map { "\(name) is not drawn from \(from) to \($0)" }
      }
    }
  }

  private static func transitions(of page: SourceFile) -> [Transition] {
    let heading = page.lines.first { $0.hasSuffix("# Transitions") }.map(String.init) ?? ""
    guard !heading.isEmpty else { return [] }
    return MarkdownTable(under: heading, in: page).rows.filter { $0.cells.count > 3 }.flatMap {
      row in
      let from = row.cells[1].isEmpty ? [start] : states(in: row.cells[1])
      return row.cells[0].split(separator: ", ").map {
        Transition(name: String($0), from: from, to: states(in: row.cells[2]), line: row.line)
      }
    }
  }

  /// The states of a list such as "a, b, or c: and more".
  private static func states(in cell: String) -> [String] {
    cell.prefix { $0 != ":" && $0 != ";" }.split(separator: ", ").map {
      $0.hasPrefix("or ") ? String($0.dropFirst(3)) : String($0)
    }
  }
}
