// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The ways in which control leaves some statements of a loop.
struct Exits: OptionSet {
  let rawValue: Int

  /// Past the last one.
  static let falls = Exits(rawValue: 1)
  /// To the next round of the loop.
  static let goesRound = Exits(rawValue: 2)
  /// Behind the loop.
  static let endsLoop = Exits(rawValue: 4)
  /// Out of the function, or behind a statement further out.
  static let returns = Exits(rawValue: 8)
  static let fails = Exits(rawValue: 16)
  /// Out of a `switch` or loop that lies within.
  fileprivate static let endsInner = Exits(rawValue: 32)

  /// The ways of leaving the loop itself.
  static let leaving: Exits = [.endsLoop, .returns, .fails]
  /// The ways that lead to another round.
  static let staying: Exits = [.falls, .goesRound]
}

/// Follows the paths through statements of one loop.
struct ExitFinder {
  /// The label of the loop, if it has one.
  let label: String?

  /// What `break` and `continue` without a label are about.
  private struct Inside {
    var breaksInner = false
    var continuesInner = false
    var labels: Set<String> = []
  }

  /// How control can leave the statements, which are the loop's own: not those of a `switch` or
  /// loop within.
  func exits(of statements: some Sequence<CodeBlockItemSyntax>) -> Exits {
    exits(of: statements, Inside())
  }

  private func exits(
    of statements: some Sequence<CodeBlockItemSyntax>, _ inside: Inside
  ) -> Exits {
    var all: Exits = []
    for statement in statements {
      let some = exits(of: statement, inside)
      all.formUnion(some.subtracting(.falls))
      if !some.contains(.falls) { return all }
    }
    return all.union(.falls)
  }

  private func exits(of item: CodeBlockItemSyntax, _ inside: Inside) -> Exits {
    switch item.item {
    case .stmt(let statement): return exits(of: statement, inside)
    case .expr(let expression): return exits(of: expression, inside)
    case .decl(let declaration):
      guard let config = declaration.as(IfConfigDeclSyntax.self) else { return .falls }
      return config.clauses.reduce(.falls) { all, clause in
        guard let list = clause.elements?.as(CodeBlockItemListSyntax.self) else { return all }
        return all.union(exits(of: list, inside))
      }
    }
  }

  private func exits(of statement: StmtSyntax, _ inside: Inside) -> Exits {
    switch statement.kind {
    case .returnStmt: return .returns
    case .throwStmt: return .fails
    case .breakStmt:
      let label = statement.cast(BreakStmtSyntax.self).label?.text
      return jump(label, inside, isInner: inside.breaksInner, own: .endsLoop)
    case .continueStmt:
      let label = statement.cast(ContinueStmtSyntax.self).label?.text
      return jump(label, inside, isInner: inside.continuesInner, own: .goesRound)
    case .guardStmt:
      return exits(of: statement.cast(GuardStmtSyntax.self).body.statements, inside).union(.falls)
    case .doStmt:
      let statement = statement.cast(DoStmtSyntax.self)
      let body = exits(of: statement.body.statements, inside)
      guard !statement.catchClauses.isEmpty else { return body }
      return statement.catchClauses.reduce(body.subtracting(.fails)) {
        $0.union(exits(of: $1.body.statements, inside))
      }
    case .expressionStmt:
      return exits(of: statement.cast(ExpressionStmtSyntax.self).expression, inside)
    case .labeledStmt:
      let statement = statement.cast(LabeledStmtSyntax.self)
      var inside = inside
      inside.labels.insert(statement.label.text)
      return outward(exits(of: statement.statement, inside))
    default:
      guard let loop = Loop(Syntax(statement)) else { return .falls }
      var inside = inside
      inside.breaksInner = true
      inside.continuesInner = true
      let all = exits(of: loop.body.statements, inside)
      return loop.isEndless && !all.contains(.endsInner)
        ? all.subtracting(.falls) : outward(all).union(.falls)
    }
  }

  private func exits(of expression: ExprSyntax, _ inside: Inside) -> Exits {
    switch expression.kind {
    case .ifExpr:
      let expression = expression.cast(IfExprSyntax.self)
      let body = exits(of: expression.body.statements, inside)
      switch expression.elseBody {
      case .codeBlock(let block): return body.union(exits(of: block.statements, inside))
      case .ifExpr(let next): return body.union(exits(of: ExprSyntax(next), inside))
      case nil: return body.union(.falls)
      }
    case .switchExpr:
      var inside = inside
      inside.breaksInner = true
      let arms = expression.cast(SwitchExprSyntax.self).cases
      return outward(
        arms.reduce([]) { all, arm in
          guard case .switchCase(let arm) = arm else { return all.union(.falls) }
          return all.union(exits(of: arm.statements, inside))
        })
    case .functionCallExpr:
      let name = expression.lastName ?? ""
      return ["fatalError", "preconditionFailure", "exit", "abort"].contains(name) ? [] : .falls
    default: return .falls
    }
  }

  private func jump(_ label: String?, _ inside: Inside, isInner: Bool, own: Exits) -> Exits {
    guard let label else { return isInner ? .endsInner : own }
    if label == self.label { return own }
    return inside.labels.contains(label) ? .endsInner : .returns
  }

  private func outward(_ exits: Exits) -> Exits {
    exits.contains(.endsInner) ? exits.subtracting(.endsInner).union(.falls) : exits
  }
}
