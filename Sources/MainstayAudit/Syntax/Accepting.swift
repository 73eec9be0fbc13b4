// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// Whether a remark says in a sentence why a failure here does no harm, or cannot be.
  ///
  /// That is what a comment for the audit would say, too.
  var isAccepted: Bool {
    if remarks.acceptFailure { return true }
    // What a closure does alone is part of the statement that hands it over.
    guard let item = nearest(CodeBlockItemSyntax.self),
      let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
      let closure = list.parent?.as(ClosureExprSyntax.self)
    else { return false }
    return closure.remarks.acceptFailure
  }
}

extension CatchClauseSyntax {
  /// The same of a comment in its body.
  var isAccepted: Bool { comments.acceptFailure }
}

extension SwitchCaseSyntax {
  /// The same of a comment before its first statement.
  var isAccepted: Bool { statements.first?.leadingTrivia.comments.acceptFailure ?? false }
}

extension [String] {
  /// Whether the comments, read as one text, say why a failure does no harm, or cannot be.
  ///
  /// "Ignore the error" or "this may fail" says no such thing.
  var acceptFailure: Bool {
    let text = joined(separator: " ").lowercased().replacing("’", with: "'")
    let words = text.split { !$0.isLetter && $0 != "'" }.map(String.init)
    guard words.count > 3, !words.contains("todo"), !words.contains("fixme") else { return false }
    return words.indices.contains { words.accept(at: $0) }
  }

  private func accept(at place: Int) -> Bool {
    let before = self[Swift.max(0, place - 3)..<place]
    let after = self[(place + 1)...]
    switch self[place] {
    case "harmless", "tolerate", "tolerated", "guaranteed", "guarantees", "elsewhere": return true
    case "safe", "fine":
      // "thread-safe" and "fine-grained" speak of something else.
      return before.last.map { !Self.kindsOfSafety.contains($0) } ?? true
        && after.first.map { !["grained", "tune", "tuned"].contains($0) } ?? true
    case "ok", "okay": return before.last != "not"
    case "effort": return before.last == "best"
    case "harm": return before.last == "no"
    case "need": return ["no", "don't"].contains(before.last ?? "")
    case "care": return before.last == "don't"
    case "matter": return ["no", "doesn't", "not"].contains(before.last ?? "")
    case "nothing": return after.prefix(5).contains { ["do", "done", "lost"].contains($0) }
    // "let the caller handle it", "handled by whoever asked"
    case "handle": return self[Swift.max(0, place - 8)..<place].contains("let")
    case "handled":
      return after.first.map { ["by", "in", "there", "where"].contains($0) } ?? false
    // "can never throw", "only fails if it is no number"
    case "fail", "fails", "throw", "throws":
      return before.contains { Self.denials.contains($0) }
    default: return false
    }
  }

  private static let kindsOfSafety: Set<String> = [
    "not", "thread", "type", "memory", "signal", "concurrency", "async", "race",
  ]
  private static let denials: Set<String> = [
    "cannot", "can't", "never", "only", "won't", "doesn't", "not",
  ]
}
