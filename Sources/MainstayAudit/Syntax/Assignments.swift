// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// `a.b = value`.
struct Assignment {
  let node: SequenceExprSyntax
  let target: ExprSyntax
  /// Everything to the right of the sign; a sequence of several parts where it has operators.
  let values: [ExprSyntax]

  init?(_ node: SequenceExprSyntax) {
    // Most sequences are something else; only the sign tells.
    guard node.elements.dropFirst().first?.kind == .assignmentExpr else { return nil }
    var parts = Array(node.elements)
    guard parts.count >= 3 else { return nil }
    self.node = node
    target = parts[0]
    parts.removeFirst(2)
    values = parts
  }

  /// The name of what is assigned: `message` in `self.state.message = …`.
  var name: String? { target.lastName }

  /// The name that the path starts with, past `self`: `state` in `self.state.message = …`.
  var baseName: String? { pathNames.first }

  /// The names of the path from its start, past `self`: `state` and `message` in
  /// `self.state.message = …`.
  var pathNames: [String] {
    let names = allNames
    return Self.owners.contains(names.first ?? "") ? Array(names.dropFirst()) : names
  }

  /// Whether the path says `self`, or the name that code gives to a strong reference to it.
  var isOnSelf: Bool { Self.owners.contains(allNames.first ?? "") }

  private static let owners: Set<String> = ["self", "Self", "strongSelf", "weakSelf"]

  private var allNames: [String] {
    var path: [String] = []
    var current: ExprSyntax? = target
    while let here = current {
      if let access = here.as(MemberAccessExprSyntax.self) {
        path.append(access.declName.baseName.bareText)
        current = access.base
      } else if let inner = here.as(OptionalChainingExprSyntax.self) {
        current = inner.expression
      } else if let inner = here.as(ForceUnwrapExprSyntax.self) {
        current = inner.expression
      } else if let inner = here.as(SubscriptCallExprSyntax.self) {
        current = inner.calledExpression
      } else {
        if let name = here.lastName { path.append(name) }
        current = nil
      }
    }
    return path.reversed()
  }

  /// The path without `self`, so that two targets can be compared.
  var path: String { pathNames.joined(separator: ".") }

  /// The value, where it is one expression.
  var value: ExprSyntax? { values.count == 1 ? values[0] : nil }

  /// Whether it assigns `nil`, `false`, `""`, `[]` or the like.
  var isReset: Bool {
    guard let value else { return false }
    switch value.kind {
    case .nilLiteralExpr: return true
    case .booleanLiteralExpr: return value.trimmedDescription == "false"
    case .stringLiteralExpr: return value.trimmedDescription == "\"\""
    case .arrayExpr: return value.cast(ArrayExprSyntax.self).elements.isEmpty
    case .memberAccessExpr:
      return ["none", "idle", "loading", "empty"].contains(value.lastName ?? "")
    default: return false
    }
  }

  /// Whether it assigns a value that says that nothing is there, and nothing under way.
  var isEmptying: Bool { isReset && value?.lastName != "loading" }

  /// Whether the target outlives the call: its first name is declared in none of the routines
  /// around it.
  var isState: Bool {
    if isOnSelf { return true }
    guard let baseName else { return false }
    return !node.isLocal(baseName)
  }

  /// Whether it assigns `true` or `false`.
  func isBoolean(_ wanted: Bool) -> Bool {
    guard let literal = value?.as(BooleanLiteralExprSyntax.self) else { return false }
    return (literal.literal.tokenKind == .keyword(.true)) == wanted
  }

  /// The statement that it is, on its own.
  var item: CodeBlockItemSyntax? {
    var current = node.parent
    while let here = current, [.tryExpr, .awaitExpr].contains(here.kind) { current = here.parent }
    return current?.as(CodeBlockItemSyntax.self)
  }
}

extension SyntaxProtocol {
  /// The assignments that run as part of this node.
  var ownAssignments: [Assignment] { everyOwn(SequenceExprSyntax.self).compactMap(Assignment.init) }

  /// All assignments in it, also those in closures.
  var assignments: [Assignment] { every(SequenceExprSyntax.self).compactMap(Assignment.init) }

  /// Whether code around this node, within the same type, declares the name before it.
  func isLocal(_ name: String) -> Bool {
    var current = Syntax(self)
    while let parent = current.parent {
      if parent.kind == .memberBlock || parent.kind == .sourceFile { return false }
      if current.isDeclared(name, by: parent) { return true }
      current = parent
    }
    return false
  }
}

extension Syntax {
  /// Whether the parent declares the name for this child of it.
  fileprivate func isDeclared(_ name: String, by parent: Syntax) -> Bool {
    switch parent.kind {
    case .codeBlockItemList:
      if parent.parent?.kind == .sourceFile { return false }
      let list = parent.cast(CodeBlockItemListSyntax.self)
      guard list.count <= longestList else { return false }
      for item in list {
        if item.id == id { return false }
        if item.item.as(VariableDeclSyntax.self)?.bindings.contains(where: {
          $0.pattern.binds(name)
        }) ?? false || item.item.as(GuardStmtSyntax.self)?.conditions.bind(name) ?? false {
          return true
        }
      }
      return false
    case .ifExpr:
      let statement = parent.cast(IfExprSyntax.self)
      return statement.body.id == id && statement.conditions.bind(name)
    case .whileStmt: return parent.cast(WhileStmtSyntax.self).conditions.bind(name)
    case .forStmt: return parent.cast(ForStmtSyntax.self).pattern.binds(name)
    case .catchClause: return parent.cast(CatchClauseSyntax.self).boundNames.contains(name)
    case .switchCase:
      let label = parent.cast(SwitchCaseSyntax.self).label.as(SwitchCaseLabelSyntax.self)
      return label?.caseItems.contains { $0.pattern.binds(name) } ?? false
    default:
      return Routine(parent)?.parameters.contains { $0.name.bareText == name } ?? false
    }
  }
}

extension PatternSyntax {
  fileprivate func binds(_ name: String) -> Bool {
    if let only = self.as(IdentifierPatternSyntax.self) { return only.identifier.bareText == name }
    return contains { $0.as(IdentifierPatternSyntax.self)?.identifier.bareText == name }
  }
}

extension ConditionElementListSyntax {
  fileprivate func bind(_ name: String) -> Bool {
    contains { element in
      switch element.condition {
      case .optionalBinding(let binding): binding.pattern.binds(name)
      case .matchingPattern(let condition): condition.pattern.binds(name)
      default: false
      }
    }
  }
}
