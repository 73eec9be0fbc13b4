// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let errorRedactedInOSLog = Rule(
    "MS704", "error-redacted-in-oslog", .info, .strict, serves: ["D28"],
    summary: "The system's log hides the text of an error, since no privacy is given.",
    why: "In the log of a released app it reads `<private>`: the line says that something failed, "
      + "and not what.",
    guess: "A name that is declared as a `Logger` where `os` is imported is one.",
    onPurpose: "`privacy: .private`, which says that it may hold personal data.",
    remedy: .unsafe("Adds `privacy: .public`; look for personal data first."),
    examples: errorRedactedBad + errorRedactedGood,
    checks: .call { call, file in
      guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        logLevels.contains(access.declName.baseName.text), let logger = call.receiver?.lastName,
        !file.imports.isDisjoint(with: ["os", "OSLog"]),
        let literal = call.arguments.lazy.compactMap({
          $0.expression.as(StringLiteralExprSyntax.self)
        }).first
      else { return }
      let hidden = literal.interpolations.filter(\.isHiddenError)
      guard let first = hidden.first?.expressions.first?.expression else { return }
      file.report(
        call, "`\(first.trimmedDescription)` is hidden in the log of a released app",
        fix: Fix(
          isSafe: false, title: "make it public",
          edits: hidden.compactMap(\.expressions.last).map { part in
            let end = part.endPositionBeforeTrailingTrivia.utf8Offset
            return Edit(end..<end, ", privacy: .public")
          }),
        when: { $0.systemLoggers.contains(logger) })
    })
}

private let logLevels: Set<String> = [
  "error", "fault", "critical", "warning", "notice", "info", "debug", "trace",
]

extension ExpressionSegmentSyntax {
  /// Whether it holds an error, or what an error says, and no privacy.
  fileprivate var isHiddenError: Bool {
    guard expressions.count == 1, let value = expressions.first?.expression else { return false }
    if value.isNamedError { return true }
    guard let access = value.core.as(MemberAccessExprSyntax.self) else {
      guard let call = value.core.as(FunctionCallExprSyntax.self), call.name == "String" else {
        return false
      }
      return call.firstArgument?.isNamedError ?? false
    }
    let isText = ["localizedDescription", "debugDescription", "description"].contains(
      access.declName.baseName.text)
    return isText && access.base?.isNamedError ?? false
  }
}

extension ExprSyntax {
  fileprivate var isNamedError: Bool {
    guard kind == .declReferenceExpr || kind == .memberAccessExpr, let name = lastName else {
      return false
    }
    return words(of: name).last == "error" || name == "err" || knownError != nil
  }
}

private let errorRedactedBad: [Example] = [
  .bad(
    """
    import os
    let logger = Logger(subsystem: "app", category: "sync")
    do { try f() } catch { ↓logger.error("\\(error)") }
    """,
    fixed: """
      import os
      let logger = Logger(subsystem: "app", category: "sync")
      do { try f() } catch { logger.error("\\(error, privacy: .public)") }
      """),
  .bad(
    """
    import OSLog
    struct Sync {
      private static let log = Logger(subsystem: "app", category: "sync")
      func run() {
        do { try f() } catch let problem {
          ↓Self.log.fault("sync failed: \\(problem.localizedDescription)")
        }
      }
    }
    """),
  .bad(
    """
    import OSLog
    do { try f() } catch { ↓Log.sync.error("failed: \\(String(describing: error))") }
    """,
    others: [
      "Sources/App/Log.swift": "import os\nenum Log { static let sync = Logger(category: \"s\") }"
    ]),
  .bad(
    """
    import os
    final class Store {
      let logger: Logger
      func tell(_ saveError: SaveError) { ↓logger.warning("not saved: \\(saveError)") }
    }
    """),
  .bad(
    """
    import os
    let logger = Logger()
    do { try f() } catch {
      ↓logger.error("\\(name, privacy: .public) failed: \\(error) \\(error.localizedDescription)")
    }
    """),
]

private let errorRedactedGood: [Example] = [
  .good(
    """
    import os
    let logger = Logger(subsystem: "app", category: "sync")
    do { try f() } catch { logger.error("\\(error, privacy: .public)") }
    """),
  .good(
    """
    import Logging
    let logger = Logger(label: "app")
    do { try f() } catch { logger.error("\\(error)") }
    """, because: "that logger hides nothing"),
  .good(
    """
    import os
    do { try f() } catch { appLog.error("\\(error)") }
    """, because: "nothing says that it is the system's"),
  .good(
    """
    import os
    let logger = Logger()
    func f() { logger.info("\\(count) items") }
    """, because: "it is no error"),
  .good(
    """
    import os
    let logger = Logger()
    do { try f() } catch { logger.error("\\(error, privacy: .private)") }
    """),
]
