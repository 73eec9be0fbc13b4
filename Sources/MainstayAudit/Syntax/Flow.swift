// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The most statements or members that rules look through from each of them.
let longestList = 300

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
      // No person writes a longer list; looking through it again and again would take too long.
      if let list = here.as(CodeBlockItemListSyntax.self), list.count <= longestList {
        found += list.filter(matches)
      }
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
    guard members.count <= longestList else { return nil }
    return members.lazy.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
      .first { $0.name.bareText == name }
  }

  func property(_ name: String) -> PatternBindingSyntax? {
    guard members.count <= longestList else { return nil }
    return properties.first { $0.name.bareText == name }?.binding
  }
}
