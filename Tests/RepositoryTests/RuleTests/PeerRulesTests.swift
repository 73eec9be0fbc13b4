// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct PeerRulesTests {
  private func proof(_ id: String, _ test: String) -> Proof {
    Proof(id: id, test: test, path: "Tests/A.swift", line: 1)
  }

  @Test func `counts each test and each suite of a trap once, and leaves the rest`() {
    let page = """
      - Mainstay's column counts.

      | | Trap | Mainstay | hyx 0.0.2 |
      |---|---|---|---|
      | P1 | A late result changes nothing | 11 tests | **falls** |
      | P2 | Slots are given back | open | – |
      | P3 | Nobody has tested this | 4 tests | holds |

      ### P1: A late result changes nothing
      """
    let proofs = [
      proof("P1", "ATests › one"), proof("P1", "ATests › two"), proof("P1", "ATests › two"),
      proof("P1", "BTests"), proof("P2", "BTests"),
    ]
    let counted = PeerRules.counted(page, proofs: proofs).split(separator: "\n")
    let rows = counted.filter { $0.hasPrefix("| P") }
    #expect(
      rows == [
        "| P1 | A late result changes nothing | 3 tests | **falls** |",
        "| P2 | Slots are given back | 1 test | – |",
        "| P3 | Nobody has tested this | open | holds |",
      ])
    #expect(counted.count == 7 && counted.last == "### P1: A late result changes nothing")
  }
}
