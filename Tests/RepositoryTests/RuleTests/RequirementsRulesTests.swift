// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct RequirementsRulesTests {
  private var complete: String { Requirements.ids.map { "\($0)\tdoes it\n" }.joined() }

  private func rules(_ list: String) -> [String] {
    Requirements(list: list).violations().map(\.rule)
  }

  @Test func `there are 301 ids`() {
    #expect(Requirements.ids.count == 58 + 43 + 25 + 39 + 35 + 22 + 40 + 39)
    #expect(Set(Requirements.ids).count == Requirements.ids.count)
  }

  @Test func `finds ids that are missing, doubled or unknown`() {
    #expect(rules(complete).isEmpty)
    #expect(rules(String(complete.dropFirst("A1\tdoes it\n".count))) == ["`A1` is missing"])
    #expect(rules(complete + "A1\tagain") == ["`A1` stands here twice", "`A1` stands here twice"])
    #expect(rules(complete + "A59\tinvented") == ["`A59` is not an id"])
  }

  @Test func `finds texts that are missing or too long`() {
    let long = complete.replacing("A2\tdoes it", with: "A2\t1 2 3 4 5 6 7 8 9 10 11 12 13")
    #expect(rules(long) == ["`A2` takes 13 words"])
    #expect(rules(complete.replacing("E9\tdoes it", with: "E9")) == ["`E9` has no text"])
  }

  private let tests = planted(
    "Tests/MainstayTests/RetryTests.swift",
    """
    @Suite(.requirement("A42")) struct RetryTests {
      // @Test(.requirement("A1")) func no() {}
      @Test(.timeLimit(.minutes(1)), .requirement("A7", "T7"))
      @MainActor func `stops when (really) cancelled`() async {}
      @Test func plain() {}
      struct Inner {
        @Test("named", .requirement("Z1"), arguments: [1]) func other(a: Int) {}
      }
    }
    """)

  @Test func `reads the traits of tests and suites`() {
    let proofs = Proof.proofs(in: [tests])
    #expect(
      proofs.map { "\($0.line) \($0.id) \($0.test)" } == [
        "3 A7 RetryTests › stops when (really) cancelled",
        "3 T7 RetryTests › stops when (really) cancelled",
        "7 Z1 RetryTests.Inner › other",
        "1 A42 RetryTests",
      ])
    #expect(Requirements.unknownIDs(in: proofs).map(\.line) == [7])
  }

  @Test func `writes proofs, decisions and what is open`() {
    let list =
      "A7\tretries\nA8\twaits|grows\nT7\tleaks\t[0002](Decisions/0002.md)\nB1\tshows\t[0003](x)"
    let page = Requirements(list: list).markdown(proofs: Proof.proofs(in: [tests]))
    #expect(
      page.contains("Of 4, 2 are proved by tests, 1 are settled by a decision, and 1 are open."))
    #expect(page.contains("| A7 | retries | RetryTests › stops when (really) cancelled |\n"))
    #expect(page.contains("| A8 | waits\\|grows | open |\n"))
    #expect(page.contains("| B1 | shows | [0003](x) |\n"))
  }
}
