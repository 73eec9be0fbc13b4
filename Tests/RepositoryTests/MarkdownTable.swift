// SPDX-License-Identifier: Apache-2.0

/// The rows of the tables in a Markdown page.
struct MarkdownTable {
  struct Row {
    let cells: [String]

    /// The line in the page, counted from 1.
    let line: Int
  }

  let rows: [Row]

  /// Reads the first table below a heading; the row of titles is left out.
  init(under heading: String, in page: SourceFile) {
    let start = page.lines.firstIndex { $0 == heading[...] } ?? page.lines.endIndex
    let table = page.lines[start...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
    rows = table.indices.dropFirst(2).map { index in
      let cells = page.lines[index].split(separator: "|", omittingEmptySubsequences: false)
        .dropFirst().dropLast().map { $0.trimming(" ") }
      return Row(cells: cells, line: index + 1)
    }
  }
}

extension Substring {
  /// Without this character at both ends.
  fileprivate func trimming(_ character: Character) -> String {
    let rest = drop { $0 == character }
    return String(rest.reversed().drop { $0 == character }.reversed())
  }
}

extension String {
  /// What stands between backticks.
  var codeSpans: [String] {
    split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}
