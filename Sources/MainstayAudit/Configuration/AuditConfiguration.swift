// SPDX-License-Identifier: Apache-2.0

/// Which rules look at which files, and the names that they go by.
public struct AuditConfiguration: Sendable, Equatable {
  /// The rules to begin with.
  ///
  /// Default: ``Profile/default``.
  public var profile = Profile.default
  /// Ids of rules that are on whatever the profile.
  public var enabled: Set<String> = []
  /// Ids of rules that are off whatever the profile.
  public var disabled: Set<String> = []
  /// How bad a rule's findings are, by id, instead of what the rule says.
  public var severities: [String: Severity] = [:]
  /// Globs of files that are not looked at.
  public var excluded: [String] = []
  /// What differs below some paths; later ones win.
  public var overrides: [PathOverride] = []
  /// Whether a comment that silences a finding has to say why.
  ///
  /// Default: true.
  public var requiresReasons = true
  /// Whether the index holds which members tests name, also where no rule asks; for a checklist.
  package var notesMembers = false
  /// The names that rules go by.
  package var vocabulary = Vocabulary()

  /// What differs for files that match a glob.
  public struct PathOverride: Sendable, Equatable {
    /// Globs of the files.
    public var paths: [String]
    /// The rules to begin with, if others.
    public var profile: Profile?
    /// Ids of rules that are on here.
    public var enabled: Set<String> = []
    /// Ids of rules that are off here.
    public var disabled: Set<String> = []
    /// How bad a rule's findings are here.
    public var severities: [String: Severity] = [:]

    /// An override that changes nothing yet.
    public init(paths: [String]) { self.paths = paths }
  }

  /// The default profile, and nothing excluded.
  public init() {}
}
