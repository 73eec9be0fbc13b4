// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let secretInErrorLog = Rule(
    "MS705", "secret-in-error-log", .warning, .strict, serves: ["D28"],
    summary: "A token, password or other secret goes into an error log or into an error.",
    why: "Logs and error reports are copied, kept and read by many; a secret in them must be "
      + "treated as stolen.",
    guess: "What is named after a secret holds one, unless the name ends in what is said of it.",
    onPurpose: "`privacy: .private`, or a hash.",
    remedy: .none("What to log instead is for the author to say."),
    examples: secretInErrorLogBad + secretInErrorLogGood,
    checks: .call { call, file in
      guard call.calledExpression.kind == .memberAccessExpr, file.isErrorLogCall(call) else {
        return
      }
      for literal in call.arguments.lazy.compactMap({
        $0.expression.as(StringLiteralExprSyntax.self)
      }) {
        guard let secret = literal.firstSecret else { continue }
        file.report(secret, "`\(secret.trimmedDescription)` is logged in clear")
        return
      }
    },
    .throwStatement { node, file in
      guard let call = node.expression.core.as(FunctionCallExprSyntax.self) else { return }
      for argument in call.arguments {
        let literal = argument.expression.as(StringLiteralExprSyntax.self)
        let secret = argument.expression.isSecret ? argument.expression : literal?.firstSecret
        guard let secret else { continue }
        file.report(secret, "`\(secret.trimmedDescription)` travels with this error in clear")
        return
      }
    })
}

extension StringLiteralExprSyntax {
  /// The first value in it that is named after a secret, and has no privacy.
  fileprivate var firstSecret: ExprSyntax? {
    for segment in interpolations where segment.expressions.count == 1 {
      if let value = segment.expressions.first?.expression, value.isSecret { return value }
    }
    return nil
  }
}

extension ExprSyntax {
  /// Whether its name ends in what nobody may read: `user.password`, `accessToken`.
  fileprivate var isSecret: Bool {
    let core = core
    guard core.kind == .declReferenceExpr || core.kind == .memberAccessExpr,
      let name = core.lastName, name.first?.isLowercase ?? false
    else { return false }
    if let access = core.as(MemberAccessExprSyntax.self) {
      guard let base = access.base else { return false }
      // `Keys.password` and `.token` are names of secrets.
      if base.lastName?.first?.isUppercase ?? false { return false }
    }
    let found = words(of: name)
    guard let last = found.last else { return false }
    if found.contains(where: Self.harmless.contains) { return false }
    if Self.secrets.contains(last) { return true }
    let isKey = last == "key" && found.dropLast().last.map(Self.keys.contains) ?? false
    return isKey || last == "token" && isTokenOfSomebody(found)
  }

  /// Whether a token opens a door, rather than being a word of a text or a place in a list.
  private func isTokenOfSomebody(_ found: [String]) -> Bool {
    if let kind = found.dropLast().last { return Self.tokens.contains(kind) }
    let place = [
      TypeDeclaration(around: self)?.name ?? "", enclosingFunction?.name ?? "",
      nearest(StringLiteralExprSyntax.self)?.writtenText.replacing(" ", with: "_").lowercased()
        ?? "",
    ].flatMap { words(of: $0) }
    return place.contains { word in Self.doors.contains { word.hasPrefix($0) } }
  }

  private static let secrets: Set<String> = [
    "password", "passwd", "secret", "authorization", "passphrase", "passcode", "bearer",
    "credential", "credentials", "mnemonic",
  ]
  private static let keys: Set<String> = ["api", "private", "secret", "signing", "encryption"]
  private static let tokens: Set<String> = [
    "access", "auth", "refresh", "session", "bearer", "api", "id", "jwt", "oauth", "user", "device",
    "push", "login",
  ]
  private static let doors = ["auth", "login", "sign", "session", "oauth", "jwt", "credential"]
  private static let harmless: Set<String> = [
    "hash", "hashed", "masked", "redacted", "encrypted", "missing", "expected", "invalid",
  ]
}

private let secretInErrorLogBad: [Example] = [
  .bad("log.error(\"login failed for \\(↓token)\")"),
  .bad("logger.critical(\"cannot sign in \\(user.name) with \\(↓user.password)\")"),
  .bad("func f() throws { throw AuthError.rejected(↓accessToken) }"),
  .bad("func f() throws { throw ServiceError(\"wrong key \\(↓self.config.apiKey)\") }"),
  .bad(
    """
    struct SessionStore {
      func restore() {
        do { try open(token) } catch { Self.logger.error("\\(↓token): \\(error)") }
      }
    }
    """),
]

private let secretInErrorLogGood: [Example] = [
  .good("log.error(\"login failed for \\(user.id)\")"),
  .good("log.error(\"login failed for \\(token, privacy: .private)\")"),
  .good("log.error(\"login failed for \\(hashedPassword)\")", because: "a hash opens nothing"),
  .good("func f() throws { throw ParserError.unexpected(token) }", because: "a word of a text"),
  .good("func f() throws { throw KeychainError.missing(Keys.password) }", because: "it is a name"),
  .good("log.error(\"\\(passwordLength) characters are too few\")"),
  .good("log.debug(\"\\(token)\")", because: "that is no error log"),
]
