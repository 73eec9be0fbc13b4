// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// The outermost function, initializer, accessor or closure around this node within its type.
  var outermostRoutine: Routine? {
    var found: Routine?
    var current = parent
    while let here = current {
      if let routine = Routine(here) { found = routine }
      if here.kind == .memberBlock { break }
      current = here.parent
    }
    return found
  }

  /// The statements before this node in the lists around it, up to the function that it lies in,
  /// also outside of closures.
  var itemsBefore: [CodeBlockItemSyntax] { items { $0.position < position } }

  /// The statements after it, in the same way.
  var itemsAfter: [CodeBlockItemSyntax] { items { $0.position >= endPosition } }

  private func items(where matches: (CodeBlockItemSyntax) -> Bool) -> [CodeBlockItemSyntax] {
    var found: [CodeBlockItemSyntax] = []
    var current = parent
    while let here = current {
      if here.kind == .memberBlock || here.kind == .functionDecl { break }
      if let list = here.as(CodeBlockItemListSyntax.self) { found += list.filter(matches) }
      current = here.parent
    }
    return found
  }
}

extension CodeBlockItemSyntax {
  /// The assignment that it is.
  var assignment: Assignment? { item.as(SequenceExprSyntax.self).flatMap(Assignment.init) }
}

extension TypeDeclaration {
  /// The function of a name that is declared in this very block.
  func function(_ name: String) -> FunctionDeclSyntax? {
    functions.first { $0.name.bareText == name }
  }

  /// The functions that are declared in this very block.
  var functions: [FunctionDeclSyntax] {
    members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
  }

  func property(_ name: String) -> PatternBindingSyntax? {
    properties.first { $0.name.bareText == name }?.binding
  }
}
