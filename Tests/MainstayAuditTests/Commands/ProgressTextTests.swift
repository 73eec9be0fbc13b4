// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Testing

/// The line that tells a person how far a long piece of work is.
@Suite struct ProgressTextTests {
  @Test func `the bar grows with what is done`() {
    let text = ProgressText("Verifying", total: 200)
    let bars = [(0, 0, 0), (1, 0, 0), (100, 15, 50), (199, 29, 99), (200, 30, 100)]
    for (done, filled, percent) in bars {
      let blocks =
        String(repeating: "█", count: filled) + String(repeating: "·", count: 30 - filled)
      #expect(text.bar(done) == "Verifying \(blocks) \(percent) %")
    }
  }

  @Test(arguments: [(300, 100), (-5, 0), (Int.max, 100)])
  func `what is counted wrongly leaves it between nothing and all`(done: Int, percent: Int) {
    let text = ProgressText("Looking", total: 200)
    #expect(text.percent(done) == percent)
    #expect(text.bar(done).count == text.bar(0).count + "\(percent)".count - 1)
  }

  @Test func `where there is nothing to do, nothing is divided by it`() {
    #expect(ProgressText("Looking", total: 0).percent(0) == 0)
    #expect(ProgressText("Looking", total: 0).percent(1) == 100)
  }
}
