// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unlocalizedErrorText = Rule(
    "MS405", "unlocalized-error-text", .info, .optIn, serves: ["E11"],
    places: [.production, .example],
    summary: "A text that an error has for people is in one language, in a project with several.",
    why: "Whoever uses the app in another language meets a foreign sentence just when something "
      + "went wrong.",
    guess: "A project with tables of texts wants all its texts in them.",
    onPurpose: "`String(localized:)`, or `LocalizedStringResource`.",
    remedy: .safe("Wraps the text in `String(localized:)`."),
    examples: unlocalizedErrorTextBad + unlocalizedErrorTextGood,
    checks: .variable { variable, file in
      guard let binding = variable.bindings.first, binding.isLocalizedErrorText,
        let type = TypeDeclaration(around: variable)?.name
      else { return }
      for literal in binding.every(StringLiteralExprSyntax.self) where literal.isResult {
        guard let text = literal.plainText, text.contains(where: \.isLetter) else { continue }
        let range = literal.bytes
        file.report(
          literal, "This text is in one language only",
          fix: .safe(
            "look it up in the project's texts",
            Edit(range.lowerBound..<range.lowerBound, "String(localized: "),
            Edit(range.upperBound..<range.upperBound, ")")),
          when: { index in
            index.hasStringTables
              && index.conforms(type, to: ["LocalizedError", "AppErrorConvertible"])
          })
      }
    })
}

extension StringLiteralExprSyntax {
  /// Whether it is what a getter returns or a property starts with, not an argument of a call.
  fileprivate var isResult: Bool {
    var current = Syntax(self)
    while let parent = current.parent {
      switch parent.kind {
      case .returnStmt, .codeBlockItem, .initializerClause: return true
      case .exprList: if current.isOperand { return false }
      case .sequenceExpr, .unresolvedTernaryExpr, .ternaryExpr: break
      case .labeledExpr, .labeledExprList, .tupleExpr:
        guard parent.kind != .labeledExpr || parent.parent?.parent?.kind == .tupleExpr else {
          return false
        }
      default: return false
      }
      current = parent
    }
    return false
  }
}

extension Syntax {
  /// Whether it is compared with something, or joined to it.
  fileprivate var isOperand: Bool {
    [previousSibling, nextSibling].contains {
      let sign = $0?.as(BinaryOperatorExprSyntax.self)?.operator.text
      return sign == "==" || sign == "!=" || sign == "+"
    }
  }
}

private let texts = ["App/Localizable.xcstrings": "{}"]

private let unlocalizedErrorTextBad: [Example] = [
  .bad(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? { ↓"No connection" }
    }
    """, others: texts,
    fixed: """
      enum NetError: LocalizedError {
        var errorDescription: String? { String(localized: "No connection") }
      }
      """),
  .bad(
    """
    enum NetError: Error { case offline, slow }
    extension NetError: LocalizedError {
      var errorDescription: String? {
        switch self {
        case .offline: return ↓"No connection"
        case .slow: return ↓"The connection is slow"
        }
      }
    }
    """, others: texts),
  .bad(
    """
    struct SaveError: LocalizedError {
      let recoverySuggestion: String? = ↓"Try again"
    }
    """, others: texts),
  .bad(
    """
    enum NetError: LocalizedError {
      var failureReason: String? { self == .offline ? ↓"The device is offline" : nil }
    }
    """, others: texts),
  .bad(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? {
        get { if isOffline { return ↓"No connection" } else { return nil } }
      }
    }
    """, others: texts),
]

private let unlocalizedErrorTextGood: [Example] = [
  .good(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? { String(localized: "No connection") }
    }
    """, others: texts),
  .good(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? { "No connection" }
    }
    """, because: "the project has one language"),
  .good(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? { NSLocalizedString("No connection", comment: "") }
    }
    """, others: texts),
  .good(
    """
    struct Row: View {
      var errorDescription: String? { "No connection" }
    }
    """, others: texts, because: "that is no error"),
  .good(
    """
    enum NetError: LocalizedError {
      var errorDescription: String? { kind == "offline" ? L10n.offline : nil }
    }
    """, others: texts, because: "the literal is compared, not shown"),
]
