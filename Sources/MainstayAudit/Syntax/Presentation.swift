// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Where a text ends up in front of a person.
enum Screen {
  /// `Text(…)`, `showAlert(…)`.
  case call(String)
  /// `errorMessage = …`.
  case state(String)

  var isState: Bool { if case .state = self { true } else { false } }

  /// What it is called in a message.
  var name: String {
    switch self {
    case .call(let name), .state(let name): "`\(name)`"
    }
  }
}

extension AuditedFile {
  /// Whether code at a place belongs to what a person sees: its file imports a framework for
  /// screens, or a type around it is made for one.
  func isPresentation(_ node: some SyntaxProtocol) -> Bool {
    if !imports.isDisjoint(with: Self.screenModules) { return true }
    var current = Syntax(node).parent
    while let here = current {
      if let type = TypeDeclaration(here), isPresentation(type) { return true }
      current = here.parent
    }
    return false
  }

  private func isPresentation(_ type: TypeDeclaration) -> Bool {
    if Self.screenEndings.contains(where: type.name.hasSuffix)
      || vocabulary.presentationLayers.contains(where: type.name.hasSuffix)
      || type.inherited.contains(where: Self.screenTypes.contains)
    {
      return true
    }
    let attributes = type.node.asProtocol((any WithAttributesSyntax).self)?.attributes
    return attributes?.names.contains { $0 == "Observable" || $0 == "MainActor" } ?? false
  }

  private static let screenModules: Set<String> = [
    "SwiftUI", "UIKit", "AppKit", "WatchKit", "Observation", "MainstayUI",
  ]
  private static let screenTypes: Set<String> = [
    "View", "ObservableObject", "UIViewController", "NSViewController", "UIView", "App", "Scene",
    "ViewModifier", "UITableViewController", "UICollectionViewController",
  ]
  private static let screenEndings = ["View", "Screen", "Page", "Model"]

  /// Whether an assignment sets state that is named like an error, alert or message.
  func isNamedLikeError(_ assignment: Assignment) -> Bool {
    // `lastError` is a record of what happened, for whoever looks.
    !assignment.isRecord && assignment.pathNames.contains { isErrorWord(in: $0) }
  }

  /// Whether a name has a word such as `error` or `message`.
  func isErrorWord(in name: String) -> Bool {
    words(of: name).contains(where: vocabulary.stateWords.contains)
  }

  /// Where a text is shown: the call or the state that takes it.
  ///
  /// - Parameter text: A literal, or what becomes a text.
  /// - Returns: Nil where it goes somewhere else, or where nobody can tell.
  func screen(for text: some ExprSyntaxProtocol) -> Screen? {
    var current = Syntax(text)
    while let parent = current.parent {
      switch parent.kind {
      case .labeledExpr, .labeledExprList, .tupleExpr, .exprList, .ternaryExpr, .tryExpr,
        .awaitExpr, .unresolvedTernaryExpr:
        break
      case .sequenceExpr:
        if let assignment = Assignment(parent.cast(SequenceExprSyntax.self)) {
          return screen(assignment, of: text)
        }
      case .functionCallExpr:
        let call = parent.cast(FunctionCallExprSyntax.self)
        guard let name = call.name, call.calledExpression.id != current.id else { return nil }
        if vocabulary.screens.contains(name) { return .call(name) }
        guard Self.carriers.contains(name) || call.makesValue else { return nil }
      default:
        return nil
      }
      current = parent
    }
    return nil
  }

  private func screen(
    _ assignment: Assignment, of text: some ExprSyntaxProtocol
  ) -> Screen? {
    let start = text.positionAfterSkippingLeadingTrivia
    guard start > assignment.target.endPosition else { return nil }
    if assignment.isTextOfLabel { return .state(assignment.path) }
    guard isPresentation(assignment.node) else { return nil }
    let isShown = isNamedLikeError(assignment) || isFailureState(assignment)
    guard isShown, assignment.isState else { return nil }
    return .state(assignment.path)
  }

  /// Whether it is `state = .failed(…)`.
  func isFailureState(_ assignment: Assignment) -> Bool {
    guard let name = assignment.name, let value = assignment.value?.lastName,
      assignment.value?.kind == .functionCallExpr || assignment.value?.kind == .memberAccessExpr
    else { return false }
    return words(of: name).last.map(Self.stateNames.contains) ?? false
      && ["error", "failed", "failure"].contains(value)
  }

  private static let stateNames: Set<String> = ["state", "phase", "status"]
  /// Calls that give back the text that they take.
  private static let carriers: Set<String> = [
    "String", "LocalizedStringKey", "LocalizedStringResource", "NSLocalizedString",
  ]
}

extension Assignment {
  /// Whether it is kept under a name such as `lastError`.
  var isRecord: Bool { name.map { words(of: $0) }?.first == "last" }

  /// Whether it is `statusLabel.text = …`, which a person reads wherever it stands.
  fileprivate var isTextOfLabel: Bool {
    guard let access = target.as(MemberAccessExprSyntax.self),
      ["text", "stringValue"].contains(access.declName.baseName.text),
      let owner = access.base?.lastName?.lowercased()
    else { return false }
    return owner.hasSuffix("label") || owner.hasSuffix("textview")
  }
}

extension FunctionCallExprSyntax {
  /// Whether it makes a value: `Alert(…)`, `.init(…)`, `.failed(…)`.
  fileprivate var makesValue: Bool {
    if let access = calledExpression.as(MemberAccessExprSyntax.self) {
      return access.base == nil || access.declName.baseName.text == "init"
    }
    return name?.first?.isUppercase ?? false
  }
}

extension AttributeListSyntax {
  /// The last parts of the names of its attributes.
  var names: [String] {
    compactMap { $0.as(AttributeSyntax.self)?.attributeName.lastName }
  }
}
