// SPDX-License-Identifier: Apache-2.0

extension TextCatalog {
  /// The texts that Mainstay brings along, in English, by key: what a new language has to say.
  ///
  /// It has the texts of the core; those of an outbox stand under `error.outbox`, and those of
  /// screens under `error.form`, `error.connection` and `error.view`, in the languages that are
  /// there.
  public static let english: [String: String] = {
    var texts: [String: String] = [:]
    let rows = BuiltInError.parts.flatMap(\.rows)
    let validation = AppError.validation("").title
    let all =
      rows.flatMap { [$0.title, $0.message] + [$0.suggestion].compactMap(\.self) }
      + RecoveryAction.builtIn.map(\.title) + [validation, AppError.reading(at: "")]
      + DegradationPlan.standard.needs.map(\.reason)
      + [DegradationController.Change.allIsWell, DegradationController.Change.moreWorks]
    for text in all {
      if let key = text.key { texts[key] = text.pattern }
    }
    return texts
  }()

  /// The keys for which a built-in language has a wording.
  package static func builtInKeys(in language: String) -> Set<String> {
    Set(BuiltInTexts.table(language).map { Array($0.keys) } ?? [])
  }
}
