// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// Every node of a kind in this one, itself included, in the order of the source.
  func every<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
    var found: [Node] = []
    walk { node in
      if let match = node.as(type) { found.append(match) }
      return true
    }
    return found
  }

  /// Every node of a kind that runs as part of this one: not what lies in closures, nested
  /// functions and nested types.
  func everyOwn<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
    var found: [Node] = []
    walk { node in
      if let match = node.as(type) { found.append(match) }
      return !node.startsScope || node.id == self.id
    }
    return found
  }

  /// Whether a node in this one, itself included, is as asked.
  func contains(where matches: (Syntax) -> Bool) -> Bool {
    var found = false
    walk { node in
      guard !found else { return false }
      if matches(node) { found = true }
      return !found
    }
    return found
  }

  /// Whether a node that runs as part of this one is as asked: not in closures, nested functions
  /// and nested types.
  func containsOwn(where matches: (Syntax) -> Bool) -> Bool {
    var found = false
    walk { node in
      guard !found else { return false }
      if matches(node) {
        found = true
        return false
      }
      return !node.startsScope || node.id == self.id
    }
    return found
  }

  /// Goes over this node and what lies in it, in the order of the source; `enters` says whether
  /// to go into a node.
  func walk(_ enters: (Syntax) -> Bool) {
    let node = Syntax(self)
    guard enters(node) else { return }
    for child in node.children(viewMode: .sourceAccurate) { child.walk(enters) }
  }

  /// Whether a name occurs in it as an identifier, also inside interpolations.
  func mentions(_ name: String) -> Bool { mentionsAny(of: [name]) }

  /// Whether one of the names occurs in it as a whole identifier that is not a member or a label.
  ///
  /// That is `error` in `error.code`, but not in `self.error` or `f(error: x)`. A nested clause or
  /// closure that gives the name to something else does not count.
  func mentionsAny(of names: Set<String>) -> Bool {
    guard !names.isEmpty else { return false }
    var found = false
    walk { node in
      guard !found else { return false }
      if let hidden = node.rebinds(names), node.id != id {
        let left = names.subtracting(hidden)
        found = node.children(viewMode: .sourceAccurate).contains { $0.mentionsAny(of: left) }
        return false
      }
      if let reference = node.as(DeclReferenceExprSyntax.self) {
        found = names.contains(reference.baseName.bareText) && !reference.isMemberName
      } else {
        found = node.isShorthandBinding(of: names)
      }
      return !found
    }
    return found
  }

  /// Whether an identifier in it is as asked, wherever it stands.
  func mentions(where matches: (TokenSyntax) -> Bool) -> Bool {
    contains { node in
      guard let token = node.as(TokenSyntax.self) else { return false }
      return token.isIdentifier && matches(token)
    }
  }

  /// The names that code gives to what is made of the named values, in its own statements:
  /// `if let x = error as? T`, `let wrapped = Wrapped(error)`, patterns of `switch error`.
  func aliases(of names: Set<String>) -> Set<String> {
    var known = names
    var grew = true
    while grew {
      grew = false
      walk { node in
        for name in node.newNames(from: known) where known.insert(name).inserted { grew = true }
        return true
      }
    }
    return known.subtracting(names)
  }
}

extension Syntax {
  /// Whether what lies in it runs at another time or belongs to somebody else.
  var startsScope: Bool {
    switch kind {
    case .closureExpr, .functionDecl, .initializerDecl, .deinitializerDecl, .subscriptDecl,
      .enumDecl, .structDecl, .classDecl, .actorDecl, .protocolDecl, .extensionDecl, .accessorDecl:
      true
    default: false
    }
  }

  /// Whether it is `if let error` without a value, which reads the name.
  fileprivate func isShorthandBinding(of names: Set<String>) -> Bool {
    guard let binding = self.as(OptionalBindingConditionSyntax.self), binding.initializer == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return false }
    return names.contains(pattern.identifier.bareText)
  }

  /// Those of the names that stand for something else in this clause or closure.
  fileprivate func rebinds(_ names: Set<String>) -> Set<String>? {
    let bound: Set<String>
    switch kind {
    case .catchClause: bound = cast(CatchClauseSyntax.self).boundNames
    case .closureExpr: bound = cast(ClosureExprSyntax.self).parameterNames
    default: return nil
    }
    return bound.isDisjoint(with: names) ? nil : bound
  }

  fileprivate func newNames(from known: Set<String>) -> Set<String> {
    var names: Set<String> = []
    switch kind {
    case .sequenceExpr:
      // `wrapped = Wrapped(error)`
      guard let assignment = Assignment(cast(SequenceExprSyntax.self)),
        let target = assignment.target.as(DeclReferenceExprSyntax.self),
        assignment.values.contains(where: { $0.mentionsAny(of: known) })
      else { break }
      names.insert(target.baseName.bareText)
    case .forStmt:
      let loop = cast(ForStmtSyntax.self)
      if loop.sequence.mentionsAny(of: known) { loop.pattern.collectBoundNames(into: &names) }
    case .optionalBindingCondition:
      let binding = cast(OptionalBindingConditionSyntax.self)
      if binding.initializer?.value.mentionsAny(of: known) ?? false {
        binding.pattern.collectBoundNames(into: &names)
      }
    case .patternBinding:
      let binding = cast(PatternBindingSyntax.self)
      if binding.initializer?.value.mentionsAny(of: known) ?? false {
        binding.pattern.collectBoundNames(into: &names)
      }
    case .matchingPatternCondition:
      let condition = cast(MatchingPatternConditionSyntax.self)
      if condition.initializer.value.mentionsAny(of: known) {
        condition.pattern.collectBoundNames(into: &names)
      }
    case .switchExpr:
      let expression = cast(SwitchExprSyntax.self)
      if expression.subject.mentionsAny(of: known) {
        for label in expression.cases.compactMap({ $0.as(SwitchCaseSyntax.self)?.label }) {
          for item in label.as(SwitchCaseLabelSyntax.self)?.caseItems.map(\.self) ?? [] {
            item.pattern.collectBoundNames(into: &names)
          }
        }
      }
    default: break
    }
    return names
  }
}

extension ClosureExprSyntax {
  /// What it calls the values that it is given.
  var parameterNames: Set<String> {
    switch signature?.parameterClause {
    case .simpleInput(let list): Set(list.map(\.name.bareText))
    case .parameterClause(let clause):
      Set(clause.parameters.map { ($0.secondName ?? $0.firstName).bareText })
    case nil: []
    }
  }
}

extension DeclReferenceExprSyntax {
  /// Whether it is `b` in `a.b`, `.b` or `\.b`.
  var isMemberName: Bool {
    if parent?.kind == .keyPathPropertyComponent { return true }
    guard let access = parent?.as(MemberAccessExprSyntax.self) else { return false }
    return access.declName.id == id
  }
}

extension CodeBlockItemListSyntax {
  /// The statements before one of them, the nearest first; so few of them that looking at each
  /// from each costs no more than a walk.
  func statements(before item: CodeBlockItemSyntax) -> [CodeBlockItemSyntax] {
    guard var place = index(of: item) else { return [] }
    var found: [CodeBlockItemSyntax] = []
    while place != startIndex, found.count < 40 {
      place = index(before: place)
      found.append(self[place])
    }
    return found
  }

  /// The statements after one of them, in order.
  func statements(after item: CodeBlockItemSyntax) -> [CodeBlockItemSyntax] {
    guard let place = index(of: item) else { return [] }
    return Array(self[index(after: place)...].prefix(60))
  }
}

extension SyntaxProtocol {
  /// The node after this one in its parent.
  var nextSibling: Syntax? { sibling(after: true) }
  /// The node before this one in its parent.
  var previousSibling: Syntax? { sibling(after: false) }

  private func sibling(after: Bool) -> Syntax? {
    guard let children = parent?.children(viewMode: .sourceAccurate),
      let place = children.index(of: self)
    else { return nil }
    if after {
      let next = children.index(after: place)
      return next < children.endIndex ? children[next] : nil
    }
    return place > children.startIndex ? children[children.index(before: place)] : nil
  }
}

extension TokenSyntax {
  /// `CancellationError`, `isCancelled`, `URLError.cancelled`, `NSUserCancelledError`, `ECANCELED`.
  var isAboutCancellation: Bool {
    let text = text
    return text.count >= 7 && text.lowercased().contains("cancel")
  }
}
