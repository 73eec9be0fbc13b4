// SPDX-License-Identifier: Apache-2.0

/// One place where code departs from the standard.
public struct Finding: Sendable, Hashable {
  /// The rule's id, such as `MS201`.
  public let rule: String
  /// The rule's name, such as `empty-catch`.
  public let name: String
  /// How bad it is here, which may be milder than what the rule says in general.
  public let severity: Severity
  /// The file, relative to the working folder where it is inside.
  public let path: String
  /// The line, from 1.
  public let line: Int
  /// The column in UTF-8 bytes, from 1.
  public let column: Int
  /// What is wrong here, in one sentence.
  public let message: String
  /// Why it matters, in general.
  public let why: String

  /// The lines that it is about: a clause as a whole, where something in that is missing.
  package let lines: ClosedRange<Int>
  /// Column after the last byte of what is wrong, on the same line.
  package let endColumn: Int
  /// The text of the line, without its end.
  package let source: String
  /// What stays equal when other lines are added or removed.
  package let anchor: Anchor
  /// How to mend it, if that is known.
  package let fix: Fix?

  package init(
    rule: String, name: String, severity: Severity, path: String, line: Int, column: Int,
    lines: ClosedRange<Int>? = nil, message: String, why: String, endColumn: Int, source: String,
    anchor: Anchor, fix: Fix?
  ) {
    self.rule = rule
    self.name = name
    self.severity = severity
    self.path = path
    self.line = line
    self.column = column
    self.lines = lines ?? line...line
    self.message = message
    self.why = why
    self.endColumn = endColumn
    self.source = source
    self.anchor = anchor
    self.fix = fix
  }

  package struct Anchor: Sendable, Hashable {
    /// Names of the declarations around, outermost first, joined by dots.
    package let declaration: String
    /// A hash of the statement's tokens.
    package let statement: UInt64

    package init(declaration: String, statement: UInt64) {
      self.declaration = declaration
      self.statement = statement
    }
  }
}
