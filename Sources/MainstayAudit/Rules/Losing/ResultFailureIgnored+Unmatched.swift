// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension ConditionElementListSyntax {
  /// `case .success(let value) = result`, where that is a parameter that nothing else in its
  /// function or closure looks at.
  var onlyLookAtResult: MatchingPatternConditionSyntax? {
    for condition in self {
      guard let success = condition.condition.as(MatchingPatternConditionSyntax.self),
        success.pattern.takesValueOfSuccess,
        let result = success.initializer.value.core.as(DeclReferenceExprSyntax.self),
        isOnlyLook(at: result.baseName.bareText)
      else { continue }
      return Surroundings(of: self)?.isPredicate ?? false ? nil : success
    }
    return nil
  }

  private func isOnlyLook(at name: String) -> Bool {
    var current = Syntax(self).parent
    while let here = current, here.kind != .memberBlock {
      if let routine = Routine(here),
        let parameter = routine.parameters.first(where: { $0.name.bareText == name })
      {
        return parameter.isResult && routine.statements?.looks(at: name) == 1
      }
      current = here.parent
    }
    return false
  }
}

extension Routine.Parameter {
  /// Whether its type is written as a result that can fail, or its name says so where none is.
  fileprivate var isResult: Bool {
    guard let type else { return words(of: name.bareText).last == "result" }
    return type.lastName == "Result" && !type.trimmedDescription.contains("Never")
  }
}

extension CodeBlockItemListSyntax {
  /// How often a name is read in it.
  fileprivate func looks(at name: String) -> Int {
    Syntax(self).every(DeclReferenceExprSyntax.self).count {
      $0.baseName.bareText == name && !$0.isMemberName
    }
  }
}

extension PatternSyntax {
  /// Whether it is `.success(let value)` or `let .success(value)`.
  fileprivate var takesValueOfSuccess: Bool {
    let inner = self.as(ValueBindingPatternSyntax.self)?.pattern ?? self
    guard
      let call = inner.as(ExpressionPatternSyntax.self)?.expression.as(FunctionCallExprSyntax.self)
    else { return false }
    return call.arguments.count == 1 && call.name == "success"
  }
}

let resultUnmatchedExamples: [Example] = [
  .bad("load { result in if ↓case .success(let page) = result { show(page) } }"),
  .bad(
    """
    load { [weak self] result in
      guard let self, ↓case .success(let page) = result else { return }
      show(page)
    }
    """),
  .bad(
    "func got(_ page: Result<Page, any Error>) { if ↓case let .success(a) = page { show(a) } }"),
  .good(
    """
    load { result in
      if case .success(let page) = result { show(page) } else { showOffline() }
    }
    """),
  .good(
    """
    load { result in
      if case .success(let page) = result { show(page) }
      if case .failure(let error) = result { log.error("\\(error)") }
    }
    """),
  .good(
    """
    load { result in
      if case .success(let page) = result { cache.store(page) }
      completion(result)
    }
    """, because: "somebody else hears of it"),
  .good(
    """
    load { result in
      guard case .success(let page) = result else { return showOffline() }
      show(page)
    }
    """),
  .good("func got(_ a: Result<Page, Never>) { if case .success(let page) = a { show(page) } }"),
  .good("check { state in if case .success(let count) = state { show(count) } }"),
]
