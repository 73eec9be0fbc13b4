// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let vagueErrorCase = Rule(
    "MS108", "vague-error-case", .info, .strict, serves: ["B18"],
    places: [.production, .example],
    summary: "An error that is known when it is made goes into a case that says unknown.",
    why: """
      The place knows what happened, and writes it down only as words: callers cannot tell it from \
      other failures, and tests cannot ask for it.
      """,
    guess: "A case named unknown, generic or other with a text says what a case of its own could.",
    onPurpose: "Hand on the error that was caught, or give the case a name of its own.",
    remedy: .safe("Names the one case without a payload whose name says the same as the text."),
    examples: [
      .bad(
        """
        enum ScanError: Error { case cameraNotAuthorized, unknown(message: String) }
        func scan() throws { throw ↓ScanError.unknown(message: "Camera not authorized") }
        """,
        fixed: """
          enum ScanError: Error { case cameraNotAuthorized, unknown(message: String) }
          func scan() throws { throw ScanError.cameraNotAuthorized }
          """),
      .bad("func scan() throws { throw ↓AppError.unknown(\"Camera not authorized\") }"),
      .bad(
        """
        enum ScanError: Error { case other(String, code: Int) }
        func scan() async throws(ScanError) {
          guard isReady else { throw ↓.other("The camera is not ready", code: 3) }
        }
        """),
      .bad(
        """
        enum ScanError: Error { case genericError(String) }
        func scan(_ done: (Result<Int, ScanError>) -> Void) {
          done(.failure(↓.genericError("Status \\(status)")))
        }
        """),
      .bad(
        """
        extension Scan {
          enum Failure: Error { case unknown(String) }
          func check() -> Failure? { return ↓.unknown("No code in the picture") }
        }
        """),
      .bad(
        """
        enum ScanError: Error {
          case cameraMissing, unknown(String)
          static let missing = ↓Self.unknown("The camera is missing")
        }
        """),
      .good(
        """
        enum ScanError: Error { case cameraNotAuthorized }
        func scan() throws { throw ScanError.cameraNotAuthorized }
        """),
      .good(
        "do { try f() } catch { throw AppError.unknown(\"Scan failed: \\(error)\") }",
        because: "it wraps what was caught"),
      .good("func f() throws { throw AppError.unknown(message: \"Scan\", underlying: cause) }"),
      .good(
        "func f(_ error: any Error) -> AppError { AppError.unknown(error.localizedDescription) }"),
      .good("let tag = Tag.other(\"red\")", because: "it is no error"),
      .good(
        """
        enum ScanError: Error { case unknown(String) }
        func f(_ e: ScanError) -> Bool { if case .unknown("x") = e { true } else { false } }
        """),
    ],
    checks: .call { call, file in
      guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        file.vocabulary.isVague(access.declName.baseName.text), call.isLiteralAlone
      else { return }
      report(call, access, in: file)
    })
}

private func report(
  _ call: FunctionCallExprSyntax, _ access: MemberAccessExprSyntax, in file: AuditedFile
) {
  guard !access.isAskedFor, let owner = access.owner else { return }
  let name = access.declName.baseName.bareText
  let text = call.arguments.compactMap {
    $0.expression.as(StringLiteralExprSyntax.self)?.writtenText
  }
  .joined(separator: " ")
  let replaced = access.declName.bytes.lowerBound..<call.bytes.upperBound
  let path = file.path
  file.report(
    call, "What happened here is known, but goes into `\(name)`", severity: .warning,
    judging: { index in
      var types: [IndexedType]
      switch owner {
      case .named(let type):
        types = index.declarations(of: type, in: path)
        if types.isEmpty && !type.hasSuffix("Error") { return nil }
        guard types.allSatisfy(index.isError) else { return nil }
      case .thrown:
        types = index.errorTypes.filter { type in type.cases.contains { $0.name == name } }
      }
      let matches = types.flatMap(\.cases).filter { $0.payload.isEmpty && $0.says(text) }
      guard types.count == 1, let match = matches.first else { return .init(severity: .info) }
      let fix = Fix.safe("throw `\(match.name)`", Edit(replaced, match.name))
      return .init(
        message: "What happened here has a case of its own: `\(match.name)`",
        severity: matches.count == 1 ? .warning : .info, fix: matches.count == 1 ? fix : nil)
    })
}

extension Vocabulary {
  /// Whether a case says too little: `unknown`, `unknownError`, `otherFailure`.
  fileprivate func isVague(_ name: String) -> Bool {
    if vagueCases.contains(name) { return true }
    for ending in ["Error", "Failure"] where name.hasSuffix(ending) {
      return vagueCases.contains(String(name.dropLast(ending.count)))
    }
    return false
  }
}

private enum Owner {
  case named(String)
  /// An error, of a type that is not written anywhere near.
  case thrown
}

extension MemberAccessExprSyntax {
  /// The type whose case it is; nil where nothing says that it is an error.
  fileprivate var owner: Owner? {
    if let base {
      guard let name = base.lastName, name.first?.isUppercase ?? false else { return nil }
      return .named(name == "Self" ? TypeDeclaration(around: self)?.name ?? name : name)
    }
    if let type = expectedType, type != "Error" { return .named(type) }
    guard let call = parent?.as(FunctionCallExprSyntax.self) else { return nil }
    if call.parent?.kind == .throwStmt { return .thrown }
    if let sequence = call.parent?.parent?.as(SequenceExprSyntax.self) {
      // `self.error = .unknown("…")`
      let isError = Assignment(sequence).map { $0.value?.id == call.id && $0.target.isNamedAsError }
      return isError ?? false ? .thrown : nil
    }
    guard let argument = call.parent?.as(LabeledExprSyntax.self) else { return nil }
    if argument.label?.text == "throwing" { return .thrown }
    return argument.nearest(FunctionCallExprSyntax.self)?.name == "failure" ? .thrown : nil
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is made of nothing but literals, one of them a text, and none speaks of an error.
  fileprivate var isLiteralAlone: Bool {
    var hasText = false
    for argument in arguments {
      switch argument.expression.kind {
      case .stringLiteralExpr:
        let literal = argument.expression.cast(StringLiteralExprSyntax.self)
        guard !literal.interpolations.contains(where: { $0.speaksOfError }) else { return false }
        hasText = true
      case .integerLiteralExpr, .nilLiteralExpr, .booleanLiteralExpr: continue
      default: return false
      }
    }
    return hasText && closures.isEmpty
  }
}

extension ExpressionSegmentSyntax {
  fileprivate var speaksOfError: Bool {
    contains { node in
      guard let name = node.as(DeclReferenceExprSyntax.self)?.baseName.bareText else {
        return false
      }
      return words(of: name).contains { errorWords.contains($0) }
        || ExprSyntax(node)?.isNamedAsError ?? false
    }
  }
}

private let errorWords: Set<String> = [
  "error", "err", "failure", "cause", "reason", "underlying", "exception", "description", "message",
]

extension IndexedCase {
  /// Whether a text has exactly the words of the name, but for small ones.
  fileprivate func says(_ text: String) -> Bool {
    let said = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let named = words(of: name).filter { !smallWords.contains($0) }
    return !named.isEmpty && Set(named) == Set(said.filter { !smallWords.contains($0) })
  }
}

private let smallWords: Set<String> = [
  "a", "an", "the", "is", "was", "are", "were", "has", "have", "been", "be", "of", "to", "error",
  "failure",
]
