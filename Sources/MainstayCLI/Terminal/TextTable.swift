// SPDX-License-Identifier: Apache-2.0

import AuditCommands

/// Rows of text in columns that stand under each other.
struct TextTable {
  /// On which side of its column a text stands.
  enum Side {
    case left, right
  }

  private let sides: [Side]
  private var rows: [[String]]

  init(_ columns: KeyValuePairs<String, Side>) {
    sides = columns.map(\.value)
    rows = [columns.map(\.key)]
  }

  mutating func add(_ cells: [String]) { rows.append(cells.map(Terminal.safe)) }

  /// The rows as lines; the first is the heading.
  var lines: [String] {
    let widths = sides.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return sides[column] == .left ? cell + space : space + cell
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
