// SPDX-License-Identifier: Apache-2.0

/// Where the lines of a text begin, so that an offset becomes a line and a column.
package struct LineTable: Sendable {
  private let starts: [Int]
  private let count: Int

  package init(_ bytes: [UInt8]) {
    var starts = [0]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
      if byte == 0x0A || byte == 0x0D { starts.append(index) }
    }
    self.starts = starts
    count = bytes.count
  }

  /// The line from 1, and the column in bytes from 1.
  package func place(of offset: Int) -> (line: Int, column: Int) {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, offset - starts[low] + 1)
  }

  /// The bytes of a line, from 1, with its end.
  package func bytes(ofLine line: Int) -> Range<Int> {
    guard line >= 1, line <= starts.count else { return count..<count }
    return starts[line - 1]..<(line < starts.count ? starts[line] : count)
  }

  /// The lines that some bytes lie on.
  func lines(of range: Range<Int>) -> ClosedRange<Int> {
    let first = place(of: range.lowerBound).line
    return first...max(first, place(of: max(range.lowerBound, range.upperBound - 1)).line)
  }

  package var lineCount: Int { starts.count }
  /// How many lines were written: what follows the last line's end is none.
  var writtenLineCount: Int { starts.last == count ? starts.count - 1 : starts.count }
}
