// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension IndexBuilder {
  /// Notes what is named, unless the name stands behind a value, which makes no case.
  func add(_ node: MemberAccessExprSyntax) {
    if node.declName.baseName.tokenKind == .keyword(.self) { return addMapping(node) }
    guard notesMembers else { return }
    let isTest = file.pathClass == .test
    let owner: String?
    if let base = node.base {
      guard let name = base.lastName, name.first?.isUppercase ?? false else { return }
      owner = name == "Self" ? TypeDeclaration(around: node)?.name : name
    } else {
      owner = node.expectedType
    }
    guard isTest || !node.isAskedFor else { return }
    let use = MemberUse(
      owner: owner, labels: isTest && node.isAskedFor ? "*" : node.callLabels,
      isExplicit: node.base != nil)
    let name = node.declName.baseName.bareText
    if !isTest {
      part.members[name, default: []].insert(use)
    } else {
      part.testMembers[name, default: []].insert(use)
    }
  }

  /// Notes that a text of an error is read, unless as one of a `LocalizedError`, which is optional.
  func add(_ node: DeclReferenceExprSyntax) {
    let name = node.baseName.bareText
    guard Self.texts.contains(name) else { return }
    let access = node.isMemberName ? node.parent?.as(MemberAccessExprSyntax.self) : nil
    guard access != nil || !node.isLocal(name), !ExprSyntax(node).isSet,
      !(access.map { ExprSyntax($0).isSet } ?? false),
      !(access?.base?.trimmedDescription.contains("LocalizedError") ?? false)
    else { return }
    part.textReads.insert(name)
  }

  private static let texts: Set<String> = [
    "errorDescription", "failureReason", "recoverySuggestion",
  ]

  /// The name of a type, and what its static members name without a dot.
  func addNames(in declaration: TypeDeclaration) {
    if declaration.kind != .extension { part.typeNames.insert(declaration.name) }
    guard declaration.kind == .enumeration || declaration.kind == .extension else { return }
    for member in declaration.members where member.decl.isStaticMember {
      for reference in member.decl.every(DeclReferenceExprSyntax.self)
      where !reference.isMemberName && reference.baseName.isIdentifier {
        let use = MemberUse(
          owner: declaration.name, labels: ExprSyntax(reference).callLabels, isExplicit: true)
        part.members[reference.baseName.bareText, default: []].insert(use)
      }
    }
  }
}

extension DeclSyntax {
  fileprivate var isStaticMember: Bool {
    self.as(FunctionDeclSyntax.self)?.modifiers.has(.static)
      ?? self.as(VariableDeclSyntax.self)?.modifiers.has(.static) ?? false
  }
}

extension ExprSyntax {
  /// Whether it gets a value: what stands before a `=`.
  fileprivate var isSet: Bool {
    guard let elements = parent?.as(ExprListSyntax.self), elements.first?.id == id else {
      return false
    }
    return elements.dropFirst().first?.kind == .assignmentExpr
  }

  /// The labels of the call that this is the name of, such as `(code:_:)`; nil where there is none.
  fileprivate var callLabels: String? {
    guard let call = parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == id
    else { return nil }
    if call.trailingClosure != nil { return "*" }
    return call.arguments.map { $0.label?.bareText ?? "_" }.asCallLabels
  }
}

extension MemberAccessExprSyntax {
  fileprivate var callLabels: String? { ExprSyntax(self).callLabels }

  /// The expression that the member stands for: itself, or the call of it.
  private var whole: Syntax {
    guard let call = parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == id
    else { return Syntax(self) }
    return Syntax(call)
  }

  /// The type that the place of `.a` asks for, where one is written there: behind `throw`,
  /// `return` or `let x: T =`.
  var expectedType: String? {
    var here = whole
    while let parent = here.parent,
      [.tupleExpr, .labeledExpr, .labeledExprList, .tryExpr, .awaitExpr].contains(parent.kind)
    {
      // An argument is not what the call stands for.
      if parent.parent?.kind == .functionCallExpr { return nil }
      here = parent
    }
    guard let parent = here.parent else { return nil }
    switch parent.kind {
    case .throwStmt: return enclosingRoutine?.thrownType
    case .returnStmt: return enclosingRoutine?.returnType?.plainName
    case .initializerClause:
      return parent.parent?.as(PatternBindingSyntax.self)?.typeAnnotation?.type.plainName
        ?? parent.parent?.as(FunctionParameterSyntax.self)?.type.plainName
    case .codeBlockItem:
      guard parent.cast(CodeBlockItemSyntax.self).isImplicitResult else { return nil }
      if let routine = enclosingRoutine { return routine.returnType?.plainName }
      return nearest(PatternBindingSyntax.self)?.typeAnnotation?.type.plainName
    default: return nil
    }
  }

  /// Whether it asks what a value is, rather than makes one: in `case .a`, `catch E.a`, `== .a`.
  var isAskedFor: Bool {
    if isCompared { return true }
    var current = Syntax(self).parent
    while let here = current {
      switch here.kind {
      case .expressionPattern, .switchCaseItem, .catchItem: return true
      case .codeBlockItem, .memberBlockItem: return false
      default: current = here.parent
      }
    }
    return false
  }

  private var isCompared: Bool {
    guard let elements = whole.parent?.as(ExprListSyntax.self),
      elements.parent?.kind == .sequenceExpr
    else { return false }
    var previous: ExprSyntax?
    var isNext = false
    for element in elements {
      if isNext { return element.isComparison }
      if element.id == whole.id {
        if previous?.isComparison ?? false { return true }
        isNext = true
      }
      previous = element
    }
    return false
  }
}

extension TypeSyntax {
  /// The name of a type that has no more than a name.
  fileprivate var plainName: String? {
    let name =
      switch kind {
      case .identifierType, .memberType, .optionalType: lastName
      default: String?.none
      }
    return name == "Self" || name == "Result" || name == "Optional" ? nil : name
  }
}

extension ExprSyntax {
  fileprivate var isComparison: Bool {
    guard let sign = self.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
    return sign == "==" || sign == "!=" || sign == "~="
  }
}
