// SPDX-License-Identifier: Apache-2.0

/// Counts over time, drawn with characters.
enum Chart {
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")

  /// The counts in one line, a character each.
  static func sparkline(_ counts: [Int]) -> String {
    let most = max(counts.max() ?? 0, 1)
    return String(counts.map { eighths(of: $0, rows: 1, most: most, row: 0) })
  }

  /// The counts as bars, the highest line first, with a scale on the left.
  static func bars(_ counts: [Int], rows: Int = 8) -> [String] {
    let most = max(counts.max() ?? 0, 1)
    let width = String(most).count
    return (0..<rows).reversed().map { row in
      let label =
        row == rows - 1 ? String(most) : row == 0 ? "0" : ""
      let space = String(repeating: " ", count: width - label.count)
      let bar = String(counts.map { eighths(of: $0, rows: rows, most: most, row: row) })
      return "\(space)\(label) ┤\(bar)"
    }
  }

  /// The part of a bar that lies in a row; whatever is more than nothing can be seen.
  private static func eighths(of count: Int, rows: Int, most: Int, row: Int) -> Character {
    guard count > 0 else { return " " }
    let height = max(1, Int((Double(count) / Double(most) * Double(rows * 8)).rounded()))
    return blocks[min(max(height - row * 8, 0), 8)]
  }
}
