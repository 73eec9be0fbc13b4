// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let callbackErrorIgnored = Rule(
    "MS209", "callback-error-ignored", .warning, .default, serves: [],
    summary: "A closure is given an error and never reads it.",
    why: "The call tells of its failure in that parameter alone.",
    guess: "A parameter named `error` or `err` is an error, and so is the third that a task of "
      + "`URLSession` hands over. One of another name is where its type is written.",
    onPurpose: "Name the parameter `_`.",
    remedy: .none("what to do with the error is the author's choice"),
    examples: callbackErrorIgnoredExamples,
    checks: .closure { closure, file in
      guard let clause = closure.signature?.parameterClause,
        let parameter = clause.errorParameter ?? closure.errorOfTransfer,
        !closure.statements.mentions(parameter.bareText),
        !closure.isDefault, !closure.isInDouble
      else { return }
      let isAnswered = closure.answersMissingValue(file)
      file.report(
        parameter,
        isAnswered
          ? "The failure is told, but `\(parameter.bareText)` is never read"
          : "`\(parameter.bareText)` is never read",
        severity: isAnswered || closure.onlyTidiesUp(file.vocabulary) ? .info : nil)
    })
}

extension ClosureSignatureSyntax.ParameterClause {
  /// The parameter that is an error by its name, and by its type where it has one.
  fileprivate var errorParameter: TokenSyntax? {
    switch self {
    case .simpleInput(let list): list.map(\.name).first(where: \.namesError)
    case .parameterClause(let clause):
      clause.parameters.first { parameter in
        (parameter.secondName ?? parameter.firstName).namesError
          && parameter.type?.lastName.map { $0.hasSuffix("Error") } ?? true
      }.map { $0.secondName ?? $0.firstName }
        ?? clause.parameters.first { $0.type?.isOptionalError ?? false }
        .map { $0.secondName ?? $0.firstName }.flatMap { $0.isIdentifier ? $0 : nil }
    }
  }

  /// The names of what it takes.
  fileprivate var names: [TokenSyntax] {
    switch self {
    case .simpleInput(let list): list.map(\.name)
    case .parameterClause(let clause): clause.parameters.map { $0.secondName ?? $0.firstName }
    }
  }
}

extension TypeSyntax {
  /// Whether it is `Error?`, `(any Error)?` or `NSError?`.
  fileprivate var isOptionalError: Bool {
    kind == .optionalType && ["Error", "NSError"].contains(lastName)
  }
}

extension TokenSyntax {
  fileprivate var namesError: Bool { text == "error" || text == "err" }
}

extension ClosureExprSyntax {
  /// The error that a task of `URLSession` hands to it, whatever its name.
  fileprivate var errorOfTransfer: TokenSyntax? {
    guard let name = receiver?.call.name,
      ["dataTask", "downloadTask", "uploadTask"].contains(name),
      let names = signature?.parameterClause?.names, names.count == 3, names[2].isIdentifier
    else { return nil }
    return names[2]
  }

  /// Whether it does nothing until somebody replaces it: an empty value of a property or
  /// parameter.
  fileprivate var isDefault: Bool {
    statements.isEmpty && parent?.kind == .initializerClause
  }

  /// Whether all that it does is to tidy up after the failure that it is called for.
  fileprivate func onlyTidiesUp(_ vocabulary: Vocabulary) -> Bool {
    let only = signature?.parameterClause.map { clause in
      switch clause {
      case .simpleInput(let list): list.count == 1
      case .parameterClause(let clause): clause.parameters.count == 1
      }
    }
    guard only ?? false, !statements.isEmpty else { return false }
    return statements.allSatisfy { item in
      let call = item.item.as(ExprSyntax.self)?.core.as(FunctionCallExprSyntax.self)
      return call.map { vocabulary.isCleanUp($0) } ?? false
    }
  }

  fileprivate var isInDouble: Bool {
    guard let type = TypeDeclaration(around: self)?.name else { return false }
    let parts = words(of: type)
    return !["mock", "fake", "stub", "spy", "dummy", "noop", "preview"].allSatisfy {
      !parts.contains($0)
    }
  }

  /// Whether it reports in the `else` of a guard, or of an `if let`, on what is missing then.
  fileprivate func answersMissingValue(_ file: AuditedFile) -> Bool {
    statements.containsOwn { node in
      if let check = node.as(GuardStmtSyntax.self) { return tells(check.body, file) }
      guard case .codeBlock(let other) = node.as(IfExprSyntax.self)?.elseBody else { return false }
      return tells(other, file)
    }
  }

  private func tells(_ block: CodeBlockSyntax, _ file: AuditedFile) -> Bool {
    if block.containsOwn(where: { $0.kind == .throwStmt }) || file.reports(block) { return true }
    return block.mentions { Vocabulary.namesFailure($0.bareText) }
  }
}

private let callbackErrorIgnoredExamples: [Example] = [
  .bad("load { data, ↓error in show(data) }"),
  .bad("session.dataTask(with: url) { data, response, ↓error in self.use(data) }.resume()"),
  .bad(
    """
    center.requestAuthorization(options: [.alert]) { granted, ↓error in
      if granted { register() }
    }
    """),
  .bad("store.save { (↓err: Error?) in DispatchQueue.main.async { self.isSaving = false } }"),
  .bad("fetch(completion: { items, ↓error in guard let items else { return }; show(items) })"),
  .bad("save { ↓error in do { try a() } catch { print(error) } }"),
  .bad(
    """
    load { data, ↓error in
      guard let data else {
        completion(.failure(LoadError.noData))
        return
      }
      show(data)
    }
    """),
  .bad("session.dataTask(with: url) { d, r, ↓e in self.data = d }.resume()"),
  .bad("load { (d: Data?, ↓failure: Error?) in self.data = d }"),
  .bad("load { (d: Data?, ↓why: (any Error)?) in self.data = d }"),
  .bad("store.open { (↓problem: NSError?) in isOpen = true }"),
  .good("session.dataTask(with: url) { d, r, e in finish(d, e) }.resume()"),
  .good("session.dataTask(with: url) { d, r, _ in show(d) }.resume()", because: "it says so"),
  .good("load { (d: Data?, _: Error?) in show(d) }"),
  .good("load { (d: Data?, failure: Error?) in if failure == nil { show(d) } }"),
  .good("stream.map { d, r, e in d }", because: "nothing says that the third is an error"),
  .good("load { data, error in if let error { report(error) }; show(data) }"),
  .bad("future.whenFailure { ↓error in channel.close(promise: nil) }"),
  .good("load { data, _ in show(data) }", because: "it says so"),
  .good("load { data, error in guard error == nil else { return retry() }; show(data) }"),
  .good("load { data, error in Task { await handle(data, error) } }"),
  .good("var onEnd: (Error?) -> Void = { error in }", because: "it waits to be replaced"),
  .good("struct MockAPI { func f() { load { data, error in show(data) } } }"),
  .good("measure { (error: Double) in count += 1 }"),
  .good("load { data, error in show(data) }", path: "Tests/AppTests/LoadTests.swift"),
  .good("load { [weak self] data, error in self?.finish(data, error: error) }"),
]
