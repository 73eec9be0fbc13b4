// SPDX-License-Identifier: Apache-2.0

import InventoryDemo
import TestSupport
import Testing

@Suite struct ProgressLineTests {
  private func lines(
    isTerminal: Bool, _ environment: [String: String] = [:], _ body: (ProgressLine) -> Void
  ) -> [String] {
    let log = Log()
    body(ProgressLine(isTerminal: isTerminal, environment: environment) { log.add($0) })
    return log.lines
  }

  @Test func `a terminal has one line that is drawn again`() {
    let written = lines(isTerminal: true) { progress in
      progress.show("slow", 0.5, "3 accepted")
      progress.show("slow", 0.5, "4 accepted")
      progress.end()
    }
    #expect(written.count == 3 && written.allSatisfy { $0.hasPrefix("\r\u{1B}[K") })
    #expect(written[1].contains(" 50 %  slow, 4 accepted") && written[1].contains("\u{1B}[32m"))
    #expect(written[2] == "\r\u{1B}[K")
  }

  @Test func `NO_COLOR forbids colour, and only if it is not empty`() {
    let plain = lines(isTerminal: true, ["NO_COLOR": "1"]) { $0.show("slow", 0.5, "") }
    #expect(plain == ["\r\u{1B}[K[============            ]  50 %  slow"])
    let coloured = lines(isTerminal: true, ["NO_COLOR": ""]) { $0.show("slow", 0.5, "") }
    #expect(coloured[0].contains("\u{1B}[32m"))
  }

  @Test func `elsewhere each stage is a line, without colour`() {
    let written = lines(isTerminal: false) { progress in
      progress.show("slow", -1, "3 accepted")
      progress.show("slow", 0.2, "4 accepted")
      progress.show("draining", 7, "")
      progress.end()
    }
    #expect(written == ["  0 %  slow\n", "100 %  draining\n"])
  }
}
