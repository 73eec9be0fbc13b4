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

  /// Whether a routine around this node, within the same type, declares the name.
  func isLocal(_ name: String) -> Bool {
    var current = Syntax(self).parent
    while let here = current {
      if let routine = Routine(here) {
        if routine.parameters.contains(where: { $0.name.bareText == name }) { return true }
        if routine.statements?.declares(name) ?? false { return true }
      }
      if here.kind == .memberBlock { return false }
      current = here.parent
    }
    return false
  }

  /// Whether a `let` or `var` in it, outside of closures, introduces the name.
  fileprivate func declares(_ name: String) -> Bool {
    containsOwn { node in
      guard let pattern = node.as(IdentifierPatternSyntax.self) else { return false }
      return pattern.identifier.bareText == name
    }
  }
}
