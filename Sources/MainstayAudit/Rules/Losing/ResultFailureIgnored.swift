// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let resultFailureIgnored = Rule(
    "MS208", "result-failure-ignored", .warning, .default, serves: [],
    summary: "A `switch`, `if` or `guard` over a result passes its `.failure` without a look.",
    why: "The result carries the reason to this very place, and here it is thrown away.",
    guess: "A `switch` with the two cases `.success` and `.failure` is about a `Result`, "
      + "unless an enum of the project has a `failure` that carries nothing. "
      + "So is what a closure is given under a name that ends in `result`.",
    onPurpose: "`_ = try? result.get()`, or a comment with the reason.",
    remedy: .safe("Binds the error and logs it, where the file has a logger."),
    examples: resultFailureIgnoredExamples + resultUnmatchedExamples,
    checks: .switchExpression { node, file in
      guard node.cases.count == 2, let failure = node.ignoredFailure,
        node.subject.core.lastName != "self", !failure.isAccepted,
        !(Surroundings(of: node)?.isPredicate ?? false),
        !node.isPassedOn
      else { return }
      let carriesError = failure.namesPayload
      let type = failure.ownerOfCase ?? node.typeOfSubject
      file.report(
        failure, "The error of this failure is dropped",
        severity: failure.isExplained ? .info : nil,
        fix: carriesError || type == "Result" ? bindFix(failure, in: file) : nil,
        when: { carriesError || $0.failureCarriesError(of: type) })
    },
    .ifExpression { node, file in
      guard node.elseIsSilent, let look = node.conditions.onlyLookAtResult else { return }
      file.report(look)
    },
    .guardStatement { node, file in
      guard node.body.statements.onlyLeaves, let look = node.conditions.onlyLookAtResult else {
        return
      }
      file.report(look)
    })
}

extension SwitchExprSyntax {
  /// The arm for `.failure` of a switch that has one for `.success`, if it only leaves.
  fileprivate var ignoredFailure: SwitchCaseSyntax? {
    let arms = cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    guard arms.contains(where: { $0.onlyCase == "success" }),
      let failure = arms.first(where: { $0.onlyCase == "failure" }),
      failure.onlyLeaves || failure.onlyEnds
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

extension SwitchExprSyntax {
  /// The type of what it looks at, where that is a parameter, variable or property whose type is
  /// written.
  fileprivate var typeOfSubject: String? {
    let subject = subject.core
    let name: String
    if let reference = subject.as(DeclReferenceExprSyntax.self) {
      name = reference.baseName.bareText
      if let type = typeOfLocal(name) { return type.lastName }
      if isLocal(name) { return nil }
    } else if let access = subject.as(MemberAccessExprSyntax.self),
      access.base?.trimmedDescription == "self"
    {
      name = access.declName.baseName.bareText
    } else {
      return nil
    }
    return TypeDeclaration(around: self)?.property(name)?.typeAnnotation?.type.lastName
  }

  /// The type that is written at the nearest variable or parameter of a name.
  private func typeOfLocal(_ name: String) -> TypeSyntax? {
    var current = Syntax(self).parent
    while let here = current, here.kind != .memberBlock {
      if let list = here.as(CodeBlockItemListSyntax.self) {
        guard list.count <= longestList else { return nil }
        let bindings = list.prefix { $0.position < position }
          .compactMap { $0.item.as(VariableDeclSyntax.self) }.flatMap(\.bindings)
        let found = bindings.last {
          $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText == name
        }
        if let found { return found.typeAnnotation?.type }
      } else if let found = Routine(here)?.parameters.first(where: { $0.name.bareText == name }) {
        return found.type
      }
      current = here.parent
    }
    return nil
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

  /// The type in front of the case: `Result` of `case Result.failure`.
  fileprivate var ownerOfCase: String? {
    caseReference?.as(MemberAccessExprSyntax.self)?.base?.lastName
  }

  /// Whether it says that the case carries one value: `.failure(_)`, `let .failure(error)`.
  fileprivate var namesPayload: Bool {
    guard var pattern = onlyItem?.pattern else { return false }
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    let call = pattern.as(ExpressionPatternSyntax.self)?.expression.as(FunctionCallExprSyntax.self)
    return call?.arguments.count == 1
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

  fileprivate var onlyLeaves: Bool { statements.onlyLeaves }

  /// Whether it says that the work is over, with `isLoading = false`, and at most leaves besides.
  fileprivate var onlyEnds: Bool {
    var rest = Array(statements)
    if let last = rest.last, [.breakStmt, .continueStmt].contains(last.item.kind) {
      rest.removeLast()
    }
    return !rest.isEmpty
      && rest.allSatisfy { item in
        item.assignment.map { $0.isBoolean(false) && $0.name?.isBusyName ?? false } ?? false
      }
  }

  fileprivate var isBoolean: Bool {
    guard statements.count == 1, let item = statements.first?.item else { return false }
    let value = item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    return value?.kind == .booleanLiteralExpr
  }
}

extension CodeBlockItemListSyntax {
  /// Whether it does no more than break, continue, or return nothing of interest.
  var onlyLeaves: Bool {
    guard count == 1, let item = first?.item else { return false }
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
  .bad(
    """
    let log = Logger(label: "a")
    func show(_ result: Result<[Item], any Error>) {
      switch result {
      case .success(let items): self.items = items
      ↓case .failure: isLoading = false
      }
    }
    """,
    fixed: """
      let log = Logger(label: "a")
      func show(_ result: Result<[Item], any Error>) {
        switch result {
        case .success(let items): self.items = items
        case .failure(let error): log.error("\\(error)"); isLoading = false
        }
      }
      """),
  .good("switch result { case .success(let a): use(a) case .failure: isValid = false }"),
  .good("switch result { case .success(let a): use(a) case .failure: showFailure() }"),
  .bad(
    """
    let log = Logger(label: "a")
    enum Outcome { case success, failure }
    func f(_ outcome: Outcome, _ result: Result<Int, any Error>) {
      switch outcome { case .success: a() case .failure: break }
      switch result { case .success: a() ↓case .failure: break }
    }
    """,
    fixed: """
      let log = Logger(label: "a")
      enum Outcome { case success, failure }
      func f(_ outcome: Outcome, _ result: Result<Int, any Error>) {
        switch outcome { case .success: a() case .failure: break }
        switch result { case .success: a() case .failure(let error): log.error("\\(error)") }
      }
      """),
  .bad(
    """
    let log = Logger(label: "a")
    func f() { switch send() { case .success: a() ↓case .failure: break } }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() { switch send() { case .success: a() case .failure: break } }
      """),
  .good(
    "func f(_ o: Outcome) { switch o { case .success: a() case .failure: break } }",
    others: ["Sources/App/Outcome.swift": "enum Outcome: String { case success, failure }"],
    because: "that failure carries no error"),
  .good(
    "func f() { switch o.end { case .success: a() case .failure: break } }",
    others: ["Sources/App/Outcome.swift": "enum Outcome: String { case success, failure }"],
    because: "it may be about an enum whose failure carries nothing"),
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
