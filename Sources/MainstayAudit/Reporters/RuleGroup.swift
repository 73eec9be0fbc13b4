// SPDX-License-Identifier: Apache-2.0

/// The rules about one thing, whose ids begin with the same digit.
package enum RuleGroup: Int, CaseIterable, Sendable {
  case housekeeping, declaring, losing, cancelling, showing, retrying, crashing, watching, testing
  /// What has no group yet.
  case other

  /// The group of a rule, by its id.
  init(of id: String) {
    let digit = id.first { $0.isNumber }?.wholeNumberValue ?? Self.other.rawValue
    self = RuleGroup(rawValue: digit) ?? .other
  }

  /// The name of its page.
  package var page: String {
    let name = String(describing: self)
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  var title: String {
    switch self {
    case .housekeeping: "Housekeeping"
    case .declaring: "Declaring and throwing"
    case .losing: "Losing errors"
    case .cancelling: "Cancellation"
    case .showing: "What the user sees"
    case .retrying: "Retry, breaker, queue"
    case .crashing: "Crashes"
    case .watching: "Seeing failures"
    case .testing: "Tests"
    case .other: "Other rules"
    }
  }

  /// What its rules are about, in a sentence.
  var summary: String {
    switch self {
    case .housekeeping: "What an audit says of its own comments and of what it cannot read."
    case .declaring: "Types of errors that say too little, or say it where nobody hears it."
    case .losing: "Errors that nobody hears of."
    case .cancelling: "Cancellation that is taken for a failure, or not noticed."
    case .showing: "What a person is told, and what is left on the screen."
    case .retrying: "Attempts without an end, and queues that lose or repeat."
    case .crashing: "Failures that end the program."
    case .watching: "Failures that the team cannot see."
    case .testing: "Tests that pass whatever happens."
    case .other: "Rules without a group."
    }
  }

  var tag: String { String(describing: self) }

  package var rules: [Rule] {
    Rule.all.filter { RuleGroup(of: $0.id) == self }.sorted { $0.id < $1.id }
  }

  var housekeeping: [Housekeeping] {
    Housekeeping.all.filter { RuleGroup(of: $0.id) == self }.sorted { $0.id < $1.id }
  }

  /// The groups that have rules.
  package static var present: [RuleGroup] {
    allCases.filter { !$0.rules.isEmpty || !$0.housekeeping.isEmpty }
  }
}

extension Rule {
  /// The profiles that it is part of.
  var profiles: [Profile] { Profile.allCases.filter { $0.holds(self) } }

  /// The first bad example, which people see as "before".
  package var before: Example? { examples.first { $0.isBad } }

  /// What people see as "after": what the fix makes of that, or else the first good example.
  package var after: Example? {
    guard let before else { return firstGood }
    return before.fixed.map { before.with(code: $0) } ?? firstGood
  }

  /// Good examples that say why, but for the one that people see as "after".
  var guards: [Example] {
    let good = examples.filter { !$0.isBad }
    return (before?.fixed == nil ? good.dropFirst() : good[...]).filter { $0.reason != nil }
  }

  private var firstGood: Example? { examples.first { !$0.isBad } }
}

extension Example {
  /// What one has to know besides the code, as the rest of a title; empty for most examples.
  var context: String {
    var text = path == Self.usualPath ? "" : ", in `\(path)`"
    if let configuration {
      let lines = configuration.split(separator: "\n").map { "`\($0)`" }
      text += ", where the configuration says \(lines.joined(separator: " "))"
    }
    return text
  }

  private static let usualPath = Example.good("").path
}

extension Rule.Remedy {
  /// The option that applies it, and what it does; or why there is none.
  var sentence: String {
    switch self {
    case .safe(let text): "`--fix`: \(text)"
    case .unsafe(let text): "`--fix --unsafe`: \(text)"
    case .none(let text): "None: \(text)"
    }
  }

  /// Its class, for programs.
  var kind: String {
    switch self {
    case .safe: "safe"
    case .unsafe: "unsafe"
    case .none: "none"
    }
  }

  var text: String {
    switch self {
    case .safe(let text), .unsafe(let text), .none(let text): text
    }
  }
}
