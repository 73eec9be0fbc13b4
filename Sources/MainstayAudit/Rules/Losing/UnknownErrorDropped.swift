// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unknownErrorDropped = Rule(
    "MS210", "unknown-error-dropped", .info, .strict, serves: ["D17"],
    summary: "A guard casts an error to one type and leaves in silence when it is another.",
    why: "The errors that nobody thought of are those that somebody should hear of.",
    guess: "A name with the word error is an error.",
    onPurpose: "`guard error is T else { … }` with a comment, or a clause for the one type.",
    remedy: .safe("Logs in the `else`, where the file has a logger."),
    examples: unknownErrorDroppedExamples,
    checks: .guardStatement { statement, file in
      guard let name = statement.castError, statement.leavesInSilence(name),
        !statement.isNoted(name), statement.isSilentByChoice == false
      else { return }
      let fix = file.logCall(at: statement.body, error: name).map {
        Fix.safe("log the error", file.insertion($0, atStartOf: statement.body))
      }
      file.report(statement, "An error of any other type is dropped here", fix: fix)
    })
}

extension GuardStmtSyntax {
  /// `error` of `guard let x = error as? T`, or `task.error`.
  fileprivate var castError: String? {
    for condition in conditions {
      guard let binding = condition.condition.as(OptionalBindingConditionSyntax.self),
        let parts = binding.initializer?.value.as(SequenceExprSyntax.self)?.elements,
        parts.count == 3, let first = parts.first, let name = first.lastName,
        first.kind == .declReferenceExpr || first.kind == .memberAccessExpr,
        parts.contains(where: { $0.kind == .unresolvedAsExpr })
      else { continue }
      let last = words(of: name).last
      let isCaught =
        first.kind == .declReferenceExpr && enclosingCatch?.boundNames.contains(name) ?? false
      if last == "error" || last == "err" || isCaught { return first.trimmedDescription }
    }
    return nil
  }

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

  /// Whether the error was used before it in the same block, clause or function.
  fileprivate func isNoted(_ name: String) -> Bool {
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

  /// Whether a comment explains it.
  fileprivate var isSilentByChoice: Bool {
    guardKeyword.leadingTrivia.contains { $0.isComment }
      || body.rightBrace.leadingTrivia.contains { $0.isComment }
      || body.leftBrace.trailingTrivia.contains { $0.isComment }
      || body.statements.first?.leadingTrivia.contains { $0.isComment } ?? false
  }
}

extension CodeBlockItemSyntax {
  /// Whether it reads a name, or a path of names.
  fileprivate func names(_ path: String) -> Bool {
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
