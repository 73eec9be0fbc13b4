// SPDX-License-Identifier: Apache-2.0

/// A checklist for a terminal: a row for each type of errors.
struct ChecklistTable {
  private let checklist: Checklist
  private let style: TextStyle

  init(_ checklist: Checklist, style: TextStyle) {
    self.checklist = checklist
    self.style = style
  }

  var text: String {
    guard !checklist.entries.isEmpty else { return "No types of errors.\n" }
    var blocks = [style.paint(checklist.sentence.terminalSafe + ".", .bold), table]
    if let app = checklist.appError {
      let clauses = checklist.knowingClauses
      blocks.append(
        "\(clauses.grouped) catch \(clauses == 1 ? "clause asks" : "clauses ask") for "
          + "`\(app.terminalSafe)`.")
    } else {
      blocks.append(
        style.paragraph(
          "No conversions were asked for: name the type for the errors of the whole app as "
            + "`app_error` in the configuration.", after: ""))
    }
    let open = Checklist.outsideSyntax.map { style.paragraph($0, after: "  [ ] ") }
    blocks.append((["For people to look at:"] + open).joined(separator: "\n"))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private struct Cell {
    let text: String
    var colour: TextStyle.Colour?
    var isNumber = false

    init(_ text: String) { self.text = text }
    init(_ number: Int) { (text, isNumber) = (number.grouped, true) }
    /// Whether something is there; nil where nobody asked.
    init(_ isThere: Bool?) {
      switch isThere {
      case true?: (text, colour) = ("present", .green)
      case false?: (text, colour) = ("missing", .red)
      case nil: (text, colour) = ("-", .faint)
      }
    }
  }

  private var table: String {
    let titles = [
      "Type", "Throws", "Conversion", "Description", "Suggestion", "Tests", "Cases", "Catches",
      "Declared at",
    ]
    let rows = checklist.entries.map(row)
    let widths = titles.indices.map { column in
      max(titles[column].count, rows.map { $0[column].text.terminalWidth }.max() ?? 0)
    }
    let head = titles.indices.map { titles[$0].padded(to: widths[$0]) }.joined(separator: "  ")
    let lines = rows.map { cells in
      cells.indices.map { place in
        let cell = cells[place]
        let padded =
          cell.isNumber
          ? String(repeating: " ", count: widths[place] - cell.text.count) + cell.text
          : cell.text.padded(to: widths[place])
        return cell.colour.map { style.paint(padded, $0) } ?? padded
      }.joined(separator: "  ").trimmingSpaces()
    }
    return ([style.paint(head.trimmingSpaces(), .bold)] + lines).joined(separator: "\n")
  }

  private func row(_ entry: Checklist.Entry) -> [Cell] {
    let named = entry.untestedCases.map { "\(entry.cases - $0.count) of \(entry.cases)" }
    return [
      Cell(entry.name.terminalSafe), Cell(entry.throwSites.count), Cell(entry.hasConversion),
      Cell(entry.hasDescription), Cell(entry.hasSuggestion), Cell(entry.tests.count),
      Cell(entry.cases == 0 ? "-" : named ?? "-"), Cell(entry.catchSites.count),
      Cell("\(entry.path.terminalSafe):\(entry.line)"),
    ]
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
