// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Code that is entered by a call: a function, an initializer, an accessor or a closure.
struct Routine {
  let node: Syntax
  /// A function's name, `init`, or what an accessor belongs to; nil for a closure.
  let name: String?
  let statements: CodeBlockItemListSyntax?
  let isThrowing: Bool
  /// The type after `throws`, without `any`.
  let thrownType: String?
  let isAsync: Bool
  let parameters: [Parameter]
  let returnType: TypeSyntax?

  struct Parameter {
    /// What callers write; nil for `_` and for closures.
    let label: String?
    let name: TokenSyntax
    let type: TypeSyntax?
  }

  init(_ node: FunctionDeclSyntax) {
    self.init(
      Syntax(node), node.name.bareText, node.body, node.signature.effectSpecifiers,
      Self.parameters(node.signature.parameterClause),
      node.signature.returnClause?.type)
  }

  init(_ node: InitializerDeclSyntax) {
    self.init(
      Syntax(node), "init", node.body, node.signature.effectSpecifiers,
      Self.parameters(node.signature.parameterClause), nil)
  }

  init(_ node: AccessorDeclSyntax) {
    self.node = Syntax(node)
    let binding = node.nearest(PatternBindingSyntax.self)
    name = binding?.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
    statements = node.body?.statements
    isThrowing = node.effectSpecifiers?.throwsClause != nil
    thrownType = node.effectSpecifiers?.throwsClause?.type?.lastName
    isAsync = node.effectSpecifiers?.asyncSpecifier != nil
    parameters = []
    returnType = binding?.typeAnnotation?.type
  }

  init(_ node: ClosureExprSyntax) {
    self.node = Syntax(node)
    name = nil
    statements = node.statements
    isThrowing = node.signature?.effectSpecifiers?.throwsClause != nil
    thrownType = node.signature?.effectSpecifiers?.throwsClause?.type?.lastName
    isAsync = node.signature?.effectSpecifiers?.asyncSpecifier != nil
    parameters = Self.parameters(node.signature?.parameterClause)
    returnType = node.signature?.returnClause?.type
  }

  private init(
    _ node: Syntax, _ name: String, _ body: CodeBlockSyntax?,
    _ effects: FunctionEffectSpecifiersSyntax?, _ parameters: [Parameter], _ returns: TypeSyntax?
  ) {
    self.node = node
    self.name = name
    statements = body?.statements
    isThrowing = effects?.throwsClause != nil
    thrownType = effects?.throwsClause?.type?.lastName
    isAsync = effects?.asyncSpecifier != nil
    self.parameters = parameters
    returnType = returns
  }

  private static func parameters(_ clause: FunctionParameterClauseSyntax) -> [Parameter] {
    clause.parameters.map { parameter in
      let label = parameter.firstName.bareText
      return Parameter(
        label: label == "_" ? nil : label, name: parameter.secondName ?? parameter.firstName,
        type: parameter.type)
    }
  }

  private static func parameters(
    _ clause: ClosureSignatureSyntax.ParameterClause?
  ) -> [Parameter] {
    switch clause {
    case .simpleInput(let list):
      list.map { Parameter(label: nil, name: $0.name, type: nil) }
    case .parameterClause(let clause):
      clause.parameters.map {
        Parameter(label: nil, name: $0.secondName ?? $0.firstName, type: $0.type)
      }
    case nil: []
    }
  }

  /// Whether a caller gets something back.
  var returnsValue: Bool {
    guard let returnType else { return name == "init" }
    return !returnType.isVoid
  }

  var isClosure: Bool { node.kind == .closureExpr }
}

extension SyntaxProtocol {
  /// The nearest function, initializer, accessor or closure around this node, not this node itself.
  var enclosingRoutine: Routine? {
    var current = parent
    while let here = current {
      if let routine = Routine(here) { return routine }
      current = here.parent
    }
    return nil
  }

  /// The nearest one that is not a closure; nil where a type begins before one is met.
  var enclosingFunction: Routine? {
    var current = parent
    while let here = current {
      if here.kind != .closureExpr, let routine = Routine(here) { return routine }
      if here.kind == .memberBlock { return nil }
      current = here.parent
    }
    return nil
  }

  /// The nearest node of a kind around this one.
  func nearest<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
    var current = parent
    while let here = current {
      if let found = here.as(type) { return found }
      current = here.parent
    }
    return nil
  }
}

extension Routine {
  init?(_ node: Syntax) {
    switch node.kind {
    case .functionDecl: self.init(node.cast(FunctionDeclSyntax.self))
    case .initializerDecl: self.init(node.cast(InitializerDeclSyntax.self))
    case .accessorDecl: self.init(node.cast(AccessorDeclSyntax.self))
    case .closureExpr: self.init(node.cast(ClosureExprSyntax.self))
    default: return nil
    }
  }
}
