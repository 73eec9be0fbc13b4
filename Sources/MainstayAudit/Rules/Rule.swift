// SPDX-License-Identifier: Apache-2.0

/// One rule of the standard: what it finds, why, and how to do better.
///
/// Each rule lies in a file of its own as a `static let`; ``Rule/all`` lists them. Its examples
/// are its tests, and its documentation is made from all of this.
package struct Rule: Sendable {
  /// The id, such as `MS201`; it never changes its meaning.
  package let id: String
  /// A name in words, such as `empty-catch`.
  package let name: String
  package let severity: Severity
  package let level: RuleLevel
  /// The requirements and traps that it serves, such as `B26` or `T12`.
  package let serves: [String]
  /// The kinds of places that it looks at.
  package let places: Set<PathClass>
  /// What it finds, in one sentence.
  package let summary: String
  /// Why that is a defect, in one or two sentences for whoever reads the finding.
  package let why: String
  /// What it takes for granted, since it sees no types.
  package let guess: String
  /// How to say "I mean it" in code, besides a comment.
  package let onPurpose: String
  /// What `--fix` does, or why there is no fix.
  package let remedy: Remedy
  package let examples: [Example]
  let checks: [Check]

  package enum Remedy: Sendable {
    case safe(String)
    case unsafe(String)
    case none(String)
  }

  init(
    _ id: String, _ name: String, _ severity: Severity, _ level: RuleLevel, serves: [String],
    places: Set<PathClass> = [.production, .preview, .example, .tool],
    summary: String, why: String, guess: String, onPurpose: String, remedy: Remedy,
    examples: [Example], checks: Check...
  ) {
    self.id = id
    self.name = name
    self.severity = severity
    self.level = level
    self.serves = serves
    self.places = places
    self.summary = summary
    self.why = why
    self.guess = guess
    self.onPurpose = onPurpose
    self.remedy = remedy
    self.examples = examples
    self.checks = checks
  }

  /// Whether it asks the index which members code names.
  var asksForMembers: Bool { ["MS113", "MS802"].contains(id) }

  /// Whether it serves only what a project with one type for all its errors needs.
  var isForAppErrorsAlone: Bool {
    let ids = serves.filter { !$0.hasPrefix("T") }
    return !ids.isEmpty && ids.allSatisfy { $0.hasPrefix("B") }
  }
}
