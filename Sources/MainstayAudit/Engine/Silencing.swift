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
    var used: [String: Set<Int>] = [:]
    var byPath: [String: FileOutcome] = [:]
    for outcome in outcomes { byPath[outcome.path] = outcome }
    let left = findings.filter { finding in
      let entries = byPath[finding.path]?.suppressions?.entries ?? []
      guard let place = entries.firstIndex(where: { silences($0, finding) }) else { return true }
      used[finding.path, default: []].insert(place)
      return false
    }
    return left + outcomes.flatMap { housekeeping($0, used[$0.path] ?? []) }
  }

  private func silences(_ entry: Suppressions.Entry, _ finding: Finding) -> Bool {
    guard entry.rules.contains(finding.rule), entry.hasReason || !requiresReasons else {
      return false
    }
    return entry.lines?.contains(finding.line) ?? true
  }

  private func housekeeping(_ outcome: FileOutcome, _ used: Set<Int>) -> [Finding] {
    var found: [Finding] = []
    if let trouble = outcome.parseTrouble {
      found.append(Housekeeping.unparsed.at(trouble.site, "This file does not parse from here on"))
    }
    for (place, entry) in (outcome.suppressions?.entries ?? []).enumerated()
    where !entry.isForeign {
      found += complaints(about: entry, isUsed: used.contains(place), outcome.ruleIDs)
    }
    return found
  }

  private func complaints(
    about entry: Suppressions.Entry, isUsed: Bool, _ active: Set<String>
  ) -> [Finding] {
    if entry.rules.isEmpty {
      return [Housekeeping.blanketIgnore.at(entry.site, "This comment names no rule")]
    }
    let unknown = entry.rules.filter { rules[$0] == nil }
    if !unknown.isEmpty {
      return unknown.map { id in
        Housekeeping.invalidIgnore.at(entry.site, "There is no rule `\(id)`")
      }
    }
    if requiresReasons && !entry.hasReason {
      return [
        Housekeeping.invalidIgnore.at(
          entry.site, "This comment gives no reason; write it behind ` -- `")
      ]
    }
    // A rule that is off here would find nothing, whatever the code.
    guard !isUsed, entry.rules.contains(where: active.contains) else { return [] }
    return [Housekeeping.unusedIgnore.at(entry.site, "This comment silences nothing")]
  }
}
