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

  /// No rule: what the rules of another set want to know of the whole project.
  init(indexingFor other: RuleSet) {
    rules = []
    table = CheckTable([])
    severities = [:]
    notesMembers = other.notesMembers
  }
}

/// The set of rules for each file, made once for each combination of overrides.
struct RuleSets: Sendable {
  private let configuration: AuditConfiguration
  private let globs: [[Glob]]
  private var sets: [[Int]: RuleSet] = [:]
  private let general: RuleSet

  init(_ configuration: AuditConfiguration) {
    self.configuration = configuration
    globs = configuration.overrides.map { $0.paths.map(Glob.init) }
    general = RuleSet(configuration, overrides: [])
  }

  /// The rules that look at the whole project: those of no override.
  var forProject: RuleSet { general }

  mutating func rules(for path: String) -> RuleSet {
    let matching = globs.indices.filter { index in globs[index].contains { $0.matches(path) } }
    guard !matching.isEmpty else { return general }
    if let known = sets[matching] { return known }
    let made = RuleSet(configuration, overrides: matching.map { configuration.overrides[$0] })
    sets[matching] = made
    return made
  }
}
