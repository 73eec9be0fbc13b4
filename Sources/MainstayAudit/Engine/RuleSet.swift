// SPDX-License-Identifier: Apache-2.0

/// The rules that are on for some files, ready to run.
struct RuleSet: Sendable {
  let rules: [Rule]
  let table: CheckTable
  let severities: [String: Severity]
  /// Whether a rule asks which members code names.
  let notesMembers: Bool

  init(_ configuration: AuditConfiguration, overrides: [AuditConfiguration.PathOverride]) {
    var profile = configuration.profile
    var enabled = configuration.enabled
    var disabled = configuration.disabled
    var severities = configuration.severities
    for override in overrides {
      profile = override.profile ?? profile
      enabled = enabled.subtracting(override.disabled).union(override.enabled)
      disabled = disabled.subtracting(override.enabled).union(override.disabled)
      severities.merge(override.severities) { _, new in new }
    }
    rules = Rule.all.filter { rule in
      guard !disabled.contains(rule.id) else { return false }
      return profile.holds(rule) || enabled.contains(rule.id)
    }
    table = CheckTable(rules)
    self.severities = severities
    notesMembers = configuration.notesMembers || rules.contains { $0.asksForMembers }
  }

  /// Every rule that is in one of some sets.
  init(uniting sets: [RuleSet]) {
    let ids = sets.reduce(into: Set<String>()) { $0.formUnion($1.rules.map(\.id)) }
    rules = Rule.all.filter { ids.contains($0.id) }
    table = CheckTable(rules)
    severities = [:]
    notesMembers = sets.contains(where: \.notesMembers)
  }
}

/// Which rules look at which files of a project.
struct RulePlan: Sendable {
  private let configuration: AuditConfiguration
  private let general: RuleSet
  /// The numbers of the overrides that a file has, where it has any.
  private var overrides: [String: [Int]] = [:]
  /// The sets of rules, each made once.
  private var sets: [[Int]: RuleSet] = [:]

  init(_ configuration: AuditConfiguration, _ sources: [AuditSource]) {
    self.configuration = configuration
    general = RuleSet(configuration, overrides: [])
    let globs = configuration.overrides.map { $0.paths.map(Glob.init) }
    guard !globs.isEmpty else { return }
    for source in sources {
      let matching = globs.indices.filter { index in
        globs[index].contains { $0.matches(source.place) }
      }
      guard !matching.isEmpty else { continue }
      overrides[source.path] = matching
      if sets[matching] == nil {
        sets[matching] = RuleSet(
          configuration, overrides: matching.map { configuration.overrides[$0] })
      }
    }
  }

  /// The rules for a file, which also say how bad a finding in it is.
  func rules(for path: String) -> RuleSet {
    overrides[path].flatMap { sets[$0] } ?? general
  }

  /// The rules that look at the whole project: all that are on for one of some files.
  func united(for paths: some Sequence<String>) -> RuleSet {
    guard !sets.isEmpty else { return general }
    let used = paths.reduce(into: Set<[Int]>()) { $0.insert(overrides[$1] ?? []) }
    return RuleSet(uniting: used.map { sets[$0] ?? general })
  }
}
