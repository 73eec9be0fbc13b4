// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let trapInHandler = Rule(
    "MS602", "trap-in-handler", .warning, .default, serves: [],
    places: [.production, .example],
    summary: "A catch clause or an arm for `.failure` ends the program.",
    why: "The failure was already caught; ending everything for it makes an outage of a mishap.",
    guess: "What loads from a bundle fails in the first run or never.",
    onPurpose: "`assertionFailure` with a way to go on, or an ignore with the reason.",
    remedy: .none("how to go on without it is the author's choice"),
    examples: trapInHandlerExamples,
    checks: .call { call, file in
      guard call.arguments.first?.label == nil, let name = call.freeName, traps.contains(name),
        let handler = call.handler, !call.isInAssertion,
        !call.isInImpossible, name != "exit" || !file.isMainFile,
        name != "preconditionFailure" || !handler.checksArguments
      else { return }
      let isMild = handler.isForeseen || call.claimsImpossible
      file.report(
        call, "`\(name)` ends the program for an error that was caught",
        severity: isMild ? .info : nil)
    })
}

private let traps: Set<String> = ["fatalError", "preconditionFailure", "abort", "exit", "_exit"]

private struct Aftermath {
  /// What failed: the body of a `do`, or the subject of a `switch`.
  let attempt: Syntax?
  let clause: CatchClauseSyntax?

  /// Whether it fails at the first start or never, or only where somebody made a mistake.
  var isForeseen: Bool {
    guard let clause else { return loadsFromBundle }
    if clause.isExplained || loadsFromBundle { return true }
    // What is left when every type was named, or the trapping twin of a throwing initializer.
    if !clause.earlierClauses.isEmpty && clause.isCatchAll { return true }
    let origins = clause.doStatement?.body.escapingErrors() ?? []
    return origins.count == 1
      && origins.allSatisfy { $0.as(TryExprSyntax.self)?.tried?.isDelegation ?? false }
  }

  /// Whether nothing is tried but to check what the caller gave, as a precondition does.
  var checksArguments: Bool {
    let origins = clause?.doStatement?.body.escapingErrors() ?? []
    return !origins.isEmpty
      && origins.allSatisfy { $0.as(TryExprSyntax.self)?.tried?.isCheck ?? false }
  }

  var loadsFromBundle: Bool {
    attempt?.mentions { token in
      let text = token.text
      return text == "Bundle" || text == "forResource" || text == "bundle"
    } ?? false
  }
}

extension FunctionCallExprSyntax {
  /// The clause or arm that it runs in, also from a branch inside.
  fileprivate var handler: Aftermath? {
    var current = parent
    while let here = current {
      if let clause = here.as(CatchClauseSyntax.self) {
        return Aftermath(
          attempt: clause.doStatement.map { Syntax($0.body) }, clause: clause)
      }
      if let arm = here.as(SwitchCaseSyntax.self), arm.isFailure {
        let subject = arm.nearest(SwitchExprSyntax.self)?.subject
        return Aftermath(attempt: subject.map { Syntax($0) }, clause: nil)
      }
      if let branch = here.as(IfExprSyntax.self), let result = branch.failedResult,
        branch.body.bytes.contains(bytes.lowerBound)
      {
        return Aftermath(attempt: Syntax(result), clause: nil)
      }
      if here.startsScope { return nil }
      current = here.parent
    }
    return nil
  }

  /// Whether it is `self.init(…)` or `super.init(…)`.
  fileprivate var isDelegation: Bool {
    guard let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.declName.baseName.tokenKind == .keyword(.`init`)
    else { return false }
    return access.base?.lastName == "self" || access.base?.kind == .superExpr
  }

  /// Whether the function around it is there to stop the program: `assertSuccess()`.
  fileprivate var isInAssertion: Bool {
    guard let name = enclosingFunction?.name, let first = words(of: name).first else {
      return false
    }
    return ["assert", "precondition", "require", "must", "expect"].contains(first)
  }

  /// Whether it only says whether something is legal: `check()`, `self.init(validating: x)`.
  fileprivate var isCheck: Bool {
    let labels = arguments.compactMap { $0.label?.bareText }
    return ([name].compactMap(\.self) + labels).contains { word in
      ["check", "checked", "checking", "validate", "validated", "validating"]
        .contains(words(of: word).first ?? "")
    }
  }

  /// Whether what was caught cannot be: `where Failure == Never`.
  fileprivate var isInImpossible: Bool {
    var current = parent
    while let here = current {
      let clause =
        here.as(FunctionDeclSyntax.self)?.genericWhereClause
        ?? here.as(ExtensionDeclSyntax.self)?.genericWhereClause
      if clause?.contains(where: { $0.as(TokenSyntax.self)?.text == "Never" }) ?? false {
        return true
      }
      current = here.parent
    }
    return false
  }

  /// Whether its text says that nobody ever gets here.
  fileprivate var claimsImpossible: Bool {
    guard let text = firstArgument?.as(StringLiteralExprSyntax.self)?.writtenText.lowercased()
    else { return false }
    return Self.claims.contains { text.contains($0) }
  }

  private static let claims = [
    "unreachable", "impossible", "never", "should not", "shouldn't", "cannot", "can't", "must",
    "unexpected", "bug", "invariant", "not happen", "doesn't", "do not", "programm",
    "bundle",
  ]
}

extension IfExprSyntax {
  /// `result` of `if case .failure(let error) = result`.
  fileprivate var failedResult: ExprSyntax? {
    conditions.lazy.compactMap { $0.condition.as(MatchingPatternConditionSyntax.self) }
      .first { $0.pattern.isFailure }?.initializer.value
  }
}

extension PatternSyntax {
  fileprivate var isFailure: Bool {
    let pattern = self.as(ValueBindingPatternSyntax.self)?.pattern ?? self
    return pattern.as(ExpressionPatternSyntax.self)?.expression.lastName == "failure"
  }
}

extension SwitchCaseSyntax {
  fileprivate var isFailure: Bool {
    guard let items = label.as(SwitchCaseLabelSyntax.self)?.caseItems else { return false }
    return items.contains { $0.pattern.isFailure }
  }
}

private let trapInHandlerExamples: [Example] = [
  .bad("func f() { do { try open() } catch { ↓fatalError(\"no folder\") } }"),
  .bad("func f() { do { try open() } catch let e as Missing { ↓preconditionFailure(\"\\(e)\") } }"),
  .bad(
    """
    func f() {
      switch result {
      case .success(let page): show(page)
      case .failure(let error):
        log.error("\\(error)")
        ↓fatalError("\\(error)")
      }
    }
    """),
  .bad("func f() { if case .failure(let error) = result { ↓Swift.fatalError(error.text) } }"),
  .bad(
    """
    let container: ModelContainer = {
      do { return try ModelContainer(for: Item.self) } catch { ↓fatalError("No store: \\(error)") }
    }()
    """),
  .bad("func f() { do { try open() } catch { if isFirst { ↓abort() } else { ↓exit(1) } } }"),
  .bad("func f() { do { try Data(contentsOf: Bundle.main.url!) } catch { ↓fatalError() } }"),
  .bad("func f() { do { try lock() } catch { ↓fatalError(\"this should never happen\") } }"),
  .bad(
    "func f() { do { try a() } catch let e as A { b(e) } catch { ↓fatalError(\"\\(error)\") } }"),
  .bad("init(a: Int) { do { try self.init(checking: a) } catch { ↓fatalError() } }"),
  .good("func f() throws { do { try open() } catch { throw AppError(error) } }"),
  .good("func f() { guard let a else { fatalError(\"no a\") } }", because: "nothing was caught"),
  .good("func f() { do { try open() } catch { show { fatalError(\"later\") } } }"),
  .good("func f() { do { try open() } catch { assertionFailure(\"\\(error)\"); useDefaults() } }"),
  .good("func f() { do { try open() } catch { exit(1) } }", path: "Sources/tool/main.swift"),
  .bad("func f() { do { try open() } catch { ↓exit(1) } }", path: "Sources/App/Domain.swift"),
  .good("func f() { do { try open() } catch { session.abort() } }"),
  .good(
    "init(_ a: A) { do { try self.init(checking: a) } catch { preconditionFailure(a.text) } }",
    because: "a precondition of the caller's is checked"),
  .good(
    "func assertSuccess() { if case .failure(let e) = result { preconditionFailure(\"\\(e)\") } }",
    because: "it is called to stop the program"),
  .good(
    "extension Feed where Failure == Never { func f() { do { try a() } catch { fatalError() } } }",
    because: "there is no error"),
  .good(
    "func f() { do { try write() } catch { print(error); exit(1) } }",
    path: "Sources/UploadDemo/main.swift"),
  .good("func main() { do { try run() } catch { exit(withError: error) } }"),
]
