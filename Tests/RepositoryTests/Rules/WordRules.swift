// SPDX-License-Identifier: Apache-2.0

/// One word per idea: what pages and documentation comments call something else, although it has a
/// name.
enum WordRules {
  /// A name, and the words that stand for it elsewhere.
  struct Term {
    /// In small letters and without hyphens; also with an `s` at its end.
    let wrong: [String]
    let right: String

    /// Pages, or folders of pages, that may say it.
    let allowances: [Allowance]

    /// What may stand around a wrong word, so that it means something else.
    let phrases: [String]

    /// The first word of each that is wrong.
    fileprivate let beginnings: [Substring]

    init(
      wrong: [String], right: String, allowances: [Allowance] = [], phrases: [String] = []
    ) {
      self.wrong = wrong
      self.right = right
      self.allowances = allowances
      self.phrases = phrases
      beginnings = wrong.map { $0.prefix { $0 != " " } }
    }
  }

  /// The page that leads from the words of the field to those of this package.
  private static let glossary = Allowance(
    path: "Guides/Glossary.md", reason: "it leads from the words that people search for")

  /// Pages about other libraries, which have to use their words.
  private static let aboutOthers = [
    Allowance(path: "Documentation/Peers.md", reason: "it is about other libraries"),
    Allowance(path: "Guides/ComingFrom", reason: "it translates the words of other libraries"),
    glossary,
  ]

  static let terms = [
    Term(
      wrong: ["job", "queued task", "queue item", "work item", "queued message"],
      right: "operation",
      allowances: aboutOthers + [
        Allowance(path: "SimulatingOffline.md", reason: "executors of Swift have jobs"),
        Allowance(path: "RunningOnPostgreSQL.md", reason: "databases have scheduled jobs"),
        Allowance(path: "CapturedTasks.swift", reason: "executors of Swift have jobs"),
        Allowance(path: "SimulationRun.swift", reason: "executors of Swift have jobs"),
      ]),
    Term(
      wrong: ["dead letter queue", "dlq", "poison message", "failed operation list"],
      right: "dead letters", allowances: aboutOthers),
    Term(wrong: ["requeue", "re enqueue", "re drive"], right: "redrive", allowances: aboutOthers),
    Term(
      wrong: ["visibility timeout", "lock token", "claim token", "reservation"],
      right: "lease, or the token of the lease",
      allowances: aboutOthers + [
        Allowance(path: "Conflicts/Stamp", reason: "a clock reserves stamps ahead")
      ]),
    Term(
      wrong: [
        "shelved operation", "suspended operation", "quarantined operation", "frozen operation",
      ], right: "parked operation", allowances: aboutOthers),
    Term(
      wrong: ["partition key", "message group", "routing key", "sequence key"],
      right: "ordering key", allowances: aboutOthers),
    Term(
      wrong: ["job runner", "message handler", "queue consumer", "operation handler"],
      right: "worker", allowances: aboutOthers),
    Term(
      wrong: ["dispatcher", "poller", "polling loop", "scheduler loop"], right: "drainer",
      allowances: aboutOthers),
    Term(
      wrong: ["policy stack", "policy chain", "policy wrap", "resilience pipeline"],
      right: "pipeline", allowances: aboutOthers),
    Term(
      wrong: ["retry policy", "retry strategy", "resilience strategy", "recovery strategy"],
      right: "policy, or the name of the policy", allowances: aboutOthers),
    Term(
      wrong: ["strategy", "strategies"], right: "policy",
      allowances: aboutOthers + [
        Allowance(path: "Documentation/Strategy.md", reason: "the error strategy of each target"),
        Allowance(path: "Decisions/0015", reason: "decisions are not rewritten"),
        Allowance(path: "Conflicts/Merge", reason: "a field has a MergeStrategy"),
        Allowance(path: "MergeLaws.swift", reason: "a field has a MergeStrategy"),
      ], phrases: ["error strategy"]),
    Term(
      wrong: ["timeout", "time out"], right: "time limit",
      allowances: aboutOthers + [
        Allowance(path: "Documentation/Strategy.md", reason: "kinds are named as in code")
      ]),
    Term(
      wrong: [
        "number of tries", "number of retries", "storm of tries", "max retries",
        "maximum retries", "try count", "first try", "next try", "last try", "another try",
        "failed try",
      ], right: "attempt", allowances: aboutOthers),
    Term(
      wrong: ["trial call", "trial request", "test call"], right: "probe",
      allowances: aboutOthers),
    Term(
      wrong: ["exception"], right: "error",
      allowances: aboutOthers + [
        Allowance(path: "StyleGuide.md", reason: "exceptions to a rule"),
        Allowance(path: "ErrorFamilies.md", reason: "exceptions to a rule"),
        Allowance(path: "SendingReports.md", reason: "OpenTelemetry's name of an attribute"),
        Allowance(path: "ErrorReport+OTLP.swift", reason: "OpenTelemetry's name of a page"),
        Allowance(path: "MappingCensus.swift", reason: "exceptions to a rule"),
      ]),
    Term(
      wrong: ["feature flag", "degradation level", "service tier"], right: "feature level",
      allowances: [glossary]),
    Term(
      wrong: ["device feature", "device ability", "feature detection", "feature probe"],
      right: "capability", allowances: aboutOthers),
    Term(
      wrong: ["error display", "alert manager", "message center", "message centre", "notifier"],
      right: "presenter", allowances: aboutOthers),
    Term(wrong: ["snackbar", "hud"], right: "toast", allowances: [glossary]),
    Term(
      wrong: ["info bar", "message bar", "notification bar", "error bar", "ribbon"],
      right: "banner"),
    Term(wrong: ["popup", "pop up"], right: "alert"),
    Term(
      wrong: ["grouping key", "error hash", "error signature"], right: "fingerprint",
      allowances: aboutOthers),
    Term(
      wrong: ["error bucket", "error cluster", "issue group", "error class"], right: "group",
      allowances: aboutOthers),
    Term(
      wrong: ["crash log", "crash report", "bug report", "error event", "error record"],
      right: "report", allowances: aboutOthers),
    Term(
      wrong: ["appender", "log destination", "report destination"], right: "sink",
      allowances: aboutOthers),
    Term(
      wrong: ["lint error", "audit violation", "lint violation", "rule violation"],
      right: "finding"),
    Term(wrong: ["lint rule", "inspection"], right: "rule"),
    // One way to spell it.
    Term(wrong: ["canceled", "cancelation", "canceling"], right: "cancelled, cancellation"),
    Term(wrong: ["behavior"], right: "behaviour"),
    Term(wrong: ["license"], right: "licence", phrases: ["apache license", "mit license"]),
    Term(wrong: ["login", "sign on"], right: "sign in"),
    Term(wrong: ["e mail"], right: "email"),
  ]

  /// The first words of all that is wrong, also with an `s` at the end.
  private static let beginnings = Set(
    terms.flatMap(\.beginnings).flatMap { [$0, $0 + "s"] })

  static func wrongWords(_ pages: [MarkdownPage]) -> [Violation] {
    pages.flatMap { page in
      page.passages.flatMap { passage -> [Violation] in
        let words = words(in: passage.prose)
        let there = Set(words.split(separator: " "))
        // Most passages have none of them.
        guard !there.isDisjoint(with: beginnings) else { return [] }
        return terms.flatMap { term -> [Violation] in
          let candidates = zip(term.wrong, term.beginnings).filter {
            there.contains($0.1) || there.contains($0.1 + "s")
          }
          guard !candidates.isEmpty, !term.isAllowed(on: page.path) else { return [] }
          let found = candidates.map(\.0).filter { term.stands($0, in: words) }
          return found.map {
            Violation(
              path: page.path, line: passage.line, rule: "`\($0)` has another name here",
              cure: "Write \(term.right), or add the page to the allowances with the reason")
          }
        }
      }
    }
  }

  /// In small letters, with a space at each end and between each two; hyphens are spaces.
  private static func words(in prose: String) -> String {
    let words = prose.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "¤" }
    return " \(words.joined(separator: " ")) "
  }
}

extension WordRules.Term {
  fileprivate func isAllowed(on path: String) -> Bool {
    allowances.contains { path.contains($0.path) }
  }

  fileprivate func stands(_ wrong: String, in words: String) -> Bool {
    let spared = phrases.reduce(words) { $0.replacing($1, with: "¤") }
    return spared.contains(" \(wrong) ") || spared.contains(" \(wrong)s ")
  }
}
