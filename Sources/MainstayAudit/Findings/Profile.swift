// SPDX-License-Identifier: Apache-2.0

/// A named choice of rules.
public enum Profile: String, Sendable, Hashable, CaseIterable, Codable {
  /// What holds in any code, without a type for the errors of the whole app.
  case simple
  /// What is a defect wherever it stands: the choice without a configuration.
  case `default`
  /// The whole standard of a project that has one type for the errors of the whole app.
  case strict
  /// The opt-in rules too.
  case all
}

/// The least demanding profile that a rule is part of.
package enum RuleLevel: String, Sendable, Hashable, CaseIterable {
  case `default`, strict, optIn
}

extension Profile {
  func holds(_ rule: Rule) -> Bool {
    switch (self, rule.level) {
    case (.all, _), (.strict, .default), (.strict, .strict), (.default, .default): true
    case (.simple, .default): !rule.isForAppErrorsAlone
    default: false
    }
  }
}
