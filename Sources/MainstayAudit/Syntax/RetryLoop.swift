// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A loop that does the same work again after an error.
struct RetryLoop {
  let loop: Loop
  /// What is tried.
  let attempt: DoStmtSyntax
  /// The first clause after which the loop goes round again.
  let clause: CatchClauseSyntax
  /// How control leaves the work when it succeeds.
  let success: Exits
  /// How control leaves the clause.
  let failure: Exits
  private let finder: ExitFinder

  /// The loop as one that retries; nil for one that goes over items of work, or never goes round
  /// after an error.
  init?(_ loop: Loop) {
    guard let attempt = loop.attempts.first else { return nil }
    let finder = ExitFinder(label: loop.label)
    let clause = attempt.catchClauses.first {
      !finder.exits(of: $0.body.statements).isDisjoint(with: .staying)
    }
    guard let clause, !loop.goesOverItems(of: attempt) else { return nil }
    self.loop = loop
    self.attempt = attempt
    self.clause = clause
    self.finder = finder
    failure = finder.exits(of: clause.body.statements)
    var success = finder.exits(of: attempt.body.statements).subtracting(.fails)
    if success.contains(.falls) {
      // Whoever leaves once cancelled has not succeeded.
      let rest = loop.rest(after: attempt).filter { !$0.speaksOfCancellation }
      success.formUnion(finder.exits(of: rest))
    }
    self.success = success
  }

  /// Whether the work is done once it succeeds.
  var endsWithSuccess: Bool {
    !success.isDisjoint(with: [.endsLoop, .returns])
      || loop.conditions.contains { condition in
        // `while result == nil`, `while !done`: what the work sets ends the loop.
        !attempt.body.writtenNames.isDisjoint(with: condition.referencedNames)
      }
  }

  /// Whether what stands behind the work is reached after an error alone.
  var restIsForFailures: Bool {
    let own = finder.exits(of: attempt.body.statements).subtracting(.fails)
    return own.isDisjoint(with: .staying)
  }

  /// The waits of the loop: those in the clause, and those behind the work that only an error
  /// leads to.
  var sleeps: [Sleep] {
    let inClause = clause.body.sleeps
    guard inClause.isEmpty, restIsForFailures else { return inClause }
    let behind = loop.rest(after: attempt).flatMap(\.sleeps)
    guard behind.isEmpty else { return behind }
    // `if attempt > 1 { sleep }` before the work.
    return loop.body.statements.filter { $0.endPosition <= attempt.position }.flatMap(\.sleeps)
  }

  /// The most attempts that the loop makes, where a small number stands in the code.
  var mostAttempts: Int? { loop.literalCount ?? loop.literalBound ?? loop.exitBound }
}

/// A call that waits for a time.
struct Sleep {
  let call: FunctionCallExprSyntax
  let delay: ExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    guard let name = call.name, let delay = call.firstArgument else { return nil }
    switch name {
    case "sleep":
      guard let receiver = call.receiver else { break }
      guard let last = receiver.lastName else { return nil }
      guard
        last == "Task" || last == "Thread" || words(of: last).last == "clock"
          || last.hasSuffix("Clock")
      else { return nil }
    case "usleep", "nanosleep": break
    default: return nil
    }
    self.call = call
    self.delay = delay
  }

  /// Whether it is a literal of less than half a second, as in waiting for something close by.
  var isShort: Bool {
    let numbers =
      delay.everyOwn(IntegerLiteralExprSyntax.self).compactMap { ExprSyntax($0).integer }
      .map(Double.init)
      + delay.everyOwn(FloatLiteralExprSyntax.self).compactMap { Double($0.literal.text) }
    guard !numbers.isEmpty else { return false }
    let amount = numbers.reduce(1, *)
    let unit = delay.as(FunctionCallExprSyntax.self)?.name
    let label = call.arguments.first?.label?.text
    switch (call.name, unit, label) {
    case (_, "milliseconds", _): return amount < 500
    case (_, "microseconds", _), ("usleep", _, _): return amount < 500_000
    case (_, "nanoseconds", _), (_, _, "nanoseconds"):
      return amount < 500_000_000 && !delay.mentions { $0.text.contains("SEC") }
    case (_, "seconds", _), (_, _, "forTimeInterval"): return amount < 0.5
    default: return false
    }
  }

  /// Whether a cancelled task gets an error from it.
  var isThrowing: Bool {
    var current = Syntax(call)
    while let parent = current.parent, parent.kind == .awaitExpr || parent.kind == .tryExpr {
      if let expression = parent.as(TryExprSyntax.self) {
        return expression.questionOrExclamationMark == nil
      }
      current = parent
    }
    return false
  }
}

extension SyntaxProtocol {
  /// The waits that run as part of this node.
  var sleeps: [Sleep] { ownCalls.compactMap(Sleep.init) }

  /// The first names of what its own statements write: assigned, changed by an operator such as
  /// `+=`, or lent with `&`; past `self`.
  var writtenNames: Set<String> {
    var names: Set<String> = []
    _ = containsOwn { node in
      if let sequence = node.as(SequenceExprSyntax.self), let target = sequence.changedTarget {
        names.formUnion(target.path)
      } else if let lent = node.as(InOutExprSyntax.self) {
        names.formUnion(lent.expression.path)
      }
      return false
    }
    return names
  }

  /// The names that it reads, members among them.
  var referencedNames: Set<String> {
    Set(every(DeclReferenceExprSyntax.self).map { $0.baseName.bareText })
  }
}

extension SequenceExprSyntax {
  /// What an assignment, plain or with an operator, changes.
  var changedTarget: ExprSyntax? {
    guard let first = elements.first, let sign = elements.dropFirst().first else { return nil }
    if sign.kind == .assignmentExpr { return first }
    guard let text = sign.as(BinaryOperatorExprSyntax.self)?.operator.text, text.count >= 2,
      text.last == "=", !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(text)
    else { return nil }
    return first
  }
}

extension ExprSyntax {
  /// The names on the way to a place that can be written: `state` and `left` of
  /// `self.state.left`.
  fileprivate var path: [String] {
    if let access = self.as(MemberAccessExprSyntax.self) {
      return (access.base?.path ?? []) + [access.declName.baseName.bareText]
    }
    guard let name = lastName, name != "self" else { return [] }
    return [name]
  }
}

extension SourceFileSyntax {
  /// The number in `maximumAttempts = 3`, `maxRetries: Int = 3` or the like.
  var attemptLimit: Int? {
    var limits: [Int] = []
    walk { node in
      if let binding = node.as(PatternBindingSyntax.self),
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
        let value = binding.initializer?.value.integer, value > 1, name.isAttemptLimit
      {
        limits.append(value)
      } else if let parameter = node.as(FunctionParameterSyntax.self),
        let value = parameter.defaultValue?.value.integer, value > 1,
        (parameter.secondName ?? parameter.firstName).bareText.isAttemptLimit
      {
        limits.append(value)
      }
      return true
    }
    return limits.max()
  }
}

extension String {
  /// `maximumAttempts`, `maxRetries`, `retryLimit`, `retries`.
  fileprivate var isAttemptLimit: Bool {
    let parts = words(of: self)
    return parts.contains { ["attempts", "retries", "tries"].contains($0) }
      && !parts.contains("delay")
      || parts.contains("retry") && parts.contains { ["limit", "count", "max"].contains($0) }
      || parts.contains("attempt") && parts.contains { ["limit", "max", "maximum"].contains($0) }
  }
}
