// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Collects what a file says about errors while the walk goes over it.
final class IndexBuilder {
  private let file: AuditedFile
  /// Whether to note every member that is named, which only a few rules ask for.
  private let notesMembers: Bool
  private(set) var part = FileIndex()

  init(_ file: AuditedFile, notesMembers: Bool) {
    self.file = file
    self.notesMembers = notesMembers
  }

  private var isTest: Bool { file.pathClass == .test }

  func site(of node: some SyntaxProtocol) -> IndexedSite {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let place = file.lines.place(of: start)
    let line = file.content(ofLine: place.line)
    let end = min(node.endPositionBeforeTrailingTrivia.utf8Offset, line.upperBound)
    return IndexedSite(
      path: file.path, line: place.line, column: place.column,
      endColumn: max(place.column + 1, end - line.lowerBound + 1),
      source: file.excerpt(ofLine: place.line), anchor: node.anchor)
  }

  func add(_ declaration: TypeDeclaration) {
    let inherited = declaration.inherited
    // Most types have nothing to do with errors; their extensions may.
    guard
      !inherited.isEmpty || declaration.kind == .extension || declaration.name.hasSuffix("Error")
    else { return }
    let kind: IndexedType.Kind
    switch declaration.kind {
    case .enumeration: kind = .enumeration
    case .structure: kind = .structure
    case .classType, .actor: kind = .classType
    case .protocolType: kind = .protocolType
    case .extension: kind = .extension
    }
    let properties = declaration.properties.map { property in
      (property.name.bareText, property.binding.typeAnnotation?.type.trimmedDescription ?? "")
    }
    part.types.append(
      IndexedType(
        name: declaration.name, kind: kind, inherited: inherited,
        properties: Dictionary(properties) { first, _ in first },
        cases: declaration.cases.map(indexed), isFileLocal: declaration.isFileLocal,
        isPublic: declaration.has(.public) || declaration.has(.open), pathClass: file.pathClass,
        site: site(of: declaration.nameSyntax)))
  }

  private func indexed(_ element: EnumCaseElementSyntax) -> IndexedCase {
    IndexedCase(
      name: element.name.bareText,
      payload: element.parameterClause?.parameters.map { $0.type.trimmedDescription } ?? [],
      site: site(of: element.name))
  }

  func add(_ statement: ThrowStmtSyntax) {
    var thrown = statement.expression.core
    if let call = thrown.as(FunctionCallExprSyntax.self) { thrown = call.calledExpression }
    let use: (type: String?, member: String?)
    if let access = thrown.as(MemberAccessExprSyntax.self) {
      let member = access.declName.baseName.bareText
      use = member == "init" ? (access.base?.lastName, nil) : (access.base?.lastName, member)
    } else if let name = thrown.lastName, name.first?.isUppercase ?? false {
      use = (name, nil)
    } else {
      return
    }
    part.throwSites.append(indexedUse(use, at: statement))
  }

  func add(_ clause: CatchClauseSyntax) {
    for type in clause.caughtTypes { part.catchSites.append(indexedUse((type, nil), at: clause)) }
  }

  private func indexedUse(
    _ use: (type: String?, member: String?), at node: some SyntaxProtocol
  ) -> IndexedUse {
    IndexedUse(
      type: use.type, member: use.member, pathClass: file.pathClass, path: file.path,
      line: file.lines.place(of: node.positionAfterSkippingLeadingTrivia.utf8Offset).line)
  }

  /// `static func from(_ error: E) -> AppError`.
  func add(_ node: FunctionDeclSyntax) {
    addConversion(Routine(node))
    addCasts(in: node, node.body)
  }
  /// `extension AppError { init(_ error: E) }`.
  func add(_ node: InitializerDeclSyntax) {
    addConversion(Routine(node))
    addCasts(in: node, node.body)
  }

  private func addConversion(_ routine: Routine) {
    guard let parameter = routine.parameters.first, let from = parameter.type?.lastName,
      from != "Error"
    else { return }
    let owner = TypeDeclaration(around: routine.node)?.name
    let into = routine.name == "init" ? owner : routine.returnType?.lastName
    guard var into else { return }
    if into == "Self", let owner { into = owner }
    guard from != into else { return }
    part.conversions.append(IndexedConversion(from: from, into: into))
  }

  /// The types that a function which gets any error asks for, one after another.
  private func addCasts(in node: some SyntaxProtocol, _ body: CodeBlockSyntax?) {
    guard let body, let routine = Routine(Syntax(node)),
      routine.parameters.contains(where: { $0.type?.lastName == "Error" })
    else { return }
    var types: [String] = []
    for expression in body.every(UnresolvedAsExprSyntax.self) {
      guard let type = expression.nextSibling?.as(TypeExprSyntax.self)?.type.lastName,
        !types.contains(type)
      else { continue }
      types.append(type)
    }
    guard !types.isEmpty else { return }
    let into =
      routine.name == "init"
      ? TypeDeclaration(around: node)?.name : routine.returnType?.lastName
    if let into {
      part.conversions += types.map { IndexedConversion(from: $0, into: into) }
    }
    part.castLists.append(
      IndexedCastList(types: types, site: site(of: node), pathClass: file.pathClass))
  }

  func add(_ node: VariableDeclSyntax) {
    for binding in node.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
      else { continue }
      let isLogger =
        binding.typeAnnotation?.type.lastName == "Logger"
        || binding.initializer?.value.as(FunctionCallExprSyntax.self)?.name == "Logger"
      if isLogger, file.imports.contains("os") || file.imports.contains("OSLog") {
        part.systemLoggers.insert(name)
      }
    }
  }

  func add(_ node: MemberAccessExprSyntax) {
    guard notesMembers else { return }
    let name = node.declName.baseName.bareText
    if isTest {
      part.testMembers[name, default: 0] += 1
    } else if !node.isPattern {
      part.members[name, default: 0] += 1
    }
  }
}

extension MemberAccessExprSyntax {
  /// Whether it asks what a value is, rather than makes one: in `case .a`, `catch E.a`, `== .a`.
  fileprivate var isPattern: Bool {
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
}
