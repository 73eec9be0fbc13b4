// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let genericErrorThrown = Rule(
    "MS101", "generic-error-thrown", .warning, .default, serves: ["B25"],
    places: [.production, .example],
    summary: "What is thrown is an `NSError` with made-up numbers, or no more than a text.",
    why: """
      Callers can tell such an error from others only by a magic number or by its words, so nobody \
      can react to it, and nothing checks that anybody does.
      """,
    guess: "A domain and a code that are written out are the project's own, not the system's.",
    onPurpose: "Give the domain of the system (`NSPOSIXErrorDomain`) or a code from a variable.",
    remedy: .none("only the author knows what the error is to be called"),
    examples: [
      .bad(#"func pay() throws { ↓throw NSError(domain: "Cart", code: 1) }"#),
      .bad(
        """
        func pay() async throws {
          guard !items.isEmpty else {
            ↓throw NSError(
              domain: "Cart",
              code: 1,
              userInfo: [NSLocalizedDescriptionKey: "The cart is empty"])
          }
        }
        """),
      .bad(#"func f() throws { if done { ↓throw "The cart is empty" } }"#),
      .bad(
        """
        func f() throws {
          let error = NSError(domain: Bundle.main.bundleIdentifier ?? "", code: -1)
          log.error("no cart")
          ↓throw error
        }
        """),
      .bad(
        """
        struct GenericError: Error { let message: String }
        func f() throws { ↓throw GenericError(message: "The cart is empty") }
        """),
      .bad("func f() async throws { try await run { ↓throw NSError() as any Error } }"),
      .bad(
        """
        func load() async throws -> Data {
          try await withCheckedThrowingContinuation { continuation in
            continuation.resume(throwing: ↓NSError(domain: "Load", code: 0))
          }
        }
        """),
      .bad("func f() throws { ↓throw last ?? NSError(domain: \"Retry\", code: 0x10) }"),
      .good("func pay() throws { throw CartError.empty }"),
      .good(
        "func f() throws { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }",
        because: "it carries an error of the system"),
      .good(
        """
        func check(_ status: OSStatus) throws {
          if status != 0 { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        }
        """),
      .good(
        #"func f() throws { throw NSError(domain: "Sync", code: code, userInfo: nil) }"#,
        because: "the code comes from somewhere else, which is bridging"),
      .good(
        "do { try f() } catch let error as NSError { throw error }",
        because: "it was caught, not made here"),
      .good(
        """
        struct ParseError: Error { let message: String; let line: Int }
        func f() throws { throw ParseError(message: "no digit", line: 3) }
        """),
      .good(
        """
        import SwiftSyntaxMacros
        enum CustomError: Error { case message(String) }
        func expand() throws { throw CustomError.message("only works on functions") }
        """, because: "the compiler shows it to a developer"),
      .good(
        "func f() throws { throw NSError(domain: NSCocoaErrorDomain, code: NSUserCancelled) }"),
    ],
    checks: .throwStatement { statement, file in
      report(statement.expression, at: statement, in: file)
    },
    .call { call, file in
      guard let argument = call.firstArgument, call.arguments.first?.label?.text == "throwing"
      else { return }
      report(argument, at: argument, in: file)
    })
}

private func report(_ thrown: ExprSyntax, at node: some SyntaxProtocol, in file: AuditedFile) {
  // What a macro or a plugin throws is a message for developers, and nothing else reads it.
  guard file.imports.isDisjoint(with: pluginModules) else { return }
  let value = made(thrown)
  if let sequence = value.as(SequenceExprSyntax.self) {
    // `throw last ?? NSError(…)` and `throw isLate ? NSError(…) : error`
    let parts = sequence.elements.flatMap { part in
      [part, part.as(UnresolvedTernaryExprSyntax.self)?.thenExpression].compactMap(\.self)
    }
    guard parts.contains(where: { $0.as(FunctionCallExprSyntax.self)?.isGenericError ?? false })
    else { return }
    return file.report(node, "This throws a bare `NSError` that callers know only by its number")
  }
  if value.is(StringLiteralExprSyntax.self) {
    return file.report(node, "This throws a text instead of an error that callers can tell apart")
  }
  guard let call = value.as(FunctionCallExprSyntax.self), let name = call.typeName else { return }
  if name == "NSError" {
    guard call.isGenericError else { return }
    file.report(node, "This throws a bare `NSError` that callers know only by its number")
  } else if words(of: name).contains(where: vagueWords.contains), call.arguments.count == 1,
    call.firstArgument?.is(StringLiteralExprSyntax.self) ?? false
  {
    file.report(node, "`\(name)` says what happened only in words") { index in
      index.declarations(of: name).contains { type in
        type.properties.filter { !spoken.contains($0.key) }.map(\.value) == ["String"]
          || type.properties.isEmpty && type.cases.count == 1
            && type.cases.allSatisfy { $0.payload == ["String"] }
      }
    }
  }
}

private let pluginModules: Set<String> = [
  "SwiftSyntaxMacros", "SwiftCompilerPlugin", "PackagePlugin",
]

/// Properties that say in words what the others hold.
private let spoken: Set<String> = [
  "description", "debugDescription", "localizedDescription", "errorDescription", "failureReason",
  "recoverySuggestion",
]

/// Words in the names of types that wrap any text.
private let vagueWords: Set<String> = [
  "string", "text", "message", "generic", "simple", "basic", "runtime", "custom", "general", "my",
]

/// What is thrown, without a cast, and as it was made where it has a name in this function.
private func made(_ thrown: ExprSyntax) -> ExprSyntax {
  let value = thrown.uncast
  guard let name = value.as(DeclReferenceExprSyntax.self) else { return value }
  return name.localValue?.uncast ?? value
}

extension FunctionCallExprSyntax {
  /// The type that a call makes a value of: `E` in `E(…)` and `E.init(…)`, and the type of a case.
  fileprivate var typeName: String? {
    var callee = calledExpression
    if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base,
      base.lastName?.first?.isUppercase ?? false,
      access.declName.baseName.text.first?.isLowercase ?? false
    {
      callee = base
    }
    guard let name = callee.lastName, name.first?.isUppercase ?? false else { return nil }
    return name
  }

  /// Whether an `NSError` is made of a domain of one's own and a number that is written out.
  fileprivate var isGenericError: Bool {
    guard typeName == "NSError" else { return false }
    if arguments.isEmpty { return true }
    guard let domain = argument("domain") else { return false }
    let text = domain.as(StringLiteralExprSyntax.self)?.writtenText ?? domain.lastName ?? ""
    let isOfTheSystem =
      text.hasPrefix("NS") || text.hasPrefix("kC") || text.contains("POSIX")
      || text.contains("OSStatus") || text.hasPrefix("kAudio") || text == "SKErrorDomain"
    guard !isOfTheSystem else { return false }
    guard let code = argument("code")?.core else { return false }
    return code.is(IntegerLiteralExprSyntax.self) || code.integer != nil
  }
}
