// SPDX-License-Identifier: Apache-2.0

import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Walks a file and notes every place that can be changed.
///
/// Patterns, attributes, texts, conditions of `#if` and what only checks a promise to itself, such
/// as `precondition`, are left alone.
final class MutationFinder: SyntaxVisitor {
  private(set) var points: [MutationPoint] = []
  let text: SourceText
  let file: String
  let enums: EnumCases

  /// All points of a file, the outer before the inner ones.
  static func points(in source: String, file: String, enums: EnumCases) -> [MutationPoint] {
    let finder = MutationFinder(SourceText(source), file: file, enums: enums)
    let parsed = Parser.parse(source: source)
    finder.walk(OperatorTable.standardOperators.foldAll(parsed) { _ in })
    return finder.merged()
  }

  private init(_ text: SourceText, file: String, enums: EnumCases) {
    self.text = text
    self.file = file
    self.enums = enums
    super.init(viewMode: .sourceAccurate)
  }

  /// Points at the same place become one with all alternatives.
  private func merged() -> [MutationPoint] {
    var merged: [MutationPoint] = []
    let sorted = points.enumerated().sorted {
      let (a, b) = ($0.element.range, $1.element.range)
      return (a.lowerBound, -a.count, $0.offset) < (b.lowerBound, -b.count, $1.offset)
    }
    for point in sorted.map(\.element) {
      if let last = merged.last, last.range == point.range, last.form == point.form {
        let known = Set(last.alternatives.map(\.text))
        merged[merged.count - 1].alternatives +=
          point.alternatives.filter { !known.contains($0.text) }
      } else {
        merged.append(point)
      }
    }
    return merged
  }

  func note(
    _ form: MutationPoint.Form, at range: Range<Int>, _ alternatives: [(Mutant.Kind, String)]
  ) {
    guard !alternatives.isEmpty else { return }
    points.append(
      MutationPoint(
        range: range, form: form,
        alternatives: alternatives.map { .init(kind: $0.0, text: $0.1) }))
  }

  func note(_ node: some SyntaxProtocol, _ kind: Mutant.Kind, _ replacement: String) {
    note(.expression, at: node.bytes, [(kind, replacement)])
  }

  func source(_ node: some SyntaxProtocol) -> String { text[node.bytes] }

  /// The text of a node with something else in the place of a part.
  func source(_ node: some SyntaxProtocol, with part: some SyntaxProtocol, as new: String) -> String
  {
    text[node.bytes.lowerBound..<part.bytes.lowerBound] + new
      + text[part.bytes.upperBound..<node.bytes.upperBound]
  }

  // What is left alone.

  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    if let elements = node.elements { walk(elements) }
    return .skipChildren
  }

  // What is changed: the rules are in extensions, one chapter each.

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    noteOperator(node)
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    notePrefix(node)
    return .visitChildren
  }

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    noteCondition(node)
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    noteNegation(of: node.condition)
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    noteNegation(of: node.condition)
    return .visitChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    noteNumber(node, node.literal.text)
    return .skipChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    noteNumber(node, node.literal.text)
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    // `while true` is a form of its own: the compiler knows that nothing follows it.
    if node.parent?.is(ConditionElementSyntax.self) != true {
      note(node, .literal, node.literal.text == "true" ? "false" : "true")
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if node.isPromise { return .skipChildren }
    noteCall(node)
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    noteState(node)
    return .visitChildren
  }

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    noteReturn(node)
    return .visitChildren
  }

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    noteStatement(node)
    return .visitChildren
  }
}

extension SyntaxProtocol {
  /// Where the node stands, without what surrounds it.
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }

  /// The nodes around this one, from the inside out.
  var ancestors: some Sequence<Syntax> {
    sequence(first: Syntax(self), next: \.parent).dropFirst()
  }
}

extension FunctionCallExprSyntax {
  /// Whether the call only checks what its author promised.
  var isPromise: Bool {
    let promises = [
      "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError",
    ]
    return promises.contains(calledExpression.trimmedDescription)
  }
}
