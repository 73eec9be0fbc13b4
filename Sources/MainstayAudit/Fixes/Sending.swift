// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SourceFileSyntax {
  /// The names of its classes that no other thread may have.
  var plainClasses: Set<String> {
    Set(
      every(ClassDeclSyntax.self).map { TypeDeclaration($0) }
        .filter { $0.mayNotBeSent(beside: []) }.map(\.name))
  }
}

extension TypeDeclaration {
  /// Whether other threads may not have a value of it, as far as its file tells.
  ///
  /// Most structs and enums may be sent. But those that everybody can see have to say so, and none
  /// may that holds a plain class, a plain function or a value of any type.
  ///
  /// - Parameter classes: The names of the file's classes that may not be sent.
  /// - Returns: Whether it is known that they may not.
  func mayNotBeSent(beside classes: Set<String>) -> Bool {
    if hasGlobalActor || inherited.contains("Sendable") { return false }
    switch kind {
    case .classType: return true
    case .actor, .protocolType, .extension: return false
    case .structure, .enumeration:
      // Errors may be sent, and views belong to the main actor.
      if inherited.contains("Error") || inherited.contains("View") { return false }
      if has(.public), !attributes.contains("frozen") { return true }
      let names = classes.union(plainParameters)
      return heldTypes.contains { $0.isPlainFunction || $0.names(anyOf: names) }
        || properties.contains { $0.binding.isMade(of: names) && !$0.variable.isStatic }
    }
  }

  /// Whether it or all of its members belong to an actor such as the main one.
  var hasGlobalActor: Bool { attributes.contains { $0.hasSuffix("Actor") } }

  private var attributes: [String] {
    node.asProtocol((any WithAttributesSyntax).self).map { Array($0.attributes.names) } ?? []
  }

  /// The types that it says for what its values hold.
  private var heldTypes: [TypeSyntax] {
    let stored = properties.filter { !$0.variable.isStatic && $0.binding.accessorBlock == nil }
    let attached = cases.flatMap { $0.parameterClause.map { Array($0.parameters) } ?? [] }
    return stored.compactMap { $0.binding.typeAnnotation?.type } + attached.map(\.type)
  }

  /// The names of its generic parameters that stand for any type.
  private var plainParameters: Set<String> {
    let generic = node.asProtocol((any WithGenericParametersSyntax).self)
    if generic?.genericWhereClause?.trimmedDescription.contains("Sendable") ?? false { return [] }
    let parameters = generic?.genericParameterClause?.parameters ?? []
    return Set(parameters.filter { $0.inheritedType == nil }.map(\.name.text))
  }
}

extension TypeSyntax {
  /// Whether a function is in it that only the thread may call which has it.
  fileprivate var isPlainFunction: Bool {
    contains { $0.kind == .functionType }
      && !contains { node in
        node.as(AttributedTypeSyntax.self)?.attributes.names.contains {
          $0 == "Sendable" || $0.hasSuffix("Actor")
        } ?? false
      }
  }

  fileprivate func names(anyOf names: Set<String>) -> Bool {
    contains { $0.as(IdentifierTypeSyntax.self).map { names.contains($0.name.text) } ?? false }
  }
}

extension PatternBindingSyntax {
  /// Whether it begins as `Cache()` of such a class, without a type of its own.
  fileprivate func isMade(of classes: Set<String>) -> Bool {
    guard typeAnnotation == nil,
      let name = initializer?.value.as(FunctionCallExprSyntax.self)?.name
    else { return false }
    return classes.contains(name)
  }
}
