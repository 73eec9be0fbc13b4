// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unknownErrorDropped = Rule(
    "MS210", "unknown-error-dropped", .info, .strict, serves: ["D17"],
    summary: "An error is cast to one type, and nothing is done or said when it is another.",
    why: "The errors that nobody thought of are those that somebody should hear of.",
    guess: "A name with the word error is an error.",
    onPurpose: "`guard error is T else { … }` with a comment, or a clause for the one type.",
    remedy: .safe("Logs in the `else`, where the file has a logger."),
    examples: unknownErrorDroppedExamples + unknownErrorUnmatchedExamples,
    checks: .guardStatement { statement, file in
      guard let name = statement.castError, statement.leavesInSilence(name),
        !statement.isNoted(name), statement.isSilentByChoice == false
      else { return }
      let fix = file.logCall(at: statement.body, error: name).map {
        Fix.safe("log the error", file.insertion($0, atStartOf: statement.body))
      }
      file.report(statement, "An error of any other type is dropped here", fix: fix)
    },
    .ifExpression { node, file in
      guard node.elseBody == nil, let name = node.conditions.castError, node.isLastWord(on: name),
        !node.isNoted(name), !node.ifKeyword.leadingTrivia.contains(where: \.isComment)
      else { return }
      let end = node.body.bytes.upperBound
      let fix = file.logCall(at: node.body, error: name).map {
        Fix.safe("log the error", Edit(end..<end, " else { \($0) }"))
      }
      file.report(node, "An error of any other type is dropped here", fix: fix)
    },
    .switchExpression { node, file in
      guard node.cases.count == 2, let name = node.subject.castName, let rest = node.silentDefault,
        node.isLastWord(on: name), !node.isNoted(name)
      else { return }
      let fix = rest.statements.first.flatMap { item in
        file.logCall(at: rest, error: name).map { Fix.safe("log the error", Edit(item.bytes, $0)) }
      }
      file.report(rest, "An error of any other type is dropped here", fix: fix)
    })
}

extension ConditionElementListSyntax {
  /// `error` of `let x = error as? T`, or `task.error`.
  var castError: String? {
    for condition in self {
      guard let binding = condition.condition.as(OptionalBindingConditionSyntax.self),
        let parts = binding.initializer?.value.as(SequenceExprSyntax.self)?.elements,
        parts.count == 3, let first = parts.first,
        parts.contains(where: { $0.kind == .unresolvedAsExpr }),
        // Every error is an `NSError`.
        let type = parts.last?.as(TypeExprSyntax.self)?.type, !type.isAnyError
      else { continue }
      if let name = first.castName { return name }
    }
    return nil
  }
}

extension ExprSyntax {
  /// `error` or `task.error`, where it is an error to go by its name or by the clause around it.
  var castName: String? {
    guard let name = lastName, kind == .declReferenceExpr || kind == .memberAccessExpr else {
      return nil
    }
    let last = words(of: name).last
    let isCaught =
      kind == .declReferenceExpr && enclosingCatch?.boundNames.contains(name) ?? false
    return last == "error" || last == "err" || isCaught ? trimmedDescription : nil
  }
}

extension GuardStmtSyntax {
  fileprivate var castError: String? { conditions.castError }

  /// Whether its `else` does no more than leave.
  fileprivate func leavesInSilence(_ name: String) -> Bool {
    guard body.statements.count == 1, let item = body.statements.first?.item else { return false }
    switch item.kind {
    case .breakStmt, .continueStmt: return true
    case .returnStmt:
      guard let value = item.cast(ReturnStmtSyntax.self).expression else { return true }
      return value.kind == .nilLiteralExpr && enclosingCatch != nil
    default: return false
    }
  }

  /// Whether a comment explains it.
  fileprivate var isSilentByChoice: Bool {
    guardKeyword.leadingTrivia.contains { $0.isComment }
      || body.rightBrace.leadingTrivia.contains { $0.isComment }
      || body.leftBrace.trailingTrivia.contains { $0.isComment }
      || body.statements.first?.leadingTrivia.contains { $0.isComment } ?? false
  }
}

extension SyntaxProtocol {
  /// Whether the error was used before it in the same block, clause or function.
  func isNoted(_ name: String) -> Bool {
    var child = Syntax(self)
    while let here = child.parent {
      if let list = here.as(CodeBlockItemListSyntax.self),
        let item = child.as(CodeBlockItemSyntax.self),
        list.statements(before: item).contains(where: { $0.names(name) })
      {
        return true
      }
      if here.kind == .catchClause || here.startsScope { return false }
      child = here
    }
    return false
  }
}

extension CodeBlockItemSyntax {
  /// Whether it reads a name, or a path of names.
  func names(_ path: String) -> Bool {
    if !path.contains(".") { return mentions(path) }
    return contains { $0.kind == .memberAccessExpr && $0.trimmedDescription == path }
  }
}

private let unknownErrorDroppedExamples: [Example] = [
  .bad(
    """
    struct Screen {
      let log: Logger
      func show(_ error: any Error) {
        ↓guard let known = error as? NetError else { return }
        alert(known)
      }
    }
    """,
    fixed: """
      struct Screen {
        let log: Logger
        func show(_ error: any Error) {
          guard let known = error as? NetError else { log.error("\\(error)"); return }
          alert(known)
        }
      }
      """),
  .bad("func f() { do { try a() } catch { ↓guard let e = error as? B else { return }; show(e) } }"),
  .bad(
    "func f() -> C? { do { try a() } catch let x { ↓guard let e = x as? B else { return nil } } }"),
  .bad("for error in errors { ↓guard let e = error as? B, e.isNew else { continue }; show(e) }"),
  .bad("func f() { ↓guard let problem = task.error as? Problem else { return }; show(problem) }"),
  .bad("load { error in ↓guard let problem = error as? Problem else { return }; show(problem) }"),
  .good(
    """
    struct Screen {
      let log: Logger
      func show(_ error: any Error) {
        guard let known = error as? NetError else {
          log.error("\\(error)")
          return
        }
        alert(known)
      }
    }
    """),
  .good(
    "func f(_ error: any Error) { log(error); guard let e = error as? B else { return }; g(e) }"),
  .good(
    "func f(_ error: any Error) { guard let e = error as? B else { show(error); return }; g(e) }"),
  .good(
    "func code(of error: any Error) -> Int? { guard let e = error as? B else { return nil }; "
      + "return e.code }", because: "it looks something up"),
  .good("func f(_ error: any Error) -> Bool { guard let e = error as? B else { return false } }"),
  .good("func f(_ view: View) { guard let button = view as? Button else { return }; tap(button) }"),
]
