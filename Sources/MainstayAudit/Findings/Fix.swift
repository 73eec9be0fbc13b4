// SPDX-License-Identifier: Apache-2.0

/// A change of one file that removes one finding.
package struct Fix: Sendable, Hashable {
  /// Whether the program does the same afterwards, but for reporting and guarding.
  package let isSafe: Bool
  /// What it does, as a phrase for a list: "add a log call".
  package let title: String
  /// Edits that do not overlap.
  package let edits: [Edit]
  /// What it adds that a project can have but once, such as a conformance; nil for most.
  ///
  /// Of fixes with one key, a single one is made at a time.
  package let key: String?
  /// Where each edit is, for editors; empty where only bytes are known.
  package internal(set) var spans: [Span] = []

  /// A place of a file as editors count: lines and UTF-16 columns, both from 1.
  package struct Span: Sendable, Hashable {
    package let line: Int
    package let column: Int
    package let endLine: Int
    /// The column after the last character.
    package let endColumn: Int

    package init(line: Int, column: Int, endLine: Int, endColumn: Int) {
      self.line = line
      self.column = column
      self.endLine = endLine
      self.endColumn = endColumn
    }
  }

  package static func safe(_ title: String, _ edits: Edit...) -> Fix {
    Fix(isSafe: true, title: title, edits: edits)
  }
  package static func unsafe(_ title: String, _ edits: Edit...) -> Fix {
    Fix(isSafe: false, title: title, edits: edits)
  }

  package init(isSafe: Bool, title: String, edits: [Edit], key: String? = nil) {
    self.isSafe = isSafe
    self.title = title
    self.edits = edits
    self.key = key
  }
}

/// One replacement in a file.
package struct Edit: Sendable, Hashable {
  /// The bytes to replace, counted from the start of the file in UTF-8; empty to insert.
  package let range: Range<Int>
  package let replacement: String

  package init(_ range: Range<Int>, _ replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}
