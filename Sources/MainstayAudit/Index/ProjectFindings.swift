// SPDX-License-Identifier: Apache-2.0

/// Where rules report that look at the whole project at once.
final class ProjectFindings {
  let vocabulary: Vocabulary
  private let rules: [Rule]
  /// The number of the rule whose check runs now.
  var rule = 0
  private(set) var findings: [Finding] = []

  init(_ rules: [Rule], _ vocabulary: Vocabulary) {
    self.rules = rules
    self.vocabulary = vocabulary
  }

  /// Reports the rule that runs now at a place of the index.
  func report(
    _ site: IndexedSite, in pathClass: PathClass, _ message: String, severity: Severity? = nil,
    fix: Fix? = nil
  ) {
    let rule = rules[rule]
    guard rule.places.contains(pathClass) else { return }
    findings.append(
      Finding(
        rule: rule.id, name: rule.name, severity: severity ?? rule.severity, path: site.path,
        line: site.line, column: site.column, message: message, why: rule.why,
        endColumn: site.endColumn, source: site.source, anchor: site.anchor, fix: fix))
  }
}
