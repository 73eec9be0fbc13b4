// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

extension FunctionCallExprSyntax {
  /// `c` in `a.b.c(x)`.
  var name: String? { calledExpression.lastName }

  /// `a.b` in `a.b.c(x)`.
  var receiver: ExprSyntax? { calledExpression.as(MemberAccessExprSyntax.self)?.base }

  func argument(_ label: String) -> ExprSyntax? {
    arguments.first { $0.label?.bareText == label }?.expression
  }

  var firstArgument: ExprSyntax? { arguments.first?.expression }

  /// All its closures: those in parentheses, the trailing one, and labelled ones after it.
  var closures: [ClosureExprSyntax] {
    arguments.compactMap { $0.expression.as(ClosureExprSyntax.self) }
      + [trailingClosure].compactMap(\.self) + additionalTrailingClosures.map(\.closure)
  }

  /// Whether it stands alone, so that nothing takes what it returns.
  var isStatement: Bool { ExprSyntax(self).isStatement }
}

extension ExprSyntax {
  /// Whether it stands alone as a statement, also behind `try` and `await`, and is not what a
  /// closure, function or accessor of one expression returns.
  var isStatement: Bool {
    var current = Syntax(self)
    while let parent = current.parent, parent.kind == .tryExpr || parent.kind == .awaitExpr {
      current = parent
    }
    guard let item = current.parent?.as(CodeBlockItemSyntax.self) else { return false }
    return !item.isImplicitResult
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is the one expression of a closure or of a function that returns something.
  var isImplicitResult: Bool {
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else {
      return false
    }
    if list.parent?.kind == .closureExpr { return true }
    // `var x: T { f() }` has no accessor, and an accessor or a function has a body.
    if list.parent?.kind == .accessorBlock { return true }
    guard let owner = list.parent?.parent, let routine = Routine(owner) else { return false }
    return routine.name != "init" && routine.returnsValue
  }
}

extension StringLiteralExprSyntax {
  /// What it says where it interpolates nothing.
  var plainText: String? { representedLiteralValue }

  /// The words of it that are written out, without what is interpolated.
  var writtenText: String {
    segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }.joined()
  }

  /// What it interpolates.
  var interpolations: [ExpressionSegmentSyntax] {
    segments.compactMap { $0.as(ExpressionSegmentSyntax.self) }
  }

  /// The expressions that it interpolates.
  var interpolated: [ExprSyntax] { interpolations.compactMap { $0.expressions.first?.expression } }
}

extension SyntaxProtocol {
  /// The calls that run as part of this node.
  var ownCalls: [FunctionCallExprSyntax] { everyOwn(FunctionCallExprSyntax.self) }

  /// Whether it leaves: `return`, `throw`, `break` or `continue` among its own statements.
  var leaves: Bool {
    containsOwn {
      [.returnStmt, .throwStmt, .breakStmt, .continueStmt].contains($0.kind)
    }
  }
}
