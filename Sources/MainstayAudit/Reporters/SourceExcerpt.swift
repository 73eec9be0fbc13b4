// SPDX-License-Identifier: Apache-2.0

/// A line of code and the mark below what is wrong in it, cut to fit a terminal.
struct SourceExcerpt {
  /// The line, with nothing in it that a terminal would obey.
  let line: String
  /// The spaces before the mark.
  let offset: Int
  /// The columns that the mark takes; at least 1.
  let length: Int

  /// - Parameters:
  ///   - source: The line as the file has it.
  ///   - column: The first byte that is wrong, from 1.
  ///   - endColumn: The byte after the last one.
  ///   - width: How many columns there are.
  init(_ source: String, column: Int, endColumn: Int, width: Int) {
    let part = Part(of: source, around: column - 1, bytes: width * 8)
    var cells: [TerminalCell] = []
    var columns = 0
    var byte = part.start
    var mark = (start: -1, end: -1)
    for character in part.text {
      if mark.start < 0 && byte >= column - 1 { mark.start = columns }
      if mark.end < 0 && byte >= endColumn - 1 { mark.end = columns }
      let cell = TerminalCell(character, at: columns)
      cells.append(cell)
      columns += cell.width
      byte += String(character).utf8.count
    }
    if mark.start < 0 { mark.start = columns }
    if mark.end < 0 { mark.end = columns }
    let view = Self.view(
      of: columns, mark.start, mark.end, width, cut: (part.isCutBefore, part.isCutAfter))
    var shown = view.cutsBefore ? "…" : ""
    var place = 0
    var lost = 0
    for cell in cells {
      if place >= view.columns.lowerBound && place + cell.width <= view.columns.upperBound {
        shown += cell.text
      } else if place < view.columns.lowerBound {
        lost = place + cell.width
      }
      place += cell.width
    }
    line = (view.cutsAfter ? shown + "…" : shown).trimmingEnd()
    offset = max(0, mark.start - lost) + (view.cutsBefore ? 1 : 0)
    length = max(1, min(mark.end, view.columns.upperBound) - mark.start)
  }

  private struct View {
    let columns: Range<Int>
    let cutsBefore: Bool
    let cutsAfter: Bool
  }

  /// The columns to show: all, or as many as fit with a third of them before the mark.
  private static func view(
    of columns: Int, _ start: Int, _ end: Int, _ width: Int, cut: (before: Bool, after: Bool)
  ) -> View {
    if columns <= width && !cut.before && !cut.after {
      return View(columns: 0..<columns, cutsBefore: false, cutsAfter: false)
    }
    let room = width - 2
    var first = 0
    if cut.before || end > room { first = max(0, start - room / 3) }
    first = min(first, max(0, columns - room))
    let last = min(columns, first + room)
    return View(
      columns: first..<max(first, last), cutsBefore: first > 0 || cut.before,
      cutsAfter: last < columns || cut.after)
  }

  /// The bytes of a line around a place, so that a line of a megabyte costs no more than others.
  private struct Part {
    let text: Substring
    let start: Int
    let isCutBefore: Bool
    let isCutAfter: Bool

    init(of source: String, around place: Int, bytes: Int) {
      let utf8 = source.utf8
      guard utf8.count > 2 * bytes else {
        (text, start, isCutBefore, isCutAfter) = (source[...], 0, false, false)
        return
      }
      let from = min(max(0, place - bytes), utf8.count)
      let to = min(utf8.count, max(0, place) + bytes)
      let lower = utf8.index(utf8.startIndex, offsetBy: from).roundedDown(in: source)
      let upper = utf8.index(utf8.startIndex, offsetBy: to).roundedDown(in: source)
      text = source[lower..<max(lower, upper)]
      start = utf8.distance(from: utf8.startIndex, to: lower)
      isCutBefore = start > 0
      isCutAfter = upper < source.endIndex
    }
  }
}

extension String.Index {
  /// The start of the scalar that it lies in.
  fileprivate func roundedDown(in text: String) -> String.Index {
    var index = self
    while index > text.startIndex, index.samePosition(in: text.unicodeScalars) == nil {
      index = text.utf8.index(before: index)
    }
    return index
  }
}

extension String {
  fileprivate func trimmingEnd() -> String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }

  /// The column in UTF-16 code units of a column in bytes, both from 1.
  ///
  /// A byte within a character counts as its start, and one behind the end as the end.
  func utf16Column(ofByteColumn column: Int) -> Int {
    guard let index = utf8.index(startIndex, offsetBy: max(0, column - 1), limitedBy: endIndex)
    else { return utf16.count + 1 }
    return utf16.distance(from: startIndex, to: index.roundedDown(in: self)) + 1
  }

  /// What stands between two columns in UTF-16 code units, from 1.
  func utf16Slice(fromColumn column: Int, toColumn end: Int) -> String {
    let last = Swift.min(Swift.max(column, end) - 1, utf16.count)
    guard column >= 1, column - 1 <= last else { return "" }
    let from = utf16.index(startIndex, offsetBy: column - 1)
    return String(self[from..<utf16.index(startIndex, offsetBy: last)])
  }
}
