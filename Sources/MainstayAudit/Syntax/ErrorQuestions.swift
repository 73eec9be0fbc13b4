// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension CatchClauseSyntax {
  /// The calls of functions of its own type that it gives the error: `show(error)`.
  var callsWithError: [FunctionCallExprSyntax] {
    let names = boundNames
    return body.every(FunctionCallExprSyntax.self).filter { call in
      guard
        call.receiver == nil && call.calledExpression.is(DeclReferenceExprSyntax.self)
          || call.receiver?.lastName == "self", !(call.name?.first?.isUppercase ?? true)
      else { return false }
      return call.arguments.contains { argument in
        argument.expression.core.as(DeclReferenceExprSyntax.self).map {
          names.contains($0.baseName.bareText)
        } ?? false
      }
    }
  }

  /// The functions that it gives the error, and the members that it reads of it.
  var questions: Set<String> {
    let names = errorNames
    var found: Set<String> = []
    body.walk { node in
      if let call = node.as(FunctionCallExprSyntax.self), let name = call.name,
        !(name.first?.isUppercase ?? true), call.arguments.mentionsAny(of: names)
      {
        found.insert(name)
      } else if let access = node.as(MemberAccessExprSyntax.self),
        let base = access.base?.uncast.lastName, names.contains(base)
      {
        found.insert(access.declName.baseName.bareText)
      }
      return true
    }
    return found.subtracting(["localizedDescription", "error", "print", "code", "description"])
  }
}

extension Assignment {
  /// Whether it stands where the error was found to be of one type, which no cancellation is.
  func isForOneType(in clause: CatchClauseSyntax) -> Bool {
    let names = clause.boundNames
    var current = Syntax(node)
    while let parent = current.parent, parent.id != clause.id {
      if let branch = parent.as(IfExprSyntax.self), branch.body.id == current.id,
        branch.conditions.casts(names)
      {
        return true
      }
      // What another attempt inside comes to is about that.
      if parent.as(DoStmtSyntax.self)?.body.id == current.id { return true }
      if let arm = parent.as(SwitchCaseSyntax.self),
        arm.nearest(SwitchExprSyntax.self)?.subject.mentionsAny(of: names) ?? false,
        arm.label.isSpecificCast
      {
        return true
      }
      current = parent
    }
    return clause.body.statements.contains { item in
      item.position < node.position
        && item.item.as(GuardStmtSyntax.self)?.conditions.casts(names) ?? false
    }
  }
}

extension ConditionElementListSyntax {
  /// Whether it asks one of the names for a type that is no cancellation.
  fileprivate func casts(_ names: Set<String>) -> Bool {
    contains { element in
      guard element.mentionsAny(of: names) else { return false }
      return element.condition.is(MatchingPatternConditionSyntax.self) || element.isSpecificCast
    }
  }
}

extension SyntaxProtocol {
  fileprivate var isSpecificCast: Bool {
    contains { node in
      guard node.kind == .unresolvedAsExpr || node.kind == .unresolvedIsExpr else { return false }
      let type = node.nextSibling?.as(TypeExprSyntax.self)?.type.lastName
      return type.map { !["NSError", "URLError", "Error", "AFError"].contains($0) } ?? false
    }
  }
}
