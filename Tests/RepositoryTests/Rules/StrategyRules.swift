// SPDX-License-Identifier: Apache-2.0

/// Every target has its part of `Documentation/Strategy.md`, or a reason to have none.
enum StrategyRules {
  static let page = "Documentation/Strategy.md"

  /// Targets without errors of their own.
  static let without = [
    "AuditCommands": "It says what is wrong in its exit status and in a sentence.",
    "MainstayAudit": "It throws only to its own commands, in sentences for a terminal.",
    "MainstayCLI": "It says what is wrong in its exit status and in a sentence.",
    "MainstayConfiguration":
      "What is wrong with a setting is the core's ConfigurationError, with the whole key.",
    "MainstayDashboard": "It shows the errors of others, and refuses in answers of HTTP.",
    "MainstayHTTPTesting": "Its one error says why a server for a test could not be made.",
    "MainstayOutboxPostgres": "Its errors are those of MainstayOutbox, with their own causes.",
    "MainstayOutboxTesting": "It says which law is broken, in a value that a test prints.",
    "MainstayServer": "It turns the errors of others into answers of HTTP.",
    "MainstayTesting": "Its errors are made by tests, and end in them.",
    "mainstay-audit": "Its commands are those of AuditCommands.",
    "MainstayUI": "It shows the errors of others; a mistake in a form is shown under its field.",
  ]

  /// - Parameters:
  ///   - page: The text of the page.
  ///   - targets: The folders of `Sources`.
  /// - Returns: Targets that are neither on the page nor listed, and what is both.
  static func violations(_ page: String, targets: Set<String>) -> [Violation] {
    targets.union(without.keys).sorted().compactMap { target in
      let isTarget = targets.contains(target)
      let isThere = page.contains("<!-- begin \(target) -->")
      guard !isTarget || isThere == (without[target] != nil) else { return nil }
      return Violation(
        path: Self.page, line: 1,
        rule: isTarget
          ? "`\(target)` is to be on the page or in the list of those without errors"
          : "`\(target)` is in the list of those without errors, and no target",
        cure: "Give it a section with a test that writes it, or a reason in StrategyRules")
    }
  }
}
