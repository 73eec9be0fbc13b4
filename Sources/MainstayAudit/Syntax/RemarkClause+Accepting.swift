// SPDX-License-Identifier: Apache-2.0

extension RemarkClause {
  /// Whether it says that a failure does no harm, that somebody else answers for it, or that there
  /// is none.
  ///
  /// Where it may mean something else it does not say so.
  var acceptsFailure: Bool { words.indices.contains { accepts(at: $0) } }

  private func accepts(at place: Int) -> Bool {
    switch words[place] {
    case "harmless", "tolerate", "tolerated": !isOpen(at: place)
    case "guaranteed", "guarantees":
      !isOpen(at: place) && has(Self.successes, after: place)
    case "safe", "fine", "ok", "okay": !isOpen(at: place) && isVerdict(at: place)
    case "effort":
      word(place - 1) == "best" && !isOpen(at: place)
        && !["its", "our", "their", "your"].contains(word(place - 2))
    case "harm": word(place - 1) == "no" && !isAskedFor(at: place)
    case "elsewhere": !isOpen(at: place) && has(Self.answers, before: place)
    case "handle", "handled": isHandled(at: place)
    case "need", "care", "matter": isNoMatter(at: place)
    case "nothing":
      !isOpen(at: place) && leavesNothing(after: place)
    case "fail", "fails", "throw", "throws": isImpossible(at: place)
    default: false
    }
  }

  /// Whether "safe", "fine" or "okay" is said of the failure: not "thread-safe", "press OK", or
  /// "it is safe to call from any queue".
  private func isVerdict(at place: Int) -> Bool {
    var before = place - 1
    while Self.adverbs.contains(word(before)) { before -= 1 }
    switch word(before) {
    case "": break
    case "it's", "that's", "they're": break
    case "this", "it", "that":
      guard ["makes", "make", "keeps"].contains(word(before - 1)) else { return false }
    case "is", "are":
      guard before == 0 || has(Self.subjects, before: before) else { return false }
    default: return false
    }
    let next = word(place + 1)
    switch next {
    case "to": return Self.omissions.contains(word(place + 2))
    case "if", "when", "even": return has(Self.failures, after: place)
    case "": return before >= 0
    default: return ["here", "as", "anyway", "either", "too", "then", "in"].contains(next)
    }
  }

  /// "Let the caller handle it", "the error is handled by whoever asked".
  private func isHandled(at place: Int) -> Bool {
    guard !isOpen(at: place) else { return false }
    if words[place] == "handle" { return has(["let", "lets"], before: place) }
    return ["by", "in", "there", "where"].contains(word(place + 1))
      && has(Self.failures.union(["it", "this", "that"]), before: place)
      && !has(["order"], after: place)
  }

  /// "We don't need to tell anybody", "we don't care if it fails", "whether it works does not
  /// matter", but not "the order does not matter".
  private func isNoMatter(at place: Int) -> Bool {
    guard !isAskedFor(at: place) else { return false }
    let denial = word(place - 1)
    switch words[place] {
    case "need":
      return ["no", "don't"].contains(denial)
        && words[(place + 1)...].prefix(4).contains(where: Self.reports.contains)
    case "care":
      return denial == "don't"
        && (place + 1 == words.count || has(Self.failures.union(Self.results), after: place))
    default:
      guard ["no", "doesn't", "not"].contains(denial),
        !["what", "how", "where", "which", "who", "when"].contains(word(place + 1))
      else { return false }
      return words.contains { Self.failures.contains($0) || Self.results.contains($0) }
    }
  }

  /// "Nothing that we can do", "nothing is lost", but not "nothing must be lost".
  private func leavesNothing(after place: Int) -> Bool {
    let rest = words[(place + 1)...].prefix(5)
    guard let end = rest.firstIndex(where: { ["do", "done", "lost"].contains($0) }) else {
      return false
    }
    return !isAskedFor(at: end) && word(end + 1) != "with"
  }

  /// "Can never actually throw", but not "must not fail" or "never fail silently".
  private func isImpossible(at place: Int) -> Bool {
    var before = place - 1
    while Self.adverbs.contains(word(before)) { before -= 1 }
    let isPlain = ["fail", "throw"].contains(words[place])
    switch word(before) {
    case "cannot", "can't", "won't", "doesn't": break
    case "never":
      // "Never fail the import" is an order.
      guard !isPlain || before > 0 else { return false }
    case "not":
      guard ["does", "can", "will"].contains(word(before - 1)) else { return false }
    default: return false
    }
    guard !isOpen(at: before) else { return false }
    let next = word(place + 1)
    // "It cannot fail the whole import", "it cannot throw the second error".
    if ["the", "our"].contains(next) { return false }
    if words[place].hasPrefix("fail"), ["a", "an", "any"].contains(next) { return false }
    return !["silently", "quietly", "unnoticed", "unseen", "without", "always"].contains(next)
  }
}

extension RemarkClause {
  private static let adverbs: Set<String> = [
    "actually", "ever", "really", "possibly", "even", "perfectly", "completely", "totally",
    "always", "also", "quite", "still", "therefore", "thus", "then", "just", "entirely",
    "absolutely",
  ]
  /// What a verdict is about, so that it is one on the failure.
  private static let subjects: Set<String> = [
    "this", "it", "that", "which", "these", "they", "failing", "failure", "failures", "error",
    "errors", "losing", "missing", "dropping", "ignoring", "skipping", "discarding", "throwing",
    "try",
  ]
  private static let results: Set<String> = [
    "works", "worked", "succeeds", "succeeded", "result", "results", "outcome",
  ]
  private static let successes: Set<String> = [
    "succeed", "succeeds", "work", "works", "valid", "exist", "exists", "parse", "parses",
  ]
  private static let reports: Set<String> = [
    "tell", "report", "handle", "log", "know", "catch", "show", "error", "errors", "failure",
    "propagate", "retry", "anything",
  ]
  private static let answers: Set<String> = [
    "failed", "fails", "handled", "reported", "logged", "recorded", "surfaced", "shown", "told",
    "thrown", "caught",
  ]
  /// What it is safe to do about a failure.
  private static let omissions: Set<String> = [
    "ignore", "go", "continue", "proceed", "drop", "skip", "discard", "lose", "swallow", "fail",
    "omit", "leave", "disregard", "crash", "force",
  ]
}
