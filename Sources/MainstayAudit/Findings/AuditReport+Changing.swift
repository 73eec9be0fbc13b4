// SPDX-License-Identifier: Apache-2.0

extension AuditReport {
  /// The report with other findings, in the order of their places, and with more problems.
  package func with(
    _ findings: [Finding], problems more: [AuditProblem] = []
  ) -> AuditReport {
    AuditReport(
      findings: findings.sorted(by: Self.isBefore), files: files, lines: lines,
      problems: problems + more, index: index, basis: basis)
  }

  /// The report with other names for its files.
  package func renamed(_ rename: (String) -> String) -> AuditReport {
    AuditReport(
      findings: findings.map { $0.with(path: rename($0.path)) }, files: files, lines: lines,
      problems: problems.map { AuditProblem(path: rename($0.path), reason: $0.reason) },
      index: index, basis: basis)
  }

  /// The report with those findings alone that are wanted.
  package func keeping(_ isWanted: (Finding) -> Bool) -> AuditReport {
    with(findings.filter(isWanted))
  }
}

extension AuditReport {
  /// What the configuration calls the error of the whole app, and what it may have meant; nil
  /// where a type has that name, or none nearly has.
  package var misspeltAppError: (written: String, meant: String)? {
    guard let written = basis.appError, index.types[written] == nil, index.aliases[written] == nil
    else { return nil }
    let usesMainstay = index.imports.values.contains { $0.contains("Mainstay") }
    let names = index.errorTypes.map(\.name) + (usesMainstay ? ["AppError"] : [])
    // The type of another module may have a name of its own.
    guard !names.contains(written) else { return nil }
    return Suggestion.closest(to: written, in: names).map { (written, $0) }
  }
}

extension Audit {
  /// The ids of the rules that look at a file, and of those that are always on.
  ///
  /// - Parameter path: The path within the project.
  /// - Returns: Ids such as `MS201`.
  package func rules(for path: String) -> Set<String> {
    let plan = RulePlan(configuration, [AuditSource(path: path, bytes: [])])
    return Set(plan.rules(for: path).rules.map(\.id) + Housekeeping.all.map(\.id))
  }
}
