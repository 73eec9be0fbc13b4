// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What a rule does with one kind of place in the code.
///
/// The walk meets each place once and hands it to every rule that asked for its kind, so the
/// first line of a check says no as cheaply as it can.
enum Check: Sendable {
  case catchClause(@Sendable (CatchClauseSyntax, AuditedFile) -> Void)
  case doStatement(@Sendable (DoStmtSyntax, AuditedFile) -> Void)
  case throwStatement(@Sendable (ThrowStmtSyntax, AuditedFile) -> Void)
  case tryExpression(@Sendable (TryExprSyntax, AuditedFile) -> Void)
  case call(@Sendable (FunctionCallExprSyntax, AuditedFile) -> Void)
  case closure(@Sendable (ClosureExprSyntax, AuditedFile) -> Void)
  case loop(@Sendable (Loop, AuditedFile) -> Void)
  case routine(@Sendable (Routine, AuditedFile) -> Void)
  case type(@Sendable (TypeDeclaration, AuditedFile) -> Void)
  case variable(@Sendable (VariableDeclSyntax, AuditedFile) -> Void)
  case switchExpression(@Sendable (SwitchExprSyntax, AuditedFile) -> Void)
  case switchCase(@Sendable (SwitchCaseSyntax, AuditedFile) -> Void)
  case ifExpression(@Sendable (IfExprSyntax, AuditedFile) -> Void)
  case guardStatement(@Sendable (GuardStmtSyntax, AuditedFile) -> Void)
  /// Operators are not folded: `a + b` is the sequence of `a`, `+` and `b`.
  case sequence(@Sendable (SequenceExprSyntax, AuditedFile) -> Void)
  case forcedUnwrap(@Sendable (ForceUnwrapExprSyntax, AuditedFile) -> Void)
  case stringLiteral(@Sendable (StringLiteralExprSyntax, AuditedFile) -> Void)
  /// Once all files are read.
  case project(@Sendable (ProjectIndex, ProjectFindings) -> Void)
}

/// The checks of the rules that are on, by kind; an index names the rule.
struct CheckTable: Sendable {
  typealias Entry<Node> = (rule: Int, check: @Sendable (Node, AuditedFile) -> Void)

  private(set) var catchClauses: [Entry<CatchClauseSyntax>] = []
  private(set) var doStatements: [Entry<DoStmtSyntax>] = []
  private(set) var throwStatements: [Entry<ThrowStmtSyntax>] = []
  private(set) var tryExpressions: [Entry<TryExprSyntax>] = []
  private(set) var calls: [Entry<FunctionCallExprSyntax>] = []
  private(set) var closures: [Entry<ClosureExprSyntax>] = []
  private(set) var loops: [Entry<Loop>] = []
  private(set) var routines: [Entry<Routine>] = []
  private(set) var types: [Entry<TypeDeclaration>] = []
  private(set) var variables: [Entry<VariableDeclSyntax>] = []
  private(set) var switches: [Entry<SwitchExprSyntax>] = []
  private(set) var switchCases: [Entry<SwitchCaseSyntax>] = []
  private(set) var ifs: [Entry<IfExprSyntax>] = []
  private(set) var guards: [Entry<GuardStmtSyntax>] = []
  private(set) var sequences: [Entry<SequenceExprSyntax>] = []
  private(set) var forcedUnwraps: [Entry<ForceUnwrapExprSyntax>] = []
  private(set) var stringLiterals: [Entry<StringLiteralExprSyntax>] = []
  private(set) var projects:
    [(rule: Int, check: @Sendable (ProjectIndex, ProjectFindings) -> Void)] = []

  init(_ rules: [Rule]) {
    for (index, rule) in rules.enumerated() {
      for check in rule.checks { add(check, of: index) }
    }
  }

  private mutating func add(_ check: Check, of rule: Int) {
    switch check {
    case .catchClause(let check): catchClauses.append((rule, check))
    case .doStatement(let check): doStatements.append((rule, check))
    case .throwStatement(let check): throwStatements.append((rule, check))
    case .tryExpression(let check): tryExpressions.append((rule, check))
    case .call(let check): calls.append((rule, check))
    case .closure(let check): closures.append((rule, check))
    case .loop(let check): loops.append((rule, check))
    case .routine(let check): routines.append((rule, check))
    case .type(let check): types.append((rule, check))
    case .variable(let check): variables.append((rule, check))
    case .switchExpression(let check): switches.append((rule, check))
    case .switchCase(let check): switchCases.append((rule, check))
    case .ifExpression(let check): ifs.append((rule, check))
    case .guardStatement(let check): guards.append((rule, check))
    case .sequence(let check): sequences.append((rule, check))
    case .forcedUnwrap(let check): forcedUnwraps.append((rule, check))
    case .stringLiteral(let check): stringLiterals.append((rule, check))
    case .project(let check): projects.append((rule, check))
    }
  }
}
