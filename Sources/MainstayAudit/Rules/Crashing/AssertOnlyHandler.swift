// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let assertOnlyHandler = Rule(
    "MS605", "assert-only-handler", .warning, .strict, serves: [],
    summary: "A catch clause holds an assertion and nothing else.",
    why: "Assertions are left out of release builds, so there the error is dropped.",
    guess: "`assert` and `assertionFailure` are the ones of Swift.",
    onPurpose: "`preconditionFailure`, which stays, or a log call beside it.",
    remedy: .safe("Adds a log call, where the file has a logger."),
    examples: assertOnlyHandlerExamples,
    checks: .catchClause { clause, file in
      guard clause.body.statements.count == 1,
        let call = clause.body.statements.first?.item.as(FunctionCallExprSyntax.self),
        let name = call.freeName, name == "assertionFailure" || name == "assert",
        // Where all of it is left out of release builds, nothing is dropped there.
        !clause.isForDebuggingAlone
      else { return }
      file.report(
        clause, "In release builds this error is dropped, since `\(name)` is left out",
        fix: file.logFix(at: clause))
    })
}

private let assertOnlyHandlerExamples: [Example] = [
  .bad(
    """
    struct Cache {
      let log: Logger
      func clear() {
        do {
          try empty()
        } ↓catch {
          assertionFailure("\\(error)")
        }
      }
    }
    """,
    fixed: """
      struct Cache {
        let log: Logger
        func clear() {
          do {
            try empty()
          } catch {
            log.error("\\(error)")
            assertionFailure("\\(error)")
          }
        }
      }
      """),
  .bad("func f() { do { try a() } ↓catch { assert(false, \"\\(error)\") } }"),
  .bad("func f() { do { try a() } ↓catch let e as Late { assertionFailure(\"\\(e)\") } }"),
  .bad("func f() { do { try a() } catch is Late { b() } ↓catch { assertionFailure() } }"),
  .bad("var n: Int { get throws { do { try a() } ↓catch { assertionFailure(\"a\") }; return 1 } }"),
  .good(
    """
    struct Cache {
      let log: Logger
      func clear() {
        do {
          try empty()
        } catch {
          log.error("\\(error)")
          assertionFailure("\\(error)")
        }
      }
    }
    """),
  .good(
    "func f() throws { do { try a() } catch { assertionFailure(\"\\(error)\"); throw error } }"),
  .good("func f() { do { try a() } catch { preconditionFailure(\"\\(error)\") } }"),
  .good(
    """
    func build() {
      #if DEBUG
        do { try validate() } catch { assertionFailure("\\(error)") }
      #endif
    }
    """, because: "release builds have none of it"),
  .good("func f() { guard b else { assertionFailure(\"b\"); return } }"),
  .good("func f() { do { try a() } catch { assertion.fail(error) } }"),
]
