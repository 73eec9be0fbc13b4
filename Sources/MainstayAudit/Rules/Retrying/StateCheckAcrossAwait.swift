// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let stateCheckAcrossAwait = Rule(
    "MS512", "state-check-across-await", .info, .optIn, serves: ["A22", "D13", "T1"],
    summary: "An actor decides by its state, waits, and then writes that state unasked.",
    why: """
      An actor runs other calls while one waits. All of them see the old state, so all of them \
      take the branch: a half-open breaker lets everybody through.
      """,
    guess:
      "An actor whose name says breaker, limiter, queue or cache guards something by its state.",
    onPurpose: "Claim the state before the wait, or ask again after it.",
    remedy: .none("what to claim depends on the state"),
    examples: [
      .bad(
        """
        actor CircuitBreaker {
          var state = State.closed
          func run() async throws {
            ↓if state == .halfOpen {
              try await probe()
              state = .closed
            }
          }
        }
        """),
      .bad(
        """
        actor ImageCache {
          private var images: [URL: Image] = [:]
          func image(_ url: URL) async throws -> Image {
            ↓if let known = images[url] { return known }
            let image = try await load(url)
            images[url] = image
            return image
          }
        }
        """),
      .bad(
        """
        actor RateLimiter {
          var tokens = 5
          func acquire() async {
            ↓guard tokens > 0 else { return }
            await log("taken")
            tokens -= 1
          }
        }
        """),
      .bad(
        """
        actor WorkQueue {
          private var isRunning = false
          func start() async {
            ↓if !isRunning {
              await prepare()
              self.isRunning = true
            }
          }
        }
        """),
      .bad(
        """
        actor TokenCache {
          var token: Token?
          func current() async throws -> Token {
            ↓guard token == nil else { return token! }
            let fresh = try await fetch()
            token = fresh
            return fresh
          }
        }
        """),
      .good(
        """
        actor CircuitBreaker {
          var state = State.closed
          func run() async throws {
            if state == .halfOpen {
              state = .probing
              try await probe()
              state = .closed
            }
          }
        }
        """),
      .good(
        """
        actor ImageCache {
          private var tasks: [URL: Task<Image, any Error>] = [:]
          func image(_ url: URL) async throws -> Image {
            if let task = tasks[url] { return try await task.value }
            let task = Task { try await load(url) }
            tasks[url] = task
            return try await task.value
          }
        }
        """, because: "it writes before it waits"),
      .good(
        """
        actor WorkQueue {
          private var isRunning = false
          func start() async {
            if !isRunning {
              await prepare()
              if !isRunning { isRunning = true }
            }
          }
        }
        """, because: "it asks again"),
      .good(
        """
        actor Session {
          var state = State.new
          func open() async {
            if state == .new {
              await connect()
              state = .open
            }
          }
        }
        """, because: "the name says nothing of a gate"),
      .good(
        """
        final class JobQueue {
          var isRunning = false
          func start() async {
            if !isRunning {
              await prepare()
              isRunning = true
            }
          }
        }
        """, because: "it is no actor"),
    ],
    checks: .type { type, file in
      guard type.kind == .actor, type.isGate else { return }
      let stored = Set(
        type.properties.filter { $0.variable.bindingSpecifier.tokenKind == .keyword(.var) }
          .map(\.name.bareText))
      guard !stored.isEmpty else { return }
      for member in type.members {
        guard let body = member.decl.as(FunctionDeclSyntax.self)?.body else { continue }
        var finder = StaleDecisions(stored)
        finder.look(through: body.statements)
        for found in finder.found {
          file.report(
            found.node, "`\(found.name)` may have changed by the time that it is written")
        }
      }
    })
}

extension TypeDeclaration {
  fileprivate var isGate: Bool {
    words(of: name).contains { ["breaker", "limiter", "queue", "cache", "throttle"].contains($0) }
  }
}

/// Finds branches on state that is written after a wait.
private struct StaleDecisions {
  private let stored: Set<String>
  private(set) var found: [(node: Syntax, name: String)] = []

  init(_ stored: Set<String>) { self.stored = stored }

  mutating func look(through list: CodeBlockItemListSyntax) {
    let items = Array(list)
    for (place, item) in items.enumerated() {
      let rest = items[(place + 1)...]
      if let statement = item.item.as(GuardStmtSyntax.self) {
        look(at: Syntax(statement), statement.conditions, behind: rest)
      } else if let expression = item.branch {
        if expression.body.statements.last?.leaves ?? false, expression.elseBody == nil {
          look(at: Syntax(expression), expression.conditions, behind: rest)
        } else {
          look(
            at: Syntax(expression), expression.conditions,
            behind: Array(expression.body.statements)[...])
          look(through: expression.body.statements)
        }
      } else if let statement = item.item.as(DoStmtSyntax.self) {
        look(through: statement.body.statements)
      }
    }
  }

  private mutating func look(
    at node: Syntax, _ conditions: ConditionElementListSyntax,
    behind items: ArraySlice<CodeBlockItemSyntax>
  ) {
    for name in conditions.referencedNames.intersection(stored).sorted()
    where isWrittenLate(name, items) {
      found.append((node, name))
      return
    }
  }

  /// Whether the first that the statements do with the name, after a wait, is to write it.
  private func isWrittenLate(_ name: String, _ items: ArraySlice<CodeBlockItemSyntax>) -> Bool {
    var hasWaited = false
    for item in items {
      let waits = item.containsOwn { $0.kind == .awaitExpr }
      let writes = item.writtenNames.contains(name)
      if writes, !hasWaited { return false }
      if hasWaited {
        if item.asks(about: name) { return false }
        if writes { return true }
      }
      hasWaited = hasWaited || waits
    }
    return false
  }
}

extension CodeBlockItemSyntax {
  fileprivate var branch: IfExprSyntax? {
    item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self)
      ?? item.as(IfExprSyntax.self)
  }

  /// Whether a condition in it is about a name.
  fileprivate func asks(about name: String) -> Bool {
    containsOwn { node in
      guard let conditions = node.as(ConditionElementListSyntax.self) else { return false }
      return conditions.referencedNames.contains(name)
    }
  }
}
