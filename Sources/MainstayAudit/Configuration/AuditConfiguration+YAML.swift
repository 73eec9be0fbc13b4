// SPDX-License-Identifier: Apache-2.0

import Yams

extension AuditConfiguration {
  /// The rule set that this version has; a configuration may pin it.
  package static let newestRules = "2026.1"

  /// Reads a `.mainstay-audit.yml`.
  ///
  /// Every key may be left out. This is the whole file:
  ///
  /// ```yaml
  /// rules: 2026.1                # the rule set: later rules come as notes until this is raised
  /// profile: default             # simple, default, strict or all
  /// app_error: AppError          # the type that every error becomes before a person sees it
  /// converters: [Presentable]    # protocols whose conformance is a conversion into it
  /// technical_errors: [SQLError] # types that must not leave the layers below the screen
  /// layers: [Coordinator]        # endings of types between technical errors and people
  /// recorders: [audit]           # calls, or their first words, that report an error to somebody
  /// loggers: [journal]           # names of what a log goes to
  /// screens: [Snackbar]          # calls whose text a person reads
  /// state_words: [hint]          # words in the names of state that a person sees
  /// clean_up_calls: [vacuum]     # calls that tidy up, whose failure changes nothing
  /// once_only_verbs: [ship]      # verbs of what must not be done twice
  /// retry_calls: [attempting]    # calls that try their closure again
  /// enable: [MS111, fixed-retry-delay]
  /// disable: [MS402]
  /// severity:
  ///   MS701: error               # info, warning or error
  /// exclude: [Generated, "**/*.gen.swift"]
  /// overrides:                   # later ones win
  ///   - paths: [Sources/Server]
  ///     profile: strict
  ///     enable: [MS703]
  ///     disable: [MS401]
  ///     severity: { MS203: info }
  /// require_reasons: true        # whether a comment that silences a rule has to say why
  /// ```
  ///
  /// - Parameters:
  ///   - yaml: The text.
  ///   - path: How the file is named in complaints.
  /// - Throws: All that is wrong with it.
  public init(
    yaml: String, path: String = ".mainstay-audit.yml"
  ) throws(AuditConfigurationError) {
    let (configuration, error) = Self.reading(yaml: yaml, path: path)
    if let error { throw error }
    self = configuration
  }

  /// Reads what can be read, and says what cannot.
  ///
  /// - Parameters:
  ///   - yaml: The text.
  ///   - path: How the file is named in complaints.
  /// - Returns: The configuration without what is wrong, and all that is wrong, if anything.
  package static func reading(
    yaml: String, path: String
  ) -> (configuration: AuditConfiguration, error: AuditConfigurationError?) {
    var reader = ConfigurationReader()
    reader.read(yaml)
    let violations = reader.violations.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    return (
      reader.configuration,
      violations.isEmpty ? nil : AuditConfigurationError(path: path, violations: violations)
    )
  }
}

/// Reads the keys of the file one by one and collects what is wrong.
private struct ConfigurationReader {
  private(set) var configuration = AuditConfiguration()
  private var values = ConfigurationValues()

  var violations: [AuditConfigurationError.Violation] { values.violations }

  /// A text that is longer was written by a program, and maybe against us.
  private static let largest = 256 << 10

  private typealias Names = WritableKeyPath<Vocabulary, Set<String>>
  private static var names: KeyValuePairs<String, Names> {
    [
      "converters": \.converters, "technical_errors": \.technicalErrors, "recorders": \.recorders,
      "loggers": \.loggers, "screens": \.screens, "state_words": \.stateWords,
      "clean_up_calls": \.cleanUps, "once_only_verbs": \.onceOnly, "retry_calls": \.retries,
    ]
  }
  private static var keys: [String] {
    [
      "rules", "profile", "app_error", "layers", "enable", "disable", "severity", "exclude",
      "overrides", "require_reasons",
    ] + names.map(\.key)
  }

  mutating func read(_ yaml: String) {
    guard yaml.utf8.count <= Self.largest else {
      return values.complain(at: nil, "The file has more than \(Self.largest >> 10) kB")
    }
    let root: Node?
    do {
      root = try Yams.compose(yaml: yaml)
    } catch {
      return values.complain(of: error)
    }
    // An empty file says nothing.
    guard let root, root.null == nil else { return }
    guard let mapping = values.mapping(root, "The file", of: "keys") else { return }
    for (key, value) in mapping { read(values.text(of: key), key, value) }
    for id in configuration.enabled.intersection(configuration.disabled).sorted() {
      values.complain(at: mapping["disable"], "`\(id)` is in `enable` as well as in `disable`")
    }
  }

  private mutating func read(_ name: String, _ key: Node, _ value: Node) {
    if let path = Self.names.first(where: { $0.key == name })?.value {
      configuration.vocabulary[keyPath: path].formUnion(values.names(value, name))
      return
    }
    switch name {
    case "rules": readRules(value)
    case "profile": values.profile(value).map { configuration.profile = $0 }
    case "app_error": values.name(value, name).map { configuration.vocabulary.appError = $0 }
    case "layers": configuration.vocabulary.presentationLayers += values.names(value, name)
    case "enable": configuration.enabled.formUnion(values.rules(value, name))
    case "disable": configuration.disabled.formUnion(values.rules(value, name))
    case "severity": configuration.severities.merge(values.severities(value)) { _, new in new }
    case "exclude": configuration.excluded += values.globs(value, name)
    case "overrides": readOverrides(value)
    case "require_reasons":
      values.truth(value, name).map { configuration.requiresReasons = $0 }
    default: values.complain(ofKey: name, at: key, among: Self.keys)
    }
  }

  private mutating func readRules(_ value: Node) {
    let newest = AuditConfiguration.newestRules
    guard let text = value.scalar?.string, !text.isEmpty else {
      return values.complain(
        at: value, "`rules` wants a rule set such as \(newest), not \(value.kindInWords)")
    }
    if text != newest {
      values.complain(at: value, "There is no rule set `\(text)`; this version has \(newest)")
    }
  }

  private mutating func readOverrides(_ value: Node) {
    for entry in values.sequence(value, "overrides", of: "entries") ?? [] {
      guard let mapping = values.mapping(entry, "An override", of: "keys") else { continue }
      var override = AuditConfiguration.PathOverride(paths: [])
      for (key, value) in mapping {
        let name = values.text(of: key)
        switch name {
        case "paths": override.paths = values.globs(value, name)
        case "profile": override.profile = values.profile(value)
        case "enable": override.enabled = values.rules(value, name)
        case "disable": override.disabled = values.rules(value, name)
        case "severity": override.severities = values.severities(value)
        default:
          values.complain(
            ofKey: name, at: key, among: ["paths", "profile", "enable", "disable", "severity"])
        }
      }
      if mapping["paths"] == nil {
        values.complain(at: entry, "An override needs `paths`: a list of the files it is about")
      }
      for id in override.enabled.intersection(override.disabled).sorted() {
        values.complain(at: mapping["disable"], "`\(id)` is in `enable` as well as in `disable`")
      }
      configuration.overrides.append(override)
    }
  }
}
