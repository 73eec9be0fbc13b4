// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct TestRulesTests {
  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "Thread.sleep(forTimeInterval: 1)", "usleep(5)",
    "sleep(1)", "try await ContinuousClock().sleep(for: a)", "Task<Never, Never>.sleep(a)",
  ])
  func `finds a test that sleeps`(call: String) {
    #expect(TestRules.sleeping([planted("Tests/ATests/A.swift", "\n\(call)")]).lines == [2])
  }

  @Test func `spares a manual clock`() {
    let text = "func sleep(until: Int) {}\nclock.sleep(for: a) // Task.sleep\nlet a = \"sleep(1)\""
    #expect(TestRules.sleeping([planted("Tests/ATests/A.swift", text)]).isEmpty)
  }

  @Test(arguments: [".disabled()", ".disabled(\"later\")", ".enabled(if: false)"])
  func `finds a test that does not always run`(trait: String) {
    #expect(TestRules.skipping([planted("@Test(\(trait)) func a() {}")]).lines == [1])
  }

  @Test(arguments: ["Launch.run(a)", "let a = Process()", "try await BuiltProgram(a)"])
  func `finds programs beside exit tests`(start: String) {
    let exit = "await #expect(processExitsWith: .failure) {}\n"
    let files = ["", exit].map { planted("Tests/ATests/A.swift", $0 + start) }
    #expect(TestRules.exitTestsBesidePrograms(files).lines == [2])
  }

  @Test func `finds internals outside tests of pure parts`() {
    let text = "import A\n@testable import B"
    #expect(
      TestRules.testableImports([planted("Tests/BTests/RetryTests.swift", text)]).lines == [2])
    let pure = planted("Tests/BTests/BreakerStateMachineTests.swift", text)
    #expect(TestRules.testableImports([pure]).isEmpty)
  }
}
