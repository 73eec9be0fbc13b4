// SPDX-License-Identifier: Apache-2.0

/// The text of one file, by bytes and by lines.
struct SourceText: Sendable {
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(_ text: String) {
    let bytes = Array(text.utf8)
    self.bytes = bytes
    lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  subscript(range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The line, counted from 1, that holds a byte.
  func line(at offset: Int) -> Int {
    (lineStarts.lastIndex { $0 <= offset } ?? 0) + 1
  }

  /// The byte at a line and column, both counted from 1; nil where there is none.
  func offset(line: Int, column: Int) -> Int? {
    guard lineStarts.indices.contains(line - 1) else { return nil }
    let offset = lineStarts[line - 1] + column - 1
    return offset <= bytes.count ? offset : nil
  }

  /// All bytes of the lines that hold these bytes, without the last line end.
  func wholeLines(around range: Range<Int>) -> Range<Int> {
    let last = max(range.lowerBound, range.upperBound - 1)
    let end = bytes[last...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    return lineStarts[line(at: range.lowerBound) - 1]..<max(end, range.upperBound)
  }

  /// The lines around a range in one line, with something else in the place of the range.
  func shown(_ range: Range<Int>, as replacement: String? = nil) -> String {
    let lines = wholeLines(around: range)
    let text =
      self[lines.lowerBound..<range.lowerBound] + (replacement ?? self[range])
      + self[range.upperBound..<lines.upperBound]
    return Self.inOneLine(text)
  }

  /// Without comments and line ends, and with single spaces.
  static func inOneLine(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      let code =
        line.hasPrefix("//")
        ? "" : line.firstRange(of: " //").map { line[..<$0.lowerBound] } ?? line
      return code.split(separator: " ").joined(separator: " ")
    }
    .filter { !$0.isEmpty }.joined(separator: " ")
  }
}
