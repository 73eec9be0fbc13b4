// SPDX-License-Identifier: Apache-2.0

/// A file made up for a test of a rule.
func planted(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

/// A source of the core, made up for a test of a rule.
func planted(_ text: String) -> SourceFile { planted("Sources/Mainstay/Planted.swift", text) }

extension [Violation] {
  /// Where they are, without their words.
  var lines: [Int] { map(\.line).sorted() }
}
