// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension CatchClauseSyntax {
  /// Whether it takes any error: no pattern, a bare `let e`, `let e as NSError`, `is Error` or `_`,
  /// and no `where`.
  ///
  /// Behind `do throws(T)` such a one is for errors of one type.
  var isCatchAll: Bool { takesWhateverIsThrown && !(doStatement?.isOfOneError ?? false) }

  /// Whether nothing that its `do` throws passes it.
  var takesWhateverIsThrown: Bool {
    if catchItems.isEmpty { return true }
    return catchItems.contains { item in
      guard item.whereClause == nil, let pattern = item.pattern else { return false }
      return pattern.isIrrefutable || pattern.isCastThatHolds
    }
  }

  /// Whether it says `catch _`, which is to mean it.
  var isDiscarding: Bool {
    catchItems.contains { $0.pattern?.discardsValue ?? false }
  }

  /// The names under which its body knows the error, or what a pattern took out of it.
  var boundNames: Set<String> {
    if catchItems.isEmpty { return ["error"] }
    var names: Set<String> = []
    for item in catchItems { item.pattern?.collectBoundNames(into: &names) }
    return names
  }

  /// The last parts of the types that its patterns ask for: `is A`, `let e as B`, `C.failed`.
  var caughtTypes: [String] {
    catchItems.compactMap { $0.pattern }.flatMap { pattern -> [String] in
      pattern.every(UnresolvedAsExprSyntax.self).compactMap { expression in
        expression.nextSibling?.as(TypeExprSyntax.self)?.type.lastName
      }
        + pattern.every(UnresolvedIsExprSyntax.self).compactMap { expression in
          expression.nextSibling?.as(TypeExprSyntax.self)?.type.lastName
        } + pattern.every(IsTypePatternSyntax.self).compactMap { $0.type.lastName }
        + pattern.every(MemberAccessExprSyntax.self).compactMap { $0.base?.lastName }
    }
  }

  /// Whether a pattern or `where` speaks of being cancelled.
  var mentionsCancellation: Bool {
    catchItems.contains { $0.mentions { $0.isAboutCancellation } }
  }

  /// Whether an earlier clause leaves it nothing but cancellation.
  var isLeftCancellation: Bool {
    takesWhateverIsThrown && earlierClauses.contains(where: \.takesAllButCancellation)
  }

  /// Whether it is `catch let e where !(e is CancellationError)` or the like.
  private var takesAllButCancellation: Bool {
    catchItems.contains { item in
      guard let condition = item.whereClause?.condition, condition.speaksOfCancellation,
        item.pattern.map({ $0.isIrrefutable || $0.isCastThatHolds }) ?? true
      else { return false }
      if let sequence = condition.as(SequenceExprSyntax.self) {
        return sequence.elements.count == 3
          && sequence.elements.dropFirst().first.map { Syntax($0).isNegation } ?? false
      }
      return Syntax(condition).isNegation
    }
  }

  /// The `do` that it belongs to.
  var doStatement: DoStmtSyntax? { parent?.parent?.as(DoStmtSyntax.self) }

  /// The clauses before this one.
  var earlierClauses: [CatchClauseSyntax] {
    guard let all = doStatement?.catchClauses else { return [] }
    return all.prefix { $0.id != id }.map(\.self)
  }

  /// Whether an earlier clause, or this one, already deals with cancellation.
  var isAfterCancellation: Bool {
    earlierClauses.contains { $0.mentionsCancellation }
  }

  /// Whether the error, or another name that the body gives it, occurs in the body.
  var usesError: Bool { body.mentionsAny(of: boundNames) }

  /// The names of the error, and of everything that the body makes of it.
  var errorNames: Set<String> { boundNames.union(body.aliases(of: boundNames)) }

  /// Whether it holds a comment where statements would be.
  var isCommentOnly: Bool {
    body.statements.isEmpty
      && (body.rightBrace.leadingTrivia.contains { $0.isComment }
        || body.leftBrace.trailingTrivia.contains { $0.isComment })
  }
}

extension DoStmtSyntax {
  /// Whether no error escapes it.
  var isExhaustive: Bool {
    catchClauses.contains(where: \.takesWhateverIsThrown) || throwsClause?.type != nil
  }

  /// Whether it says `throws` with one type of errors.
  var isOfOneError: Bool { throwsClause?.type.map { !$0.isAnyError } ?? false }

  /// Whether it waits, outside of nested closures and functions.
  var awaits: Bool { body.statements.containsOwn { $0.kind == .awaitExpr || $0.isForAwait } }
}

extension CatchClauseSyntax {
  /// Whether all that its `do` can throw is that somebody cancelled it: it only sleeps.
  var catchesOnlySleep: Bool {
    let origins = doStatement?.body.escapingErrors() ?? []
    return !origins.isEmpty && origins.allSatisfy(\.isSleep)
  }

  /// Whether all that its `do` can throw comes from calls that tidy up.
  func catchesOnlyCleanUp(_ vocabulary: Vocabulary) -> Bool {
    let origins = doStatement?.body.escapingErrors() ?? []
    return !origins.isEmpty && origins.allSatisfy { vocabulary.isCleanUp($0) }
  }

  /// The comments of its body, but for those of clauses inside.
  var comments: [String] {
    var found: [String] = []
    body.walk { node in
      if node.kind == .catchClause { return false }
      guard let token = node.as(TokenSyntax.self) else { return true }
      if token != body.leftBrace { found += token.leadingTrivia.comments }
      if token != body.rightBrace { found += token.trailingTrivia.comments }
      return true
    }
    return found
  }

  /// Whether a comment in its body says that somebody hears of the error elsewhere.
  var saysWhoHears: Bool {
    comments.contains { comment in
      let text = comment.lowercased()
      return !text.contains("not ") && !text.contains("n't")
        && ["surfaced", "reported", "recorded", "logged"].contains { text.contains($0) }
    }
  }

  /// Whether a comment in its body says something, rather than mark or title it.
  var isExplained: Bool {
    comments.contains { comment in
      // The marks of the comment are one word.
      let count = comment.split(separator: " ").count
      return (count > 5 || count > 3 && comment.isExcuse) && !comment.lowercased().contains("todo")
        && !comment.lowercased().contains("fixme")
    }
  }
}

extension Syntax {
  /// Whether it is `for await` or `for try await`.
  var isForAwait: Bool { self.as(ForStmtSyntax.self)?.awaitKeyword != nil }
}

extension TypeSyntax {
  /// Whether every error is of it.
  var isAnyError: Bool {
    ["Error", "any Error", "Swift.Error", "any Swift.Error", "NSError"].contains(trimmedDescription)
  }
}

extension PatternSyntax {
  /// Whether it is `let e as NSError`, `let e as any Error` or `is Error`, which every error is.
  var isCastThatHolds: Bool {
    if let test = self.as(IsTypePatternSyntax.self) { return test.type.isAnyError }
    if let test = self.as(ExpressionPatternSyntax.self)?.expression.as(SequenceExprSyntax.self) {
      return test.elements.first?.kind == .unresolvedIsExpr && test.elements.count == 2
        && test.elements.last?.as(TypeExprSyntax.self)?.type.isAnyError ?? false
    }
    guard let binding = self.as(ValueBindingPatternSyntax.self),
      let cast = binding.pattern.as(ExpressionPatternSyntax.self)?.expression
        .as(SequenceExprSyntax.self),
      let type = cast.elements.last?.as(TypeExprSyntax.self)?.type
    else { return false }
    return cast.elements.count == 3 && type.isAnyError
  }

  /// Whether it takes any value: `let e`, `_`, `e`.
  var isIrrefutable: Bool {
    switch kind {
    case .identifierPattern, .wildcardPattern: true
    case .valueBindingPattern: cast(ValueBindingPatternSyntax.self).pattern.isIrrefutable
    case .expressionPattern:
      cast(ExpressionPatternSyntax.self).expression.kind == .discardAssignmentExpr
        || inParentheses?.isIrrefutable ?? false
    default: false
    }
  }

  /// Whether it is `_` alone.
  var discardsValue: Bool {
    switch kind {
    case .wildcardPattern: true
    case .valueBindingPattern: cast(ValueBindingPatternSyntax.self).pattern.discardsValue
    case .expressionPattern:
      cast(ExpressionPatternSyntax.self).expression.kind == .discardAssignmentExpr
    default: false
    }
  }

  /// `let e` of `(let e)`.
  fileprivate var inParentheses: PatternSyntax? {
    self.as(ExpressionPatternSyntax.self)?.expression.parenthesized?.as(PatternExprSyntax.self)?
      .pattern
  }

  func collectBoundNames(into names: inout Set<String>) {
    for pattern in every(IdentifierPatternSyntax.self) { names.insert(pattern.identifier.bareText) }
  }
}
