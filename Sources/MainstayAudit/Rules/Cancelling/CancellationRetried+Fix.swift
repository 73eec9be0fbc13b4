// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AuditedFile {
  /// A clause for cancellation before this one, where the error has a way out.
  func rethrowingFix(_ clause: CatchClauseSyntax, _ loop: Loop) -> Fix? {
    guard let routine = loop.node.enclosingRoutine, !routine.isClosure, routine.isThrowing,
      routine.thrownType == nil, !routine.isRethrowing
    else { return nil }
    var current = loop.node.parent
    while let here = current, here.id != routine.node.id {
      if here.kind == .doStmt || here.kind == .deferStmt { return nil }
      current = here.parent
    }
    let isSafe = !isFollowed(Syntax(clause), within: routine)
    let start = clause.catchKeyword.positionAfterSkippingLeadingTrivia.utf8Offset
    let head = "catch is CancellationError {"
    if isOnOneLine(clause) {
      let edit = Edit(start..<start, "\(head) throw CancellationError() } ")
      return Fix(isSafe: isSafe, title: "rethrow cancellation", edits: [edit])
    }
    let outer = indentation(of: clause)
    let gap = startsLine(clause) ? "\n\(outer)" : " "
    let edit = Edit(
      start..<start,
      "\(head)\n\(outer)\(step(in: clause.body))throw CancellationError()\n\(outer)}\(gap)")
    return Fix(isSafe: isSafe, title: "rethrow cancellation", edits: [edit])
  }

  /// Whether something stands behind it, up to the end of the routine, that has to be done in any
  /// case: cancellation would pass it by.
  private func isFollowed(_ node: Syntax, within routine: Routine) -> Bool {
    var current: Syntax? = node
    while let here = current, here.id != routine.node.id {
      if let item = here.as(CodeBlockItemSyntax.self),
        let list = item.parent?.as(CodeBlockItemListSyntax.self)
      {
        let later = list.drop { $0.id != item.id }.dropFirst()
        if !later.allSatisfy({ onlyNotes($0, []) }) { return true }
      }
      current = here.parent
    }
    return false
  }
}

extension Routine {
  /// Whether it throws only what a closure of its caller throws.
  fileprivate var isRethrowing: Bool {
    let effects = node.as(FunctionDeclSyntax.self)?.signature.effectSpecifiers
    return effects?.throwsClause?.throwsSpecifier.tokenKind == .keyword(.rethrows)
  }
}

extension AuditedFile {
  /// Whether a clause does no more than to keep the error, count, log, wait and go on or leave.
  ///
  /// What else it does, such as to give a connection back, nobody would do in its place.
  func onlyNotes(_ clause: CatchClauseSyntax) -> Bool {
    let names = clause.boundNames
    return clause.body.statements.allSatisfy { onlyNotes($0, names) }
  }

  private func onlyNotes(_ item: CodeBlockItemSyntax, _ names: Set<String>) -> Bool {
    guard !item.contains(where: { $0.kind == .closureExpr }) else { return false }
    if let check = item.item.as(GuardStmtSyntax.self) {
      return !check.conditions.mayDoMore
        && check.body.statements.allSatisfy { onlyNotes($0, names) }
    }
    if let branch = item.branch { return onlyNotes(branch, names) }
    if let call = item.plainCall {
      return isLogCall(call) || call.isPrint || Sleep(call) != nil
        || ["increment", "fatalError", "preconditionFailure"].contains(call.name)
    }
    guard !item.mayDoMore else { return false }
    switch item.item.kind {
    case .continueStmt, .breakStmt, .variableDecl: return true
    case .throwStmt, .returnStmt: return !item.calls
    default: return item.item.as(SequenceExprSyntax.self)?.onlyNotes(names) ?? false
    }
  }

  private func onlyNotes(_ branch: IfExprSyntax, _ names: Set<String>) -> Bool {
    guard !branch.conditions.mayDoMore,
      branch.body.statements.allSatisfy({ onlyNotes($0, names) })
    else { return false }
    switch branch.elseBody {
    case .codeBlock(let block): return block.statements.allSatisfy { onlyNotes($0, names) }
    case .ifExpr(let next): return onlyNotes(next, names)
    case nil: return true
    }
  }
}

extension CodeBlockItemSyntax {
  /// The `if` that it is.
  fileprivate var branch: IfExprSyntax? {
    item.as(IfExprSyntax.self)
      ?? item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self)
  }
}

extension SyntaxProtocol {
  /// Whether it waits for something or tries it, outside of closures.
  fileprivate var mayDoMore: Bool {
    containsOwn { $0.kind == .awaitExpr || $0.kind == .tryExpr }
  }

  /// Whether it calls something, and not only makes a value, outside of closures.
  fileprivate var calls: Bool {
    containsOwn { node in
      guard let call = node.as(FunctionCallExprSyntax.self) else { return false }
      if let name = call.freeName { return name.first?.isLowercase ?? false }
      // A case with values looks like a call of a member.
      let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
      return base?.lastName?.first?.isLowercase ?? false
    }
  }
}

extension SequenceExprSyntax {
  /// Whether it counts, sets a name of the function, or keeps the error as it is.
  fileprivate func onlyNotes(_ names: Set<String>) -> Bool {
    guard let target = changedTarget else { return false }
    let name = target.as(DeclReferenceExprSyntax.self)?.baseName.bareText
    if let name, isLocal(name), !isHandedIn(name) { return true }
    guard let assignment = Assignment(self) else {
      let sign = elements.dropFirst().first?.as(BinaryOperatorExprSyntax.self)?.operator.text
      return sign == "+="
    }
    guard let kept = assignment.value?.as(DeclReferenceExprSyntax.self) else { return false }
    return names.contains(kept.baseName.bareText)
  }

  /// Whether the caller sees what a name is given.
  private func isHandedIn(_ name: String) -> Bool {
    let parameter = enclosingFunction?.parameters.first { $0.name.bareText == name }
    return parameter?.type?.trimmedDescription.hasPrefix("inout ") ?? false
  }
}
