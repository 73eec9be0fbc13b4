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
  /// What it finds is the same for any number of threads.
  ///
  /// - Parameters:
  ///   - sources: The files of one project.
  ///   - focus: The paths of the files that matter; of the others is only asked what rules want to
  ///     know of the whole project, and nothing where no rule does. All matter without it.
  ///   - jobs: How many threads work; at least 1.
  ///   - hasStringTables: Whether the project has tables of texts for people.
  ///   - progress: Told after each file how many are done.
  /// - Returns: What was found, sorted by place.
  package func run(
    _ sources: [AuditSource], focus: Set<String>? = nil, jobs: Int = 1,
    hasStringTables: Bool = false, progress: (Int) -> Void = { _ in }
  ) async -> AuditReport {
    let plan = RulePlan(configuration, sources)
    let chosen = sources.filter { focus?.contains($0.path) ?? true }
    let forProject = plan.united(for: chosen.lazy.map(\.path))
    let work = chosen.map { source in
      FileWork(
        source: source, rules: plan.rules(for: source.path), notesMembers: forProject.notesMembers)
    }
    let outcomes = await look(work, jobs, progress)
    var others: [FileOutcome] = []
    if let focus, asksForIndex(outcomes, forProject) {
      let nothing = RuleSet(uniting: [])
      let rest = sources.filter { !focus.contains($0.path) }.map { source in
        FileWork(source: source, rules: nothing, notesMembers: forProject.notesMembers)
      }
      others = await look(rest, jobs, progress)
    }
    let report = merge(outcomes, others, forProject, plan, hasStringTables)
    return report.with(report.findings.locatingFixes(in: chosen))
  }

  private func look(
    _ work: [FileWork], _ jobs: Int, _ progress: (Int) -> Void
  ) async -> [FileOutcome] {
    let vocabulary = configuration.vocabulary
    var outcomes: [FileOutcome] = []
    outcomes.reserveCapacity(work.count)
    for await outcome in Workers.map(work, jobs: jobs, { $0.perform(vocabulary) }) {
      outcomes.append(outcome)
      progress(outcomes.count)
    }
    return outcomes.sorted { $0.path < $1.path }
  }

  private func asksForIndex(_ outcomes: [FileOutcome], _ rules: RuleSet) -> Bool {
    guard !outcomes.isEmpty else { return false }
    let asks = rules.table.projects.contains { entry in
      configuration.vocabulary.appError != nil || !rules.rules[entry.rule].isAboutAppErrorAlone
    }
    return asks || outcomes.contains { $0.candidates.contains(where: \.asksForIndex) }
  }

  private func merge(
    _ outcomes: [FileOutcome], _ others: [FileOutcome], _ projectRules: RuleSet,
    _ plan: RulePlan, _ hasStringTables: Bool
  ) -> AuditReport {
    var index = ProjectIndex()
    index.hasStringTables = hasStringTables
    // The order of the index is that of the paths, whichever files matter.
    for outcome in (outcomes + others).sorted(by: { $0.path < $1.path }) {
      index.add(outcome.index)
    }
    var findings: [Finding] = []
    for outcome in outcomes {
      findings += outcome.candidates.compactMap { $0.settled(by: index) }
    }
    let project = ProjectFindings(projectRules.rules, configuration.vocabulary)
    for entry in projectRules.table.projects {
      project.rule = entry.rule
      entry.check(index, project)
    }
    let elsewhere = Set(others.map(\.path))
    findings += project.findings.filter { finding in
      !elsewhere.contains(finding.path)
        && plan.rules(for: finding.path).rules.contains { $0.id == finding.rule }
    }
    let silenced = Silencing(outcomes, configuration).apply(to: findings)
    let graded = silenced.map { finding in
      plan.rules(for: finding.path).severities[finding.rule].map(finding.with) ?? finding
    }
    return AuditReport(
      findings: graded.sorted(by: AuditReport.isBefore),
      files: outcomes.count, lines: outcomes.reduce(0) { $0 + $1.lines },
      problems: outcomes.compactMap(\.problem), index: index,
      basis: AuditReport.Basis(
        rules: outcomes.reduce(into: Set(projectRules.rules.map(\.id))) {
          $0.formUnion($1.ruleIDs)
        },
        appError: configuration.vocabulary.appError,
        converters: configuration.vocabulary.converters, notesMembers: projectRules.notesMembers))
  }
}

/// A file to look at.
package struct AuditSource: Sendable {
  /// How it is named in findings.
  package let path: String
  /// The path within its project, which tells what kind of code it is and which overrides it has.
  package let place: String
  package let content: Content

  package enum Content: Sendable {
    case bytes([UInt8])
    /// Read when its turn comes, so that memory holds few files at a time.
    case file(at: String)
  }

  package init(path: String, text: String) {
    self.init(path: path, bytes: Array(text.utf8))
  }
  package init(path: String, bytes: [UInt8], place: String? = nil) {
    self.path = path
    self.place = place ?? path
    content = .bytes(bytes)
  }
  package init(path: String, fileAt file: String, place: String? = nil) {
    self.path = path
    self.place = place ?? path
    content = .file(at: file)
  }

  /// The same file with other bytes.
  package func with(_ bytes: [UInt8]) -> AuditSource {
    AuditSource(path: path, bytes: bytes, place: place)
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
  /// What the rules went by.
  package let basis: Basis

  /// The part of a configuration that a report tells of.
  package struct Basis: Sendable {
    /// Ids of the rules that looked at any file.
    package var rules: Set<String> = []
    /// The type for the errors of the whole app, if there is one.
    package var appError: String?
    /// Protocols whose conformance is a conversion into it.
    package var converters: Set<String> = []
    /// Whether the index knows which members tests name.
    package var notesMembers = false

    package init(
      rules: Set<String> = [], appError: String? = nil, converters: Set<String> = [],
      notesMembers: Bool = false
    ) {
      self.rules = rules
      self.appError = appError
      self.converters = converters
      self.notesMembers = notesMembers
    }
  }

  package init(
    findings: [Finding], files: Int, lines: Int, problems: [AuditProblem],
    index: ProjectIndex = ProjectIndex(), basis: Basis = Basis()
  ) {
    self.findings = findings
    self.files = files
    self.lines = lines
    self.problems = problems
    self.index = index
    self.basis = basis
  }

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

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension Finding {
  func with(path: String) -> Finding {
    Finding(
      rule: rule, name: name, severity: severity, path: path, line: line, column: column,
      lines: lines, message: message, why: why, endColumn: endColumn, source: source,
      anchor: anchor, fix: fix)
  }

  func with(_ fix: Fix?) -> Finding {
    Finding(
      rule: rule, name: name, severity: severity, path: path, line: line, column: column,
      lines: lines, message: message, why: why, endColumn: endColumn, source: source,
      anchor: anchor, fix: fix)
  }

  func with(_ severity: Severity) -> Finding {
    Finding(
      rule: rule, name: name, severity: severity, path: path, line: line, column: column,
      lines: lines, message: message, why: why, endColumn: endColumn, source: source,
      anchor: anchor, fix: fix)
  }
}
