// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension IndexBuilder {
  /// `func show(_ error: any Error) { … }`.
  func addErrorTaker(_ node: FunctionDeclSyntax) {
    guard let body = node.body,
      let parameter = node.signature.parameterClause.parameters.first(where: \.takesError)
    else { return }
    let name = (parameter.secondName ?? parameter.firstName).bareText
    part.errorTakers[node.name.bareText, default: []].append(
      IndexedErrorTaker(
        owner: TypeDeclaration(around: node)?.name,
        speaksOfCancellation: body.speaksOfCancellation,
        answers: node.signature.returnClause?.type.answers ?? false,
        shown: body.assignments.first { file.setsErrorState($0) && $0.isForAny(name, in: body) }?
          .path,
        calls: Set(body.every(FunctionCallExprSyntax.self).compactMap(\.name))))
  }

  /// `extension Error { var isExpected: Bool { … } }`, where that looks at cancellation.
  func addErrorMember(_ binding: PatternBindingSyntax) {
    guard let getter = binding.accessorBlock, binding.typeAnnotation?.type.answers ?? false,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
      let owner = TypeDeclaration(around: binding)?.name, owner.hasSuffix("Error"),
      getter.speaksOfCancellation
    else { return }
    part.errorTakers[name, default: []].append(
      IndexedErrorTaker(
        owner: owner, speaksOfCancellation: true, answers: true, shown: nil, calls: []))
  }

  /// Whether the file is the manifest of a package for Swift 6.4 or later; nil for other files.
  static func isModernPackage(_ file: AuditedFile) -> Bool? {
    guard file.path == "Package.swift" || file.path.hasSuffix("/Package.swift") else { return nil }
    let mark = "swift-tools-version:"
    let line = file.tree.firstToken(viewMode: .sourceAccurate)?.leadingTrivia.comments
      .first { $0.contains(mark) }
    let version = line?.split(separator: ":").last?.split(separator: ".").map { part in
      Int(part.drop { $0 == " " }.prefix { $0.isNumber }) ?? 0
    }
    guard let version, let major = version.first else { return false }
    return (major, version.dropFirst().first ?? 0) >= (6, 4)
  }
}

extension FunctionParameterSyntax {
  fileprivate var takesError: Bool { type.lastName?.hasSuffix("Error") ?? false }
}

extension TypeSyntax {
  /// Whether a caller can go by it: `Bool`, or an optional.
  fileprivate var answers: Bool { self.is(OptionalTypeSyntax.self) || lastName == "Bool" }
}

extension Assignment {
  /// Whether it is reached whatever the error is: no condition around or before it is about it.
  fileprivate func isForAny(_ error: String, in body: CodeBlockSyntax) -> Bool {
    var current = node.parent
    while let here = current, here.id != body.id {
      let subject =
        here.as(IfExprSyntax.self).map { Syntax($0.conditions) }
        ?? here.as(SwitchExprSyntax.self).map { Syntax($0.subject) }
      if subject?.mentions(error) ?? false { return false }
      current = here.parent
    }
    return !body.statements.contains { item in
      item.position < node.position && item.item.is(GuardStmtSyntax.self) && item.mentions(error)
    }
  }
}
