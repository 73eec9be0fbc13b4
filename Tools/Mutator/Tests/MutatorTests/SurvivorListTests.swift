// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Mutator

@Suite struct SurvivorListTests {
  private static let text = """
    # About the list.

    Backoff.swift
    - let a = b < c
    + let a = b <= c
    = They are never equal,
    = by construction.

    Backoff.swift #2
    - let a = b < c
    + let a = b <= c
    = Likewise.
    """

  private static func key(_ occurrence: Int = 1) -> Mutant.Key {
    Mutant.Key(
      file: "Backoff.swift", original: "let a = b < c", mutated: "let a = b <= c",
      occurrence: occurrence)
  }

  private static func result(
    _ fate: Campaign.Fate, _ occurrence: Int = 1
  ) -> (mutant: Mutant, fate: Campaign.Fate) {
    (
      Mutant(number: occurrence, kind: .comparison, line: 9, key: key(occurrence)), fate
    )
  }

  @Test func `a list is read, block by block`() throws {
    let list = try SurvivorList(Self.text)
    #expect(list.entries.map(\.key) == [Self.key(), Self.key(2)])
    #expect(list.entries.map(\.reason) == ["They are never equal, by construction.", "Likewise."])
    #expect(list.entries.map(\.line) == [3, 9])
    #expect(try SurvivorList("# Nothing\n").entries.isEmpty)
  }

  @Test(arguments: [
    "A.swift\n- a\n+ b\n", "A.swift\n- a\n= why\n", "A.swift\n- a\n+ b\n=\n",
    "A.swift #x\n- a\n+ b\n= why\n",
  ])
  func `a list with a mistake is refused, with the line`(text: String) throws {
    let error = try #require(throws: MutatorFailure.self) { try SurvivorList("\n" + text) }
    #expect(error.description.hasPrefix("Line 2 "))
  }

  @Test func `what a report prints can be copied into the list`() throws {
    let block = SurvivorList.block(for: Self.key(2)) + "\n= Why not.\n"
    #expect(try SurvivorList(block).entries.map(\.key) == [Self.key(2)])
  }

  @Test func `listed survivors do not count`() throws {
    let list = try SurvivorList(Self.text)
    let report = MutationReport(
      [
        Self.result(.survived), Self.result(.notReached, 2), Self.result(.survived, 3),
        Self.result(.killed(by: "a test"), 4), Self.result(.timedOut, 5),
        Self.result(.notCompiled("types"), 6), Self.result(.killed(by: "a test"), 7),
      ], known: list)
    #expect(report.score == 75)
    #expect(report.survivors.map(\.mutant.number) == [3])
    #expect(report.stale.isEmpty)
    #expect(report.isGood(minimumScore: 75) && !report.isGood(minimumScore: 75.1))
    #expect(report.text.contains("| all | 7 | 2 | 1 | 1 | 2 | 1 | 75.0 % |"))
  }

  @Test func `a listed mutant that is killed now makes the list untrue`() throws {
    let list = try SurvivorList(Self.text)
    let report = MutationReport(
      [Self.result(.killed(by: "a test")), Self.result(.survived, 2)], known: list)
    #expect(report.stale.map(\.line) == [3])
    #expect(report.score == 100 && !report.isGood(minimumScore: 95))
  }

  @Test func `what does not compile may stay on the list, what is gone may not`() throws {
    let list = try SurvivorList(Self.text)
    let uncompiled = MutationReport(
      [Self.result(.notCompiled("types")), Self.result(.survived, 2)], known: list)
    #expect(uncompiled.stale.isEmpty)
    #expect(MutationReport([Self.result(.survived, 2)], known: list).stale.map(\.line) == [3])
  }

  @Test func `what is listed of files that were not looked at is not stale`() throws {
    let other = try SurvivorList("Other.swift\n- a\n+ b\n= why\n")
    #expect(MutationReport([Self.result(.timedOut)], known: other).stale.isEmpty)
  }

  @Test(arguments: [
    ("RetryStateMachine.swift", "^T\\.\\w*Retry"),
    ("RetryStateMachine+Waits.swift", "^T\\.\\w*Retry"),
    ("SlidingWindow.swift", "^T\\.\\w*SlidingWindow"), ("Backoff.swift", "^T\\.\\w*Backoff"),
  ])
  func `tests are chosen by the name of the file`(file: String, filter: String) {
    #expect(Trial.filter(for: file, tests: "T") == filter)
  }
}
