// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let breakHitsSwitch = Rule(
    "MS504", "retry-break-hits-switch", .error, .default, serves: ["A7"],
    summary: "A `break` that is to end a retry ends the `switch` around it, and the loop goes on.",
    why: """
      In a `switch` a bare `break` leaves the `switch` alone, so the limit of attempts does nothing.
      """,
    guess: "A `break` under a condition about attempts is meant for the loop.",
    onPurpose: "Label the loop and write `break` with the label, or `throw`.",
    remedy: .unsafe("Labels the loop and the `break`."),
    examples: [
      .bad(
        """
        func load() async throws {
          var left = 3
          while true {
            do {
              return try await fetch()
            } catch {
              switch error as? ServiceError {
              case .busy:
                left -= 1
                if left == 0 { ↓break }
                try await Task.sleep(for: pause)
              default:
                throw error
              }
            }
          }
        }
        """,
        fixed: """
          func load() async throws {
            var left = 3
            retry: while true {
              do {
                return try await fetch()
              } catch {
                switch error as? ServiceError {
                case .busy:
                  left -= 1
                  if left == 0 { break retry }
                  try await Task.sleep(for: pause)
                default:
                  throw error
                }
              }
            }
          }
          """),
      .bad(
        """
        for attempt in 1...10 {
          do { try send(); return } catch let problem {
            switch problem {
            case SendError.slow:
              if attempt >= self.limit {
                log.error("gave up")
                ↓break
              }
              pause()
            default: return
            }
          }
        }
        """),
      .bad(
        """
        outer: while isRunning {
          do { try connect() } catch {
            attempts += 1
            switch classify(error) {
            case .transient:
              guard attempts < 5 else { ↓break }
              continue
            case .permanent: throw error
            }
          }
        }
        """),
      .bad(
        """
        repeat {
          do { return try read() } catch let error as IOError {
            tries += 1
            switch error.kind {
            case .again:
              if tries > 3 { ↓break } else { wait() }
              log.info("again")
            case .closed: throw error
            }
          }
        } while true
        """),
      .bad(
        """
        while true {
          do { try await sync() } catch {
            switch error {
            case is Offline:
              if Task.isCancelled { ↓break }
              try? await Task.sleep(for: .seconds(5))
            default:
              throw error
            }
          }
        }
        """),
      .good(
        """
        func load() async throws {
          var left = 3
          retry: while true {
            do {
              return try await fetch()
            } catch {
              switch error as? ServiceError {
              case .busy:
                left -= 1
                if left == 0 { break retry }
                try await Task.sleep(for: pause)
              default:
                throw error
              }
            }
          }
        }
        """),
      .good(
        """
        while true {
          do { return try read() } catch {
            switch error {
            case is Interrupted: break
            default: throw error
            }
          }
        }
        """, because: "the arm has nothing to do"),
      .good(
        """
        while true {
          do { return try read() } catch {
            attempts += 1
            switch error {
            case is Busy:
              if attempts > 5 { break }
              pause()
              continue
            default: break
            }
            throw error
          }
        }
        """, because: "what follows the switch ends the loop"),
      .good(
        """
        while true {
          do { return try read() } catch {
            attempts += 1
            switch error {
            case is Busy:
              if attempts > 5 { break }
              pause()
            default: break
            }
            if attempts > 5 { throw error }
          }
        }
        """, because: "the same condition is asked again"),
      .good(
        """
        while true {
          do { return try read() } catch {
            switch error {
            case let error as Slow:
              if error.isKnown { break }
              log.error("\\(error)")
            default: throw error
            }
          }
        }
        """, because: "the condition is not about attempts"),
      .good(
        """
        while true {
          do { return try read() } catch {
            for place in places {
              if place.attempts == 0 { break }
              place.reset()
            }
          }
        }
        """, because: "it ends the inner loop, and no switch is in between"),
    ],
    checks: .catchClause { clause, file in
      guard !clause.body.statements.isEmpty, let loop = clause.enclosingLoop else { return }
      for arm in clause.body.everyOwn(SwitchCaseSyntax.self) {
        for statement in arm.statements.everyOwn(BreakStmtSyntax.self) {
          guard let stray = StrayBreak(statement, in: arm, clause, loop) else { continue }
          file.report(
            statement, "This `break` leaves the `switch`, not the loop, which goes round again",
            fix: stray.fix)
        }
      }
    })
}

/// A `break` that was meant for a loop.
private struct StrayBreak {
  let statement: BreakStmtSyntax
  let loop: Loop

  init?(
    _ statement: BreakStmtSyntax, in arm: SwitchCaseSyntax, _ clause: CatchClauseSyntax,
    _ loop: Loop
  ) {
    guard statement.label == nil, let found = Self.conditions(around: statement, in: arm),
      let expression = arm.nearest(SwitchExprSyntax.self)
    else { return nil }
    self.statement = statement
    self.loop = loop
    guard let conditions = found.first(where: { Self.isAboutAttempts($0, loop) }) else {
      return nil
    }
    let after =
      Self.statements(after: Syntax(expression), upTo: Syntax(clause))
      + loop.rest(after: expression)
    let exits = ExitFinder(label: loop.label).exits(of: after)
    guard !exits.isDisjoint(with: .staying) else { return nil }
    // Another exit behind the switch may ask the same once more.
    let asked = conditions.referencedNames
    guard
      !after.contains(where: { $0.leaves && !$0.referencedNames.isDisjoint(with: asked) }),
      !loop.conditions.contains(where: { !$0.referencedNames.isDisjoint(with: asked) })
    else { return nil }
  }

  /// The conditions of the `if`s and `guard`s that the `break` stands under, within the arm; nil
  /// where it leaves something else.
  private static func conditions(
    around statement: BreakStmtSyntax, in arm: SwitchCaseSyntax
  ) -> [ConditionElementListSyntax]? {
    var found: [ConditionElementListSyntax] = []
    var current = Syntax(statement).parent
    while let here = current, here.id != arm.id {
      if Loop(here) != nil || here.kind == .switchCase { return nil }
      if let conditions = here.as(IfExprSyntax.self)?.conditions
        ?? here.as(GuardStmtSyntax.self)?.conditions
      {
        found.append(conditions)
      }
      current = here.parent
    }
    return found
  }

  /// Whether the condition asks how often, how long or whether at all.
  private static func isAboutAttempts(
    _ conditions: ConditionElementListSyntax, _ loop: Loop
  ) -> Bool {
    let counters = loop.boundNames.union(loop.body.writtenNames)
    return conditions.referencedNames.contains { name in
      if name.lowercased().contains("cancel") { return true }
      let parts = words(of: name)
      return parts.contains(where: Self.telling.contains)
        || counters.contains(name) && conditions.isComparison
    }
  }

  private static let telling: Set<String> = [
    "attempt", "attempts", "retry", "retries", "tries", "deadline", "budget",
  ]

  /// The statements behind a node in each block around it, up to another node.
  private static func statements(after node: Syntax, upTo end: Syntax) -> [CodeBlockItemSyntax] {
    var found: [CodeBlockItemSyntax] = []
    let place = node.endPosition
    var current = node.parent
    while let here = current, here.id != end.id {
      if let list = here.as(CodeBlockItemListSyntax.self) {
        found += list.filter { $0.position >= place }
      }
      current = here.parent
    }
    return found
  }

  var fix: Fix {
    let end = statement.breakKeyword.bytes.upperBound
    if let label = loop.label {
      return .unsafe("break out of the loop", Edit(end..<end, " \(label)"))
    }
    let start = loop.node.bytes.lowerBound
    return .unsafe(
      "label the loop and break out of it", Edit(start..<start, "retry: "),
      Edit(end..<end, " retry"))
  }
}

extension ConditionElementListSyntax {
  fileprivate var isComparison: Bool {
    Syntax(self).contains { node in
      guard let sign = node.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
      return ["<", ">", "<=", ">=", "=="].contains(sign)
    }
  }
}
