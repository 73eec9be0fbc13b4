// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// Whether nothing after it, in the clause, or in the function or closure that returns nothing,
  /// reads the error: what is not asked for here is gone.
  func isLastWord(on name: String) -> Bool {
    guard let item = nearest(CodeBlockItemSyntax.self), item.isDirectly(around: Syntax(self)),
      let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count <= longestList,
      !list.statements(after: item).contains(where: { $0.names(name) })
    else { return false }
    guard let block = list.parent?.as(CodeBlockSyntax.self) else {
      guard let closure = list.parent?.as(ClosureExprSyntax.self) else { return false }
      // What a closure returns may be what it looks for.
      return !closure.statements.contains { $0.containsOwn { $0.kind == .returnStmt } }
        && closure.signature?.returnClause.map(\.type.isVoid) ?? true
    }
    if block.parent?.kind == .catchClause { return true }
    guard let holder = block.parent, let routine = Routine(holder) else { return false }
    return !routine.returnsValue && routine.name != "init"
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is that `if` or `switch`, and no more.
  fileprivate func isDirectly(around node: Syntax) -> Bool {
    node.parent?.id == id
      || node.parent?.kind == .expressionStmt && node.parent?.parent?.id == id
  }
}

extension SwitchExprSyntax {
  /// The `default` that only breaks, beside one arm that casts to a type.
  var silentDefault: SwitchCaseSyntax? {
    let arms = cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    guard let rest = arms.first(where: { $0.label.is(SwitchDefaultLabelSyntax.self) }),
      rest.statements.count == 1, let only = rest.statements.first,
      only.item.kind == .breakStmt, !only.leadingTrivia.contains(where: \.isComment),
      !rest.leadingTrivia.contains(where: \.isComment),
      let label = arms.first(where: { $0.id != rest.id })?.label.as(SwitchCaseLabelSyntax.self),
      label.caseItems.allSatisfy(\.pattern.asksForType)
    else { return nil }
    return rest
  }
}

extension PatternSyntax {
  /// Whether it is `let e as T` or `is T`, where not every error is a `T`.
  fileprivate var asksForType: Bool {
    !isCastThatHolds
      && contains {
        [.unresolvedAsExpr, .unresolvedIsExpr, .isTypePattern].contains($0.kind)
      }
  }
}

let unknownErrorUnmatchedExamples: [Example] = [
  .bad("func show(_ error: any Error) { ↓if let e = error as? URLError { alert(e) } }"),
  .bad("func f() { do { try a() } catch { ↓if let e = error as? URLError { show(e) } } }"),
  .bad(
    """
    func show(_ error: any Error) {
      switch error {
      case let e as URLError: alert(e)
      ↓default: break
      }
      isLoading = false
    }
    """),
  .bad(
    """
    struct Screen {
      let log: Logger
      func show(_ error: any Error) {
        ↓if let known = error as? NetError {
          alert(known)
        }
      }
      func tell(_ error: any Error) {
        switch error {
        case is NetError: alert()
        ↓default:
          break
        }
      }
    }
    """,
    fixed: """
      struct Screen {
        let log: Logger
        func show(_ error: any Error) {
          if let known = error as? NetError {
            alert(known)
          } else { log.error("\\(error)") }
        }
        func tell(_ error: any Error) {
          switch error {
          case is NetError: alert()
          default:
            log.error("\\(error)")
          }
        }
      }
      """),
  .bad("load { error in ↓if let e = error as? NetError { show(e) } }"),
  .good(
    "func f(_ error: any Error) { if let e = error as? URLError { show(e) } else { log(error) } }"),
  .good(
    """
    func f(_ error: any Error) {
      if let e = error as? URLError { show(e) }
      log(error)
    }
    """),
  .good("func f() { do { try a() } catch { log(error); if let e = error as? B { show(e) } } }"),
  .good("func f(_ error: any Error) { if let e = error as? NSError { show(e) } }"),
  .good(
    """
    func code(of error: any Error) -> Int {
      var code = 0
      if let e = error as? URLError { code = e.errorCode }
      return code
    }
    """, because: "it looks something up"),
  .good(
    """
    func f(_ error: any Error) {
      // Whoever calls has logged it.
      if let e = error as? URLError { show(e) }
    }
    """),
  .good(
    """
    func f(_ error: any Error) {
      switch error {
      case is URLError: offline()
      case is StoreError: full()
      default: break
      }
    }
    """, because: "those that matter are told apart"),
  .good("func f(_ error: Mistake) { switch error { case .full: empty(); default: break } }"),
  .good("func f(_ view: View) { if let button = view as? Button { tap(button) } }"),
]
