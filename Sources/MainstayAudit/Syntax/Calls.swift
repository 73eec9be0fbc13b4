// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

extension FunctionCallExprSyntax {
  /// `c` in `a.b.c(x)`.
  var name: String? { calledExpression.lastName }

  /// `f` in `f(x)` and `Swift.f(x)`: a function of no type.
  var freeName: String? {
    if let name = calledExpression.as(DeclReferenceExprSyntax.self) {
      return name.baseName.bareText
    }
    guard let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "Swift"
    else { return nil }
    return access.declName.baseName.bareText
  }

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

  /// Whether it makes an error, or a value that holds one, and tells nobody of it yet:
  /// `LoadError(…)`, `LoadError.failed(…)`, `.failure(…)`, or whatever is thrown.
  var makesError: Bool {
    if let access = calledExpression.as(MemberAccessExprSyntax.self) {
      // `.failed(…)` is a case, or a function of a type that makes one of its values.
      guard let base = access.base else { return true }
      if let owner = base.lastName, owner.isNameOfErrorType || owner == "Result" {
        return !isStatement
      }
    }
    if name?.isNameOfErrorType ?? false { return true }
    var current = Syntax(self)
    while let parent = current.parent, [.tryExpr, .awaitExpr].contains(parent.kind) {
      current = parent
    }
    return current.parent?.kind == .throwStmt
  }
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
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
      let owner = list.parent
    else { return false }
    if let closure = owner.as(ClosureExprSyntax.self) { return !closure.returnsNothing }
    // `var x: T { f() }` has no accessor, and an accessor or a function has a body.
    if owner.kind == .accessorBlock { return true }
    if owner.kind == .switchCase {
      return owner.nearest(SwitchExprSyntax.self).map { ExprSyntax($0).isValue } ?? false
    }
    guard let holder = owner.parent else { return false }
    if let branch = holder.as(IfExprSyntax.self) { return ExprSyntax(branch).isValue }
    if let accessor = holder.as(AccessorDeclSyntax.self) {
      return accessor.accessorSpecifier.tokenKind == .keyword(.get)
    }
    guard let routine = Routine(holder) else { return false }
    return routine.name != "init" && routine.returnsValue
  }
}

extension ExprSyntax {
  /// Whether something takes what this `if` or `switch` makes.
  fileprivate var isValue: Bool {
    guard let parent else { return false }
    if self.as(IfExprSyntax.self).map({ $0.elseBody == nil }) ?? false { return false }
    if let outer = parent.as(IfExprSyntax.self) { return ExprSyntax(outer).isValue }
    let item =
      parent.as(CodeBlockItemSyntax.self)
      ?? parent.as(ExpressionStmtSyntax.self)?.parent?.as(CodeBlockItemSyntax.self)
    guard let item else { return parent.kind != .codeBlock }
    return item.isImplicitResult
  }
}

extension ClosureExprSyntax {
  /// The call that it is handed to, and the label that it has there.
  var receiver: (call: FunctionCallExprSyntax, label: String?)? {
    if let call = parent?.as(FunctionCallExprSyntax.self) { return (call, nil) }
    if let argument = parent?.as(LabeledExprSyntax.self),
      let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self)
    {
      return (call, argument.label?.bareText)
    }
    if let argument = parent?.as(MultipleTrailingClosureElementSyntax.self),
      let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self)
    {
      return (call, argument.label.bareText)
    }
    return nil
  }

  /// Whether nobody gets what its one expression makes, as far as the name of what it is handed
  /// to tells.
  var returnsNothing: Bool {
    if let type = signature?.returnClause?.type { return type.isVoid }
    guard let (call, label) = receiver, let name = call.name else { return isAssignedAction }
    if let label, Self.namesOfActions.contains(label) || label.isEvent { return true }
    if Self.takersOfActions.contains(name) || name.isEvent { return true }
    // What a call makes that stands alone is kept by nobody but the call itself.
    guard call.isStatement, let verb = words(of: name).first else { return false }
    return !Self.keepers.contains(verb)
  }

  /// Whether it is the value of `a.onClose = { … }` or the like.
  private var isAssignedAction: Bool {
    guard let sequence = parent?.parent?.as(SequenceExprSyntax.self),
      let name = Assignment(sequence)?.name
    else { return false }
    return name.isEvent || Self.namesOfActions.contains(name) || name.hasSuffix("Handler")
      || name.hasSuffix("Callback")
  }

  private static let namesOfActions: Set<String> = [
    "action", "completion", "completionHandler", "handler", "perform", "execute", "block",
    "animations", "receiveValue", "receiveCompletion", "callback",
    "set", "update",
  ]
  private static let takersOfActions: Set<String> = [
    "Button", "DispatchWorkItem", "UIAction", "UIAlertAction", "async", "asyncAfter", "forEach",
    "notify", "sink", "refreshable", "task", "scheduledTimer", "addOperation", "addObserver",
    "setEventHandler", "setCancelHandler", "animate", "performBatchUpdates", "addAction",
    "whenComplete", "whenSuccess", "whenFailure", "handleEvents", "present", "dismiss",
    "schedule", "scheduleTask", "execute", "NavigationButton", "AsyncButton",
  ]
  /// First words of calls that keep what their closures make, or how to make it.
  private static let keepers: Set<String> = [
    "register", "provide", "add", "append", "insert", "set", "define", "bind", "map", "compact",
    "flat", "resolve", "submit", "store", "cache", "push", "expect", "assert", "xct",
  ]
}

extension String {
  /// Whether it is the name of a type, and of one of errors: `LoadError`, `StoreFailure`.
  var isNameOfErrorType: Bool {
    guard first?.isUppercase ?? false else { return false }
    return ["Error", "Failure", "Exception"].contains { hasSuffix($0) }
  }
}

extension String {
  /// Whether it is `onTap` or the like.
  fileprivate var isEvent: Bool {
    hasPrefix("on") && (dropFirst(2).first?.isUppercase ?? false) && self != "onDrop"
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
