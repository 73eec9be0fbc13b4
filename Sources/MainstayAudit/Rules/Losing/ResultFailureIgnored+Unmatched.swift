// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The one look at a result, which takes its value alone.
struct LookAtResult {
  let place: Syntax
  /// Whether a project's own enum may be meant as well.
  let isGuess: Bool
}

extension AuditedFile {
  func report(_ look: LookAtResult) {
    report(look.place, "The error of a failure is dropped") { index in
      !look.isGuess || index.failureCarriesError(of: nil)
    }
  }
}

extension IfExprSyntax {
  /// Whether nothing is done or said where its conditions do not hold.
  var elseIsSilent: Bool {
    guard let elseBody else { return true }
    guard case .codeBlock(let block) = elseBody,
      !block.rightBrace.leadingTrivia.contains(where: \.isComment),
      !block.leftBrace.trailingTrivia.contains(where: \.isComment)
    else { return false }
    return block.statements.isEmpty
      || block.statements.onlyLeaves
        && !(block.statements.first?.leadingTrivia.contains(where: \.isComment) ?? false)
  }
}

extension ConditionElementListSyntax {
  /// `case .success(let value) = result` or `let value = try? result.get()`, where that is a
  /// parameter that nothing else in its function or closure looks at.
  var onlyLookAtResult: LookAtResult? {
    for condition in self {
      guard let (place, result) = condition.lookAtValue else { continue }
      let name = result.baseName.bareText
      let isGuess = name == "$0" && place.kind == .matchingPatternCondition
      guard name == "$0" ? isOnlyLookAtUnnamed : isOnlyLook(at: name) else { continue }
      if Surroundings(of: self)?.isPredicate ?? false { return nil }
      return LookAtResult(place: place, isGuess: isGuess)
    }
    return nil
  }

  /// Whether the closure around it is given one value without a name, which it reads nowhere else.
  private var isOnlyLookAtUnnamed: Bool {
    guard let closure = enclosingRoutine?.node.as(ClosureExprSyntax.self),
      closure.signature?.parameterClause == nil, closure.statements.looks(at: "$0") == 1
    else { return false }
    return closure.statements.looks(at: "$1") == 0
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

extension ConditionElementSyntax {
  /// What it takes the value of, if it is `case .success(let value) = result` or
  /// `let value = try? result.get()`.
  fileprivate var lookAtValue: (Syntax, DeclReferenceExprSyntax)? {
    if let success = condition.as(MatchingPatternConditionSyntax.self) {
      guard success.pattern.takesValueOfSuccess,
        let result = success.initializer.value.core.as(DeclReferenceExprSyntax.self)
      else { return nil }
      return (Syntax(success), result)
    }
    guard let binding = condition.as(OptionalBindingConditionSyntax.self),
      let attempt = binding.initializer?.value.as(TryExprSyntax.self), attempt.isOptional,
      let call = attempt.tried, call.name == "get", call.arguments.isEmpty,
      let result = call.receiver?.as(DeclReferenceExprSyntax.self)
    else { return nil }
    return (Syntax(binding), result)
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
  .bad("api.load { if ↓case .success(let page) = $0 { show(page) } }"),
  .bad("load { result in if ↓case let .success(page) = result { show(page) } else { } }"),
  .bad("load { result in if ↓let page = try? result.get() { show(page) } }"),
  .bad("load { result in guard ↓let page = try? result.get() else { return }; show(page) }"),
  .bad("load { guard ↓let page = try? $0.get() else { return }; show(page) }"),
  .bad("load { result in if ↓case .success(let a) = result { use(a) } else { return }; end() }"),
  .good("load { if case .success(let page) = $0 { show(page) }; completion($0) }"),
  .good("load { if case .success(let page) = $0 { show(page, at: $1) } }"),
  .good(
    "load { if case .success(let page) = $0 { show(page) } }",
    others: ["Sources/App/Outcome.swift": "enum Outcome { case success(Page), failure }"],
    because: "it may be an enum whose failure carries nothing"),
  .good("load { result in if let page = try? result.get() { show(page) } else { offline() } }"),
  .good(
    """
    load { result in
      if let page = try? result.get() { show(page) } else {
        // The cache has shown it already.
      }
    }
    """),
  .good("open { box in if let page = try? box.get() { show(page) } }"),
  .good(
    """
    load { result in
      switch result {
      case .success(let page): show(page)
      case .failure:
        // Nothing to do here: the error is handled in the chain.
        break
      }
    }
    """, because: "it says who answers for it"),
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
