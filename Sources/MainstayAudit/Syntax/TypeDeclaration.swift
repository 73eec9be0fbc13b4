// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// An enum, struct, class, actor, protocol or extension.
struct TypeDeclaration {
  enum Kind: Sendable {
    case enumeration, structure, classType, actor, protocolType, `extension`
  }

  let kind: Kind
  let node: DeclSyntax
  /// The last part of its name, without generic arguments: types are known by that.
  let name: String
  /// The token, or for an extension the type, that names it.
  let nameSyntax: Syntax
  let modifiers: DeclModifierListSyntax
  let members: MemberBlockItemListSyntax
  let inheritance: InheritanceClauseSyntax?

  init(_ node: EnumDeclSyntax) { self.init(.enumeration, node, node.name) }
  init(_ node: StructDeclSyntax) { self.init(.structure, node, node.name) }
  init(_ node: ClassDeclSyntax) { self.init(.classType, node, node.name) }
  init(_ node: ActorDeclSyntax) { self.init(.actor, node, node.name) }
  init(_ node: ProtocolDeclSyntax) { self.init(.protocolType, node, node.name) }
  init(_ node: ExtensionDeclSyntax) {
    kind = .extension
    self.node = DeclSyntax(node)
    name = node.extendedType.lastName ?? node.extendedType.trimmedDescription
    nameSyntax = Syntax(node.extendedType)
    modifiers = node.modifiers
    members = node.memberBlock.members
    inheritance = node.inheritanceClause
  }

  private init(_ kind: Kind, _ node: some DeclGroupSyntax, _ name: TokenSyntax) {
    self.kind = kind
    self.node = DeclSyntax(node)
    self.name = name.bareText
    nameSyntax = Syntax(name)
    modifiers = node.modifiers
    members = node.memberBlock.members
    inheritance = node.inheritanceClause
  }

  /// The nearest type around a node.
  init?(around node: some SyntaxProtocol) {
    var current = node.parent
    while let here = current {
      if let found = TypeDeclaration(here) {
        self = found
        return
      }
      current = here.parent
    }
    return nil
  }

  init?(_ node: Syntax) {
    switch node.kind {
    case .enumDecl: self.init(node.cast(EnumDeclSyntax.self))
    case .structDecl: self.init(node.cast(StructDeclSyntax.self))
    case .classDecl: self.init(node.cast(ClassDeclSyntax.self))
    case .actorDecl: self.init(node.cast(ActorDeclSyntax.self))
    case .protocolDecl: self.init(node.cast(ProtocolDeclSyntax.self))
    case .extensionDecl: self.init(node.cast(ExtensionDeclSyntax.self))
    default: return nil
    }
  }

  /// The last parts of the names that it inherits from or conforms to.
  var inherited: [String] {
    guard let inheritance else { return [] }
    return inheritance.inheritedTypes.flatMap { $0.type.lastNames }
  }

  func has(_ modifier: Keyword) -> Bool { modifiers.has(modifier) }

  /// Whether nobody outside its file can name it.
  var isFileLocal: Bool {
    has(.private) || has(.fileprivate) || node.enclosingRoutine != nil
  }

  /// The properties declared in this very block, by name.
  var properties: [(name: TokenSyntax, binding: PatternBindingSyntax, variable: VariableDeclSyntax)]
  {
    members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.flatMap { variable in
      variable.bindings.compactMap { binding in
        binding.pattern.as(IdentifierPatternSyntax.self).map {
          ($0.identifier, binding, variable)
        }
      }
    }
  }

  /// The cases of an enum that are declared in this very block.
  var cases: [EnumCaseElementSyntax] {
    members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap { Array($0.elements) }
  }
}
