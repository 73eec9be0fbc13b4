// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let cancellationAsFailure = Rule(
    "MS304", "cancellation-as-failure", .warning, .default, serves: ["B7", "T4"],
    summary: "Cancellation is turned into a failure: shown, counted, logged as an error, or mapped "
      + "to a vague error.",
    why: "Nothing failed when somebody changed their mind; counted as a failure it opens "
      + "breakers, fills error logs and shows messages.",
    guess: "Cases and clauses whose every pattern is named after being cancelled are for that.",
    onPurpose: "A case of its own, such as `.cancelled`, that nobody shows.",
    remedy: .none("What cancellation means to callers is for the author to say."),
    examples: cancellationAsFailureBad + cancellationAsFailureGood,
    checks: .switchCase { node, file in
      guard let label = node.label.as(SwitchCaseLabelSyntax.self),
        label.caseItems.contains(where: { $0.pattern.isCancelledCase }),
        !node.statements.speaksOfCancellation
      else { return }
      let result = node.statements.onlyResult
      guard node.isAboutAnError || node.isCodeThatBecomesAnError(result, file.vocabulary) else {
        return
      }
      if let result, let name = result.vagueFailure(file.vocabulary) {
        file.report(result, "Cancellation becomes `\(name)` here")
      } else if label.caseItems.allSatisfy({ $0.pattern.isCancelledCase }) {
        file.reportFailures(in: node.statements)
      }
    },
    .catchClause { clause, file in
      guard clause.isForCancellation, !clause.body.statements.isEmpty else { return }
      file.reportFailures(in: clause.body.statements)
    },
    .ifExpression { node, file in
      guard node.conditions.count == 1, let condition = node.conditions.first,
        condition.contains(where: { $0.kind == .unresolvedIsExpr }),
        condition.speaksOfCancellation, !condition.contains(where: \.isNegation)
      else { return }
      file.reportFailures(in: node.body.statements)
    })
}

extension PatternSyntax {
  /// `.cancelled`, `URLError.cancelled`, `is CancellationError`; not `.cancelButtonTapped`.
  fileprivate var isCancelledCase: Bool {
    mentions { ["cancelled", "canceled", "CancellationError", "userCancelled"].contains($0.text) }
  }
}

extension SwitchCaseSyntax {
  /// Whether the `switch` goes over an error, not over what became of an order.
  fileprivate var isAboutAnError: Bool {
    guard let subject = nearest(SwitchExprSyntax.self)?.subject else { return false }
    if subject.knownError != nil { return true }
    return subject.contains { node in
      guard let name = node.as(DeclReferenceExprSyntax.self)?.baseName.bareText else {
        return false
      }
      return words(of: name).last == "error"
    }
  }

  /// Whether the `switch` goes over a code, and this case makes a vague error of it.
  fileprivate func isCodeThatBecomesAnError(
    _ result: ExprSyntax?, _ vocabulary: Vocabulary
  ) -> Bool {
    guard let result, result.vagueFailure(vocabulary) != nil,
      let name = nearest(SwitchExprSyntax.self)?.subject.core.lastName
    else { return false }
    return words(of: name).last == "code" || result.parent?.kind == .throwStmt
  }
}

extension CodeBlockItemListSyntax {
  /// What it returns, throws, is or makes of `self`, where it is one statement.
  fileprivate var onlyResult: ExprSyntax? {
    guard count == 1, let item = first?.item else { return nil }
    if let statement = item.as(ReturnStmtSyntax.self) { return statement.expression }
    if let statement = item.as(ThrowStmtSyntax.self) { return statement.expression }
    if let assignment = item.as(SequenceExprSyntax.self).flatMap(Assignment.init) {
      return assignment.target.lastName == "self" ? assignment.value : nil
    }
    return item.as(ExprSyntax.self)
  }
}

extension ExprSyntax {
  /// `unknown` of `.unknown("…")` or `AppError.unknown`: a failure that says too little.
  fileprivate func vagueFailure(_ vocabulary: Vocabulary) -> String? {
    var path = core
    if let call = path.as(FunctionCallExprSyntax.self) { path = call.calledExpression }
    guard let access = path.as(MemberAccessExprSyntax.self) else { return nil }
    if let base = access.base?.lastName, !base.hasSuffix("Error"), !base.hasSuffix("Failure") {
      return nil
    }
    let name = access.declName.baseName.bareText
    let isVague = words(of: name).contains {
      vocabulary.vagueCases.contains($0)
        || ["server", "internal", "unexpected", "failed", "failure"].contains($0)
    }
    return isVague ? name : nil
  }
}

extension AuditedFile {
  /// Reports what a body that is entered for cancellation does as if something had failed.
  fileprivate func reportFailures(in body: CodeBlockItemListSyntax) {
    for assignment in body.assignments
    where setsErrorState(assignment) && !assignment.isRecord
      && !assignment.values.contains(where: \.speaksOfCancellation) && !assignment.isNews
    {
      report(assignment.node, "`\(assignment.path)` is set for cancellation")
      return
    }
    for call in body.ownCalls {
      guard let name = call.name else { continue }
      if ["error", "critical", "fault"].contains(name), let receiver = call.receiver?.lastName,
        vocabulary.isLogger(receiver)
      {
        report(call, "Cancellation is logged as an error")
        return
      }
      if Self.countsFailure(name) {
        report(call, "`\(name)` counts cancellation as a failure")
        return
      }
    }
    for sequence in body.everyOwn(SequenceExprSyntax.self) {
      guard let name = sequence.raisedName, Self.countsFailures(name) else { continue }
      report(sequence, "`\(name)` counts cancellation as a failure")
      return
    }
    for statement in body.everyOwn(ThrowStmtSyntax.self) {
      guard !statement.speaksOfCancellation,
        let name = statement.expression.vagueFailure(vocabulary)
      else { continue }
      report(statement, "Cancellation becomes `\(name)` here")
      return
    }
  }

  private static func countsFailure(_ name: String) -> Bool {
    let words = words(of: name)
    return ["record", "note", "count", "register", "increment"].contains(words.first)
      && ["failure", "failures", "error", "errors"].contains(words.last)
  }

  private static func countsFailures(_ name: String) -> Bool {
    words(of: name).contains { ["failure", "failures", "error", "errors"].contains($0) }
  }
}

extension Assignment {
  /// Whether it is a text under a name such as `message`, and neither speaks of a failure.
  fileprivate var isNews: Bool {
    guard let name, !Vocabulary.namesFailure(name), !words(of: name).contains("alert") else {
      return false
    }
    let texts = values.flatMap { $0.every(StringLiteralExprSyntax.self) }
    return !texts.isEmpty
      && texts.allSatisfy {
        $0.interpolations.isEmpty && !Vocabulary.speaksOfFailure($0.writtenText)
      }
  }
}

extension SequenceExprSyntax {
  /// `failures` of `self.failures += 1`.
  fileprivate var raisedName: String? {
    let parts = elements.map(\.self)
    guard parts.count == 3, parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "+="
    else { return nil }
    return parts[0].lastName
  }
}

private let cancellationAsFailureBad: [Example] = [
  .bad("switch error { case .cancelled: return ↓.unknown(\"stopped\") default: return .other }"),
  .bad(
    """
    static func from(_ error: URLError) -> ServiceError {
      switch error.code {
      case .timedOut: .timeout
      case .cancelled: ↓.serverError(code: -999)
      default: .unknown
      }
    }
    """),
  .bad(
    """
    func run() async throws {
      do { try await work() } catch is CancellationError {
        ↓breaker.recordFailure()
        throw CancellationError()
      }
    }
    """),
  .bad(
    """
    @MainActor final class FeedModel {
      func load() async {
        do { posts = try await api.posts() } catch is CancellationError {
          ↓errorMessage = "The request failed"
        } catch { report(error) }
      }
    }
    """),
  .bad(
    """
    do { try await send() } catch let error as URLError where error.code == .cancelled {
      ↓logger.error("upload failed: \\(error)")
    }
    """),
  .bad(
    """
    do { try await send() } catch {
      if error is CancellationError {
        ↓failureCount += 1
        return
      }
      throw error
    }
    """),
  .bad(
    "do { try await f() } catch is CancellationError { ↓throw SyncError.unexpected }"),
]

private let cancellationAsFailureGood: [Example] = [
  .good("switch error { case .cancelled: return .cancelled default: return .unknown }"),
  .good(
    """
    struct ImportView: View {
      func run() async {
        do { try await work() } catch is CancellationError {
          message = isStopped ? "Stopped." : "Nothing was changed."
        } catch { message = text(for: error) }
      }
    }
    """, because: "it tells what happened, and calls it no failure"),
  .good(
    """
    var color: Color {
      switch order.status {
      case .cancelled: .failed
      default: .accent
      }
    }
    """, because: "an order is no error"),
  .good("do { try await f() } catch is CancellationError { log.debug(\"stopped\") }"),
  .good(
    """
    @MainActor final class FeedModel {
      func load() async {
        do { posts = try await api.posts() } catch is CancellationError {
          errorMessage = nil
        } catch { errorMessage = "No posts" }
      }
    }
    """),
  .good(
    """
    @MainActor final class FeedModel {
      func load() async {
        do { posts = try await api.posts() } catch is CancellationError { state = .cancelled }
      }
    }
    """, because: "cancellation has a state of its own"),
  .good(
    "do { try await f() } catch let e where !(e is CancellationError) { breaker.recordFailure() }"
  ),
  .good(
    "switch error { case .cancelled, .closed: return .cancelled default: return .failed }"),
]
