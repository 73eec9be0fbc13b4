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
    // One arm of an `#if` is left, in the place of all of it.
    if owner.kind == .ifConfigClause {
      return owner.nearest(CodeBlockItemSyntax.self)?.isImplicitResult ?? false
    }
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
    guard let (call, label) = receiver, let name = call.name else { return isKeptAction }
    if Self.childAdders.contains(name) { return call.isInGroupOfNothing }
    if let label, Self.namesOfActions.contains(label) || label.isEvent { return true }
    if Self.takersOfActions.contains(name) || name.isEvent { return true }
    // What a call makes that stands alone is kept by nobody but the call itself, which may use it,
    // and in a list of views it is one of them. So the name has to say that it runs the closure.
    guard call.isStatement, let verb = words(of: name).first else { return false }
    if startsTask { return !Self.keepers.contains(verb) }
    guard label.map(Self.namesOfWork.contains) ?? true else { return false }
    return call.calledExpression.firstName == "Task"
      || name.first?.isLowercase ?? false && Self.verbsOfRunning.contains(verb)
  }

  /// Whether it is the value of `a.onClose = { … }`, `let a: () -> Void = { … }` or the like.
  private var isKeptAction: Bool {
    if let binding = parent?.parent?.as(PatternBindingSyntax.self) {
      if let type = binding.typeAnnotation?.type { return type.isOfAction }
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
      return name.map { startsTask && !isAskedForValue(by: $0) } ?? false
    }
    guard let sequence = parent?.parent?.as(SequenceExprSyntax.self),
      let assignment = Assignment(sequence), let name = assignment.name
    else { return false }
    if name.isEvent || Self.namesOfActions.contains(name) { return true }
    let kind = assignment.target.is(SubscriptCallExprSyntax.self) ? name.singular : name
    if words(of: kind).last.map(Self.kindsOfActions.contains) ?? false { return true }
    if assignment.pathNames.count == 1,
      let type = TypeDeclaration(around: self)?.property(name)?.typeAnnotation?.type
    {
      return type.isOfAction
    }
    return startsTask && !isAskedForValue(by: name)
  }

  /// Whether all that it does is to start a task, which few closures hand out.
  private var startsTask: Bool {
    guard statements.count == 1, let call = statements.first?.plainCall,
      call.calledExpression.firstName == "Task"
    else { return false }
    return true
  }

  /// Whether code around it takes what a call of that name returns, or the name says that it hands
  /// something out.
  private func isAskedForValue(by name: String) -> Bool {
    if ["make", "task"].contains(words(of: name).first) { return true }
    let around: Syntax
    let count: Int
    if let routine = enclosingRoutine {
      (around, count) = (routine.node, routine.statements?.count ?? 0)
    } else if let type = TypeDeclaration(around: self) {
      (around, count) = (Syntax(type.node), type.members.count)
    } else {
      (around, count) = (root, root.as(SourceFileSyntax.self)?.statements.count ?? 0)
    }
    // No person writes a longer list; looking through it again and again would take too long.
    guard count <= longestList else { return true }
    return around.contains { node in
      guard let call = node.as(FunctionCallExprSyntax.self), call.name == name,
        call.position < position || call.position >= endPosition
      else { return false }
      // Whether it is a statement: what it is the result of may in turn ask for this closure.
      var current = Syntax(call)
      while let parent = current.parent, [.tryExpr, .awaitExpr].contains(parent.kind) {
        current = parent
      }
      return current.parent?.kind != .codeBlockItem
    }
  }

  /// Last words of the names of what is called when something happens.
  private static let kindsOfActions: Set<String> = ["handler", "callback", "action"]

  private static let childAdders: Set<String> = [
    "addTask", "addTaskUnlessCancelled", "addImmediateTask", "addImmediateTaskUnlessCancelled",
  ]

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
  /// First words of calls that run their closures, and hand back what those make at most.
  private static let verbsOfRunning: Set<String> = [
    "run", "perform", "with", "dispatch", "delay", "after", "sync", "async", "execute", "write",
    "transaction",
  ]
  /// Labels of what such a call runs.
  private static let namesOfWork: Set<String> = ["operation", "work", "body", "job", "closure"]
  /// First words of calls that keep what their closures make, or how to make it.
  private static let keepers: Set<String> = [
    "register", "provide", "add", "append", "insert", "set", "define", "bind", "map", "compact",
    "flat", "resolve", "submit", "store", "cache", "push", "expect", "assert", "xct",
  ]
}

extension FunctionCallExprSyntax {
  /// Whether it stands in a group of tasks that return nothing, as far as that is written.
  fileprivate var isInGroupOfNothing: Bool {
    var current = Syntax(self).parent
    while let here = current, here.kind != .functionDecl, here.kind != .memberBlock {
      if let call = here.as(FunctionCallExprSyntax.self), let name = call.name,
        name.hasPrefix("with"), name.hasSuffix("TaskGroup")
      {
        let type = call.argument("of")?.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
        return name.contains("Discarding") || type == "Void" || type == "()"
      }
      current = here.parent
    }
    return false
  }
}

extension TypeSyntax {
  /// Whether it is one of functions that return nothing: `() -> Void`, `(@Sendable () -> Void)?`.
  fileprivate var isOfAction: Bool {
    switch kind {
    case .functionType: cast(FunctionTypeSyntax.self).returnClause.type.isVoid
    case .attributedType: cast(AttributedTypeSyntax.self).baseType.isOfAction
    case .optionalType: cast(OptionalTypeSyntax.self).wrappedType.isOfAction
    case .implicitlyUnwrappedOptionalType:
      cast(ImplicitlyUnwrappedOptionalTypeSyntax.self).wrappedType.isOfAction
    case .tupleType where cast(TupleTypeSyntax.self).elements.count == 1:
      cast(TupleTypeSyntax.self).elements.first?.type.isOfAction ?? false
    default: false
    }
  }
}

extension String {
  /// `handler` of `handlers`.
  fileprivate var singular: String { hasSuffix("s") ? String(dropLast()) : self }

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
