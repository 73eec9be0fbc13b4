// SPDX-License-Identifier: Apache-2.0

/// What the evidence comes to: the table, and each condition that is broken.
package struct Verdict: Sendable, Equatable, Encodable {
  /// What has to hold; `Documentation/Demo.md` says how each is judged.
  package enum Condition: String, Sendable, Encodable, CaseIterable {
    /// The run did what its plan said: each kill, and each fault met by the app.
    case happened
    /// Every post was answered 202, but for those that a kill left without an answer.
    case answered
    /// The queue got empty, with no dead letter and no conflict, and its ledger balances.
    case drained
    /// Every 202 has exactly one key in the ledger.
    case kept
    /// No key in the ledger lacks a 202 or an unanswered post.
    case known
    /// Every key was applied exactly once.
    case once
    /// Nothing was sent again after its 2xx was received.
    case resent
    /// Both sides have the same fields, and those that were written last.
    case equal
    /// What was asked of one thing was applied in that order.
    case order
    /// The app never sent more than twice as fast as the service announced.
    case rate
  }

  /// A condition that is broken, once for each key that breaks it.
  package struct Broken: Sendable, Equatable, Encodable {
    package let condition: Condition
    /// What it is about; nil where it is about all.
    package let key: String?
    /// What is wrong, as a sentence.
    package let text: String
  }

  /// The numbers of the run.
  package struct Table: Sendable, Equatable, Encodable {
    /// Keys that were answered 202.
    package var accepted = 0
    /// Keys that never got an answer.
    package var unanswered = 0
    /// Keys that the service applied.
    package var applied = 0
    /// Answers that the service gave again instead of applying.
    package var replayed = 0
    /// Accepted keys that were not applied.
    package var lost = 0
    /// Keys that were applied more than once.
    package var duplicated = 0
    /// Operations that were given up.
    package var dead = 0
    /// Conflicts that nobody decided.
    package var conflicts = 0
    /// How many requests came within one second at most, while a limit was announced.
    package var fastest = 0
    /// Nil where the queue did not get empty.
    package var secondsToDrain: Double?
  }

  package let table: Table
  package let broken: [Broken]

  /// Whether all conditions hold.
  package var holds: Bool { broken.isEmpty }

  /// Judges.
  package init(_ evidence: Evidence) {
    let judge = Judge(evidence)
    table = judge.table
    broken = Condition.allCases.flatMap(judge.broken)
  }
}
