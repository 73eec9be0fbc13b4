// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What code says about a name that may stand for an error.
enum KnownError: Equatable {
  /// `any Error`: what a catch-all binds.
  case untyped
  /// A type of errors by its last name.
  case typed(String)

  init?(typeName: String?) {
    guard let typeName, typeName.hasSuffix("Error") else { return nil }
    self = typeName == "Error" || typeName == "NSError" ? .untyped : .typed(typeName)
  }
}

extension ExprSyntax {
  /// What is known of this expression as an error: `error`, `self.error`, `error as NSError`.
  var knownError: KnownError? {
    let core = core
    if let inner = core.as(ForceUnwrapExprSyntax.self) { return inner.expression.knownError }
    if let inner = core.as(OptionalChainingExprSyntax.self) { return inner.expression.knownError }
    if let reference = core.as(DeclReferenceExprSyntax.self) {
      return reference.knownError(named: reference.baseName.bareText)
    }
    if let access = core.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "self"
    {
      return access.propertyType(access.declName.baseName.bareText)
    }
    guard let parts = core.as(SequenceExprSyntax.self)?.elements.map(\.self), parts.count == 3,
      parts[1].kind == .unresolvedAsExpr
    else { return nil }
    return KnownError(typeName: parts[2].as(TypeExprSyntax.self)?.type.lastName)
  }
}

extension SyntaxProtocol {
  /// What the code around this node says of a name, from the inside out; nil where it is no
  /// error, or where nobody can tell.
  func knownError(named first: String) -> KnownError? {
    var name = first
    var current = Syntax(self)
    while let parent = current.parent {
      switch current.declared(name, under: parent) {
      case .error(let known): return known
      case .other: return nil
      case .renamed(let earlier): name = earlier
      case nil: break
      }
      if parent.kind == .memberBlock { return propertyType(name) }
      current = parent
    }
    return nil
  }

  /// What the type around this node says of a property.
  fileprivate func propertyType(_ name: String) -> KnownError? {
    guard let type = TypeDeclaration(around: self),
      let property = type.properties.first(where: { $0.name.bareText == name })
    else { return nil }
    return KnownError(typeName: property.binding.typeAnnotation?.type.lastName)
  }
}

private enum Declared {
  case error(KnownError)
  case other
  /// Bound to another name, which something further out declares.
  case renamed(String)

  init(_ known: KnownError?) { self = known.map(Self.error) ?? .other }
}

extension Syntax {
  /// What the parent says of a name to this child of it.
  fileprivate func declared(_ name: String, under parent: Syntax) -> Declared? {
    switch parent.kind {
    case .catchClause:
      let clause = parent.cast(CatchClauseSyntax.self)
      guard clause.boundNames.contains(name) else { return nil }
      return Declared(clause.knownBinding)
    case .codeBlockItemList: return declaredBefore(name)
    case .ifExpr, .whileStmt:
      guard kind == .codeBlock else { return nil }
      let conditions =
        parent.as(IfExprSyntax.self)?.conditions ?? parent.as(WhileStmtSyntax.self)?.conditions
      guard parent.as(IfExprSyntax.self)?.elseBody?.id != id else { return nil }
      return conditions?.declared(name)
    case .switchCase:
      guard let label = parent.cast(SwitchCaseSyntax.self).label.as(SwitchCaseLabelSyntax.self)
      else { return nil }
      return label.caseItems.lazy.compactMap { $0.pattern.declared(name) }.first
    default:
      guard let parameter = Routine(parent)?.parameters.first(where: { $0.name.bareText == name })
      else { return nil }
      guard let type = parameter.type else {
        return name == "error" || name == "err" ? .error(.untyped) : .other
      }
      return Declared(KnownError(typeName: type.lastName))
    }
  }

  /// What statements before this one say of a name: a `guard let` or a `let`.
  private func declaredBefore(_ name: String) -> Declared? {
    guard let list = parent?.as(CodeBlockItemListSyntax.self) else { return nil }
    for item in list {
      if item.id == id { return nil }
      if let found = item.item.as(GuardStmtSyntax.self)?.conditions.declared(name) { return found }
      for binding in item.item.as(VariableDeclSyntax.self)?.bindings.map(\.self) ?? []
      where binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText == name {
        if let type = binding.typeAnnotation?.type {
          return Declared(KnownError(typeName: type.lastName))
        }
        return binding.initializer.map { Declared(of: $0.value) } ?? .other
      }
    }
    return nil
  }
}

extension Declared {
  /// What a name is that is bound to a value.
  fileprivate init(of value: ExprSyntax) {
    if let reference = value.core.as(DeclReferenceExprSyntax.self) {
      self = .renamed(reference.baseName.bareText)
    } else if let parts = value.core.as(SequenceExprSyntax.self)?.elements.map(\.self),
      parts.count == 3, parts[1].kind == .unresolvedAsExpr
    {
      self = Declared(KnownError(typeName: parts[2].as(TypeExprSyntax.self)?.type.lastName))
    } else {
      self = Declared(value.knownError)
    }
  }
}

extension ConditionElementListSyntax {
  fileprivate func declared(_ name: String) -> Declared? {
    for element in self {
      switch element.condition {
      case .optionalBinding(let binding):
        guard binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText == name
        else { continue }
        return binding.initializer.map { Declared(of: $0.value) }
      case .matchingPattern(let condition):
        if let found = condition.pattern.declared(name) { return found }
      default: continue
      }
    }
    return nil
  }
}

extension PatternSyntax {
  /// What it says of a name that it binds: `.failure(let error)` holds an error.
  fileprivate func declared(_ name: String) -> Declared? {
    var names: Set<String> = []
    collectBoundNames(into: &names)
    guard names.contains(name) else { return nil }
    let isFailure = every(MemberAccessExprSyntax.self).contains {
      $0.declName.baseName.text == "failure"
    }
    return isFailure ? .error(.untyped) : .other
  }
}

extension CatchClauseSyntax {
  /// What its body knows of the name that it binds; nil where a pattern takes an error apart.
  fileprivate var knownBinding: KnownError? {
    guard let pattern = catchItems.first?.pattern else { return .untyped }
    guard catchItems.count == 1 else { return nil }
    if pattern.isIrrefutable { return .untyped }
    if let type = caughtTypes.first,
      pattern.contains(where: { $0.kind == .unresolvedAsExpr || $0.kind == .asExpr })
    {
      return KnownError(typeName: type) ?? .typed(type)
    }
    return nil
  }
}
