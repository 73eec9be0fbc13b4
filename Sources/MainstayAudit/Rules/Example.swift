// SPDX-License-Identifier: Apache-2.0

/// Code that a rule finds, or must leave alone.
package struct Example: Sendable {
  /// The code, without the marks of `marked`.
  package let code: String
  /// The code as it was written: `↓` stands before each finding that the rule must make.
  package let marked: String
  /// Where the code is taken to lie.
  package let path: String
  /// A configuration to read it under, in YAML.
  package let configuration: String?
  /// Other files of the project, by path.
  package let others: [String: String]
  /// What the fix makes of it, where that is part of the example.
  package let fixed: String?
  /// Why it is left alone, for code without a finding.
  package let reason: String?

  /// Code that is wrong at each `↓`.
  package static func bad(
    _ marked: String, path: String = "Sources/App/Code.swift", configuration: String? = nil,
    others: [String: String] = [:], fixed: String? = nil
  ) -> Example {
    Example(
      marked: marked, path: path, configuration: configuration, others: others, fixed: fixed,
      reason: nil)
  }

  /// Code that is like the bad one and yet right.
  package static func good(
    _ code: String, path: String = "Sources/App/Code.swift", configuration: String? = nil,
    others: [String: String] = [:], because reason: String? = nil
  ) -> Example {
    Example(
      marked: code, path: path, configuration: configuration, others: others, fixed: nil,
      reason: reason)
  }

  private init(
    marked: String, path: String, configuration: String?, others: [String: String], fixed: String?,
    reason: String?
  ) {
    self.marked = marked
    self.code = marked.replacing("↓", with: "")
    self.path = path
    self.configuration = configuration
    self.others = others
    self.fixed = fixed
    self.reason = reason
  }

  /// The same project with other code in its place.
  package func with(code: String) -> Example {
    Example(
      marked: code, path: path, configuration: configuration, others: others, fixed: nil,
      reason: nil)
  }

  /// Whether the rule finds something in it.
  package var isBad: Bool { code != marked }
}
