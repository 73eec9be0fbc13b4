// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// What a finding at this node is about, where it may be what is missing there that is wrong: the
  /// clause, the arm, the closure or the function around it, or the node itself.
  ///
  /// A `try?` and a `try!` are wrong by themselves, whatever is around them.
  var subject: Syntax {
    var current = Syntax(self)
    if current.as(TryExprSyntax.self)?.questionOrExclamationMark != nil { return current }
    while current.kind != .memberBlock, let parent = current.parent {
      switch current.kind {
      case .catchClause: return current
      case .switchCaseLabel, .closureSignature: return parent
      // `if case .success(let items) = result { … } else { … }`
      case .matchingPatternCondition: return parent.parent?.parent ?? current
      case .functionParameterClause: return parent.parent ?? current
      case .functionDecl where current.id != id: return Syntax(self)
      default: current = parent
      }
    }
    return Syntax(self)
  }

  /// What tells this place from others without a line number.
  var anchor: Finding.Anchor {
    var names: [String] = []
    var statement: Syntax?
    var current: Syntax? = Syntax(self)
    while let here = current {
      if statement == nil, here.isPlace { statement = here }
      if let name = here.declaredName { names.append(name) }
      current = here.parent
    }
    var hash = StableHash()
    if let clause = statement?.as(CatchClauseSyntax.self), let tried = clause.firstTried {
      hash.add(tried)
    }
    for token in (statement ?? Syntax(self)).tokens(viewMode: .sourceAccurate).prefix(200) {
      hash.add(token.text)
    }
    return Finding.Anchor(
      declaration: names.reversed().joined(separator: "."), statement: hash.value)
  }
}

extension CatchClauseSyntax {
  /// The name of the call whose errors come first; two empty clauses differ by nothing else.
  ///
  /// What else the `do` holds may change without making it another handler.
  fileprivate var firstTried: String? {
    doStatement?.body.escapingErrors().lazy.compactMap { $0.as(TryExprSyntax.self)?.tried?.name }
      .first
  }
}

extension Syntax {
  /// Whether its tokens tell a finding in it from others: those of a clause, whatever it is there
  /// for, or of a statement.
  fileprivate var isPlace: Bool {
    switch kind {
    case .codeBlockItem, .memberBlockItem, .catchClause: true
    default: false
    }
  }

  /// What people call the declaration that it is.
  fileprivate var declaredName: String? {
    if let type = TypeDeclaration(self) { return type.name }
    switch kind {
    case .closureExpr, .accessorDecl: return nil
    case .subscriptDecl: return "subscript"
    case .deinitializerDecl: return "deinit"
    case .patternBinding:
      let binding = cast(PatternBindingSyntax.self)
      // What a function keeps for itself goes by the function's name.
      let isMember = binding.parent?.parent?.parent?.kind == .memberBlockItem
      guard isMember || binding.accessorBlock != nil else { return nil }
      return binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
    default: return Routine(self)?.name
    }
  }
}

/// FNV-1a over words, the same on every run and machine.
struct StableHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ word: String) {
    for byte in word.utf8 { add(byte) }
    add(0)
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }
}
