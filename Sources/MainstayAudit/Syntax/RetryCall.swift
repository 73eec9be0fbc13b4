// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A call that runs a closure again after an error: `retry(3) {…}`, `withRetry {…}`,
/// `Retry(maximumAttempts: 3).run {…}`.
struct RetryCall {
  let call: FunctionCallExprSyntax
  /// What is run.
  let operation: ClosureExprSyntax
  /// Whether Mainstay runs it, whose retries do not multiply within each other.
  let isOurs: Bool

  init?(_ call: FunctionCallExprSyntax, _ vocabulary: Vocabulary) {
    guard let name = call.name else { return nil }
    guard let operation = call.operation else { return nil }
    if vocabulary.retries.contains(name) || name.isOfRetrying, !call.isDeclarative {
      isOurs = false
    } else if Self.runs.contains(name), let receiver = call.receiver?.lastName,
      words(of: receiver).contains(where: { $0 == "retry" || $0 == "retrier" })
    {
      isOurs = name != "execute" && name != "perform"
    } else {
      return nil
    }
    self.call = call
    self.operation = operation
  }

  /// Whether a call of that name may be one.
  static func mayBe(_ name: String, _ vocabulary: Vocabulary) -> Bool {
    vocabulary.retries.contains(name) || runs.contains(name) || name.isOfRetrying
  }

  private static let runs: Set<String> = ["run", "outcome", "call", "execute", "perform"]

  /// Whether it says that it tries once alone.
  var isSingle: Bool {
    var places = [call]
    if let maker = call.receiver?.as(FunctionCallExprSyntax.self) { places.append(maker) }
    return places.contains { place in
      place.arguments.contains { argument in
        guard let number = argument.expression.integer else { return false }
        let label = argument.label?.bareText ?? "attempts"
        return number == (label.lowercased().contains("retr") ? 0 : 1)
      }
    }
  }

  /// The nearest one whose operation holds a node.
  init?(around node: some SyntaxProtocol, _ vocabulary: Vocabulary) {
    var current = Syntax(node).parent
    while let here = current {
      if here.kind == .functionDecl || here.kind == .memberBlock { return nil }
      if let closure = here.as(ClosureExprSyntax.self), let call = closure.receivingCall,
        let found = RetryCall(call, vocabulary), found.operation.id == closure.id
      {
        self = found
        return
      }
      current = here.parent
    }
    return nil
  }
}

extension String {
  /// Whether it names a function that runs something again: `performWithRetry`,
  /// `retryWithBackoff`.
  fileprivate var isOfRetrying: Bool {
    guard utf8.count > 8, contains("etry"), first?.isLowercase ?? false else { return false }
    let found = words(of: self)
    guard let place = found.firstIndex(where: { $0 == "retry" || $0 == "retrying" }) else {
      return false
    }
    return place > 0 && found[place - 1] == "with" || found.dropFirst(place + 1).first == "with"
  }
}

extension FunctionCallExprSyntax {
  /// The closure that does the work: the trailing one, or the last in the parentheses.
  fileprivate var operation: ClosureExprSyntax? {
    if let trailingClosure { return trailingClosure }
    guard let last = arguments.last else { return nil }
    let label = last.label?.bareText ?? ""
    guard !["when", "until", "onRetry", "shouldRetry", "onError"].contains(label) else {
      return nil
    }
    return last.expression.as(ClosureExprSyntax.self)
  }

  /// Whether it belongs to a chain of publishers or builders, as in `publisher.retry(3)`.
  fileprivate var isDeclarative: Bool {
    guard let receiver = receiver?.core else { return false }
    return receiver.is(FunctionCallExprSyntax.self)
  }
}

extension ClosureExprSyntax {
  /// The call that gets this closure.
  var receivingCall: FunctionCallExprSyntax? {
    if let call = parent?.as(FunctionCallExprSyntax.self) { return call }
    guard let argument = parent?.as(LabeledExprSyntax.self) else { return nil }
    return argument.parent?.parent?.as(FunctionCallExprSyntax.self)
  }
}
