// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension DeclReferenceExprSyntax {
  /// The most statements in a row that are searched for a name.
  private static let longestList = 300

  /// What the name was given in this routine or one around it: the nearest `let` or `var` before
  /// this place, or the `if let`, `guard let` or `while let`.
  ///
  /// - Returns: The value as it is written; nil where there is none, or where a `catch` that
  ///   binds the name stands nearer.
  var localValue: ExprSyntax? {
    let name = baseName.bareText
    var here = Syntax(self)
    while let parent = here.parent, parent.kind != .memberBlock {
      if let clause = parent.as(CatchClauseSyntax.self), clause.boundNames.contains(name) {
        return nil
      }
      if let list = parent.as(CodeBlockItemListSyntax.self), list.count <= Self.longestList {
        let before = list.prefix { $0.id != here.id }
        for item in before.reversed() {
          if let value = item.item.value(of: name) { return value }
        }
      } else if let branch = parent.as(IfExprSyntax.self), here.id == branch.body.id {
        if let value = branch.conditions.value(of: name, before: nil) { return value }
      } else if let loop = parent.as(WhileStmtSyntax.self), here.id == loop.body.id {
        if let value = loop.conditions.value(of: name, before: nil) { return value }
      } else if let list = parent.as(ConditionElementListSyntax.self) {
        if let value = list.value(of: name, before: here) { return value }
      }
      here = parent
    }
    return nil
  }
}

extension CodeBlockItemSyntax.Item {
  fileprivate func value(of name: String) -> ExprSyntax? {
    if let declaration = self.as(VariableDeclSyntax.self) {
      for binding in declaration.bindings where binding.pattern.isNamed(name) {
        return binding.initializer?.value
      }
    } else if let check = self.as(GuardStmtSyntax.self) {
      return check.conditions.value(of: name, before: nil)
    }
    return nil
  }
}

extension ConditionElementListSyntax {
  fileprivate func value(of name: String, before end: Syntax?) -> ExprSyntax? {
    for element in self {
      if element.id == end?.id { return nil }
      if let binding = element.condition.as(OptionalBindingConditionSyntax.self),
        binding.pattern.isNamed(name)
      {
        return binding.initializer?.value
      }
    }
    return nil
  }
}

extension PatternSyntax {
  fileprivate func isNamed(_ name: String) -> Bool {
    self.as(IdentifierPatternSyntax.self)?.identifier.bareText == name
  }
}

extension ExprSyntax {
  /// The expression without parentheses, `try`, `await`, `?`, `!` and casts around it: `error` of
  /// `(error as? E)?`.
  var uncast: ExprSyntax {
    let inner = core
    if let optional = inner.as(OptionalChainingExprSyntax.self) {
      return optional.expression.uncast
    }
    if let forced = inner.as(ForceUnwrapExprSyntax.self) { return forced.expression.uncast }
    if let sequence = inner.as(SequenceExprSyntax.self), let first = sequence.elements.first,
      sequence.elements.dropFirst().first?.kind == .unresolvedAsExpr
    {
      return first.uncast
    }
    return inner
  }

  /// Whether it is an error, to go by its name, or by where the name comes from.
  var isNamedAsError: Bool {
    let value = uncast
    guard let name = value.lastName else { return false }
    if let last = words(of: name).last, last == "error" || last == "err" { return true }
    guard let reference = value.as(DeclReferenceExprSyntax.self) else { return false }
    if let local = reference.localValue { return local.isNamedAsError }
    var current = value.parent
    while let here = current, here.kind != .memberBlock {
      if let clause = here.as(CatchClauseSyntax.self), clause.binds(name) { return true }
      if here.bindsFailure(name) { return true }
      if let routine = Routine(here),
        let parameter = routine.parameters.first(where: { $0.name.bareText == name })
      {
        let type = parameter.type?.lastName ?? ""
        return type.hasSuffix("Error") || type.hasSuffix("Failure")
      }
      current = here.parent
    }
    return false
  }
}

extension Syntax {
  /// Whether it is `case .failure(let name)`, of a `switch`, an `if` or a condition.
  fileprivate func bindsFailure(_ name: String) -> Bool {
    if let label = self.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self) {
      return label.caseItems.contains { $0.pattern.bindsFailure(name) }
    }
    let conditions =
      self.as(IfExprSyntax.self)?.conditions ?? self.as(ConditionElementListSyntax.self)
    return conditions?.contains { element in
      element.condition.as(MatchingPatternConditionSyntax.self)?.pattern.bindsFailure(name) ?? false
    } ?? false
  }
}

extension PatternSyntax {
  fileprivate func bindsFailure(_ name: String) -> Bool {
    contains { node in
      guard let call = node.as(FunctionCallExprSyntax.self), call.name == "failure" else {
        return false
      }
      return call.contains { $0.as(IdentifierPatternSyntax.self)?.identifier.bareText == name }
    }
  }
}

extension CatchClauseSyntax {
  /// Whether a name of its pattern is the error itself, rather than a part of it.
  fileprivate func binds(_ name: String) -> Bool {
    guard boundNames.contains(name) else { return false }
    return catchItems.isEmpty
      || catchItems.contains { item in
        guard let pattern = item.pattern else { return false }
        return pattern.isIrrefutable || pattern.contains { $0.kind == .unresolvedAsExpr }
      }
  }
}
