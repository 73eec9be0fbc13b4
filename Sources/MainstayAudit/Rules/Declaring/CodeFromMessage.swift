// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let codeFromMessage = Rule(
    "MS110", "code-from-message", .warning, .default, serves: ["D9", "T14"],
    summary: "What kind of error it is gets read out of its text.",
    why: """
      Texts are for people: they are reworded, translated and cut, and the code that looks for \
      words in them then takes the wrong turn without a sound.
      """,
    guess: "What is named like an error is one, and its description or message is a text.",
    onPurpose: "Match the text in one place that makes a typed error of it, and ignore it there.",
    remedy: .none("the code that the text stands for is known only to the author"),
    examples: [
      .bad(
        """
        do { try connect() } catch {
          if ↓error.localizedDescription.contains("2003") { retry() }
        }
        """),
      .bad(
        """
        func isBusy(_ error: any Error) -> Bool {
          ↓"\\(error)".lowercased().hasPrefix("database is locked")
        }
        """),
      .bad(
        """
        do { try connect() } catch let problem as APIError {
          let text = String(describing: problem)
          guard ↓text.range(of: "timed out") == nil else { return }
        }
        """),
      .bad("if let error, ↓(error as NSError).localizedDescription == \"Not found\" { f() }"),
      .bad(
        """
        func code(of error: any Error) -> String? {
          switch ↓error.localizedDescription {
          case "Not found": "404"
          default: nil
          }
        }
        """),
      .bad(
        """
        do { try f() } catch APIError.server(let message) where ↓message == "expired" { g() }
        """),
      .bad(
        """
        switch error {
        case .failed(let reason):
          if ↓reason.contains(/[0-9]{4}/) { retry() }
        default: break
        }
        """),
      .bad("let isGone = ↓self.lastError?.message != \"gone\" && isOpen"),
      .good(
        """
        do { try connect() } catch let error as ConnectError {
          if error.code == .serverGone { retry() }
        }
        """),
      .good("if error.localizedDescription == nil { f() }"),
      .good("if response.message.contains(\"2003\") { f() }", because: "it is no error"),
      .good("if error.code == \"E2003\" { f() }", because: "it is a code, of whatever type"),
      .good(
        "let text = error.localizedDescription.hasSuffix(\".\") ? a : b",
        because: "it looks at punctuation"),
      .good(
        "let short = error.message.range(of: \" at /\").map { error.message[..<$0.lowerBound] }",
        because: "it shortens the text"),
      .good("if error.localizedDescription.contains(search) { f() }"),
      .good(
        """
        static func == (a: Problem, b: Problem) -> Bool { a.error.message == "x" }
        """),
      .good(
        "#expect(error.localizedDescription.contains(\"2003\"))",
        path: "Tests/AppTests/ErrorTests.swift"),
      .good("if (error as NSError).domain == \"Sync\" { f() }"),
    ],
    checks: .call { call, file in
      guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        matchers.contains(access.declName.baseName.text), let text = call.matchedErrorText(access)
      else { return }
      file.reportTextMatch(text)
    },
    .sequence { sequence, file in
      guard sequence.elements.contains(where: { $0.kind == .stringLiteralExpr }) else { return }
      let parts = sequence.elements.map(\.self)
      for (place, part) in parts.enumerated() where place > 0 && place + 1 < parts.count {
        guard let sign = part.as(BinaryOperatorExprSyntax.self)?.operator.text,
          sign == "==" || sign == "!=" || sign == "~="
        else { continue }
        let sides = [parts[place - 1], parts[place + 1]]
        guard sides.contains(where: \.isTellingLiteral),
          let text = sides.first(where: \.isErrorText)
        else { continue }
        file.reportTextMatch(text)
      }
    },
    .switchExpression { expression, file in
      guard expression.subject.isErrorText, expression.comparesTexts else { return }
      file.reportTextMatch(expression.subject)
    })
}

extension AuditedFile {
  fileprivate func reportTextMatch(_ text: ExprSyntax) {
    guard text.enclosingFunction?.name != "==" else { return }
    report(text, "What kind of error this is gets read out of its text")
  }
}

/// Calls that look for something in a text.
private let matchers: Set<String> = [
  "contains", "hasPrefix", "hasSuffix", "range", "firstRange", "ranges", "starts", "firstMatch",
  "wholeMatch", "prefixMatch", "matches", "numberOfMatches", "localizedCaseInsensitiveContains",
  "localizedStandardContains", "caseInsensitiveCompare", "isEqual",
]

extension FunctionCallExprSyntax {
  /// The text of an error that the call looks into for something that is written out.
  fileprivate func matchedErrorText(_ access: MemberAccessExprSyntax) -> ExprSyntax? {
    guard let base = access.base, let argument = firstArgument else { return nil }
    if argument.isTellingLiteral {
      // `text.range(of: " at ").map { … }` cuts something off.
      if parent?.kind == .memberAccessExpr, access.lastWord == "range" { return nil }
      return base.isErrorText ? base : nil
    }
    // `["busy", "locked"].contains(text)` and `regex.firstMatch(in: text, …)`
    let isList =
      base.as(ArrayExprSyntax.self)?.elements.contains { $0.expression.isTellingLiteral } ?? false
    let isRegex = arguments.first?.label?.text == "in" || base.is(RegexLiteralExprSyntax.self)
    return (isList || isRegex) && argument.isErrorText ? argument : nil
  }
}

extension MemberAccessExprSyntax {
  /// `range` of `firstRange` and `range`.
  fileprivate var lastWord: String? { words(of: declName.baseName.text).last }
}

extension SwitchExprSyntax {
  fileprivate var comparesTexts: Bool {
    cases.contains { element in
      guard let label = element.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self)
      else { return false }
      return label.caseItems.contains { item in
        item.pattern.as(ExpressionPatternSyntax.self)?.expression.isTellingLiteral ?? false
      }
    }
  }
}

extension ExprSyntax {
  /// A literal text with letters or numbers in it, or a regular expression.
  fileprivate var isTellingLiteral: Bool {
    if let literal = self.as(StringLiteralExprSyntax.self) {
      return literal.writtenText.contains { $0.isLetter || $0.isNumber }
    }
    if self.is(RegexLiteralExprSyntax.self) { return true }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return false }
    return call.name == "Regex" && call.firstArgument?.is(StringLiteralExprSyntax.self) ?? false
  }

  /// Whether it is what an error says: its description or message, as it is or changed.
  fileprivate var isErrorText: Bool {
    let value = uncast
    switch value.kind {
    case .memberAccessExpr:
      let access = value.cast(MemberAccessExprSyntax.self)
      guard let base = access.base else { return false }
      let name = access.declName.baseName.bareText
      if texts.contains(name) { return base.isNamedAsError }
      return passing.contains(name) && base.isErrorText
    case .functionCallExpr:
      let call = value.cast(FunctionCallExprSyntax.self)
      if call.name == "String", let first = call.firstArgument {
        let isDescription = ["describing", "reflecting"].contains(call.arguments.first?.label?.text)
        return isDescription ? first.isNamedAsError : first.isErrorText
      }
      guard let name = call.name, passing.contains(name), let receiver = call.receiver else {
        return false
      }
      return receiver.isErrorText
    case .stringLiteralExpr:
      let literal = value.cast(StringLiteralExprSyntax.self)
      guard literal.interpolations.count == 1, literal.writtenText.isEmpty else { return false }
      return literal.interpolated.contains { $0.isNamedAsError || $0.isErrorText }
    case .sequenceExpr:
      // `error.message ?? ""`
      let parts = value.cast(SequenceExprSyntax.self).elements
      guard parts.count == 3, parts.contains(where: { $0.isDefaulting }) else { return false }
      return parts.first?.isErrorText ?? false
    case .declReferenceExpr:
      let name = value.cast(DeclReferenceExprSyntax.self)
      if let local = name.localValue { return local.isErrorText }
      return name.isMessageOfError
    default: return false
    }
  }

  private var isDefaulting: Bool {
    self.as(BinaryOperatorExprSyntax.self)?.operator.text == "??"
  }
}

extension DeclReferenceExprSyntax {
  /// Whether a pattern took it out of an error, and its name says that it is a text.
  fileprivate var isMessageOfError: Bool {
    let name = baseName.bareText
    guard let last = words(of: name).last, messageWords.contains(last) else { return false }
    var current = parent
    while let here = current, here.kind != .memberBlock {
      if let clause = here.as(CatchClauseSyntax.self), clause.boundNames.contains(name) {
        return true
      }
      if let arm = here.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self),
        arm.caseItems.contains(where: { $0.pattern.binds(name) })
      {
        return here.nearest(SwitchExprSyntax.self)?.subject.isNamedAsError ?? false
      }
      if let branch = here.as(IfExprSyntax.self) {
        for element in branch.conditions {
          if let match = element.condition.as(MatchingPatternConditionSyntax.self),
            match.pattern.binds(name)
          {
            return match.initializer.value.isNamedAsError
          }
        }
      }
      current = here.parent
    }
    return false
  }
}

extension PatternSyntax {
  fileprivate func binds(_ name: String) -> Bool {
    contains { $0.as(IdentifierPatternSyntax.self)?.identifier.bareText == name }
  }
}

/// Properties of an error that hold words.
private let texts: Set<String> = [
  "localizedDescription", "description", "debugDescription", "errorDescription", "message",
  "localizedMessage", "errorMessage", "failureReason", "reason", "localizedFailureReason", "text",
]
/// What changes a text without making something else of it.
private let passing: Set<String> = [
  "lowercased", "uppercased", "capitalized", "trimmingCharacters", "localizedLowercase",
  "description", "folding", "prefix", "suffix", "replacingOccurrences",
]
private let messageWords: Set<String> = [
  "message", "description", "text", "reason", "msg", "detail", "details", "info", "string",
]
