// SPDX-License-Identifier: Apache-2.0

/// What there is to say about rules, for people and for programs.
package enum RuleText {
  /// What a rule finds, why, and how to do better.
  ///
  /// - Parameters:
  ///   - id: The rule's id or its name, in any case.
  ///   - style: What the terminal can show.
  /// - Returns: The text, or nil where no rule has this id or name.
  package static func explanation(of id: String, style: TextStyle) -> String? { nil }

  /// The id that somebody may have meant.
  ///
  /// - Parameter id: What was written instead of an id or a name.
  /// - Returns: An id or a name, whichever was nearly written; nil where nothing is near.
  package static func nearest(to id: String) -> String? { nil }

  /// All rules, one to a line.
  ///
  /// - Parameter style: What the terminal can show.
  /// - Returns: The text, with a line end.
  package static func list(style: TextStyle) -> String { "" }

  /// All rules with all that there is to say of each, as JSON.
  ///
  /// - Returns: The text, with a line end.
  package static func json() -> String { "" }
}
