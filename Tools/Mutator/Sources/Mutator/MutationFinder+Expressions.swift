// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

// Operators, conditions and numbers.
extension MutationFinder {
  private static let operators: [String: (Mutant.Kind, String)] = [
    "<": (.comparison, "<="), "<=": (.comparison, "<"),
    ">": (.comparison, ">="), ">=": (.comparison, ">"),
    "==": (.comparison, "!="), "!=": (.comparison, "=="),
    "===": (.comparison, "!=="), "!==": (.comparison, "==="),
    "&&": (.connective, "||"), "||": (.connective, "&&"),
    "+": (.arithmetic, "-"), "-": (.arithmetic, "+"),
    "*": (.arithmetic, "/"), "/": (.arithmetic, "*"), "%": (.arithmetic, "*"),
    "&+": (.arithmetic, "&-"), "&-": (.arithmetic, "&+"),
  ]

  /// The other operators that assign, for ``noteStatement(_:)``.
  static let assignments = [
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "&+=": "&-=", "&-=": "&+=",
  ]

  func noteOperator(_ node: InfixOperatorExprSyntax) {
    guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return }
    if let (kind, other) = Self.operators[sign.text] {
      note(node, kind, source(node, with: sign, as: other))
    }
    let isRange = sign.text == "..<" || sign.text == "..."
    // A number there is stepped by itself.
    if isRange, !node.rightOperand.is(IntegerLiteralExprSyntax.self) {
      note(node.rightOperand, .bound, "(\(source(node.rightOperand))) - 1")
    }
  }

  func notePrefix(_ node: PrefixOperatorExprSyntax) {
    let kinds: [String: Mutant.Kind] = ["!": .condition, "-": .arithmetic]
    guard let kind = kinds[node.operator.text] else { return }
    note(node, kind, source(node.expression))
  }

  func noteCondition(_ node: ConditionElementSyntax) {
    switch node.condition {
    case .expression(let condition):
      noteNegation(of: condition)
      if node.isOfGuard, !condition.is(BooleanLiteralExprSyntax.self) {
        note(condition, .guardPasses, "true")
      }
    case .optionalBinding, .matchingPattern:
      let start = node.bytes.lowerBound
      note(.insertion, at: start..<start, [(.bindingFails, "false, ")])
    default: break
    }
  }

  func noteNegation(of condition: ExprSyntax) {
    if condition.is(BooleanLiteralExprSyntax.self) || condition.is(PrefixOperatorExprSyntax.self) {
      return
    }
    let sign = condition.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription
    // What is negated by its operator already.
    guard sign != "==", sign != "!=", sign != "===", sign != "!==" else { return }
    note(condition, .condition, "!(\(source(condition)))")
  }

  /// Numbers one more and one less; nothing is less than zero where no sign is known.
  func noteNumber(_ node: some ExprSyntaxProtocol, _ literal: String) {
    let digits = literal.filter { $0 != "_" }
    let isZero = digits == "0" || digits == "0.0"
    let up = Int(digits).map { $0 < .max ? "\($0 + 1)" : "\($0)" } ?? "\(literal) + 1"
    let down = Int(digits).map { "\($0 - 1)" } ?? "\(literal) - 1"
    note(.number, at: node.bytes, [(.constant, up)] + (isZero ? [] : [(.constant, down)]))
  }
}

// Calls, states and what is returned.
extension MutationFinder {
  func noteCall(_ node: FunctionCallExprSyntax) {
    let callee = node.calledExpression
    let choices = ["min": "max", "max": "min"]
    if let other = choices[callee.trimmedDescription], node.arguments.count > 1 {
      note(node, .choice, source(node, with: callee, as: other))
    }
    if let member = callee.as(MemberAccessExprSyntax.self) { noteState(member, replacing: node) }
  }

  func noteState(_ node: MemberAccessExprSyntax) {
    // A case with a payload is replaced with its payload; another member is no case.
    if let call = node.parent?.as(FunctionCallExprSyntax.self),
      call.calledExpression.id == node.id
    {
      return
    }
    if node.parent?.is(MemberAccessExprSyntax.self) == true { return }
    noteState(node, replacing: node)
  }

  private func noteState(_ member: MemberAccessExprSyntax, replacing node: some ExprSyntaxProtocol)
  {
    let type = member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text
    guard member.base == nil || type?.first?.isUppercase == true else { return }
    let name = member.declName.baseName.text
    for other in enums.others(than: name, of: type, in: file) {
      note(node, .state, (type ?? "") + "." + other)
    }
  }

  func noteReturn(_ node: ReturnStmtSyntax) {
    guard let value = node.expression, !value.is(NilLiteralExprSyntax.self), node.mayReturnNil
    else { return }
    note(value, .literal, "nil")
  }
}

extension ConditionElementSyntax {
  fileprivate var isOfGuard: Bool { parent?.parent?.is(GuardStmtSyntax.self) == true }
}

extension ReturnStmtSyntax {
  /// Whether what surrounds it says that it returns an optional.
  fileprivate var mayReturnNil: Bool {
    for ancestor in ancestors {
      if ancestor.is(ClosureExprSyntax.self) { return false }
      if let function = ancestor.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type.is(OptionalTypeSyntax.self) == true
      }
      if let property = ancestor.as(PatternBindingSyntax.self) {
        return property.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true
      }
    }
    return false
  }
}
