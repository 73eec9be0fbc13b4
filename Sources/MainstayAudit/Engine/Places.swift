// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// What a finding at this node is about, where it may be what is missing there that is wrong: the
  /// clause, the arm, the closure or the function around it, or the node itself.
  var subject: Syntax {
    var current = Syntax(self)
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
      if statement == nil, here.kind == .codeBlockItem || here.kind == .memberBlockItem {
        statement = here
      }
      if let type = TypeDeclaration(here) {
        names.append(type.name)
      } else if here.kind != .closureExpr, let name = Routine(here)?.name {
        names.append(name)
      }
      current = here.parent
    }
    var hash = StableHash()
    for token in (statement ?? Syntax(self)).tokens(viewMode: .sourceAccurate).prefix(200) {
      hash.add(token.text)
    }
    return Finding.Anchor(
      declaration: names.reversed().joined(separator: "."), statement: hash.value)
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
