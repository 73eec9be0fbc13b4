// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let retriesEverything = Rule(
    "MS506", "retries-everything", .info, .strict, serves: ["D10"],
    summary: "A loop tries again after any error, without a look at it.",
    why: """
      Most errors stay: a second attempt at a wrong password or a missing file costs time and \
      load, and hides the real answer.
      """,
    guess: "A clause that hands the error to no condition, cast or predicate does not look at it.",
    onPurpose: "Name the errors in a pattern or `where`, or ask a predicate.",
    remedy: .none("which errors pass depends on the work"),
    examples: [
      .bad(
        """
        while true {
          do {
            return try await fetch()
          } ↓catch {
            attempt += 1
            if attempt == 3 { throw LoadError.unavailable }
            continue
          }
        }
        """),
      .bad(
        """
        for _ in 1...3 {
          do { return try await fetch() } ↓catch { last = error }
        }
        """),
      .bad(
        """
        func send() async throws {
          for attempt in 0..<limit {
            do {
              try await post()
              return
            } ↓catch let problem {
              log.warning("\\(attempt): \\(problem)")
              try await Task.sleep(for: backoff.delay(attempt))
            }
          }
        }
        """),
      .bad(
        """
        repeat {
          do {
            try connect()
            break
          } ↓catch {
            failures += 1
          }
        } while failures < 4
        """),
      .bad(
        """
        var result: Data?
        while result == nil && left > 0 {
          do { result = try await fetch() } ↓catch { left -= 1 }
        }
        """),
      .bad(
        """
        for _ in 1...3 {
          do { return try await fetch() } ↓catch { last = LoadError.failed(error) }
        }
        """),
      .good(
        """
        while true {
          do {
            return try await fetch()
          } catch where policy.isTransient(error) {
            attempt += 1
            if attempt == 3 { throw error }
          }
        }
        """),
      .good(
        """
        for _ in 1...3 {
          do { return try await fetch() } catch {
            guard error.isRetryable else { throw error }
            last = error
          }
        }
        """),
      .good(
        """
        for _ in 1...3 {
          do { return try await fetch() } catch is DecodingError { throw LoadError.format } catch {
            last = error
          }
        }
        """, because: "an earlier clause takes what stays"),
      .good(
        """
        for _ in 1...3 {
          do { return try await fetch() } catch {
            try await policy.pause(after: error)
          }
        }
        """, because: "the policy gets the error"),
      .good(
        """
        for url in mirrors {
          do { return try await fetch(url) } catch { last = error }
        }
        """, because: "each round asks another source"),
    ],
    checks: .loop { loop, file in
      guard let retry = RetryLoop(loop), retry.endsWithSuccess, retry.clause.isCatchAll,
        retry.clause.earlierClauses.allSatisfy(\.mentionsCancellation),
        retry.mostAttempts != 1, !retry.clause.classifies(file)
      else { return }
      file.report(retry.clause, "Any error leads to another attempt, whatever it says")
    })
}

extension CatchClauseSyntax {
  /// Whether a condition, cast or call that records nothing gets the error.
  fileprivate func classifies(_ file: AuditedFile) -> Bool {
    let names = errorNames
    return body.contains { node in
      switch node.kind {
      case .conditionElementList, .matchingPatternCondition:
        return node.mentionsAny(of: names)
      case .switchExpr: return node.cast(SwitchExprSyntax.self).subject.mentionsAny(of: names)
      case .unresolvedAsExpr, .unresolvedIsExpr:
        return node.parent?.mentionsAny(of: names) ?? false
      case .functionCallExpr:
        let call = node.cast(FunctionCallExprSyntax.self)
        guard !file.isRecorder(call), !call.makesError,
          !["append", "String"].contains(call.name ?? "")
        else {
          return false
        }
        return call.arguments.mentionsAny(of: names)
      default: return false
      }
    }
  }
}
