// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let forcedFailureUnwrap = Rule(
    "MS603", "forced-failure-unwrap", .warning, .default, serves: ["B16", "T12"],
    summary: "`(try? f())!`, `result.error!` or `as! SomeError` crashes where an error is handled.",
    why: "The crash hides the error that was there to be read, and ends the program for it.",
    guess: "A member named `error` or `failure` holds an error, if any.",
    onPurpose: "An ignore with the reason.",
    remedy: .none("whether to throw, to bind or to return is the author's choice"),
    examples: forcedFailureUnwrapExamples,
    checks: .forcedUnwrap { node, file in
      if let inner = node.expression.parenthesized {
        // `(try? a() as? B)!` is a sequence, whose first part the `try?` is.
        let first = inner.as(SequenceExprSyntax.self)?.elements.first ?? inner
        guard first.as(TryExprSyntax.self)?.isOptional ?? false else { return }
        file.report(node, "This crashes instead of throwing the error that `try?` dropped")
      } else if let access = node.expression.as(MemberAccessExprSyntax.self) {
        let name = access.declName.baseName.text
        guard name == "error" || name == "failure", access.base != nil, !node.isChecked else {
          return
        }
        file.report(node, "This crashes where there is no `\(name)`")
      }
    },
    .sequence { sequence, file in
      guard sequence.elements.count == 3, let type = sequence.forcedErrorType else { return }
      file.report(sequence, "This crashes where the error is no `\(type)`")
    })
}

extension SequenceExprSyntax {
  /// `PayError` of `error as! PayError`.
  fileprivate var forcedErrorType: String? {
    let parts = Array(elements)
    guard let cast = parts[1].as(UnresolvedAsExprSyntax.self),
      cast.questionOrExclamationMark?.tokenKind == .exclamationMark,
      let type = parts[2].as(TypeExprSyntax.self)?.type.lastName, type.hasSuffix("Error"),
      // Every error is one of these.
      type != "NSError", type != "Error", type != "CFError"
    else { return nil }
    return type
  }
}

extension ForceUnwrapExprSyntax {
  /// Whether a condition around it, or a guard before it, already spoke of what it unwraps.
  fileprivate var isChecked: Bool {
    let path = expression.trimmedDescription
    var child = Syntax(self)
    while let here = child.parent {
      if let branch = here.as(IfExprSyntax.self), branch.conditions.holds(path) { return true }
      if let check = here.as(GuardStmtSyntax.self), check.conditions.holds(path) { return true }
      if let loop = here.as(WhileStmtSyntax.self), loop.conditions.holds(path) { return true }
      if let choice = here.as(TernaryExprSyntax.self), choice.condition.holds(path) { return true }
      if here.kind == .sequenceExpr, here.holdsTwice(path) { return true }
      if let list = here.as(CodeBlockItemListSyntax.self),
        let item = child.as(CodeBlockItemSyntax.self),
        list.statements(before: item).contains(where: { $0.checks(path) })
      {
        return true
      }
      if Routine(here)?.isClosure == false || here.kind == .memberBlock { return false }
      child = here
    }
    return false
  }
}

extension SyntaxProtocol {
  /// Whether it reads the path somewhere.
  fileprivate func holds(_ path: String) -> Bool {
    contains { $0.kind == .memberAccessExpr && $0.trimmedDescription == path }
  }

  /// Whether it compares the path before it unwraps it: `a.error != nil && a.error!.isOld`.
  fileprivate func holdsTwice(_ path: String) -> Bool {
    self.as(SequenceExprSyntax.self)?.elements.contains {
      $0.kind == .memberAccessExpr && $0.trimmedDescription == path
    } ?? false
  }

  /// Whether it is a statement that leaves, or sets the path, unless there is something.
  fileprivate func checks(_ path: String) -> Bool {
    guard let item = self.as(CodeBlockItemSyntax.self)?.item else { return false }
    if let check = item.as(GuardStmtSyntax.self) { return check.conditions.holds(path) }
    let expression = item.as(ExpressionStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    if let branch = expression?.as(IfExprSyntax.self) {
      return branch.conditions.holds(path) && branch.body.leaves
    }
    guard let sequence = expression?.as(SequenceExprSyntax.self) else { return false }
    return Assignment(sequence)?.target.trimmedDescription == path
  }
}

private let forcedFailureUnwrapExamples: [Example] = [
  .bad("func f() { let text = ↓(try? read())! }"),
  .bad("func f() { let page = ↓(try? load() as? Page)! }"),
  .bad("func f() { show(↓response.error!) }"),
  .bad("func f() { log(↓self.result.failure!.localizedDescription) }"),
  .bad("func f() { do { try pay() } catch { show(↓error as! PayError) } }"),
  .bad("func f() { load { r in if r.value == nil { completion(.failure(↓r.error!)) } } }"),
  .bad("func f() async { let page = ↓(try? await load())! ; show(page) }"),
  .good("func f() throws { let text = try read() }"),
  .good("func f() { if r.error != nil { show(r.error!) } }", because: "it was asked before"),
  .good("func f() { guard r.error == nil else { return show(r.error!) } }"),
  .good("func f() { guard r.error != nil else { return }; show(r.error!) }"),
  .good("func f() { do { try pay() } catch let error as PayError { show(error) } catch {} }"),
  .good("func f() { let e = error as! NSError; show(e.code) }", because: "every error is one"),
  .good("func test() { show(response.error!) }", path: "Tests/AppTests/ShowTests.swift"),
  .good("func f() { let a = list.first!; let b = (try load())! }"),
]
