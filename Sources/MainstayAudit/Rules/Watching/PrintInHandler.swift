// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let printInHandler = Rule(
    "MS701", "print-in-handler", .warning, .default, serves: ["A36", "D17"],
    places: [.production],
    summary: "A handler prints an error to the console.",
    why: "Nobody reads the console of an app or a service that people use: the error is as good "
      + "as gone.",
    guess: "`print`, `debugPrint`, `dump` and `NSLog` are those of the system.",
    onPurpose: "`#if DEBUG`, or a stream: `print(error, to: &log)`.",
    remedy: .safe("Logs it instead, where the type or file has exactly one logger."),
    examples: printInHandlerBad + printInHandlerGood,
    checks: .call { call, file in
      guard call.isPrint, let handler = call.errorHandler, !call.isForDebuggingAlone,
        file.imports.isDisjoint(with: ["ArgumentParser", "PackagePlugin"]), !file.isCommand(call)
      else { return }
      // The first print speaks for all of a handler.
      guard handler.body.firstPrint?.id == call.id else { return }
      let calls = handler.body.every(FunctionCallExprSyntax.self)
      guard !calls.contains(where: file.isLogCall),
        !calls.contains(where: { $0.name == "exit" })
      else { return }
      let isTold = file.tells(handler)
      file.report(
        call,
        isTold
          ? "What is printed here, nobody reads where people use it"
          : "The console is the only one to hear of this error",
        severity: isTold ? .info : nil,
        fix: file.fix(call, handler))
    })
}

/// Code that is entered because something failed.
private struct Aftermath {
  let body: Syntax
  /// The names of the error in it.
  let names: Set<String>
}

extension FunctionCallExprSyntax {
  /// Whether it is part of what a print prints.
  fileprivate var isPrinted: Bool {
    var current = parent
    while let here = current, here.kind != .codeBlockItem {
      if here.as(FunctionCallExprSyntax.self)?.isPrint ?? false { return true }
      current = here.parent
    }
    return false
  }

  /// The nearest handler around it within its function.
  fileprivate var errorHandler: Aftermath? {
    var current = Syntax(self)
    while let parent = current.parent {
      if let handler = current.handler(under: parent) { return handler }
      if let function = parent.as(FunctionDeclSyntax.self) { return function.asHandler }
      if parent.kind == .memberBlock { return nil }
      current = parent
    }
    return nil
  }
}

extension FunctionDeclSyntax {
  /// The function as what a delegate hears of a failure by: `didFailWithError error: any Error`.
  fileprivate var asHandler: Aftermath? {
    guard let body else { return nil }
    for parameter in signature.parameterClause.parameters {
      let name = (parameter.secondName ?? parameter.firstName).bareText
      let label = words(of: parameter.firstName.bareText)
      guard name.isErrorName, label.last == "error",
        label.contains(where: { $0 == "fail" || $0 == "failed" }),
        parameter.type.kind != .optionalType
      else { continue }
      return Aftermath(body: Syntax(body), names: [name])
    }
    return nil
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is `whenFailure { … }` or `onError { … }`, whose closure gets a failure.
  fileprivate var tellsOfFailure: Bool {
    guard let parts = name.map({ words(of: $0) }), parts.count > 1 else { return false }
    return ["when", "on", "catch", "handle"].contains(parts.first ?? "")
      && ["error", "errors", "failure", "failures"].contains(parts.last ?? "")
  }
}

extension Syntax {
  fileprivate var firstPrint: FunctionCallExprSyntax? {
    var found: FunctionCallExprSyntax?
    walk { node in
      if found == nil, let call = node.as(FunctionCallExprSyntax.self), call.isPrint {
        found = call
      }
      return found == nil
    }
    return found
  }

  fileprivate func handler(under parent: Syntax) -> Aftermath? {
    switch parent.kind {
    case .catchClause:
      let clause = parent.cast(CatchClauseSyntax.self)
      guard !clause.isForCancellation else { return nil }
      return Aftermath(body: Syntax(clause.body), names: clause.boundNames)
    case .switchCase:
      guard let label = parent.cast(SwitchCaseSyntax.self).label.as(SwitchCaseLabelSyntax.self),
        label.caseItems.count == 1, let pattern = label.caseItems.first?.pattern,
        pattern.every(MemberAccessExprSyntax.self).first?.declName.baseName.text == "failure"
      else { return nil }
      var names: Set<String> = []
      pattern.collectBoundNames(into: &names)
      return Aftermath(body: parent, names: names)
    case .ifExpr:
      let statement = parent.cast(IfExprSyntax.self)
      guard statement.body.id == id, let condition = statement.conditions.first,
        let name = condition.errorName(comparedBy: "!=")
      else { return nil }
      return Aftermath(body: self, names: [name])
    case .guardStmt:
      let statement = parent.cast(GuardStmtSyntax.self)
      guard statement.body.id == id, let condition = statement.conditions.first,
        let name = condition.errorName(comparedBy: "==")
      else { return nil }
      return Aftermath(body: self, names: [name])
    case .functionCallExpr:
      let call = parent.cast(FunctionCallExprSyntax.self)
      guard call.trailingClosure?.id == id, call.tellsOfFailure,
        let closure = self.as(ClosureExprSyntax.self)
      else { return nil }
      return Aftermath(
        body: self, names: Set(Routine(closure).parameters.map(\.name.bareText)))
    case .labeledExpr, .multipleTrailingClosureElement:
      let label =
        parent.as(LabeledExprSyntax.self)?.label
        ?? parent.as(MultipleTrailingClosureElementSyntax.self)?.label
      guard let closure = self.as(ClosureExprSyntax.self), let label,
        words(of: label.bareText).contains(where: { $0 == "error" || $0 == "failure" })
      else { return nil }
      return Aftermath(
        body: self, names: Set(Routine(closure).parameters.map(\.name.bareText)))
    default: return nil
    }
  }
}

extension ConditionElementSyntax {
  /// `error` of `let error = …`, `case .failure(let error) = …` and, with its sign, `error != nil`.
  fileprivate func errorName(comparedBy sign: String) -> String? {
    switch condition {
    case .optionalBinding(let binding) where sign == "!=":
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
      return name.flatMap { $0.isErrorName ? $0 : nil }
    case .matchingPattern(let condition) where sign == "!=":
      let member = condition.pattern.every(MemberAccessExprSyntax.self).first
      guard member?.declName.baseName.text == "failure" else { return nil }
      return condition.pattern.every(IdentifierPatternSyntax.self).first?.identifier.bareText
    case .expression(let expression):
      guard let parts = expression.as(SequenceExprSyntax.self)?.elements.map(\.self),
        parts.count == 3, parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text == sign,
        parts[2].kind == .nilLiteralExpr, let name = parts[0].lastName, name.isErrorName
      else { return nil }
      return name
    default: return nil
    }
  }
}

extension String {
  fileprivate var isErrorName: Bool { self == "err" || words(of: self).last == "error" }
}

extension AuditedFile {
  /// Whether somebody besides the console hears of the error: it is thrown, returned, handed on or
  /// shown.
  fileprivate func tells(_ handler: Aftermath) -> Bool {
    handler.body.contains { node in
      switch node.kind {
      case .throwStmt: return true
      case .returnStmt: return node.mentions { handler.names.contains($0.bareText) }
      case .functionCallExpr:
        let call = node.cast(FunctionCallExprSyntax.self)
        guard !call.isPrint, !call.isPrinted, call.name != "String", call.freeName != "type" else {
          return false
        }
        let isAssertion = call.name?.hasPrefix("assert") ?? false
        return isRecorder(call) && !isAssertion || call.arguments.mentionsAny(of: handler.names)
      case .sequenceExpr:
        guard let assignment = Assignment(node.cast(SequenceExprSyntax.self)) else { return false }
        return assignment.isState
          && (setsErrorState(assignment)
            || assignment.values.contains { $0.mentionsAny(of: handler.names) })
      default: return false
      }
    }
  }

  /// Whether it lies in the main type of a program without a screen.
  fileprivate func isCommand(_ call: FunctionCallExprSyntax) -> Bool {
    let attributes = TypeDeclaration(around: call)?.node.asProtocol(
      (any WithAttributesSyntax).self)?.attributes
    return attributes?.names.contains("main") ?? false && !isPresentation(call)
  }

  /// A call of the only logger in place of the print, if that says the same.
  fileprivate func fix(_ call: FunctionCallExprSyntax, _ handler: Aftermath) -> Fix? {
    guard call.name == "print" || call.name == "debugPrint", let logger = logger(at: call),
      ExprSyntax(call).isStatement, !call.arguments.isEmpty,
      call.arguments.allSatisfy({ $0.label == nil })
    else { return nil }
    var parts: [String] = []
    for argument in call.arguments {
      // What a logger takes may be read later, so only names from here are safe to move into it.
      let references = argument.expression.every(DeclReferenceExprSyntax.self)
      guard
        references.allSatisfy({
          $0.isMemberName || handler.names.contains($0.baseName.bareText)
            || call.isLocal($0.baseName.bareText)
        })
      else { return nil }
      if let literal = argument.expression.as(StringLiteralExprSyntax.self) {
        guard literal.openingQuote.text == "\"", literal.openingPounds == nil else { return nil }
        parts.append(literal.segments.description)
      } else {
        guard !argument.expression.contains(where: { $0.kind == .stringLiteralExpr }) else {
          return nil
        }
        parts.append("\\(\(argument.expression.trimmedDescription))")
      }
    }
    return .safe(
      "log the error", Edit(call.bytes, "\(logger).error(\"\(parts.joined(separator: " "))\")"))
  }
}

private let printInHandlerBad: [Example] = [
  .bad("do { try save() } catch { ↓print(error) }"),
  .bad(
    """
    final class Sync {
      private let log = Logger(label: "sync")
      func run() async {
        do {
          try await push()
        } catch {
          ↓print("sync failed:", error)
        }
      }
    }
    """,
    fixed: """
      final class Sync {
        private let log = Logger(label: "sync")
        func run() async {
          do {
            try await push()
          } catch {
            log.error("sync failed: \\(error)")
          }
        }
      }
      """),
  .bad(
    """
    api.load { result in
      switch result {
      case .success(let items): self.items = items
      case .failure(let error): ↓print("Failed: \\(error)")
      }
    }
    """),
  .bad(
    """
    func load() {
      service.fetch { data, error in
        if let error = error {
          ↓NSLog("%@", error.localizedDescription)
          return
        }
        self.show(data)
      }
    }
    """),
  .bad(
    """
    do { try save() } catch let problem as StoreError {
      DispatchQueue.main.async { ↓debugPrint(problem); self.failed = true }
    } catch { ↓Swift.dump(error) }
    """),
  .bad(
    """
    func load() async {
      do { items = try await api.items() } catch {
        ↓print("Loading failed: \\(error)")
        DispatchQueue.main.async { self.handleFailure("The list cannot be shown.") }
      }
    }
    """),
  .bad(
    """
    do { try save() } catch {
      ↓print("Saving failed")
      print(error.localizedDescription)
      throw error
    }
    """),
]

private let printInHandlerGood: [Example] = [
  .good("do { try save() } catch { log.error(\"refresh failed: \\(error)\") }"),
  .good(
    """
    do { try await load() } catch is CancellationError { print("gone") } catch { show(error) }
    """,
    because: "nothing failed"),
  .good("func show() { print(items) }", because: "it prints no error"),
  .good("do { try save() } catch { print(error, to: &standardError) }"),
  .good(
    """
    do { try save() } catch {
      #if DEBUG
        print(error)
      #endif
      report(error)
    }
    """),
  .good("do { try save() } catch { print(error); exit(1) }", because: "that is a command"),
  .good(
    "do { try save() } catch { print(error) }", path: "Sources/tool/main.swift",
    because: "the console is where a command speaks"),
  .good(
    "@main struct Echo { static func main() { do { try run() } catch { print(error) } } }",
    because: "a program without a screen speaks there"),
  .good("do { try save() } catch { print(error) }", path: "Tests/AppTests/SaveTests.swift"),
  .good("do { try save() } catch { logger.error(\"\\(error)\"); print(\"see the log\") }"),
  .good("do { try save(); print(\"saved\") } catch { report(error) }"),
]
