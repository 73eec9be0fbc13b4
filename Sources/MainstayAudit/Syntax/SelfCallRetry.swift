// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A function that waits in a clause of its own and then calls itself, to try again.
struct SelfCallRetry {
  let routine: Routine
  let body: CodeBlockSyntax
  /// The call that waits.
  let wait: FunctionCallExprSyntax
  let delay: ExprSyntax

  /// None where the function goes round after success as well, or tries no more than once again.
  init?(_ clause: CatchClauseSyntax) {
    guard let name = clause.outermostFunction?.name.bareText,
      let function = clause.outermostFunction, let body = function.body
    else { return nil }
    let calls = clause.body.every(FunctionCallExprSyntax.self).filter {
      $0.name == name && $0.isOfSelf
    }
    guard let call = calls.first, let wait = Self.wait(before: call, in: clause) else { return nil }
    let all = body.every(FunctionCallExprSyntax.self).filter { $0.name == name && $0.isOfSelf }
    let routine = Routine(function)
    guard all.count == calls.count, routine.isRepeated(by: call), !body.triesTwiceAtMost else {
      return nil
    }
    self.routine = routine
    self.body = body
    self.wait = wait.call
    delay = wait.delay
  }

  /// Whether it is less than half a second, as in waiting for something close by.
  var isShort: Bool {
    if let sleep = Sleep(wait) { return sleep.isShort }
    let numbers =
      delay.every(FloatLiteralExprSyntax.self).compactMap { Double($0.literal.text) }
      + delay.every(IntegerLiteralExprSyntax.self).compactMap { Double($0.literal.text) }
    guard let longest = numbers.max() else { return false }
    return longest < (delay.mentions { $0.text == "milliseconds" } ? 500 : 0.5)
  }

  private static func wait(
    before call: FunctionCallExprSyntax, in clause: CatchClauseSyntax
  ) -> (call: FunctionCallExprSyntax, delay: ExprSyntax)? {
    var current = Syntax(call).parent
    while let here = current, here.id != clause.id {
      if let timer = here.as(FunctionCallExprSyntax.self),
        let delay = timer.argument("deadline") ?? timer.argument("withTimeInterval")
      {
        return (timer, delay)
      }
      current = here.parent
    }
    let sleeps = clause.body.every(FunctionCallExprSyntax.self).compactMap(Sleep.init)
    return sleeps.first { $0.call.position < call.position }.map { ($0.call, $0.delay) }
  }
}

extension CatchClauseSyntax {
  /// The function around it, past closures.
  fileprivate var outermostFunction: FunctionDeclSyntax? {
    enclosingFunction?.node.as(FunctionDeclSyntax.self)
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is a call of the routine's own type or module: `f()`, `self.f()`, `self?.f()`.
  var isOfSelf: Bool {
    guard calledExpression.is(MemberAccessExprSyntax.self) else {
      return calledExpression.is(DeclReferenceExprSyntax.self)
    }
    return ["self", "Self", "strongSelf"].contains(receiver?.lastName) && trailingClosure == nil
  }
}

extension Routine {
  /// Whether a call of it is about the same work: what it is given are its own parameters, also
  /// counted up or down, and numbers.
  fileprivate func isRepeated(by call: FunctionCallExprSyntax) -> Bool {
    let labels = parameters.map(\.label)
    let own = Set(parameters.map(\.name.bareText))
    return call.arguments.allSatisfy { argument in
      guard labels.contains(argument.label?.bareText) else { return false }
      let value = argument.expression
      if value.is(BooleanLiteralExprSyntax.self) { return false }
      let names = value.every(DeclReferenceExprSyntax.self)
      return names.isEmpty || names.contains { own.contains($0.baseName.bareText) }
    }
  }
}

extension CodeBlockSyntax {
  /// Whether it compares something with a number no greater than 2, as a limit of attempts does.
  fileprivate var triesTwiceAtMost: Bool {
    every(SequenceExprSyntax.self).contains { sequence in
      let parts = sequence.elements.map(\.self)
      guard parts.count == 3, let most = parts[2].integer,
        let sign = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text
      else { return false }
      return ["<", "<=", "=="].contains(sign) && (1...2).contains(most)
    }
  }
}
