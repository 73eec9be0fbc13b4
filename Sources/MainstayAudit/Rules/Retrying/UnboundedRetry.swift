// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unboundedRetry = Rule(
    "MS503", "unbounded-retry", .error, .default, serves: ["A7"],
    summary: "Work is tried again after any error, for ever.",
    why: """
      An error that stays, such as a wrong password or a full disk, is never reported: the caller \
      waits for ever while the same call is made again and again.
      """,
    guess: "A function that calls itself with its own arguments fails as it did before.",
    onPurpose: "Count the attempts and throw, or name the one error that is worth another attempt.",
    remedy: .none("how many attempts are right depends on the work"),
    examples: [
      .bad(
        """
        func load() async throws -> Data {
          do {
            return try await fetch()
          } catch {
            return try await ↓load()
          }
        }
        """),
      .bad(
        """
        func load() async -> Data {
          while true {
            do {
              return try await fetch()
            } ↓catch {
              log.error("\\(error)")
            }
          }
        }
        """),
      .bad(
        """
        func connect(to host: String) async throws {
          do {
            try await socket.open(host)
          } catch {
            try await Task.sleep(for: .seconds(1))
            try await self.↓connect(to: host)
          }
        }
        """),
      .bad(
        """
        repeat {
          do {
            result = try await run()
            break
          } ↓catch let problem {
            print(problem)
            continue
          }
        } while true
        """),
      .bad(
        """
        func call(_ request: Request) async throws -> Response {
          do {
            return try await send(request)
          } catch APIError.unauthorized {
            try await refreshToken()
            return try await ↓call(request)
          }
        }
        """),
      .bad(
        """
        while !Task.isCancelled {
          do { return try await fetch() } ↓catch { await pause(error) }
        }
        """),
      .bad(
        """
        while true {
          do { return try await fetch() } catch is CancellationError {
            throw CancellationError()
          } ↓catch { print(error) }
        }
        """),
      .bad("func f() async { while true { if (↓try? await load()) != nil { return } } }"),
      .bad(
        """
        func load() async throws -> Data {
          while true {
            if let data = ↓try? await fetch() { return data }
            try await Task.sleep(for: .seconds(1))
          }
        }
        """),
      .good(
        """
        func load(left: Int = 3) async throws -> Data {
          do {
            return try await fetch()
          } catch {
            guard left > 0 else { throw error }
            return try await load(left: left - 1)
          }
        }
        """),
      .good(
        """
        func load() async -> Data? {
          while true {
            if let data = try? await fetch() { return data }
            attempts += 1
            if attempts > 5 { return nil }
          }
        }
        """, because: "five attempts bound it"),
      .good(
        """
        while true {
          do { return try await fetch() } catch let error where !(error is CancellationError) {
            throw error
          } catch { print(error) }
        }
        """),
      .good("while true { if let job = try? await queue.next() { use(job); break } }"),
      .good(
        """
        while true {
          do { return try await fetch() } catch {
            attempts += 1
            if attempts > 5 { throw error }
          }
        }
        """),
      .good(
        """
        while true {
          do { return try accept() } catch let error where error.isInterrupted { continue }
        }
        """, because: "the clause takes one error that passes"),
      .good(
        """
        while true {
          do { try await consume() } catch { log.error("\\(error)") }
        }
        """, because: "it is a worker that never ends"),
      .good(
        """
        while true {
          try Task.checkCancellation()
          guard ContinuousClock.now < deadline else { throw LoadError.late }
          do { return try await fetch() } catch { log.error("\\(error)") }
        }
        """, because: "a deadline ends it"),
      .good(
        """
        func load(from source: URL) async throws -> Data {
          do { return try await fetch(source) } catch { return try await load(from: mirror) }
        }
        """, because: "it asks another source"),
      .good(
        """
        func next() async throws -> Row? {
          do { return try parse(await lines.next()) } catch { return try await next() }
        }
        """, because: "each call is about the next element"),
    ],
    checks: .loop { loop, file in
      checkLoop(loop, file)
      checkMarkedLoop(loop, file)
    },
    .catchClause { clause, file in checkSelfCall(clause, file) })

  private static func checkLoop(_ loop: Loop, _ file: AuditedFile) {
    let isUntilCancelled = loop.runsUntilCancelled
    guard loop.isEndless || isUntilCancelled, let retry = RetryLoop(loop),
      let clause = retry.attempt.catchClauses.first(where: \.isCatchAll),
      !clause.isLeftCancellation,
      retry.attempt.catchClauses.allSatisfy(loop.goesRound),
      !retry.success.isDisjoint(with: .leaving), !retry.success.contains(.goesRound)
    else { return }
    let others = loop.body.statements.filter { item in
      item.item.id != retry.attempt.id && (item.leaves || item.canEnd)
    }
    let sleep = retry.sleeps.first
    guard others.isEmpty, !clause.body.canEnd else { return }
    let endsIfCancelled = isUntilCancelled || clause.isAfterCancellation
    let isPolite = sleep.map { endsIfCancelled || $0.isThrowing } ?? false
    file.report(
      clause, "After any error this is tried again, for ever",
      severity: isPolite ? .info : nil)
  }

  /// The same with `try?` in the place of a clause.
  private static func checkMarkedLoop(_ loop: Loop, _ file: AuditedFile) {
    guard loop.isEndless, !loop.node.speaksOfCancellation,
      let (item, attempt) = loop.markedAttempt, !attempt.reads
    else { return }
    let others = loop.body.statements.filter { $0.id != item.id }
    guard !others.contains(where: { $0.leaves || $0.canEnd }) else { return }
    let isPolite = others.flatMap(\.sleeps).contains(where: \.isThrowing)
    file.report(
      attempt, "After any error this is tried again, for ever", severity: isPolite ? .info : nil)
  }

  private static func checkSelfCall(_ clause: CatchClauseSyntax, _ file: AuditedFile) {
    guard let attempt = clause.doStatement, let function = clause.routineOfWork,
      let name = function.name, name != "init", name != "next",
      let declaration = function.node.as(FunctionDeclSyntax.self),
      let call = clause.body.ownCalls.first(where: { $0.name == name && $0.isOfSelf })
    else { return }
    guard
      attempt.awaits || !clause.body.sleeps.isEmpty || clause.changesNothing(before: call, file),
      declaration.isRepeated(by: call),
      !clause.isBounded(before: call), let body = declaration.body, !body.statements.counts
    else { return }
    let isUnderLoop = call.enclosingLoop != nil
    guard !isUnderLoop else { return }
    file.report(
      Syntax(call.calledExpression.as(MemberAccessExprSyntax.self)?.declName)
        ?? Syntax(call),
      "After this error `\(name)` calls itself with the same arguments, without a limit")
  }
}

extension Loop {
  /// Whether nothing in a clause leaves it, but for whoever cancels: that bounds nothing.
  fileprivate func goesRound(after clause: CatchClauseSyntax) -> Bool {
    if clause.mentionsCancellation { return true }
    let exits = ExitFinder(label: label).exits(of: clause.body.statements)
    return exits.isDisjoint(with: .leaving) && !exits.isDisjoint(with: .staying)
  }

  /// The `try? await` whose success alone leaves the loop, and the statement that asks for it:
  /// `if let data = try? await load() { return data }`, `if (try? await load()) != nil { return }`.
  fileprivate var markedAttempt: (item: CodeBlockItemSyntax, attempt: TryExprSyntax)? {
    let finder = ExitFinder(label: label)
    for item in body.statements {
      guard let check = item.item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self),
        check.elseBody == nil, check.conditions.count == 1,
        let attempt = check.conditions.first?.successOfTry,
        finder.exits(of: check.body.statements).isDisjoint(with: .staying)
      else { continue }
      return (item, attempt)
    }
    return nil
  }

  /// Whether it is `while !Task.isCancelled`.
  fileprivate var runsUntilCancelled: Bool {
    sequence == nil && conditions.count == 1
      && conditions.first?.trimmedDescription == "!Task.isCancelled"
  }
}

extension TryExprSyntax {
  /// Whether each time is about something else, as in `queue.next()`, or nobody can tell.
  fileprivate var reads: Bool {
    let steps: Set<String> = ["next", "receive", "read", "accept", "poll", "take", "pop"]
    return tried?.name.map { steps.contains(words(of: $0).first ?? "") } ?? true
  }
}

extension ConditionElementSyntax {
  /// The `try? await` that it asks to have succeeded.
  fileprivate var successOfTry: TryExprSyntax? {
    let value: ExprSyntax?
    switch condition {
    case .optionalBinding(let binding): value = binding.initializer?.value
    case .expression(let expression):
      let parts = expression.as(SequenceExprSyntax.self)?.elements.map(\.self) ?? []
      guard parts.count == 3, parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "!=",
        parts[2].kind == .nilLiteralExpr
      else { return nil }
      value = parts[0].parenthesized
    default: return nil
    }
    guard let attempt = value?.as(TryExprSyntax.self), attempt.isOptional,
      attempt.expression.kind == .awaitExpr
    else { return nil }
    return attempt
  }
}

extension SyntaxProtocol {
  /// Whether something in its own statements throws, outside of a clause that would take it: a
  /// look at cancellation or a `try` that nothing catches.
  fileprivate var canEnd: Bool {
    everyOwn(TryExprSyntax.self).contains { expression in
      guard expression.questionOrExclamationMark == nil else { return false }
      return !(expression.expression.as(AwaitExprSyntax.self)?.expression).isSleep
    }
  }

  /// Whether it counts something or compares sizes, as a limit does.
  fileprivate var counts: Bool {
    containsOwn { node in
      guard let sign = node.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
      return ["<", ">", "<=", ">=", "+=", "-="].contains(sign)
    }
  }
}

extension ExprSyntax? {
  fileprivate var isSleep: Bool {
    self?.as(FunctionCallExprSyntax.self).flatMap(Sleep.init) != nil
  }
}

extension FunctionDeclSyntax {
  /// Whether a call gives this very function its own arguments again.
  fileprivate func isRepeated(by call: FunctionCallExprSyntax) -> Bool {
    guard call.closures.isEmpty else { return false }
    var parameters = Array(signature.parameterClause.parameters)[...]
    for argument in call.arguments {
      let label = argument.label?.bareText ?? "_"
      while let next = parameters.first, next.firstName.bareText != label {
        guard next.defaultValue != nil else { return false }
        parameters = parameters.dropFirst()
      }
      guard let parameter = parameters.popFirst() else { return false }
      let name = (parameter.secondName ?? parameter.firstName).bareText
      guard argument.expression.as(DeclReferenceExprSyntax.self)?.baseName.bareText == name
      else { return false }
    }
    return parameters.allSatisfy { $0.defaultValue != nil }
  }
}

extension CatchClauseSyntax {
  /// The function that it belongs to, also from within a `Task` in it.
  fileprivate var routineOfWork: Routine? {
    guard let routine = enclosingRoutine, let closure = routine.node.as(ClosureExprSyntax.self)
    else { return enclosingRoutine }
    guard let call = closure.receivingCall, call.trailingClosure?.id == closure.id,
      call.calledExpression.firstName == "Task", let outer = closure.enclosingRoutine,
      !outer.isClosure
    else { return nil }
    return outer
  }

  /// Whether it does nothing but log and make a call, and so meets the same once more.
  fileprivate func changesNothing(
    before call: FunctionCallExprSyntax, _ file: AuditedFile
  ) -> Bool {
    body.statements.allSatisfy { item in
      if item.contains(where: { $0.id == call.id }) { return true }
      return item.plainCall.map { $0.isPrint || file.isLogCall($0) } ?? false
    }
  }

  /// Whether some condition stands between the start of the clause and a call in it.
  fileprivate func isBounded(before call: FunctionCallExprSyntax) -> Bool {
    if catchItems.contains(where: { $0.whereClause != nil }) { return true }
    var current = Syntax(call).parent
    while let here = current, here.id != id {
      if let condition = here.as(IfExprSyntax.self)?.conditions, !isAboutErrorAlone(condition) {
        return true
      }
      current = here.parent
    }
    return body.statements.contains { item in
      guard item.position < call.position, item.item.is(GuardStmtSyntax.self) || item.leaves
      else { return false }
      return !item.contains { $0.id == call.id }
    }
  }

  private func isAboutErrorAlone(_ conditions: ConditionElementListSyntax) -> Bool {
    conditions.mentionsAny(of: errorNames)
      && !Syntax(conditions).contains { $0.is(BooleanLiteralExprSyntax.self) }
      && conditions.count == 1
  }
}
