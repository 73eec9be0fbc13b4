// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Goes over a file once, for all rules and for the index.
final class Walker: SyntaxVisitor {
  private let table: CheckTable
  private let file: AuditedFile
  private let index: IndexBuilder

  init(_ table: CheckTable, _ file: AuditedFile, _ index: IndexBuilder) {
    self.table = table
    self.file = file
    self.index = index
    super.init(viewMode: .sourceAccurate)
  }

  @inline(__always)
  private func run<Node>(_ entries: [CheckTable.Entry<Node>], _ node: Node) {
    for entry in entries {
      file.rule = entry.rule
      entry.check(node, file)
    }
  }

  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.catchClauses, node)
    return .visitChildren
  }
  override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
    run(table.doStatements, node)
    return .visitChildren
  }
  override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.throwStatements, node)
    return .visitChildren
  }
  override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.tryExpressions, node)
    return .visitChildren
  }
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.calls, node)
    return .visitChildren
  }
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.closures, node)
    return .visitChildren
  }
  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
    run(table.loops, Loop(node))
    return .visitChildren
  }
  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
    run(table.loops, Loop(node))
    return .visitChildren
  }
  override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
    run(table.loops, Loop(node))
    return .visitChildren
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.routines, Routine(node))
    return .visitChildren
  }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.routines, Routine(node))
    return .visitChildren
  }
  override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
    run(table.routines, Routine(node))
    return .visitChildren
  }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.variables, node)
    return .visitChildren
  }
  override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.switches, node)
    return .visitChildren
  }
  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    run(table.switchCases, node)
    return .visitChildren
  }
  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.ifs, node)
    return .visitChildren
  }
  override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
    run(table.guards, node)
    return .visitChildren
  }
  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    run(table.sequences, node)
    return .visitChildren
  }
  override func visit(_ node: ForceUnwrapExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.forcedUnwraps, node)
    return .visitChildren
  }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    run(table.stringLiterals, node)
    return .visitChildren
  }
  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    return .visitChildren
  }
  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    return .visitChildren
  }
  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    index.add(node)
    return .visitChildren
  }
  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  // MARK: Declarations of types

  private func enter(_ declaration: TypeDeclaration) -> SyntaxVisitorContinueKind {
    index.add(declaration)
    run(table.types, declaration)
    return .visitChildren
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeDeclaration(node))
  }
}
