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
  /// "Ignore the error", "this may fail" or "it must not fail" says no such thing.
  var acceptFailure: Bool {
    let text = joined(separator: " ")
    let words = text.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "’" }
    guard words.count > 3, !words.contains("todo"), !words.contains("fixme") else { return false }
    return RemarkClause.all(in: text).contains(where: \.acceptsFailure)
  }
}
