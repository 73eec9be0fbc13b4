// SPDX-License-Identifier: Apache-2.0

import Testing

/// One place where the repository breaks one of its rules.
struct Violation: Hashable, CustomStringConvertible {
  let path: String

  /// The line, counted from 1.
  let line: Int

  /// What is wrong there.
  let rule: String

  /// What to do about it.
  let cure: String

  var description: String { "\(path):\(line): \(rule). \(cure)." }
}

/// A file that a rule spares, and why.
struct Allowance {
  /// The end of the file's path.
  let path: String

  /// Why the rule does not bind here.
  let reason: String
}

extension Sequence<Allowance> {
  /// Whether one of them spares the file.
  func spare(_ file: SourceFile) -> Bool {
    contains { file.path == $0.path || file.path.hasSuffix("/" + $0.path) }
  }
}

/// Records one issue per violation, so that each stands on a line of its own.
func expectNone(_ violations: [Violation], at location: SourceLocation = #_sourceLocation) {
  for violation in violations {
    Issue.record("\(violation)", sourceLocation: location)
  }
}
