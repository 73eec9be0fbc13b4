// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

// Statements that are left out.
extension MutationFinder {
  func noteStatement(_ node: CodeBlockItemSyntax) {
    guard case .expr(let statement) = node.item else { return }
    if let assignment = statement.as(InfixOperatorExprSyntax.self) {
      noteAssignment(assignment, in: node)
    } else if let call = statement.call, !call.isPromise, !node.isValue {
      note(.statement, at: node.item.bytes, [(.removed, "")])
    }
  }

  private func noteAssignment(_ node: InfixOperatorExprSyntax, in item: CodeBlockItemSyntax) {
    if node.operator.is(AssignmentExprSyntax.self) {
      guard !isFirstValue(node) else { return }
      note(.statement, at: item.item.bytes, [(.removed, "")])
    } else if let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator,
      sign.text.hasSuffix("="), !["==", "!=", "<=", ">=", "===", "!=="].contains(sign.text)
    {
      let other = Self.assignments[sign.text].map {
        (Mutant.Kind.arithmetic, source(node, with: sign, as: $0))
      }
      note(.statement, at: item.item.bytes, [(.removed, "")] + (other.map { [$0] } ?? []))
    }
  }

  /// Whether the assignment gives something its first value, so that it cannot be left out: in an
  /// initialiser, and for what was declared without a value.
  private func isFirstValue(_ node: InfixOperatorExprSyntax) -> Bool {
    if node.ancestors.contains(where: { $0.is(InitializerDeclSyntax.self) }) { return true }
    // One name, or several in brackets.
    let targets =
      node.leftOperand.as(TupleExprSyntax.self)?.elements.map(\.expression) ?? [node.leftOperand]
    let names = targets.compactMap { $0.as(DeclReferenceExprSyntax.self)?.baseName.text }
    return node.ancestors.compactMap { $0.as(CodeBlockItemListSyntax.self) }.contains { list in
      list.contains { item in
        guard case .decl(let declaration) = item.item,
          let variable = declaration.as(VariableDeclSyntax.self)
        else { return false }
        return variable.bindings.contains {
          $0.initializer == nil && names.contains($0.pattern.trimmedDescription)
        }
      }
    }
  }
}

extension ExprSyntax {
  /// The call that the expression is, behind `try` and `await`.
  fileprivate var call: FunctionCallExprSyntax? {
    if let inner = self.as(TryExprSyntax.self)?.expression { return inner.call }
    if let inner = self.as(AwaitExprSyntax.self)?.expression { return inner.call }
    return self.as(FunctionCallExprSyntax.self)
  }
}

extension CodeBlockItemSyntax {
  /// Whether the statement is what its block amounts to: a `return` that is not written.
  fileprivate var isValue: Bool {
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
      let block = list.parent
    else { return false }
    if block.is(ClosureExprSyntax.self) || block.is(AccessorBlockSyntax.self) { return true }
    if let branch = block.as(SwitchCaseSyntax.self) {
      return branch.ancestors.first { $0.is(SwitchExprSyntax.self) }?.isUsedAsValue ?? false
    }
    guard let owner = block.parent else { return false }
    if let function = owner.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause != nil
    }
    if let accessor = owner.as(AccessorDeclSyntax.self) {
      return accessor.accessorSpecifier.text == "get"
    }
    return owner.is(IfExprSyntax.self) && owner.isUsedAsValue
  }
}

extension Syntax {
  /// Whether an `if` or a `switch` stands where a value is wanted.
  fileprivate var isUsedAsValue: Bool {
    guard let parent else { return false }
    if parent.is(IfExprSyntax.self) { return parent.isUsedAsValue }
    guard let statement = parent.as(ExpressionStmtSyntax.self) else { return true }
    return statement.parent?.as(CodeBlockItemSyntax.self)?.isValue ?? false
  }
}
