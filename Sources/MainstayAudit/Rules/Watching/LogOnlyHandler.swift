// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let logOnlyHandler = Rule(
    "MS703", "log-only-handler", .info, .optIn, serves: ["D17"],
    summary: "A catch-all does no more than log, in a function that tells its caller nothing.",
    why: "Whoever asked for it goes on as if it had worked; only a developer could find out.",
    guess: "Functions named after work in the background have nobody to tell.",
    onPurpose: "A name such as `refreshInBackground`, or a clause for the expected error.",
    remedy: .none("Whom to tell is for the author to say."),
    examples: logOnlyHandlerBad + logOnlyHandlerGood,
    checks: .catchClause { clause, file in
      guard clause.body.statements.count == 1, clause.isCatchAll,
        let call = clause.body.statements.first?.plainCall, file.isLogCall(call),
        !["trace", "debug"].contains(call.name),
        let function = clause.enclosingFunction, !function.returnsValue, !function.isThrowing,
        let name = function.name, !name.isForBackground, clause.doStatement?.enclosingLoop == nil
      else { return }
      file.report(clause, "The caller of `\(name)` never learns that this failed")
    })
}

extension String {
  /// Whether a function of this name works for nobody who waits.
  fileprivate var isForBackground: Bool {
    words(of: self).contains {
      [
        "background", "refresh", "prefetch", "preload", "warm", "sync", "poll", "monitor", "watch",
        "cleanup", "clean", "prune", "purge", "track", "log", "report", "record", "flush", "close",
        "stop", "shutdown", "handle", "serve", "cancel", "schedule", "observe", "init", "tear",
      ].contains($0)
    }
  }
}

private let logOnlyHandlerBad: [Example] = [
  .bad("func save() { do { try write() } ↓catch { log.error(\"\\(error)\") } }"),
  .bad(
    """
    func send() async {
      do {
        try await api.send(text)
      } catch is CancellationError {
      } ↓catch {
        logger.warning("not sent: \\(error)")
      }
    }
    """),
  .bad("func add() { Task { do { try await a() } ↓catch { log.error(\"\\(error)\") } } }"),
  .bad("func add() { do { try a() } ↓catch let e { os_log(\"%@\", e.localizedDescription) } }"),
  .bad("func drop() { do { try a() } ↓catch { Self.logger.error(\"\\(error)\") } }"),
]

private let logOnlyHandlerGood: [Example] = [
  .good(
    "func save() throws { do { try write() } catch { log.error(\"\\(error)\"); throw error } }"),
  .good(
    "func save() -> Bool { do { try f(); return true } catch { log.error(\"x\") }; return no }"),
  .good(
    "func refreshCache() { do { try load() } catch { log.error(\"\\(error)\") } }",
    because: "nobody waits for it"),
  .good("func save() { do { try write() } catch { log.error(\"\\(error)\"); failed = true } }"),
  .good("func run() { for x in all { do { try x() } catch { log.error(\"\\(error)\") } } }"),
]
