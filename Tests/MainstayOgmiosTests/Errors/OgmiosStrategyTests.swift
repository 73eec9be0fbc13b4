// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayOgmios
import TestSupport
import Testing

/// The module's part of `Documentation/Strategy.md`.
@Suite struct OgmiosStrategyTests {
  @Test(.requirement("A50", "A41")) func `the page says what becomes of an error`() async throws {
    let early = Data(#"{"validityInterval":{"invalidBefore":2},"currentSlot":1}"#.utf8)
    let answers = OgmiosErrorCatalog.entries.map {
      OgmiosError(code: $0.code, message: "", method: "nextBlock")
    }
    let waiting = OgmiosError(
      code: 3118, message: "", data: JSONValue(json: early), method: "submitTransaction")
    let unknown = OgmiosError(code: 9999, message: "", method: "nextBlock")
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let format = await #expect(throws: OgmiosError.self) {
      try await client.transactions.submit(cbor: "XY")
    }
    let method = await #expect(throws: OgmiosError.self) {
      try await client.chainSync.nextBlock()
    }
    let unreadable = #expect(throws: OgmiosError.self) {
      try client.ledgerStateQuery.epoch.request.read(.null)
    }
    let all = answers + [waiting, unknown] + [format, method, unreadable].compactMap(\.self)
    let rows = all.map(\.appError).map { error in
      StrategyPage.Row(
        code: error.code.rawValue, kind: error.kind.rawValue,
        disposition: String(String(describing: error.disposition).prefix { $0 != "(" }),
        severity: error.severity.rawValue, title: error.title.description)
    }
    let lines =
      [
        "", "## MainstayOgmios", "",
        "What a server answers, and what is not even sent. An endpoint that fails, and an answer",
        "that does not come, are the rows of the core.", "",
      ]
      + StrategyPage.policies(
        "three attempts of each call, one second apart; for each endpoint a breaker that opens "
          + "after five failures, for 30 seconds. There is a time limit of 30 seconds for each "
          + "answer, and of 10 minutes for the next block.")
      + [""] + StrategyPage.table(of: rows) + [""]
    let written = try StrategyPage.section(of: "MainstayOgmios", writing: lines)
    #expect(written == lines, "\(StrategyPage.path) is stale. Run `make requirements`.")
  }
}
