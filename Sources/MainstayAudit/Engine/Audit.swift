// SPDX-License-Identifier: Apache-2.0

/// Checks Swift code against the standard for handling errors, by its syntax alone.
public struct Audit: Sendable {
  let configuration: AuditConfiguration

  /// An audit under a configuration.
  public init(_ configuration: AuditConfiguration = AuditConfiguration()) {
    self.configuration = configuration
  }

  /// Looks at sources, at several of them at a time.
  ///
  /// What it finds is the same for any number of jobs.
  ///
  /// - Parameters:
  ///   - sources: The files of one project.
  ///   - jobs: How many threads work; at least 1.
  ///   - hasStringTables: Whether the project has tables of texts for people.
  ///   - progress: Told after each file how many are done.
  /// - Returns: What was found, sorted by place.
  package func run(
    _ sources: [AuditSource], jobs: Int = 1, hasStringTables: Bool = false,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> AuditReport {
    var sets = RuleSets(configuration)
    let work = sources.map { FileWork(source: $0, rules: sets.rules(for: $0.path)) }
    let vocabulary = configuration.vocabulary
    var outcomes: [FileOutcome] = []
    outcomes.reserveCapacity(work.count)
    for await outcome in Workers.map(work, jobs: jobs, { $0.perform(vocabulary) }) {
      outcomes.append(outcome)
      progress(outcomes.count)
    }
    outcomes.sort { $0.path < $1.path }
    return merge(outcomes, sets.forProject, hasStringTables)
  }

  private func merge(
    _ outcomes: [FileOutcome], _ projectRules: RuleSet, _ hasStringTables: Bool
  ) -> AuditReport {
    var index = ProjectIndex()
    index.hasStringTables = hasStringTables
    for outcome in outcomes { index.add(outcome.index) }
    var findings: [Finding] = []
    for outcome in outcomes {
      findings += outcome.candidates.filter { $0.holds?(index) ?? true }.map(\.finding)
    }
    let project = ProjectFindings(projectRules.rules, configuration.vocabulary)
    for entry in projectRules.table.projects {
      project.rule = entry.rule
      entry.check(index, project)
    }
    findings += project.findings
    let silenced = Silencing(outcomes, configuration).apply(to: findings)
    return AuditReport(
      findings: graded(silenced).sorted(by: AuditReport.isBefore),
      files: outcomes.count, lines: outcomes.reduce(0) { $0 + $1.lines },
      problems: outcomes.compactMap(\.problem), index: index)
  }

  /// The findings, each as bad as the configuration says of its rule.
  private func graded(_ findings: [Finding]) -> [Finding] {
    var sets = RuleSets(configuration)
    return findings.map { finding in
      sets.rules(for: finding.path).severities[finding.rule].map(finding.with) ?? finding
    }
  }
}

/// A file to look at.
package struct AuditSource: Sendable {
  package let path: String
  package let content: Content

  package enum Content: Sendable {
    case bytes([UInt8])
    /// Read when its turn comes, so that memory holds few files at a time.
    case file(at: String)
  }

  package init(path: String, text: String) {
    self.path = path
    content = .bytes(Array(text.utf8))
  }
  package init(path: String, bytes: [UInt8]) {
    self.path = path
    content = .bytes(bytes)
  }
  package init(path: String, fileAt file: String) {
    self.path = path
    content = .file(at: file)
  }
}

/// What an audit found.
public struct AuditReport: Sendable {
  /// The findings, sorted by path, line, column and rule.
  public let findings: [Finding]
  /// How many files were looked at.
  public let files: Int
  /// How many lines they have.
  public let lines: Int
  /// Files that could not be looked at, and why.
  public let problems: [AuditProblem]
  /// What the project says about its errors.
  package let index: ProjectIndex

  static func isBefore(_ one: Finding, _ other: Finding) -> Bool {
    (one.path, one.line, one.column, one.rule, one.message)
      < (other.path, other.line, other.column, other.rule, other.message)
  }
}

/// A file that could not be looked at.
public struct AuditProblem: Sendable, Hashable {
  /// The file or folder.
  public let path: String
  /// Why, in a sentence without a full stop.
  public let reason: String
}

extension Finding {
  func with(_ severity: Severity) -> Finding {
    Finding(
      rule: rule, name: name, severity: severity, path: path, line: line, column: column,
      message: message, why: why, endColumn: endColumn, source: source, anchor: anchor, fix: fix)
  }
}
