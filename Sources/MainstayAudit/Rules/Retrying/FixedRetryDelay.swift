// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let fixedRetryDelay = Rule(
    "MS501", "fixed-retry-delay", .warning, .default, serves: ["D33", "T9"],
    summary: "A retry waits equally long before each attempt.",
    why: """
      Clients that failed together come back together, again and again, and keep a service down \
      that is trying to recover.
      """,
    guess:
      "A delay of literals, and of names that the loop, or the function that calls itself, never "
      + "writes, stays the same.",
    onPurpose: "Take the delay from a policy, or leave the loop from the clause.",
    remedy: .unsafe(
      "Rewrites a counted loop that does nothing else to `Retry(maximumAttempts: n)`."
    ),
    examples: [
      .bad(
        """
        func load() async throws -> Data {
          for _ in 1...5 {
            do {
              return try await fetch()
            } catch {
              try await ↓Task.sleep(for: .seconds(1))
            }
          }
          throw LoadError.unavailable
        }
        """,
        fixed: """
          func load() async throws -> Data {
            try await Retry(maximumAttempts: 5).run {
              return try await fetch()
            }
          }
          """),
      .bad(
        """
        func connect() async throws {
          var attempts = 0
          while true {
            do {
              try await socket.open()
              return
            } catch {
              attempts += 1
              if attempts >= limit { throw error }
              try await ↓Task.sleep(nanoseconds: UInt64(1_000_000_000))
            }
          }
        }
        """),
      .bad(
        """
        func send() {
          var left = 8
          var isSent = false
          while left > 0 && !isSent {
            do {
              try post()
              isSent = true
            } catch let problem {
              log.error("\\(problem)")
              left -= 1
              ↓Thread.sleep(forTimeInterval: self.retryInterval)
            }
          }
        }
        """),
      .bad(
        """
        Task {
          for attempt in 0..<maximum {
            do {
              self.value = try await load()
              break
            } catch {
              log.warning("attempt \\(attempt) failed")
            }
            try? await ↓Task.sleep(for: delay)
          }
        }
        """),
      .bad(
        """
        func listen() async {
          while !Task.isCancelled {
            do {
              for try await event in try await client.events() { handle(event) }
            } catch {
              log.error("\\(error)")
              try? await ↓clock.sleep(for: .seconds(5))
            }
          }
        }
        """),
      .bad(
        """
        func load(left: Int = 5) async throws -> Data {
          do {
            return try await fetch()
          } catch {
            guard left > 0 else { throw error }
            try await ↓Task.sleep(for: .seconds(1))
            return try await load(left: left - 1)
          }
        }
        """),
      .bad(
        """
        func connect() {
          Task {
            do {
              try await socket.open()
            } catch {
              log.error("\\(error)")
              ↓DispatchQueue.main.asyncAfter(deadline: .now() + 2) { [weak self] in
                self?.connect()
              }
            }
          }
        }
        """),
      .good(
        """
        func load(attempt: Int = 0) async throws -> Data {
          do {
            return try await fetch()
          } catch {
            guard attempt < 5 else { throw error }
            try await Task.sleep(for: .seconds(pow(2, Double(attempt))))
            return try await load(attempt: attempt + 1)
          }
        }
        """, because: "the delay grows from call to call"),
      .good(
        """
        func load(isRetry: Bool = false) async throws -> Data {
          do {
            return try await fetch()
          } catch {
            guard !isRetry else { throw error }
            try await Task.sleep(for: .seconds(1))
            return try await load(isRetry: true)
          }
        }
        """, because: "it tries once more and no oftener"),
      .good(
        """
        func poll() async {
          do {
            try await refresh()
            try await Task.sleep(for: .seconds(60))
            await poll()
          } catch {
            try? await Task.sleep(for: .seconds(60))
            await poll()
          }
        }
        """, because: "it is something done once a minute"),
      .good(
        """
        func load() async throws -> Data {
          for attempt in 1...5 {
            do {
              return try await fetch()
            } catch {
              try await Task.sleep(for: backoff.delay(attempt: attempt))
            }
          }
          throw LoadError.unavailable
        }
        """),
      .good(
        """
        for attempt in 0..<5 {
          do { return try await fetch() } catch {
            let seconds = min(60, pow(2, Double(attempt)))
            try await Task.sleep(for: .seconds(seconds))
          }
        }
        """, because: "the delay grows"),
      .good(
        """
        for url in urls {
          do {
            try await ping(url)
          } catch {
            log.error("\\(error)")
            try await Task.sleep(for: .seconds(1))
          }
        }
        """, because: "each round is about another item"),
      .good(
        """
        while true {
          do { try await poll() } catch { return }
          try await Task.sleep(for: .seconds(1))
        }
        """, because: "it waits between successes, and an error ends it"),
      .good(
        """
        for _ in 0..<2 {
          do { return try await fetch() } catch { try await Task.sleep(for: .seconds(1)) }
        }
        """, because: "it tries once more and no oftener"),
      .good(
        """
        for _ in 0..<30 {
          do { try requireStopped(); return } catch {
            try await Task.sleep(for: .milliseconds(100))
          }
        }
        """, because: "so short a delay waits for something close by"),
      .good(
        """
        while !Task.isCancelled {
          do {
            try await refresh()
            try await Task.sleep(for: .seconds(60))
          } catch {
            log.error("\\(error)")
            try? await Task.sleep(for: .seconds(60))
          }
        }
        """, because: "it is something done once a minute"),
      .good(
        """
        while true {
          do { return try await fetch() } catch let error as Throttled {
            guard let wait = error.retryAfter else { throw error }
            try await Task.sleep(for: wait)
          }
        }
        """, because: "the service says how long"),
    ],
    checks: .loop { loop, file in
      guard let retry = RetryLoop(loop), let sleep = retry.sleeps.first else { return }
      guard retry.endsWithSuccess || retry.restIsForFailures || retry.waitsAfterErrorsAlone,
        retry.mostAttempts.map({ $0 > 2 }) ?? true
      else { return }
      guard !sleep.isShort, Delay(sleep.delay, in: loop).isFixed else { return }
      file.report(
        sleep.call, "This retry waits equally long before each attempt",
        fix: retry.rewrite(in: file))
    },
    .catchClause { clause, file in
      guard let retry = SelfCallRetry(clause), !retry.isShort,
        Delay(retry.delay, in: retry.routine, retry.body).isFixed
      else { return }
      file.report(retry.wait, "This retry waits equally long before each attempt")
    })
}

extension RetryLoop {
  /// Whether the clause waits and the work does not: the loop is no mere timer.
  fileprivate var waitsAfterErrorsAlone: Bool {
    !clause.body.sleeps.isEmpty && attempt.body.sleeps.isEmpty
      && loop.rest(after: attempt).allSatisfy(\.sleeps.isEmpty)
  }

  /// The same as a call of Mainstay's, for the plainest form alone: a counted loop at the end of a
  /// throwing function, whose work returns and whose clause does nothing but wait.
  fileprivate func rewrite(in file: AuditedFile) -> Fix? {
    guard let count = loop.literalCount, loop.pattern?.kind == .wildcardPattern,
      success == .returns, attempt.catchClauses.count == 1, clause.isCatchAll,
      clause.body.statements.count == 1, loop.body.statements.count == 1,
      let item = loop.node.parent?.as(CodeBlockItemSyntax.self),
      let list = item.parent?.as(CodeBlockItemListSyntax.self),
      let routine = item.enclosingRoutine, routine.isThrowing, routine.isAsync,
      routine.returnsValue, routine.statements?.id == list.id,
      let last = list.last, last.item.is(ThrowStmtSyntax.self),
      last.position == item.endPosition
    else { return nil }
    let body = attempt.body
    let outer = file.indentation(of: loop.node)
    let step = file.step(in: loop.body)
    var text =
      "\(list.count == 2 ? "" : "return ")try await Retry(maximumAttempts: \(count)).run {\n"
    let lines = file.text(body.statements.bytes)
      .split(omittingEmptySubsequences: false) { $0.endsLine }
    for line in lines {
      let inner = outer + step + step
      let rest = line.hasPrefix(inner) ? line.dropFirst(inner.utf8.count) : line[...]
      text += outer + step + rest + "\n"
    }
    text += outer + "}"
    let range = loop.node.bytes.lowerBound..<last.bytes.upperBound
    return .unsafe("let Mainstay retry, with a growing delay and jitter", Edit(range, text))
  }
}
