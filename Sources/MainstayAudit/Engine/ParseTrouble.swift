// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Where a file stops being Swift.
struct ParseTrouble: Sendable {
  let site: IndexedSite
  let message: String

  /// None where all is well, or only what compilers to come will read is not understood.
  init?(_ file: AuditedFile, _ what: String = "file") {
    guard let offset = file.tree.troubleOffset else { return nil }
    message = "This \(what) does not parse from here on"
    let place = file.lines.place(of: min(offset, file.bytes.count))
    site = IndexedSite(
      path: file.path, line: place.line, column: place.column, endColumn: place.column + 1,
      source: file.excerpt(ofLine: place.line),
      anchor: Finding.Anchor(declaration: "", statement: 0))
  }
}

extension SourceFileSyntax {
  /// The first byte that is no Swift; nil where all is well, or only what compilers to come will
  /// read is not understood.
  var troubleOffset: Int? {
    // Without recursion, and only into what has errors; the next one lies at the end.
    var open = [Syntax(self)]
    while let node = open.popLast() {
      guard node.hasError else { continue }
      let isUnexpected = node.kind == .unexpectedNodes
      let inner = isUnexpected ? [] : node.children(viewMode: .all).filter(\.hasError)
      guard inner.isEmpty else {
        open += inner.reversed()
        continue
      }
      if !node.isForLaterCompilers { return node.troubleOffset }
    }
    return nil
  }
}

extension Syntax {
  /// Where it stops being Swift, if nothing in it says so more exactly.
  fileprivate var troubleOffset: Int {
    if let token = self.as(TokenSyntax.self), token.presence == .present,
      let wrong = token.tokenDiagnostic
    {
      return token.position.utf8Offset + Int(wrong.byteOffset)
    }
    return positionAfterSkippingLeadingTrivia.utf8Offset
  }
}

extension SyntaxProtocol {
  /// Whether it lies below `#if compiler(>=…)` of a version that this parser does not know.
  ///
  /// Compilers before that version do not even parse it, so nothing is wrong with it.
  fileprivate var isForLaterCompilers: Bool {
    var current = parent
    while let here = current {
      if let clause = here.as(IfConfigClauseSyntax.self), clause.asksForLaterCompiler {
        return true
      }
      current = here.parent
    }
    return false
  }
}

extension IfConfigClauseSyntax {
  /// The version of Swift that swift-syntax 603 knows.
  private static let known = [6, 3]

  fileprivate var asksForLaterCompiler: Bool {
    guard let condition else { return false }
    guard let sequence = condition.as(SequenceExprSyntax.self) else {
      return Self.isLater(condition)
    }
    // An `||` may hold for this compiler, too.
    let operators = sequence.elements.compactMap { $0.as(BinaryOperatorExprSyntax.self) }
    return operators.allSatisfy { $0.operator.text == "&&" }
      && sequence.elements.contains(where: Self.isLater)
  }

  /// Whether it is `compiler(>=6.4)` or `swift(>=7)`.
  private static func isLater(_ condition: ExprSyntax) -> Bool {
    guard let call = condition.as(FunctionCallExprSyntax.self),
      ["compiler", "swift"].contains(call.calledExpression.trimmedDescription),
      let asked = call.arguments.first?.expression.trimmedDescription, asked.hasPrefix(">=")
    else { return false }
    // A third part is of no matter: no such version changes what can be written.
    let version = asked.dropFirst(2).split(separator: ".").prefix(2).map {
      Int($0.filter(\.isNumber)) ?? 0
    }
    return known.lexicographicallyPrecedes(version)
  }
}
