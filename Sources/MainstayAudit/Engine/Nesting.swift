// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// How deep code may nest before it is left alone.
///
/// Parsing and walking recurse, and the parser looks ahead at brackets over and over: its work
/// doubles with each `[` that could begin a type. Code that people write stays far below all of
/// these bounds.
enum Nesting {
  /// Brackets, strings and `#if` within each other.
  static let brackets = 200
  /// `[` within each other, with nothing but types in between.
  static let squares = 10
  /// `<` of generic arguments within each other.
  static let angles = 100
  /// Words without a sign between them, such as `try try try`.
  static let words = 50_000
  /// `#` in a row, before a string.
  static let hashes = 255
  /// Levels of the tree, of which a link of a chain `a.b.c` is one.
  static let levels = 2_000

  /// What nests too deep in a text, told before it is parsed.
  static func trouble(in bytes: ArraySlice<UInt8>) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      var scan = NestingScan(buffer)
      return scan.trouble()
    }
  }

  /// What nests too deep in a tree.
  static func trouble(in tree: SourceFileSyntax) -> String? {
    tree.isDeeper(than: levels) ? "its code is more than \(levels) levels deep" : nil
  }
}

extension SourceFileSyntax {
  /// Whether some node lies deeper than a number of levels.
  ///
  /// Goes without recursion, and only into nodes long enough to nest that deep: three levels take
  /// at least two bytes.
  fileprivate func isDeeper(than limit: Int) -> Bool {
    var open: [(node: Syntax, depth: Int)] = [(Syntax(self), 0)]
    while let (node, depth) = open.popLast() {
      if depth > limit { return true }
      for child in node.children(viewMode: .sourceAccurate)
      where depth + 50 + child.totalLength.utf8Length * 3 > limit {
        open.append((child, depth + 1))
      }
    }
    return false
  }
}
