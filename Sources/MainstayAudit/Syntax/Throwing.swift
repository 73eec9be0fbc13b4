// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// Where errors begin that leave this node: each plain `try`, `throw` and `for try await` that
  /// runs as part of it and that no clause inside takes.
  func escapingErrors() -> [Syntax] {
    var found: [Syntax] = []
    walk { node in
      if node.startsScope && node.id != self.id { return false }
      switch node.kind {
      case .doStmt:
        let statement = node.cast(DoStmtSyntax.self)
        guard !statement.catchClauses.isEmpty, statement.isExhaustive else { return true }
        for clause in statement.catchClauses { found += clause.body.escapingErrors() }
        return false
      case .tryExpr:
        if node.cast(TryExprSyntax.self).questionOrExclamationMark != nil { return false }
        found.append(node)
      case .throwStmt: found.append(node)
      case .forStmt where node.cast(ForStmtSyntax.self).tryKeyword != nil: found.append(node)
      default: break
      }
      return true
    }
    return found
  }
}

extension Syntax {
  /// Whether all that it throws is that somebody cancelled it.
  var isSleep: Bool {
    guard let name = self.as(TryExprSyntax.self)?.tried?.name else { return false }
    return name == "sleep" || name == "checkCancellation"
  }
}

extension TryExprSyntax {
  /// The call that it tries, where it tries one.
  var tried: FunctionCallExprSyntax? { expression.core.as(FunctionCallExprSyntax.self) }

  /// Whether it is `try?`.
  var isOptional: Bool { questionOrExclamationMark?.tokenKind == .postfixQuestionMark }

  /// Whether it is `try!`.
  var isForced: Bool { questionOrExclamationMark?.tokenKind == .exclamationMark }
}
