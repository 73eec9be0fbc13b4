// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let resultFailureIgnored = Rule(
    "MS208", "result-failure-ignored", .warning, .default, serves: [],
    summary: "A `switch` over a result leaves its `.failure` without looking at the error.",
    why: "The result carries the reason to this very place, and here it is thrown away.",
    guess: "A `switch` with the two cases `.success` and `.failure` is about a `Result`.",
    onPurpose: "`_ = try? result.get()`, or a comment with the reason.",
    remedy: .safe("Binds the error and logs it, where the file has a logger."),
    examples: resultFailureIgnoredExamples,
    checks: .switchExpression { node, file in
      guard node.cases.count == 2, let failure = node.ignoredFailure,
        node.subject.core.lastName != "self", !(Surroundings(of: node)?.isPredicate ?? false),
        !node.isPassedOn
      else { return }
      file.report(
        failure, "The error of this failure is dropped",
        severity: failure.isExplained ? .info : nil, fix: bindFix(failure, in: file))
    })
}

extension SwitchExprSyntax {
  /// The arm for `.failure` of a switch that has one for `.success`, if it only leaves.
  fileprivate var ignoredFailure: SwitchCaseSyntax? {
    let arms = cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    guard arms.contains(where: { $0.onlyCase == "success" }),
      let failure = arms.first(where: { $0.onlyCase == "failure" }), failure.onlyLeaves
    else { return nil }
    // Where success is the mistake, failure is as it should be.
    if arms.contains(where: { $0.onlyCase == "success" && $0.traps }) { return nil }
    // `case .success: true` and `case .failure: false` say which it was, which is the question.
    if arms.allSatisfy(\.isBoolean) { return nil }
    return arms.allSatisfy { $0.bindsNothing && $0.onlyLeaves } ? nil : failure
  }
}

extension SwitchExprSyntax {
  /// Whether what it looks at is used again after it.
  fileprivate var isPassedOn: Bool {
    guard let name = subject.core.as(DeclReferenceExprSyntax.self)?.baseName.bareText,
      let item = nearest(CodeBlockItemSyntax.self),
      let list = item.parent?.as(CodeBlockItemListSyntax.self)
    else { return false }
    return list.statements(after: item).contains { $0.mentions(name) }
  }
}

extension SwitchCaseSyntax {
  fileprivate var traps: Bool {
    statements.ownCalls.contains { call in
      call.name.map {
        $0 == "fatalError" || $0.hasSuffix("assertionFailure") || $0 == "preconditionFailure"
      } ?? false
    }
  }

  /// Whether a comment of several words stands in it.
  fileprivate var isExplained: Bool {
    statements.first?.leadingTrivia.comments.contains { $0.split(separator: " ").count > 4 }
      ?? false
  }

  private var onlyItem: SwitchCaseItemSyntax? {
    guard let items = label.as(SwitchCaseLabelSyntax.self)?.caseItems, items.count == 1,
      let item = items.first, item.whereClause == nil
    else { return nil }
    return item
  }

  /// The case that it is for: `success` of `case .success(let value)`.
  fileprivate var onlyCase: String? {
    guard var pattern = onlyItem?.pattern else { return nil }
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    return pattern.as(ExpressionPatternSyntax.self)?.expression.lastName
  }

  fileprivate var bindsNothing: Bool {
    guard let pattern = onlyItem?.pattern.as(ExpressionPatternSyntax.self) else { return false }
    guard let call = pattern.expression.as(FunctionCallExprSyntax.self) else { return true }
    return call.arguments.allSatisfy { $0.expression.kind == .discardAssignmentExpr }
  }

  /// The case without what stands in parentheses behind it.
  fileprivate var caseReference: ExprSyntax? {
    let expression = onlyItem?.pattern.as(ExpressionPatternSyntax.self)?.expression
    return expression?.as(FunctionCallExprSyntax.self)?.calledExpression ?? expression
  }

  fileprivate var pattern: PatternSyntax? { onlyItem?.pattern }

  /// Whether it does no more than break, continue, or return nothing of interest.
  fileprivate var onlyLeaves: Bool {
    guard statements.count == 1, let item = statements.first?.item else { return false }
    switch item.kind {
    case .breakStmt, .continueStmt: return true
    case .returnStmt:
      guard let value = item.cast(ReturnStmtSyntax.self).expression else { return true }
      switch value.kind {
      case .nilLiteralExpr, .booleanLiteralExpr: return true
      case .arrayExpr: return value.cast(ArrayExprSyntax.self).elements.isEmpty
      case .dictionaryExpr: return value.trimmedDescription == "[:]"
      default: return value.trimmedDescription == "()"
      }
    default: return item.trimmedDescription == "()"
    }
  }

  fileprivate var isBoolean: Bool {
    guard statements.count == 1, let item = statements.first?.item else { return false }
    let value = item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    return value?.kind == .booleanLiteralExpr
  }
}

private func bindFix(_ arm: SwitchCaseSyntax, in file: AuditedFile) -> Fix? {
  guard arm.bindsNothing, let pattern = arm.pattern, let reference = arm.caseReference,
    let item = arm.statements.first, let log = file.logCall(at: arm)
  else { return nil }
  let bound = Edit(pattern.bytes, "\(reference.trimmedDescription)(let error)")
  let range = item.bytes
  if item.item.kind == .breakStmt || item.item.kind == .tupleExpr {
    return .safe("log the error", bound, Edit(range, log))
  }
  let start = range.lowerBound..<range.lowerBound
  let separator =
    file.lines.startsLine(range.lowerBound, in: file.bytes)
    ? "\n" + file.indentation(of: item) : "; "
  return .safe("log the error", bound, Edit(start, log + separator))
}

private let resultFailureIgnoredExamples: [Example] = [
  .bad(
    """
    struct Model {
      let log: Logger
      func show(_ result: Result<Page, any Error>) {
        switch result {
        case .success(let page): render(page)
        ↓case .failure: break
        }
      }
    }
    """,
    fixed: """
      struct Model {
        let log: Logger
        func show(_ result: Result<Page, any Error>) {
          switch result {
          case .success(let page): render(page)
          case .failure(let error): log.error("\\(error)")
          }
        }
      }
      """),
  .bad(
    """
    let log = Logger(label: "a")
    func page() -> Page? {
      switch load() {
      ↓case .failure(_):
        return nil
      case let .success(page):
        return page
      }
    }
    """,
    fixed: """
      let log = Logger(label: "a")
      func page() -> Page? {
        switch load() {
        case .failure(let error):
          log.error("\\(error)")
          return nil
        case let .success(page):
          return page
        }
      }
      """),
  .bad("for r in results { switch r { case .success(let a): use(a) ↓case .failure: continue } }"),
  .bad("load { result in switch result { case .success: done() ↓case .failure: return } }"),
  .bad("func f() { switch r { case .success(let a): use(a) ↓case .failure(let e): break } }"),
  .bad(
    """
    func names() -> [String] {
      switch result {
      case Result.success(let names): return names
      ↓case Result.failure: return []
      }
    }
    """),
  .good(
    """
    struct Model {
      let log: Logger
      func show(_ result: Result<Page, any Error>) {
        switch result {
        case .success(let page): render(page)
        case .failure(let error): log.error("\\(error)")
        }
      }
    }
    """),
  .good("switch result { case .success(let a): use(a) case .failure: showFailure() }"),
  .good(
    "extension Result { var value: Success? { switch self { case .success(let a): return a "
      + "case .failure: return nil } } }", because: "it is what the getter is for"),
  .good("var isDone: Bool { switch r { case .success: return true case .failure: return false } }"),
  .good("switch state { case .success: go() case .failure: break case .open: wait() }"),
  .good("let ok = switch result { case .success: true case .failure: false }"),
  .good("while true { switch r { case .success: break case .failure: continue } }"),
  .good("switch r { case .success: fatalError(\"it opened\") case .failure: break }"),
  .good("func f() { switch r { case .success: a() case .failure: break }; finish(r) }"),
  .good("switch r { case .success(let a): use(a) case .failure(let e) where e.isOld: break }"),
]
