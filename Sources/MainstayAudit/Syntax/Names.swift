// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension TokenSyntax {
  /// The text without the backticks that let a keyword be a name.
  var bareText: String {
    let text = text
    return text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text
  }

  var isIdentifier: Bool {
    if case .identifier = tokenKind { true } else { false }
  }
}

extension DeclModifierListSyntax {
  func has(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension TypeSyntax {
  /// Whether it is `Void` or `()`.
  var isVoid: Bool {
    let text = trimmedDescription
    return text == "Void" || text == "()" || text == "Swift.Void"
  }

  /// `C` of `A.B.C<D>`, `any C`, `C?`, `(any C)?` or `@escaping C`.
  var lastName: String? { lastNames.first }

  /// The same of each part of a composition such as `A & B`.
  var lastNames: [String] {
    switch kind {
    case .identifierType: [cast(IdentifierTypeSyntax.self).name.bareText]
    case .memberType: [cast(MemberTypeSyntax.self).name.bareText]
    case .attributedType: cast(AttributedTypeSyntax.self).baseType.lastNames
    case .someOrAnyType: cast(SomeOrAnyTypeSyntax.self).constraint.lastNames
    case .optionalType: cast(OptionalTypeSyntax.self).wrappedType.lastNames
    case .implicitlyUnwrappedOptionalType:
      cast(ImplicitlyUnwrappedOptionalTypeSyntax.self).wrappedType.lastNames
    case .compositionType: cast(CompositionTypeSyntax.self).elements.flatMap { $0.type.lastNames }
    case .tupleType where cast(TupleTypeSyntax.self).elements.count == 1:
      cast(TupleTypeSyntax.self).elements.first?.type.lastNames ?? []
    case .suppressedType: []
    default: []
    }
  }
}

extension ExprSyntax {
  /// `c` of `a.b.c`, `c`, `.c`, `c()` or `try await a.c!`: the name that says what it is about.
  var lastName: String? {
    switch kind {
    case .declReferenceExpr: cast(DeclReferenceExprSyntax.self).baseName.bareText
    case .memberAccessExpr: cast(MemberAccessExprSyntax.self).declName.baseName.bareText
    case .functionCallExpr: cast(FunctionCallExprSyntax.self).calledExpression.lastName
    case .genericSpecializationExpr: cast(GenericSpecializationExprSyntax.self).expression.lastName
    case .optionalChainingExpr: cast(OptionalChainingExprSyntax.self).expression.lastName
    case .forceUnwrapExpr: cast(ForceUnwrapExprSyntax.self).expression.lastName
    case .subscriptCallExpr: cast(SubscriptCallExprSyntax.self).calledExpression.lastName
    case .tryExpr: cast(TryExprSyntax.self).expression.lastName
    case .awaitExpr: cast(AwaitExprSyntax.self).expression.lastName
    case .tupleExpr: parenthesized?.lastName
    default: nil
    }
  }

  /// `a` of `a.b.c`, `a?.b()` or `a[0]`; nil where it starts with a dot or is no path.
  var firstName: String? {
    switch kind {
    case .declReferenceExpr: cast(DeclReferenceExprSyntax.self).baseName.bareText
    case .memberAccessExpr: cast(MemberAccessExprSyntax.self).base?.firstName
    case .functionCallExpr: cast(FunctionCallExprSyntax.self).calledExpression.firstName
    case .genericSpecializationExpr: cast(GenericSpecializationExprSyntax.self).expression.firstName
    case .optionalChainingExpr: cast(OptionalChainingExprSyntax.self).expression.firstName
    case .forceUnwrapExpr: cast(ForceUnwrapExprSyntax.self).expression.firstName
    case .subscriptCallExpr: cast(SubscriptCallExprSyntax.self).calledExpression.firstName
    case .tryExpr: cast(TryExprSyntax.self).expression.firstName
    case .awaitExpr: cast(AwaitExprSyntax.self).expression.firstName
    case .tupleExpr: parenthesized?.firstName
    default: nil
    }
  }

  /// What stands in `(…)` around a single expression.
  var parenthesized: ExprSyntax? {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first, only.label == nil
    else { return nil }
    return only.expression
  }

  /// The expression without parentheses, `try` and `await` around it.
  var core: ExprSyntax {
    if let inner = parenthesized { return inner.core }
    if let inner = self.as(TryExprSyntax.self) { return inner.expression.core }
    if let inner = self.as(AwaitExprSyntax.self) { return inner.expression.core }
    return self
  }
}

/// The words of a camel-case name, in lower case: `lastHTTPError` has `last`, `http` and `error`.
func words(of name: String) -> [String] {
  var words: [String] = []
  var current = ""
  let characters = Array(name)
  for (index, character) in characters.enumerated() {
    if character == "_" || character == "." {
      if !current.isEmpty { words.append(current) }
      current = ""
      continue
    }
    let startsWord =
      character.isUppercase
      && (index > 0 && !characters[index - 1].isUppercase
        || index + 1 < characters.count && characters[index + 1].isLowercase)
    if startsWord && !current.isEmpty {
      words.append(current)
      current = ""
    }
    current += character.lowercased()
  }
  if !current.isEmpty { words.append(current) }
  return words
}
