// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayJSONRPC
import TestSupport
import Testing

/// The module's part of `Documentation/Strategy.md`.
@Suite struct JSONRPCStrategyTests {
  private func row(_ error: AppError, code: String? = nil) -> StrategyPage.Row {
    StrategyPage.Row(
      code: code ?? error.code.rawValue, kind: error.kind.rawValue,
      disposition: String(String(describing: error.disposition).prefix { $0 != "(" }),
      severity: error.severity.rawValue, title: error.title.description)
  }

  @Test(.requirement("A50", "A41")) func `the page says what becomes of a call`() throws {
    let repeatable = [true, false]
    let answers = JSONRPCErrorCatalog.standard.entries.flatMap { entry in
      repeatable.map {
        row(
          JSONRPCError(code: entry.code, message: "", method: "a", isRepeatable: $0).asAppError)
      }
    }
    let unknown = row(
      JSONRPCError(code: 1, message: "", method: "a").asAppError, code: "jsonrpc.<number>")
    let ends = JSONRPCConnectionError.Reason.all.flatMap { reason in
      repeatable.map {
        row(
          JSONRPCConnectionError(reason, method: "a", wasSent: !$0, isRepeatable: $0).asAppError)
      }
    }
    let lines =
      [
        "", "## MainstayJSONRPC", "",
        "What servers answer, then how calls end without an answer: not sent, and sent with an",
        "outcome that nobody knows.", "",
      ]
      + StrategyPage.policies(
        """
        a time limit of each call, 30 seconds; at most 64 calls on their way and 1,000 that wait; \
        a WebSocket is opened again after 0.2 to 20 seconds. No call is sent twice.
        """)
      + [""] + StrategyPage.table(of: answers + [unknown] + ends) + [""]
    let written = try StrategyPage.section(of: "MainstayJSONRPC", writing: lines)
    #expect(written == lines, "\(StrategyPage.path) is stale. Run `make requirements`.")
  }
}
