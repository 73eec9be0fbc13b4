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
      parts.count == 3, let low = parts.first?.integer, let high = parts.last?.number,
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

extension Loop {
  /// The label that `break` and `continue` can name.
  var label: String? { node.parent?.as(LabeledStmtSyntax.self)?.label.text }

  /// The names that a `for` gives to what it goes over.
  var boundNames: Set<String> {
    var names: Set<String> = []
    pattern?.collectBoundNames(into: &names)
    for condition in conditions {
      guard let binding = condition.firstToken(viewMode: .sourceAccurate), binding.text == "let"
      else { continue }
      for pattern in condition.every(IdentifierPatternSyntax.self) {
        names.insert(pattern.identifier.bareText)
      }
    }
    return names
  }

  /// The `do` statements with clauses that run in every round, also under an `if`; not those of
  /// loops and closures within.
  var attempts: [DoStmtSyntax] {
    var found: [DoStmtSyntax] = []
    Self.collect(body.statements, into: &found)
    return found
  }

  private static func collect(_ list: CodeBlockItemListSyntax, into found: inout [DoStmtSyntax]) {
    for item in list {
      let node = Syntax(item.item)
      if let statement = node.as(DoStmtSyntax.self) {
        if statement.catchClauses.isEmpty {
          collect(statement.body.statements, into: &found)
        } else {
          found.append(statement)
        }
      } else if let expression = node.as(ExpressionStmtSyntax.self)?.expression.as(
        IfExprSyntax.self)
      {
        collect(expression, into: &found)
      }
    }
  }

  private static func collect(_ expression: IfExprSyntax, into found: inout [DoStmtSyntax]) {
    collect(expression.body.statements, into: &found)
    switch expression.elseBody {
    case .codeBlock(let block): collect(block.statements, into: &found)
    case .ifExpr(let next): collect(next, into: &found)
    case nil: break
    }
  }

  /// The statements of the body behind the one that holds a node.
  func rest(after node: some SyntaxProtocol) -> [CodeBlockItemSyntax] {
    let end = node.endPosition
    return body.statements.filter { $0.position >= end }
  }

  /// Whether each round is about another item: the work names what the loop goes over, and that is
  /// no count of attempts.
  func goesOverItems(of attempt: DoStmtSyntax) -> Bool {
    let items = boundNames.filter { name in
      !words(of: name).contains { ["attempt", "attempts", "retry", "retries", "try"].contains($0) }
    }
    return attempt.body.mentionsAny(of: items)
  }

  /// The number in `if attempts >= 4 { throw … }` or `guard attempts < 4 else { … }`.
  var exitBound: Int? {
    var bound: Int?
    _ = body.containsOwn { node in
      if let expression = node.as(IfExprSyntax.self), expression.body.leaves {
        bound = expression.conditions.bound([">", ">=", "=="])
      } else if let statement = node.as(GuardStmtSyntax.self) {
        bound = statement.conditions.bound(["<", "<=", "!="])
      }
      return bound != nil
    }
    return bound
  }

  /// The number of `while attempt < 5`, or that `left` starts with in `while left > 0`; nil where
  /// none stands in the code.
  var literalBound: Int? {
    for condition in conditions {
      for sequence in condition.every(SequenceExprSyntax.self) {
        for part in sequence.comparisons {
          switch part.sign {
          case "<": if let bound = part.right.number { return bound }
          case "<=": if let bound = part.right.number { return bound + 1 }
          case ">", "!=": if part.right.integer == 0, let bound = part.left.number { return bound }
          default: break
          }
        }
      }
    }
    return nil
  }
}

extension ConditionElementListSyntax {
  /// The number that a condition compares an attempt with, by one of some signs.
  fileprivate func bound(_ signs: Set<String>) -> Int? {
    for sequence in every(SequenceExprSyntax.self) {
      for part in sequence.comparisons {
        guard let name = part.left.lastName, let value = part.right.number, value > 1,
          signs.contains(part.sign), words(of: name).contains(where: Self.counters.contains)
        else { continue }
        return value
      }
    }
    return nil
  }

  private static let counters: Set<String> = [
    "attempt", "attempts", "retry", "retries", "tries", "try", "failures", "count", "n", "i",
  ]
}

extension SequenceExprSyntax {
  /// Each two operands with the sign between them: `a < 3` of `!b && a < 3`.
  var comparisons: [(left: ExprSyntax, sign: String, right: ExprSyntax)] {
    let parts = Array(elements)
    return parts.indices.dropFirst().dropLast().compactMap { place in
      guard let sign = parts[place].as(BinaryOperatorExprSyntax.self)?.operator.text else {
        return nil
      }
      return (parts[place - 1], sign, parts[place + 1])
    }
  }
}

extension ExprSyntax {
  /// The value of an integer literal, or of the `let`, `var` or parameter of that name with one.
  var number: Int? {
    if let integer { return integer }
    guard let name = self.as(DeclReferenceExprSyntax.self)?.baseName.bareText ?? selfMember else {
      return nil
    }
    return literal(named: name)
  }

  /// `a` of `self.a` or `Self.a`.
  private var selfMember: String? {
    guard let access = self.as(MemberAccessExprSyntax.self),
      let base = access.base?.lastName, base == "self" || base == "Self"
    else { return nil }
    return access.declName.baseName.bareText
  }
}

extension SyntaxProtocol {
  /// The integer that a name visible at this node starts with.
  func literal(named name: String) -> Int? {
    var current = Syntax(self).parent
    while let here = current {
      if let list = here.as(CodeBlockItemListSyntax.self) {
        for item in list where item.position < position {
          if let value = item.item.as(VariableDeclSyntax.self)?.literal(named: name) {
            return value
          }
        }
      } else if let members = here.as(MemberBlockItemListSyntax.self) {
        for item in members {
          if let value = item.decl.as(VariableDeclSyntax.self)?.literal(named: name) {
            return value
          }
        }
      } else if let clause = here.as(FunctionDeclSyntax.self)?.signature.parameterClause {
        for parameter in clause.parameters
        where (parameter.secondName ?? parameter.firstName).bareText == name {
          return parameter.defaultValue?.value.integer
        }
      }
      current = here.parent
    }
    return nil
  }
}

extension VariableDeclSyntax {
  fileprivate func literal(named name: String) -> Int? {
    for binding in bindings {
      guard binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText == name
      else { continue }
      return binding.initializer?.value.integer
    }
    return nil
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
