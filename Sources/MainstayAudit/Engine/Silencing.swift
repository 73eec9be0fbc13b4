// SPDX-License-Identifier: Apache-2.0

/// Takes out what comments silence, and finds comments that silence nothing.
struct Silencing {
  private let outcomes: [FileOutcome]
  private let requiresReasons: Bool
  private let rules: [String: Rule]

  init(_ outcomes: [FileOutcome], _ configuration: AuditConfiguration) {
    self.outcomes = outcomes
    requiresReasons = configuration.requiresReasons
    self.rules = Dictionary(uniqueKeysWithValues: Rule.all.map { ($0.id, $0) })
  }

  func apply(to findings: [Finding]) -> [Finding] {
    var byPath: [String: Comments] = [:]
    for outcome in outcomes {
      guard let entries = outcome.suppressions?.entries, !entries.isEmpty else { continue }
      byPath[outcome.path] = Comments(entries)
    }
    var used: [String: [Int: Set<String>]] = [:]
    let left = findings.filter { finding in
      guard let comments = byPath[finding.path],
        let place = comments.about(finding.line).first(where: {
          silences(comments.entries[$0], finding)
        })
      else { return true }
      used[finding.path, default: [:]][place, default: []].insert(finding.rule)
      return false
    }
    return left + outcomes.flatMap { housekeeping($0, used[$0.path] ?? [:]) }
  }

  private func silences(_ entry: Suppressions.Entry, _ finding: Finding) -> Bool {
    guard entry.rules.contains(finding.rule), entry.hasReason || !requiresReasons else {
      return false
    }
    return entry.lines?.contains(finding.line) ?? true
  }

  private func housekeeping(
    _ outcome: FileOutcome, _ used: [Int: Set<String>]
  ) -> [Finding] {
    var found: [Finding] = []
    found += outcome.parseTroubles.map { Housekeeping.unparsed.at($0.site, $0.message) }
    for (place, entry) in (outcome.suppressions?.entries ?? []).enumerated()
    where !entry.isForeign {
      found += complaints(about: entry, used[place] ?? [], outcome.ruleIDs)
    }
    return found
  }

  private func complaints(
    about entry: Suppressions.Entry, _ used: Set<String>, _ active: Set<String>
  ) -> [Finding] {
    if entry.rules.isEmpty {
      return [Housekeeping.blanketIgnore.at(entry.site, "This comment names no rule")]
    }
    let unknown = entry.rules.filter { rules[$0] == nil }
    if !unknown.isEmpty { return complaints(aboutUnknown: unknown, of: entry) }
    if requiresReasons && !entry.hasReason {
      return [
        Housekeeping.invalidIgnore.at(
          entry.site, "This comment gives no reason; write it behind ` -- `")
      ]
    }
    // A rule that is off here would find nothing, whatever the code.
    let idle = entry.rules.filter { active.contains($0) && !used.contains($0) }
    guard !idle.isEmpty else { return [] }
    let isIdle = used.isEmpty
    return [
      Housekeeping.unusedIgnore.at(
        entry.site,
        isIdle
          ? "This comment silences nothing"
          : "This comment silences nothing of \(idle.joined(separator: ", "))")
    ]
  }

  private func complaints(
    aboutUnknown names: [String], of entry: Suppressions.Entry
  ) -> [Finding] {
    let ids = names.filter { $0.hasPrefix("MS") || $0.hasPrefix("-") }
    // Words of prose are no ids: the reason stands in the wrong place.
    guard !ids.isEmpty || entry.hasReason else {
      return [Housekeeping.invalidIgnore.at(entry.site, "Write the reason behind ` -- `")]
    }
    return (ids.isEmpty ? names : ids).map { id in
      Housekeeping.invalidIgnore.at(entry.site, RuleNames.complaint(about: id))
    }
  }
}

/// The comments of one file, by the lines that they are about.
private struct Comments {
  let entries: [Suppressions.Entry]
  /// Those about a few lines, by line.
  private var near: [Int: [Int]] = [:]
  /// Those about the file, or all that follows.
  private var wide: [Int] = []

  init(_ entries: [Suppressions.Entry]) {
    self.entries = entries
    // Comments of ours come first, so that they do not count as unused beside another tool's.
    let order =
      entries.indices.filter { !entries[$0].isForeign }
      + entries.indices.filter { entries[$0].isForeign }
    for place in order {
      if let lines = entries[place].lines, lines.count <= 100 {
        for line in lines { near[line, default: []].append(place) }
      } else {
        wide.append(place)
      }
    }
  }

  /// The places of the comments about a line.
  func about(_ line: Int) -> [Int] { (near[line] ?? []) + wide }
}
