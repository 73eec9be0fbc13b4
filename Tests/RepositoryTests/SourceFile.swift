// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// One text file, as the rules see it.
struct SourceFile: Sendable {
  /// Where it lies, relative to the root.
  let path: String

  /// What it says, byte by byte.
  let bytes: [UInt8]

  /// The text, line by line, without line ends.
  let lines: [Substring]

  /// The Swift tokens; none for other files, and none of comments and text literals.
  let tokens: [Token]

  /// The Swift declarations that have a body, by position.
  let declarations: [Declaration]

  /// The brackets without a counterpart; any at all means that the scanner lost its way.
  let unmatchedBrackets: [Int]

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// The name of the file without its folders.
  var name: Substring { path.split(separator: "/").last ?? "" }

  private let lineStarts: [Int]

  /// The folders of its path without those that lead to an example, then its name.
  private var parts: ArraySlice<Substring> {
    let parts = path.split(separator: "/")
    return parts.first == "Examples" ? parts.dropFirst(2) : parts[...]
  }

  /// Whether it lies below a folder of the package, such as `Sources`, or of an example.
  func isBelow(_ folder: String) -> Bool { parts.count > 1 && parts.first == folder[...] }

  /// The folder that it lies in, directly below one of the package or of an example.
  func target(below folder: String) -> String? {
    isBelow(folder) && parts.count > 2 ? String(parts[parts.startIndex + 1]) : nil
  }

  init(path: String, text: String) {
    self.path = path
    bytes = Array(text.utf8)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var lineStarts = [0]
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lineStarts.append(offset + 1)
    }
    self.lineStarts = lineStarts
    tokens = path.hasSuffix(".swift") ? Tokenizer.tokens(in: bytes) : []
    (declarations, unmatchedBrackets) = DeclarationFinder.find(in: tokens)
  }

  /// What each line says as a part of a documentation comment; nil for lines that are none.
  var documentation: [Substring?] {
    lines.map { line in
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("///") else { return nil }
      return text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
    }
  }

  /// The line, counted from 1, that holds a byte.
  func line(at offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// The places where these words and signs follow one another.
  ///
  /// A pattern is written as Swift: `["Task", ".", "sleep"]`.
  func places(of pattern: [String]) -> [Int] {
    guard let first = pattern.first, tokens.count >= pattern.count else { return [] }
    return (0...(tokens.count - pattern.count)).filter { start in
      tokens[start].text == first
        && pattern.indices.allSatisfy { tokens[start + $0].text == pattern[$0] }
    }
  }

  /// A violation at the line of a token.
  func violation(at token: Int, _ rule: String, cure: String) -> Violation {
    Violation(path: path, line: line(at: tokens[token].offset), rule: rule, cure: cure)
  }
}
