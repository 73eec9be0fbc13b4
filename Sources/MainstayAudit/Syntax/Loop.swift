// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A `for`, `while` or `repeat`.
struct Loop {
  let node: Syntax
  let body: CodeBlockSyntax
  /// The pattern of a `for`: the attempt, or one of several items.
  let pattern: PatternSyntax?
  /// What a `for` goes over.
  let sequence: ExprSyntax?
  /// What a `while` or `repeat` asks each time.
  let conditions: [Syntax]

  init(_ node: ForStmtSyntax) {
    self.node = Syntax(node)
    body = node.body
    pattern = node.pattern
    sequence = node.sequence
    conditions = node.whereClause.map { [Syntax($0.condition)] } ?? []
  }

  init(_ node: WhileStmtSyntax) {
    self.node = Syntax(node)
    body = node.body
    pattern = nil
    sequence = nil
    conditions = node.conditions.map { Syntax($0) }
  }

  init(_ node: RepeatStmtSyntax) {
    self.node = Syntax(node)
    body = node.body
    pattern = nil
    sequence = nil
    conditions = [Syntax(node.condition)]
  }

  init?(_ node: Syntax) {
    switch node.kind {
    case .forStmt: self.init(node.cast(ForStmtSyntax.self))
    case .whileStmt: self.init(node.cast(WhileStmtSyntax.self))
    case .repeatStmt: self.init(node.cast(RepeatStmtSyntax.self))
    default: return nil
    }
  }

  /// Whether it is `while true` or `repeat … while true`, and so ends only from inside.
  var isEndless: Bool {
    sequence == nil && conditions.count == 1
      && conditions.first?.trimmedDescription == "true"
  }

  /// The numbers that a `for` counts over: `1...3` gives 3; nil for items or a bound not written.
  var literalCount: Int? {
    guard let parts = sequence?.core.as(SequenceExprSyntax.self)?.elements.map(\.self),
      parts.count == 3, let low = parts.first?.integer, let high = parts.last?.integer,
      let sign = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text
    else { return nil }
    switch sign {
    case "...": return max(0, high - low + 1)
    case "..<": return max(0, high - low)
    default: return nil
    }
  }

  /// Whether a `for` counts over a range or a stride, rather than over items.
  var countsAttempts: Bool {
    guard let sequence = sequence?.core else { return false }
    if sequence.lastName == "stride" { return true }
    return sequence.as(SequenceExprSyntax.self)?.elements.contains {
      let sign = $0.as(BinaryOperatorExprSyntax.self)?.operator.text
      return sign == "..." || sign == "..<"
    } ?? (sequence.kind == .postfixOperatorExpr)
  }
}

extension SyntaxProtocol {
  /// The nearest loop around this node within the same routine.
  var enclosingLoop: Loop? {
    var current = parent
    while let here = current {
      if let loop = Loop(here) { return loop }
      if Routine(here) != nil || here.kind == .memberBlock { return nil }
      current = here.parent
    }
    return nil
  }
}

extension ExprSyntax {
  /// The value of a decimal integer literal, with or without a sign.
  var integer: Int? {
    if let literal = self.as(IntegerLiteralExprSyntax.self) {
      return Int(literal.literal.text.replacing("_", with: ""))
    }
    if let prefixed = self.as(PrefixOperatorExprSyntax.self), prefixed.operator.text == "-" {
      return prefixed.expression.integer.map { -$0 }
    }
    return nil
  }
}
