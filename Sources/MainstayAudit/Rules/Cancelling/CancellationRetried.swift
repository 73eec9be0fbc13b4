// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let cancellationRetried = Rule(
    "MS303", "cancellation-retried", .warning, .default, serves: ["C20", "D11"],
    summary: "A loop tries again after any error, cancellation included.",
    why: "Whoever cancels wants the work to end; here it starts anew, as often as the loop allows.",
    guess: "A loop with a counter, or without an end, whose `do` leaves on success tries again.",
    onPurpose: "A clause `catch is CancellationError` before, or a condition that asks the error.",
    remedy: .safe(
      "Rethrows cancellation first, where the function throws and the clause cleans nothing up; "
        + "unsafe where more follows that it would pass by."),
    examples: cancellationRetriedBad + cancellationRetriedGood,
    checks: .loop { loop, file in
      guard !loop.node.isForAwait else { return }
      let clauses = loop.body.everyOwn(DoStmtSyntax.self).prefix(10).filter {
        $0.enclosingLoop?.node.id == loop.node.id
      }.compactMap { work in work.catchClauses.first { $0.isCatchAll } }
      let retrying = clauses.filter { clause in
        guard let work = clause.doStatement else { return false }
        return loop.triesAgain(work) && work.throwsWhileWaiting && !clause.body.alwaysLeaves
          && !clause.classifies && !loop.body.looksAgain(at: clause)
          // A wait that goes round is for MS302.
          && !clause.catchesOnlySleep
      }
      guard !retrying.isEmpty, !loop.node.speaksOfCancellation, !loop.asksWhetherToStop else {
        return
      }
      let isMild = loop.body.mayThrowWhileWaiting || loop.node.isInDiscardedTask
      for clause in retrying {
        // What it cleans up has to be cleaned up after a cancelled call, too.
        let isNoting = file.onlyNotes(clause)
        let text = "This tries again even when the work was cancelled"
        file.report(
          clause,
          isNoting ? text : text + "; a clause for that must do what else this one has to do",
          severity: isMild ? .info : nil,
          fix: isNoting ? file.rethrowingFix(clause, loop) : nil)
      }
    })
}

extension Loop {
  /// Whether it runs the `do` once more after a failure, and not for the next item.
  func triesAgain(_ work: DoStmtSyntax) -> Bool {
    if sequence != nil {
      return (countsAttempts || goesOverDelays) && work.body.leavesLoop
    }
    if isEndless || work.body.leavesLoop { return true }
    return work.body.ownAssignments.contains { assignment in
      assignment.name.map { name in conditions.contains { $0.mentions(name) } } ?? false
    }
  }
}

extension Loop {
  /// Whether it is `for delay in delays`.
  fileprivate var goesOverDelays: Bool {
    guard let name = sequence?.lastName else { return false }
    return words(of: name).contains { ["delay", "delays", "backoff", "backoffs"].contains($0) }
  }
}

extension CodeBlockSyntax {
  /// Whether `return` or `break` is among its own statements.
  fileprivate var leavesLoop: Bool {
    containsOwn { $0.kind == .returnStmt || $0.kind == .breakStmt }
  }

  /// Whether its last statement leaves the loop, and none before goes round again.
  fileprivate var alwaysLeaves: Bool {
    guard let last = statements.last?.item, !containsOwn(where: { $0.kind == .continueStmt })
    else { return false }
    if [.throwStmt, .returnStmt, .breakStmt].contains(last.kind) { return true }
    let name = last.as(ExprSyntax.self)?.as(FunctionCallExprSyntax.self)?.name
    return name == "fatalError" || name == "exit" || name == "preconditionFailure"
  }
}

extension CodeBlockSyntax {
  /// Whether it reads, outside of a clause, the variable that the clause puts its error into.
  fileprivate func looksAgain(at clause: CatchClauseSyntax) -> Bool {
    let names = clause.errorNames
    let kept = clause.body.ownAssignments.filter { assignment in
      assignment.values.contains { $0.mentionsAny(of: names) }
    }.compactMap(\.baseName)
    guard !kept.isEmpty else { return false }
    let known = Set(kept)
    return statements.contains { item in
      item.containsOwn { node in
        let asked = node.as(SwitchExprSyntax.self).map { Syntax($0.subject) } ?? node
        guard [.switchExpr, .conditionElement, .functionCallExpr].contains(node.kind) else {
          return false
        }
        return !clause.bytes.contains(node.bytes.lowerBound) && asked.mentionsAny(of: known)
      }
    }
  }
}

extension Loop {
  /// Whether its condition, or one in its body that leaves, is named after coming to an end.
  fileprivate var asksWhetherToStop: Bool {
    conditions.contains(where: \.isAboutStopping)
      || body.containsOwn { node in
        let conditions =
          node.as(GuardStmtSyntax.self)?.conditions ?? node.as(IfExprSyntax.self)?.conditions
        guard let conditions, node.leaves else { return false }
        return conditions.isAboutStopping
      }
  }
}

extension SyntaxProtocol {
  /// Whether something in it is named after coming to an end, or after running until then.
  var isAboutStopping: Bool {
    mentions { token in
      words(of: token.text).contains {
        $0.hasPrefix("stop") || $0.hasPrefix("end") || $0.hasPrefix("clos")
          || $0.hasPrefix("shut") || $0 == "running"
      }
    }
  }
}

extension CatchClauseSyntax {
  /// Whether it asks what kind of error it has before it goes on.
  fileprivate var classifies: Bool {
    let names = errorNames
    return body.containsOwn { node in
      switch node.kind {
      case .conditionElement, .tryExpr: node.mentionsAny(of: names)
      case .switchExpr: node.cast(SwitchExprSyntax.self).subject.mentionsAny(of: names)
      case .unresolvedTernaryExpr: node.parent?.mentionsAny(of: names) ?? false
      case .functionCallExpr:
        node.cast(FunctionCallExprSyntax.self).name.map { words(of: $0) }?.contains {
          ["retryable", "transient", "should", "classify", "recoverable"].contains($0)
        } ?? false
      default: false
      }
    }
  }
}

private let cancellationRetriedBad: [Example] = [
  .bad(
    """
    func get() async throws -> Page {
      for _ in 1...3 { do { return try await page() } ↓catch { last = error } }
      throw last
    }
    """,
    fixed: """
      func get() async throws -> Page {
        for _ in 1...3 { do { return try await page() } catch is CancellationError { throw \
      CancellationError() } catch { last = error } }
        throw last
      }
      """),
  .bad(
    """
    func connect() async throws {
      var attempt = 0
      while true {
        do {
          try await dial()
          return
        } ↓catch {
          attempt += 1
          if attempt == 5 { throw error }
        }
      }
    }
    """,
    fixed: """
      func connect() async throws {
        var attempt = 0
        while true {
          do {
            try await dial()
            return
          } catch is CancellationError {
            throw CancellationError()
          } catch {
            attempt += 1
            if attempt == 5 { throw error }
          }
        }
      }
      """),
  .bad(
    """
    func upload() async throws {
      for attempt in 0..<limit {
        do {
          try await send()
          break
        } ↓catch let failure {
          log.warning("\\(failure)")
          try await Task.sleep(for: .seconds(attempt))
        }
      }
    }
    """),
  .bad(
    """
    func ask() async throws -> Reply {
      for _ in 1...3 {
        let link = try await pool.take()
        do { return try await link.ask() } ↓catch {
          await pool.discard(link)
          last = error
        }
      }
      throw last
    }
    """,
    fixed: """
      func ask() async throws -> Reply {
        for _ in 1...3 {
          let link = try await pool.take()
          do { return try await link.ask() } catch {
            await pool.discard(link)
            last = error
          }
        }
        throw last
      }
      """),
  .bad(
    """
    Task {
      var left = 3
      while left > 0 {
        do {
          try await self.register()
          return
        } ↓catch {
          left -= 1
        }
      }
    }
    """),
  .bad(
    """
    func serve() async {
      while true {
        do { try await self.accept() } ↓catch { log.error("\\(error)") }
      }
    }
    """),
  .bad(
    """
    func sync() async -> Bool {
      var done = false
      repeat {
        do {
          try await push()
          done = true
        } ↓catch {
          tries += 1
        }
      } while !done && tries < 3
      return done
    }
    """),
]

private let cancellationRetriedGood: [Example] = [
  .good(
    """
    func get() async throws -> Page {
      for _ in 1...3 {
        do { return try await page() } catch is CancellationError {
          throw CancellationError()
        } catch { last = error }
      }
      throw last
    }
    """),
  .good(
    """
    func get() async throws -> Page {
      for _ in 1...3 {
        do { return try await page() } catch {
          guard isRetryable(error) else { throw error }
          last = error
        }
      }
      throw last
    }
    """, because: "the error is asked"),
  .good(
    """
    func serve() async {
      while !Task.isCancelled {
        do { try await accept() } catch { log.error("\\(error)") }
      }
    }
    """),
  .good(
    """
    func sendAll() async {
      for item in items {
        do { try await send(item) } catch { failed.append(item) }
      }
    }
    """, because: "each round is other work"),
  .good(
    """
    func get() throws -> Page {
      for _ in 1...3 { do { return try page() } catch { last = error } }
      throw last
    }
    """, because: "what does not wait is not cancelled"),
  .good(
    """
    func read() async {
      while true {
        do { try await next() } catch {
          log.info("done")
          break
        }
      }
    }
    """, because: "the loop ends"),
]
