// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let asyncLetErrorLost = Rule(
    "MS207", "async-let-error-lost", .warning, .strict, serves: [],
    summary: "A throwing `async let` is not awaited on every path that leaves its block.",
    why: "Work that nobody awaits is cancelled when the block ends, and its error is dropped.",
    guess: "It throws where a `try` stands in it or before its name.",
    onPurpose: "`_ = try? await a` before leaving.",
    remedy: .none("whether to await it or to begin it later is the author's choice"),
    examples: asyncLetErrorLostExamples,
    checks: .variable { variable, file in
      guard !variable.modifiers.isEmpty, variable.modifiers.has(.async),
        let item = variable.parent?.as(CodeBlockItemSyntax.self),
        let list = item.parent?.as(CodeBlockItemListSyntax.self)
      else { return }
      let later = list.statements(after: item)
      for binding in variable.bindings {
        guard let value = binding.initializer?.value,
          let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
          value.isTried || later.contains(where: { $0.tries(name) })
        else { continue }
        if let path = lostPath(of: name, in: later) {
          file.report(binding, "`\(name)` \(path), so its error is lost")
        }
      }
    })
}

/// How a path leaves without the name, in words; nil where each path awaits it.
private func lostPath(of name: String, in items: [CodeBlockItemSyntax]) -> String? {
  switch Path(items, name) {
  case .leaves: "is not awaited before the `return`"
  case .goesOn: "is never awaited"
  case .awaits: nil
  }
}

/// How a list of statements ends, as far as one name is concerned.
private enum Path {
  case awaits, leaves, goesOn

  init(_ items: [CodeBlockItemSyntax], _ name: String) {
    for item in items {
      switch Path(Syntax(item.item), name) {
      case .awaits:
        self = .awaits
        return
      case .leaves:
        self = .leaves
        return
      case .goesOn: continue
      }
    }
    self = .goesOn
  }

  private init(_ statement: Syntax, _ name: String) {
    let statement =
      statement.as(ExpressionStmtSyntax.self).map { Syntax($0.expression) } ?? statement
    if let branch = statement.as(IfExprSyntax.self) {
      self = Path(branch, name)
    } else if let choice = statement.as(SwitchExprSyntax.self) {
      let arms = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
      self =
        choice.subject.mentions(name)
        ? .awaits : Path(joining: arms.map { Path(Array($0.statements), name) }, isComplete: true)
    } else if let check = statement.as(GuardStmtSyntax.self) {
      self = Path(check, name)
    } else if statement.mentions(name) || statement.kind == .throwStmt {
      // An error is on its way out already.
      self = .awaits
    } else if statement.containsOwn(where: { $0.kind == .returnStmt }) {
      self = .leaves
    } else {
      self = .goesOn
    }
  }

  private init(_ check: GuardStmtSyntax, _ name: String) {
    if check.conditions.mentions(name) {
      self = .awaits
    } else {
      let other = Path(Array(check.body.statements), name)
      self = other == .leaves ? .leaves : .goesOn
    }
  }

  private init(_ branch: IfExprSyntax, _ name: String) {
    if branch.conditions.mentions(name) {
      self = .awaits
      return
    }
    var paths = [Path(Array(branch.body.statements), name)]
    switch branch.elseBody {
    case .codeBlock(let block): paths.append(Path(Array(block.statements), name))
    case .ifExpr(let next): paths.append(Path(next, name))
    case nil: break
    }
    self.init(joining: paths, isComplete: branch.elseBody != nil)
  }

  private init(joining paths: [Path], isComplete: Bool) {
    if paths.contains(.leaves) {
      self = .leaves
    } else {
      self = isComplete && paths.allSatisfy { $0 == .awaits } ? .awaits : .goesOn
    }
  }
}

extension SyntaxProtocol {
  /// Whether a `try` covers the name somewhere in it.
  fileprivate func tries(_ name: String) -> Bool {
    contains { node in
      guard let attempt = node.as(TryExprSyntax.self) else { return false }
      return attempt.expression.mentions(name)
    }
  }
}

extension ExprSyntax {
  fileprivate var isTried: Bool {
    self.as(TryExprSyntax.self).map { $0.questionOrExclamationMark == nil } ?? false
  }
}

private let asyncLetErrorLostExamples: [Example] = [
  .bad(
    """
    func show() async throws {
      async let ↓page = load()
      if isHidden { return }
      render(try await page)
    }
    """),
  .bad("func f() async { async let ↓a = try load(); await b() }"),
  .bad(
    """
    func f() async throws -> Page? {
      async let ↓a = load()
      guard let user else {
        return nil
      }
      return try await Page(user, a)
    }
    """),
  .bad(
    """
    func f() async throws {
      async let a = load(), ↓b = try store()
      switch kind {
      case .one: return try await show(a)
      case .two: try await show(a, b)
      }
    }
    """),
  .bad(
    """
    func f() async throws {
      async let ↓a = load()
      for item in items where item.isLast {
        return
      }
      _ = try await a
    }
    """),
  .good(
    """
    func show() async throws {
      if isHidden { return }
      async let page = load()
      render(try await page)
    }
    """),
  .good(
    """
    func f() async throws -> Both {
      async let a = load()
      async let b = load()
      return try await Both(
        a,
        b
      )
    }
    """),
  .good("func f() async throws { async let a = load(); if b { throw C.d }; try await use(a) }"),
  .good("func f() async { async let a = load(); if b { return }; await use(a) }"),
  .good(
    "func f() async throws { async let a = load(); if b { try await use(a); return } "
      + "else { _ = try await a } }"
  ),
  .good("func f() async { async let a = load(); _ = try? await a }"),
]
