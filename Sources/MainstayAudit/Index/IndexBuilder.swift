// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Collects what a file says about errors while the walk goes over it.
final class IndexBuilder {
  let file: AuditedFile
  /// Whether to note every member that is named, which only a few rules ask for.
  let notesMembers: Bool
  /// The type for the errors of the whole app; a project that names none may still have one.
  let app: String
  var part = FileIndex()

  init(_ file: AuditedFile, notesMembers: Bool) {
    self.file = file
    self.notesMembers = notesMembers
    app = file.vocabulary.appErrorName
    part.target = Self.target(of: file.path)
    part.imports = file.imports
    if let isModern = Self.isModernPackage(file) {
      part.package = (String(file.path.dropLast("Package.swift".count)), isModern)
    }
  }

  /// The folder below the last `Sources` of a path, with the path to it.
  private static func target(of path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let place = parts.dropLast().lastIndex(of: "Sources") else { return "" }
    return parts.prefix(min(place + 2, parts.count - 1)).joined(separator: "/")
  }

  /// The place of a node; what declares a name is known by that name, whatever is in it.
  func site(of node: some SyntaxProtocol, named name: String? = nil) -> IndexedSite {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let place = file.lines.place(of: start)
    let line = file.content(ofLine: place.line)
    let end = min(node.endPositionBeforeTrailingTrivia.utf8Offset, line.upperBound)
    return IndexedSite(
      path: file.path, line: place.line, column: place.column,
      endColumn: max(place.column + 1, end - line.lowerBound + 1),
      source: file.excerpt(ofLine: place.line),
      anchor: name.map { Finding.Anchor(declaration: $0, statement: 0) } ?? node.anchor)
  }

  func add(_ declaration: TypeDeclaration) {
    if notesMembers { addNames(in: declaration) }
    if declaration.hasBareFailure { part.bareOutcomes.insert(declaration.name) }
    let inherited = declaration.inherited + requirements(of: declaration)
    let kind: IndexedType.Kind
    switch declaration.kind {
    case .enumeration: kind = .enumeration
    case .structure: kind = .structure
    case .classType, .actor: kind = .classType
    case .protocolType: kind = .protocolType
    case .extension: kind = .extension
    }
    // Most types have nothing to do with errors, and what they hold is not asked for.
    let mayBeError =
      Self.endings.contains { declaration.name.hasSuffix($0) }
      || inherited.allSatisfy { !WellKnownTypes.contains($0) }
      || inherited.contains { ProjectIndex.errorRoots.contains($0) }
    var properties: [(String, String)] = []
    if mayBeError {
      properties = declaration.properties.filter { !$0.variable.isStatic }.map { property in
        (property.name.bareText, property.binding.typeAnnotation?.type.trimmedDescription ?? "")
      }
    }
    let cases = mayBeError ? declaration.cases.map { indexed($0, of: declaration.name) } : []
    if declaration.name == app { addPayloads(of: cases) }
    let around = TypeSurroundings(declaration)
    part.types.append(
      IndexedType(
        name: declaration.name, qualifiedName: around.qualifiedName, kind: kind,
        inherited: inherited, properties: Dictionary(properties) { first, _ in first },
        cases: cases, isFileLocal: around.isFileLocal, isPublic: around.isPublic,
        pathClass: file.pathClass, target: part.target,
        site: site(of: declaration.nameSyntax, named: around.qualifiedName),
        extensionPlace: around.extensionPlace,
        importEdit: mayBeError ? file.foundationImport : nil, generics: around.generics))
  }

  /// Endings of names that errors have.
  private static let endings = ["Error", "Failure", "Exception", "Problem"]

  /// `protocol P where Self: Error` inherits as `protocol P: Error` does.
  private func requirements(of declaration: TypeDeclaration) -> [String] {
    guard let clause = declaration.node.as(ProtocolDeclSyntax.self)?.genericWhereClause else {
      return []
    }
    return clause.requirements.flatMap { requirement -> [String] in
      guard let conformance = requirement.requirement.as(ConformanceRequirementSyntax.self),
        conformance.leftType.lastName == "Self"
      else { return [] }
      return conformance.rightType.lastNames
    }
  }

  private func indexed(_ element: EnumCaseElementSyntax, of type: String) -> IndexedCase {
    let parameters = element.parameterClause?.parameters
    let canBeShort = parameters?.contains { $0.defaultValue != nil } ?? false
    let labels = parameters?.map { $0.firstName?.bareText ?? "_" } ?? []
    return IndexedCase(
      name: element.name.bareText,
      payload: parameters?.map { $0.type.trimmedDescription } ?? [],
      labels: canBeShort ? nil : labels.asCallLabels,
      site: site(of: element.name, named: "\(type).\(element.name.bareText)"))
  }

  /// `typealias Failure = CartError`.
  func add(_ node: TypeAliasDeclSyntax) {
    part.aliases[node.name.bareText, default: []] += node.initializer.value.lastNames
  }

  func add(_ statement: ThrowStmtSyntax) {
    var thrown = statement.expression.core
    if let call = thrown.as(FunctionCallExprSyntax.self) { thrown = call.calledExpression }
    let use: (type: String?, member: String?)
    if let access = thrown.as(MemberAccessExprSyntax.self) {
      let member = access.declName.baseName.bareText
      let type = access.base?.lastName ?? statement.enclosingRoutine?.thrownType
      if member.first?.isUppercase ?? false {
        use = (member, nil)
      } else {
        use = member == "init" ? (type, nil) : (type, member)
      }
    } else if let name = thrown.lastName, name.first?.isUppercase ?? false {
      use = (name, nil)
    } else {
      return
    }
    part.throwSites.append(indexedUse(use, at: statement))
  }

  func add(_ clause: CatchClauseSyntax) {
    guard !clause.catchItems.isEmpty else { return }
    let types = clause.caughtTypes
    guard !types.isEmpty else { return }
    for type in types { part.catchSites.append(indexedUse((type, nil), at: clause)) }
    let makesIt =
      clause.body.mentions { $0.text == app }
      || clause.enclosingFunction?.thrownType == app
        && clause.body.containsOwn { $0.kind == .throwStmt }
    if makesIt { addArms(types) }
  }

  private func indexedUse(
    _ use: (type: String?, member: String?), at node: some SyntaxProtocol
  ) -> IndexedUse {
    IndexedUse(
      type: use.type, member: use.member, pathClass: file.pathClass, path: file.path,
      line: file.lines.place(of: node.positionAfterSkippingLeadingTrivia.utf8Offset).line)
  }

  func add(_ node: VariableDeclSyntax) {
    for binding in node.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
      else { continue }
      let isLogger =
        binding.typeAnnotation?.type.isNamed("Logger")
        ?? (binding.initializer?.value.as(FunctionCallExprSyntax.self)?.name == "Logger")
      if isLogger, file.imports.contains("os") || file.imports.contains("OSLog") {
        part.systemLoggers.insert(name)
      }
      addConversion(binding, of: node)
      addErrorMember(binding)
    }
  }
}

extension Vocabulary {
  /// The type for the errors of the whole app, by its usual name where none is configured.
  var appErrorName: String { appError ?? "AppError" }
}

/// What lies around the declaration of a type.
struct TypeSurroundings {
  let qualifiedName: String
  private(set) var isFileLocal: Bool
  private(set) var isPublic: Bool
  let extensionPlace: Int?
  let generics: IndexedGenerics

  init(_ declaration: TypeDeclaration) {
    var names = [declaration.fullName]
    var types = [declaration]
    var outermost = declaration
    var needsMore = declaration.isAvailableAtTimes
    isFileLocal = declaration.isFileLocal
    isPublic = declaration.has(.public) || declaration.has(.open)
    var current = declaration.node.parent
    while let here = current {
      if let type = TypeDeclaration(here) {
        names.append(type.fullName)
        types.append(type)
        outermost = type
        isFileLocal = isFileLocal || type.isFileLocal
        needsMore = needsMore || type.isAvailableAtTimes
        isPublic = isPublic || type.kind == .extension && type.has(.public)
      } else if Routine(here) != nil {
        needsMore = true
      }
      current = here.parent
    }
    qualifiedName = names.reversed().joined(separator: ".")
    generics = IndexedGenerics(types.reversed())
    extensionPlace = needsMore ? nil : outermost.node.bytes.upperBound
  }
}

extension TypeDeclaration {
  /// Whether it is an enum with a `success` and a `failure` that carries nothing.
  fileprivate var hasBareFailure: Bool {
    guard kind == .enumeration else { return false }
    let cases = cases
    return cases.contains { $0.name.bareText == "success" }
      && cases.contains { $0.name.bareText == "failure" && $0.parameterClause == nil }
  }

  /// The name as an extension writes it, without generic arguments.
  var fullName: String {
    guard let extended = node.as(ExtensionDeclSyntax.self)?.extendedType else { return name }
    var names: [String] = []
    var current: TypeSyntax? = extended
    while let here = current {
      if let last = here.lastName { names.append(last) }
      current = here.as(MemberTypeSyntax.self)?.baseType
    }
    return names.reversed().joined(separator: ".")
  }

  fileprivate var isAvailableAtTimes: Bool {
    node.asProtocol((any WithAttributesSyntax).self)?.attributes.contains { element in
      element.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "available"
    } ?? false
  }
}

extension VariableDeclSyntax {
  /// Whether it belongs to the type rather than to its values.
  var isStatic: Bool { modifiers.has(.static) || modifiers.has(.class) }
}

extension TypeSyntax {
  /// Whether the last part of it is a name, also behind `any`, `some` and before `?`.
  func isNamed(_ name: String) -> Bool {
    switch kind {
    case .identifierType: cast(IdentifierTypeSyntax.self).name.text == name
    case .memberType: cast(MemberTypeSyntax.self).name.text == name
    case .optionalType: cast(OptionalTypeSyntax.self).wrappedType.isNamed(name)
    case .someOrAnyType: cast(SomeOrAnyTypeSyntax.self).constraint.isNamed(name)
    case .attributedType: cast(AttributedTypeSyntax.self).baseType.isNamed(name)
    default: false
    }
  }
}

extension [String] {
  /// `(code:_:)` for `code` and `_`.
  var asCallLabels: String { "(" + map { $0 + ":" }.joined() + ")" }
}
