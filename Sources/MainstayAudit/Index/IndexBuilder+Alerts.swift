// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension IndexBuilder {
  /// `.alert("Error", isPresented: $shown) { … } message: { Text(message) }`.
  func add(_ node: FunctionCallExprSyntax) {
    guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
      Self.alerts.contains(access.declName.baseName.text)
    else { return }
    var bound: Set<String> = []
    for closure in node.closures {
      bound.formUnion(Routine(closure).parameters.map(\.name.bareText))
    }
    let parts: [Syntax?] = [
      Syntax(node.arguments), node.trailingClosure.map { Syntax($0) },
      Syntax(node.additionalTrailingClosures),
    ]
    for reference in parts.compactMap(\.self).flatMap({ $0.every(DeclReferenceExprSyntax.self) }) {
      let name = reference.baseName.bareText
      guard reference.isMemberName || !bound.contains(name) else { continue }
      let base = reference.isMemberName ? reference.memberBase : nil
      let isBound = base?.lastName.map { bound.contains($0.withoutDollar) } ?? false
      part.alertNames.insert(
        AlertName(
          name: name.withoutDollar,
          owner: isBound ? nil : reference.isMemberName ? base?.typeOfValue : reference.owner))
    }
    // `if let message { … }` reads the name without a reference to it.
    var names: Set<String> = []
    for binding in parts.compactMap(\.self).flatMap({
      $0.every(OptionalBindingConditionSyntax.self)
    })
    where binding.initializer == nil {
      binding.pattern.collectBoundNames(into: &names)
    }
    for name in names {
      part.alertNames.insert(AlertName(name: name, owner: node.owner(of: name)))
    }
  }

  /// `model.message = nil`: whoever owns the state, a view takes it away.
  func add(_ node: SequenceExprSyntax) {
    guard node.elements.last?.kind == .nilLiteralExpr, node.elements.count == 3,
      let target = node.elements.first?.as(MemberAccessExprSyntax.self),
      let base = target.base, let name = base.lastName, name != "self",
      node.elements.dropFirst().first?.kind == .assignmentExpr
    else { return }
    part.alertNames.insert(
      AlertName(name: target.declName.baseName.bareText, owner: base.typeOfValue))
  }

  private static let alerts: Set<String> = [
    "alert", "confirmationDialog", "sheet", "toast", "popover", "fullScreenCover", "errorAlert",
  ]
}

extension ExprSyntax {
  /// The type of what a name stands for, where the type around it declares it: `CartModel` of
  /// `model`, `$model` or `self.model`.
  var typeOfValue: String? {
    if let name = self.as(DeclReferenceExprSyntax.self)?.baseName {
      if name.tokenKind == .keyword(.self) { return TypeDeclaration(around: self)?.name }
      return TypeDeclaration(around: self)?.typeOfProperty(name.bareText.withoutDollar)
    }
    guard let access = self.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
    else { return nil }
    let name = access.declName.baseName.bareText.withoutDollar
    return TypeDeclaration(around: self)?.typeOfProperty(name)
  }
}

extension SyntaxProtocol {
  /// The type around this, where it declares a property of that name in this very block.
  fileprivate func owner(of name: String) -> String? {
    guard let type = TypeDeclaration(around: self), type.property(name) != nil else { return nil }
    return type.name
  }
}

extension DeclReferenceExprSyntax {
  fileprivate var owner: String? { owner(of: baseName.bareText.withoutDollar) }

  /// What stands before the dot.
  fileprivate var memberBase: ExprSyntax? { parent?.as(MemberAccessExprSyntax.self)?.base }
}

extension TypeDeclaration {
  /// The type of a property, where the declaration names it or calls its initializer.
  fileprivate func typeOfProperty(_ name: String) -> String? {
    guard let property = property(name) else { return nil }
    if let type = property.typeAnnotation?.type {
      return type.kind == .identifierType || type.kind == .optionalType ? type.lastName : nil
    }
    guard let call = property.initializer?.value.as(FunctionCallExprSyntax.self),
      let made = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.bareText,
      made.first?.isUppercase ?? false
    else { return nil }
    return made
  }
}

extension String {
  fileprivate var withoutDollar: String { hasPrefix("$") ? String(dropFirst()) : self }
}
