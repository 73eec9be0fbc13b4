// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// Whether something in it is named after being cancelled.
  var speaksOfCancellation: Bool { mentions { $0.isAboutCancellation } }

  /// Whether it waits for something that throws, and what that throws leaves this node.
  var mayThrowWhileWaiting: Bool {
    containsOwn { node in
      guard node.waitsThrowing else { return false }
      return !node.isCaught(within: Syntax(self))
    }
  }
}

extension DoStmtSyntax {
  /// Whether its body waits for something that throws, as all does that can be cancelled.
  var throwsWhileWaiting: Bool {
    guard throwsClause?.type == nil else { return false }
    return body.mayThrowWhileWaiting
  }
}

extension Syntax {
  /// Whether it is `try await`, without a mark, or `for try await`.
  fileprivate var waitsThrowing: Bool {
    if let loop = self.as(ForStmtSyntax.self) {
      return loop.awaitKeyword != nil && loop.tryKeyword != nil
    }
    guard let expression = self.as(TryExprSyntax.self), expression.questionOrExclamationMark == nil
    else { return false }
    return expression.expression.containsOwn { $0.kind == .awaitExpr }
  }

  /// Whether a `do` around it that lies in a node takes every error.
  fileprivate func isCaught(within outer: Syntax) -> Bool {
    var current = self
    while current.id != outer.id, let parent = current.parent {
      if let statement = parent.as(DoStmtSyntax.self), statement.body.id == current.id,
        statement.isExhaustive, parent.id != outer.id
      {
        return true
      }
      current = parent
    }
    return false
  }
}

extension SyntaxProtocol {
  /// Whether it runs in a `Task { … }` that nothing keeps, so that nobody can cancel it.
  var isInDiscardedTask: Bool {
    var current = Syntax(self)
    while let parent = current.parent {
      if parent.kind == .memberBlock || parent.kind == .functionDecl { return false }
      if let call = parent.as(FunctionCallExprSyntax.self), current.kind == .closureExpr,
        call.makesTask
      {
        return call.isThrownAway
      }
      current = parent
    }
    return false
  }
}

extension FunctionCallExprSyntax {
  fileprivate var makesTask: Bool {
    if let reference = calledExpression.as(DeclReferenceExprSyntax.self) {
      return reference.baseName.text == "Task"
    }
    guard let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "Task"
    else { return false }
    return access.declName.baseName.text == "detached"
      || access.declName.baseName.text == "immediate"
  }

  /// Whether nothing takes what it returns; what an action of one expression returns, nobody does.
  fileprivate var isThrownAway: Bool {
    guard let item = parent?.as(CodeBlockItemSyntax.self) else { return false }
    return !item.isImplicitResult || item.parent?.parent?.kind == .closureExpr
  }
}

extension CatchClauseSyntax {
  /// Whether it takes nothing but cancellation.
  var isForCancellation: Bool {
    !catchItems.isEmpty && catchItems.allSatisfy { $0.speaksOfCancellation }
      && !catchItems.contains { $0.contains(where: \.isNegation) }
  }
}

extension Syntax {
  /// Whether it is `!` or `!=`.
  var isNegation: Bool {
    switch kind {
    case .prefixOperatorExpr: cast(PrefixOperatorExprSyntax.self).operator.text == "!"
    case .binaryOperatorExpr: cast(BinaryOperatorExprSyntax.self).operator.text.hasPrefix("!=")
    default: false
    }
  }
}

extension AuditedFile {
  /// Whether an assignment tells a person, or whoever shows it to one, of a failure.
  func setsErrorState(_ assignment: Assignment) -> Bool {
    guard !assignment.isReset, assignment.isState else { return false }
    if isFailureState(assignment) { return isPresentation(assignment.node) }
    let names = assignment.pathNames
    guard let last = names.last else { return false }
    let owner = ["text", "stringValue", "title"].contains(last) ? names.dropLast().last : nil
    let found = words(of: owner ?? last)
    guard let ending = found.last, !Self.measures.contains(ending) else { return false }
    let telling = found.filter(vocabulary.stateWords.contains)
    guard !telling.isEmpty else { return false }
    return telling.contains(where: Self.toldWords.contains) || isPresentation(assignment.node)
  }

  /// Words of what only a person reads.
  private static let toldWords: Set<String> = ["alert", "message", "toast", "banner"]
  /// Last words of what is about failures, but is none.
  private static let measures: Set<String> = [
    "count", "counter", "date", "time", "at", "id", "index", "rate", "threshold", "handler",
  ]
}
