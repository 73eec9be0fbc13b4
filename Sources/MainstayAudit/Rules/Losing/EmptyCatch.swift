// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let emptyCatch = Rule(
    "MS201", "empty-catch", .error, .default, serves: ["A46", "D17"],
    summary: "A catch-all has no statement, so nobody learns that anything failed.",
    why: "Whatever goes wrong here is gone: no log, no report, no message.",
    guess: "A clause without a pattern takes every error.",
    onPurpose: "`_ = try? f()`, or `catch _ {}`, or a clause for the one error that is expected.",
    remedy: .safe("Adds a log call, where the file has a logger."),
    examples: [
      .bad("do { try save() } ↓catch {}"),
      .bad(
        """
        struct Store {
          let log: Logger
          func save() {
            do {
              try write()
            } ↓catch {
            }
          }
        }
        """,
        fixed: """
          struct Store {
            let log: Logger
            func save() {
              do {
                try write()
              } catch {
                log.error("\\(error)")
              }
            }
          }
          """),
      .bad("func f() { do { try a() } ↓catch let problem {} }"),
      .bad("try? x; do { try await a(); b() } ↓catch { }"),
      .bad(
        """
        func sync() {
          do {
            try upload()
          } ↓catch let error {
            // Never mind.
          }
        }
        """),
      .bad("func f() { do { try a() } ↓catch let problem as NSError {} }"),
      .bad("func f() { Task { [weak self] in do { try await self?.sync() } ↓catch {} } }"),
      .bad("func f() { do { try socket.close() } ↓catch {} }"),
      .bad(
        "var a: Int { get { do { try b() } catch is BError { return 1 } ↓catch {}; return 0 } }"),
      .good("do { try save() } catch { log.error(\"\\(error)\") }"),
      .good("do { try save() } catch _ {}", because: "it says so"),
      .good("do { try f() } catch { return nil }", because: "another rule finds that"),
      .good("do { try f() } catch CocoaError.fileNoSuchFile {}"),
      .good(
        "do { try await load() } catch is CancellationError {}",
        because: "the clause takes one error that is expected"),
      .good(
        "func f() async { do { try await Task.sleep(for: .seconds(1)) } catch {} }",
        because: "a sleep throws only when it is cancelled"),
      .good("func f() { do { try a() } catch let e where e is Late {} catch { show(e) } }"),
      .good(
        "func f() { do { try a() } catch let e where !(e is CancellationError) { b(e) } catch {} }",
        because: "the first clause leaves it nothing but cancellation"),
      .good(
        "func f() { do { try a() } catch let e where !e.isCancelled { show(e) } catch {} }"),
      .bad("func f() { do { try a() } catch let e where !e.isLate { show(e) } ↓catch {} }"),
      .good(
        "func f() { do throws(NotFound) { try a() } catch {} }",
        because: "the `do` throws the one error that is expected"),
      .bad("func f() { do throws(any Error) { try a() } ↓catch {} }"),
      .bad("func f() throws { do { try a() } ↓catch is Error {} }"),
      .bad("func f() { do { try a() } catch { do { try b() } ↓catch {}; show(error) } }"),
      .good(
        """
        func make(_ path: String) throws {
          do {
            try create(path)
          } catch {
            do {
              if try isFolder(path) { return }
            } catch {
              // What went wrong first says more.
            }
            throw error
          }
        }
        """, because: "the error that matters goes on"),
      .good(
        "func test() { do { try a() } catch {} }", path: "Tests/AppTests/SaveTests.swift"),
    ],
    checks: .catchClause { clause, file in
      guard clause.body.statements.isEmpty, clause.isCatchAll, !clause.isDiscarding,
        !clause.catchesOnlySleep, !clause.isLeftCancellation, !clause.precedesThrow
      else { return }
      let isExplained = clause.isCommentOnly
      let isMild = isExplained || clause.catchesOnlyCleanUp(file.vocabulary)
      file.report(
        clause,
        isExplained
          ? "This error is dropped with no more than a comment" : "This error is dropped",
        severity: isMild ? .info : nil, fix: file.logFix(at: clause))
    })
}

extension CatchClauseSyntax {
  /// Whether it belongs to a handler of another error that ends with a `throw`.
  fileprivate var precedesThrow: Bool {
    enclosingCatch?.body.statements.last?.item.kind == .throwStmt
  }
}
