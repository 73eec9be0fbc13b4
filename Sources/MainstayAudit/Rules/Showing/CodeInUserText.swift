// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let codeInUserText = Rule(
    "MS402", "code-in-user-text", .info, .strict, serves: ["E11", "E34"],
    places: [.production, .example],
    summary: "A text that an error has for people holds a status or error code.",
    why: "A number means nothing to whoever reads it there; it belongs into the log, beside what "
      + "it was about.",
    guess: "A value named `code`, `status` or the like is a number of a protocol.",
    onPurpose: "A name that says what the code is to people, such as `promoCode`.",
    remedy: .none("What to say instead is for the author to find."),
    examples: codeInUserTextBad + codeInUserTextGood,
    checks: .variable { variable, file in
      guard let binding = variable.bindings.first, binding.isLocalizedErrorText,
        let body = binding.accessorBlock, let type = TypeDeclaration(around: variable)?.name
      else { return }
      for literal in body.every(StringLiteralExprSyntax.self) where literal.segments.count > 1 {
        guard let value = literal.interpolated.first(where: \.isProtocolCode),
          !literal.isAboutAPersonsCode
        else { continue }
        let name = value.lastName ?? ""
        file.report(
          literal, "`\(name)` stands in a text for people",
          when: { $0.isError(type) || type.hasSuffix("Error") })
      }
    })
}

extension PatternBindingSyntax {
  /// Whether it declares one of the three texts of `LocalizedError`.
  var isLocalizedErrorText: Bool {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return false }
    return name == "errorDescription" || name == "failureReason" || name == "recoverySuggestion"
  }
}

extension ExprSyntax {
  fileprivate var isProtocolCode: Bool {
    guard let name = lastName else { return false }
    return [
      "code", "status", "statusCode", "errno", "errorCode", "httpStatus", "httpStatusCode",
      "responseCode", "httpCode", "resultCode",
    ].contains(name)
  }
}

extension StringLiteralExprSyntax {
  /// Whether the case or the words around say that people know this code: a voucher's, a country's.
  fileprivate var isAboutAPersonsCode: Bool {
    var names = words(of: writtenText.lowercased().replacing(" ", with: "_"))
    if let label = nearest(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self) {
      for access in label.every(MemberAccessExprSyntax.self) {
        names += words(of: access.declName.baseName.bareText)
      }
    }
    return names.contains { Self.personsCodes.contains($0) }
  }

  private static let personsCodes: Set<String> = [
    "promo", "coupon", "voucher", "invite", "invitation", "country", "currency", "language",
    "postal", "zip", "verification", "pairing", "access", "area", "product", "discount", "gift",
    "order", "booking", "flight", "locale", "referral", "version",
  ]
}

private let codeInUserTextBad: [Example] = [
  .bad(
    """
    extension ServiceError: LocalizedError {
      var errorDescription: String? {
        switch self {
        case .server(let code): return ↓"Server error (\\(code))"
        }
      }
    }
    """),
  .bad(
    """
    struct ResponseError: LocalizedError {
      let response: HTTPURLResponse
      var failureReason: String? { ↓"The server said \\(response.statusCode)." }
    }
    """),
  .bad(
    """
    enum FileError: LocalizedError {
      case unreadable(errno: Int32)
      var recoverySuggestion: String? {
        get {
          switch self { case .unreadable(let errno): return ↓"Look up \\(errno) in the manual." }
        }
      }
    }
    """),
  .bad(
    """
    enum APIError: Error, LocalizedError {
      var errorDescription: String? {
        if case .http(let status, let text) = self { return ↓"HTTP \\(status): \\(text)" }
        return nil
      }
    }
    """),
  .bad(
    """
    struct ShopError: LocalizedError {
      var errorDescription: String? {
        isKnown ? "No such item" : ↓"Error \\(self.errorCode)"
      }
    }
    """),
]

private let codeInUserTextGood: [Example] = [
  .good(
    """
    extension ServiceError: LocalizedError {
      var errorDescription: String? {
        switch self {
        case .server: return "The service has a problem. Try again in a minute."
        }
      }
    }
    """),
  .good(
    """
    enum CartError: LocalizedError {
      var errorDescription: String? {
        switch self {
        case .invalidPromo(let code): "The promo code \\(code) is no longer valid."
        }
      }
    }
    """, because: "the person typed it"),
  .good(
    """
    enum LimitError: LocalizedError {
      var errorDescription: String? { "Try again in \\(seconds) seconds." }
    }
    """, because: "a time means something"),
  .good(
    """
    struct Badge: View {
      var errorDescription: String? { "\\(status)" }
    }
    """, because: "that is no error"),
  .good(
    """
    struct HTTPFailure: Error, CustomStringConvertible {
      var description: String { "HTTP \\(status)" }
    }
    """, because: "developers read that"),
]
