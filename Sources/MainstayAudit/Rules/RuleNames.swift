// SPDX-License-Identifier: Apache-2.0

/// The names under which a person may ask for a rule.
package enum RuleNames {
  /// Ids by what may be typed: the id itself, in either case, or the rule's name.
  private static let ids: [String: String] = {
    var ids: [String: String] = [:]
    for rule in Rule.all {
      ids[rule.id.lowercased()] = rule.id
      ids[rule.name] = rule.id
    }
    for rule in Housekeeping.all {
      ids[rule.id.lowercased()] = rule.id
      ids[rule.name] = rule.id
    }
    return ids
  }()

  /// The id of a rule, by its id or its name.
  package static func id(_ typed: String) -> String? { ids[typed.lowercased()] }

  /// Whether it is one of the audit's own, which are always on.
  package static func isAlwaysOn(_ id: String) -> Bool {
    Housekeeping.all.contains { $0.id == id }
  }

  /// What to say of a name that is none.
  package static func complaint(about typed: String) -> String {
    let names = typed.lowercased().hasPrefix("ms") ? ids.values.sorted() : ids.keys.sorted()
    return "There is no rule `\(typed)`" + Suggestion.ending(for: typed, in: names)
  }
}

extension Rule {
  /// Whether it asks for the whole project, but only once the app's error is named.
  var isAboutAppErrorAlone: Bool { ["MS104"].contains(id) }
}
