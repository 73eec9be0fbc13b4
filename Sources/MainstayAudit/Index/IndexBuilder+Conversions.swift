// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension IndexBuilder {
  /// `static func from(_ error: E) -> AppError`, and functions that ask an error for its type.
  func add(_ node: FunctionDeclSyntax) {
    addErrorTaker(node)
    let takesAny = node.signature.parameterClause.takesAnyError
    let makesApp = node.signature.returnClause?.type.isNamed(app) ?? false
    let makesSelf = node.signature.returnClause?.type.isNamed("Self") ?? false
    guard takesAny || makesApp || makesSelf || node.signature.parameterClause.parameters.isEmpty
    else { return }
    let owner = TypeDeclaration(around: node)?.name
    let isConversion = makesApp || makesSelf && owner == app
    guard takesAny || isConversion || owner == "Error" else { return }
    if isConversion { addConversion(Routine(node), owner: owner) }
    if let body = node.body, takesAny || owner == "Error" {
      addCasts(in: Routine(node), body.statements, isConversion ? app : node.returnName)
    }
  }

  /// `extension AppError { init(_ error: E) }`.
  func add(_ node: InitializerDeclSyntax) {
    guard let owner = TypeDeclaration(around: node)?.name else { return }
    let takesAny = node.signature.parameterClause.takesAnyError
    guard owner == app || takesAny else { return }
    if owner == app { addConversion(Routine(node), owner: owner) }
    if takesAny, let body = node.body { addCasts(in: Routine(node), body.statements, owner) }
  }

  /// `var appError: AppError { … }` of an error.
  func addConversion(_ binding: PatternBindingSyntax, of node: VariableDeclSyntax) {
    guard let type = binding.typeAnnotation?.type, type.isNamed(app), !node.isStatic,
      let accessors = binding.accessorBlock, let owner = TypeDeclaration(around: node),
      node.parent?.kind == .memberBlockItem,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
    else { return }
    if owner.name == "Error" {
      if case .getter(let statements) = accessors.accessors {
        addCasts(statements, of: ["self"], app)
      }
    } else if owner.name != app {
      let call = IndexedConversion.Call(before: "", after: "." + name)
      part.conversions.insert(IndexedConversion(from: owner.name, into: app, call: call))
    }
  }

  /// `ErrorMapping.standard.adding(E.self) { … }`.
  func addMapping(_ node: MemberAccessExprSyntax) {
    guard let type = node.base?.lastName, type.first?.isUppercase ?? false,
      let call = node.parent?.parent?.parent?.as(FunctionCallExprSyntax.self),
      let name = call.name, ["adding", "register", "map", "mapping", "convert"].contains(name)
    else { return }
    addArms([type])
  }

  /// Types of which something that takes any error makes the app's error.
  func addArms(_ types: [String]) {
    for type in types where type != app && type != "Error" {
      part.conversions.insert(IndexedConversion(from: type, into: app, call: nil))
    }
  }

  /// `enum AppError { case cart(CartError) }` holds a `CartError` as it is.
  func addPayloads(of cases: [IndexedCase]) {
    for element in cases where element.payload.count == 1 {
      let name = element.payload[0].split(separator: ".").last.map(String.init) ?? ""
      guard !name.isEmpty, name != "any Error", name != "Error", name != app else { continue }
      let label =
        element.labels == "(_:)"
        ? "" : element.labels.map { $0.dropFirst().dropLast(1) + " " } ?? ""
      let call = IndexedConversion.Call(before: "\(app).\(element.name)(\(label)", after: ")")
      part.conversions.insert(IndexedConversion(from: name, into: app, call: call))
    }
  }

  private func addConversion(_ routine: Routine, owner: String?) {
    let isMember = routine.name == "init" || routine.isStatic && owner == app
    for parameter in routine.parameters {
      guard let from = parameter.type?.lastName, from != "Error", from != app else { continue }
      var call: IndexedConversion.Call?
      if isMember, routine.parameters.count == 1, !routine.isThrowing, !routine.isAsync,
        let name = routine.name
      {
        let label = parameter.label.map { $0 + ": " } ?? ""
        let path = name == "init" ? app : "\(app).\(name)"
        call = .init(before: "\(path)(\(label)", after: ")")
      }
      part.conversions.insert(IndexedConversion(from: from, into: app, call: call))
    }
    // `extension E { func asAppError() -> AppError }`
    if routine.parameters.isEmpty, let owner, owner != app, owner != "Error", !routine.isStatic,
      let name = routine.name
    {
      let call = IndexedConversion.Call(before: "", after: ".\(name)()")
      part.conversions.insert(IndexedConversion(from: owner, into: app, call: call))
    }
  }

  private func addCasts(
    in routine: Routine, _ statements: CodeBlockItemListSyntax, _ into: String?
  ) {
    var names = Set(
      routine.parameters.filter { $0.type?.isError ?? false }.map { $0.name.bareText })
    if names.isEmpty { names = ["self"] }
    addCasts(statements, of: names, into)
  }

  /// The types that code asks any error for, one after another.
  private func addCasts(
    _ statements: CodeBlockItemListSyntax, of names: Set<String>, _ into: String?
  ) {
    var casts = Casts(names: names, app: app)
    casts.collect(in: statements)
    guard let first = casts.first else { return }
    if into == app { addArms(casts.types) }
    part.castLists.append(
      IndexedCastList(
        types: casts.types, into: into, isOpen: casts.isOpen, site: site(of: first.chain),
        pathClass: file.pathClass, arm: casts.last.flatMap { $0.arm(in: file) }))
  }
}

extension Syntax {
  /// The `if`, `switch` or `guard` that a cast is the first arm of.
  fileprivate var chain: Syntax {
    var current = parent
    while let here = current, Routine(here) == nil {
      if [.ifExpr, .switchExpr, .guardStmt].contains(here.kind) {
        guard here.parent?.kind == .ifExpr, let outer = here.parent else { return here }
        return outer
      }
      current = here.parent
    }
    return self
  }
}

extension FunctionDeclSyntax {
  fileprivate var returnName: String? { signature.returnClause?.type.lastName }
}

extension Routine {
  fileprivate var isStatic: Bool {
    let modifiers = node.as(FunctionDeclSyntax.self)?.modifiers
    return modifiers.map { $0.has(.static) || $0.has(.class) } ?? false
  }
}

extension TypeSyntax {
  /// `Error`, `any Error`, `some Error` or `(any Error)?`.
  fileprivate var isError: Bool {
    if let inner = self.as(TupleTypeSyntax.self), inner.elements.count == 1 {
      return inner.elements.first?.type.isError ?? false
    }
    if let inner = self.as(OptionalTypeSyntax.self) { return inner.wrappedType.isError }
    return isNamed("Error")
  }
}

extension FunctionParameterClauseSyntax {
  fileprivate var takesAnyError: Bool { parameters.contains { $0.type.isError } }
}

/// The casts of an error in one function.
private struct Casts {
  let names: Set<String>
  let app: String
  private(set) var types: [String] = []
  /// Whether the error goes as it is to something that converts any.
  private(set) var isOpen = false
  /// The first cast.
  private(set) var first: Syntax?
  /// The last cast that gives the error a name.
  private(set) var last: NamedCast?

  init(names: Set<String>, app: String) {
    self.names = names
    self.app = app
  }

  mutating func collect(in statements: CodeBlockItemListSyntax) {
    for statement in statements {
      statement.walk { node in
        look(at: node)
        return true
      }
    }
  }

  private mutating func look(at node: Syntax) {
    switch node.kind {
    case .unresolvedAsExpr, .unresolvedIsExpr:
      guard isAboutError(node), let type = node.nextSibling?.as(TypeExprSyntax.self)?.type else {
        return
      }
      add(type.lastName, at: node)
      if let cast = NamedCast(node, type) { last = cast }
    case .isTypePattern where isOfError(node):
      add(node.cast(IsTypePatternSyntax.self).type.lastName, at: node)
    case .switchCaseItem where isOfError(node):
      let pattern = node.cast(SwitchCaseItemSyntax.self).pattern
      for access in pattern.every(MemberAccessExprSyntax.self) {
        add(access.base?.lastName, at: node)
      }
    case .functionCallExpr:
      let call = node.cast(FunctionCallExprSyntax.self)
      guard let name = call.name, let value = call.firstArgument?.firstPlainName,
        names.contains(value)
      else { return }
      if name == "from" || name == "init" || name == app
        || words(of: name).contains(where: { $0 == "map" || $0 == "convert" })
      {
        isOpen = true
      }
    default: break
    }
  }

  private mutating func add(_ type: String?, at node: Syntax) {
    guard let type, type != "Error", !types.contains(type) else { return }
    if first == nil { first = node }
    types.append(type)
  }

  /// Whether what is cast is the error, or what a `switch` over it takes apart.
  private func isAboutError(_ node: Syntax) -> Bool {
    guard let value = node.previousSibling else { return false }
    if let name = value.as(ExprSyntax.self)?.firstName { return names.contains(name) }
    return isOfError(node)
  }

  /// Whether it is part of a pattern that the error is held against.
  private func isOfError(_ node: Syntax) -> Bool {
    var current = node.parent
    while let here = current, here.kind != .codeBlockItem {
      if let expression = here.as(SwitchExprSyntax.self) { return isError(expression.subject) }
      if let match = here.as(MatchingPatternConditionSyntax.self) {
        return isError(match.initializer.value)
      }
      current = here.parent
    }
    return false
  }

  private func isError(_ value: ExprSyntax) -> Bool {
    value.firstName.map(names.contains) ?? false
  }
}

extension ExprSyntax {
  /// The name that this is, without members.
  fileprivate var firstPlainName: String? {
    self.as(DeclReferenceExprSyntax.self)?.baseName.bareText
  }
}

/// `if let e = error as? E` or `case let e as E:`, after which another arm can stand.
private struct NamedCast {
  private let type: TypeSyntax
  private let place: Place

  private enum Place {
    case condition(IfExprSyntax, OptionalBindingConditionSyntax)
    case label(SwitchCaseSyntax)
  }

  init?(_ cast: Syntax, _ type: TypeSyntax) {
    self.type = type
    if let condition = cast.nearest(OptionalBindingConditionSyntax.self),
      let owner = condition.parent?.parent?.parent?.as(IfExprSyntax.self),
      owner.conditions.count == 1
    {
      place = .condition(owner, condition)
    } else if let label = cast.nearest(SwitchCaseLabelSyntax.self), label.caseItems.count == 1,
      label.caseItems.first?.whereClause == nil,
      let owner = label.parent?.as(SwitchCaseSyntax.self)
    {
      place = .label(owner)
    } else {
      return nil
    }
  }

  func arm(in file: AuditedFile) -> IndexedCastList.Arm? {
    switch place {
    case .condition(let owner, let condition):
      guard let word = owner.body.statements.resultWord,
        let name = condition.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      else { return nil }
      let start = condition.bytes.lowerBound
      let outer = file.indentation(of: owner.body.rightBrace)
      let inner = outer + file.step(in: owner.body)
      return IndexedCastList.Arm(
        place: owner.body.bytes.upperBound,
        beforeType: " else if " + file.text(start..<type.bytes.lowerBound),
        afterType: " {\n\(inner)\(word)", afterValue: "\n\(outer)}", name: name)
    case .label(let owner):
      guard let word = owner.statements.resultWord,
        let name = owner.label.every(IdentifierPatternSyntax.self).first?.identifier.text
      else { return nil }
      let label = owner.label.bytes
      let outer = file.indentation(of: owner.label)
      return IndexedCastList.Arm(
        place: owner.statements.bytes.upperBound,
        beforeType: "\n\(outer)" + file.text(label.lowerBound..<type.bytes.lowerBound),
        afterType: file.text(type.bytes.upperBound..<label.upperBound) + " " + word,
        afterValue: "", name: name)
    }
  }
}

extension CodeBlockItemListSyntax {
  /// What stands before the value that these statements come to: `return ` or nothing; nil where
  /// they do more.
  fileprivate var resultWord: String? {
    guard count == 1, let only = first?.item else { return nil }
    if let statement = only.as(ReturnStmtSyntax.self) {
      return statement.expression == nil ? nil : "return "
    }
    return only.is(ExprSyntax.self) ? "" : nil
  }
}
