// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct LayoutRulesTests {
  private let rows = [
    "| `Core` | all | `swift-log` | `CoreTests` | here |",
    "| `UI` | views | `Core` | `UITests` | planned |",
  ]

  private let manifest = Manifest(targets: [
    .init(name: "Core", type: "regular", dependencies: ["swift-log"]),
    .init(name: "CoreTests", type: "test", dependencies: ["Core", "TestSupport"]),
    .init(name: "TestSupport", type: "regular", dependencies: ["Anything"]),
  ])

  private func rules(_ manifest: Manifest, _ rows: [String]) -> [String] {
    let table = ["## Targets", "", "| Target | Holds |", "|---|---|"] + rows
    let page = planted("a.md", table.joined(separator: "\n"))
    return LayoutRules.violations(manifest, LayoutRules.entries(in: page)).map(\.rule)
  }

  private func adding(_ target: Manifest.Target) -> Manifest {
    Manifest(targets: manifest.targets + [target])
  }

  @Test func `accepts a manifest that keeps to the table`() {
    #expect(rules(manifest, rows).isEmpty)
  }

  @Test func `finds a target without a row`() {
    let more = adding(.init(name: "Extra", type: "regular", dependencies: []))
    #expect(rules(more, rows) == ["the target `Extra` is not in the table"])
  }

  @Test func `finds a dependency that the table does not allow`() {
    let row = "| `Core` | all | | `CoreTests` | here |"
    #expect(rules(manifest, [row, rows[1]]) == ["`Core` may not depend on `swift-log`"])
  }

  @Test func `allows what the rows before it may use`() {
    let view = Manifest.Target(name: "UI", type: "executable", dependencies: ["Core", "swift-log"])
    let tests = Manifest.Target(name: "UITests", type: "test", dependencies: ["UI"])
    let here = [rows[0], "| `UI` | views | `Core` | `UITests` | here |"]
    #expect(rules(Manifest(targets: manifest.targets + [view, tests]), here).isEmpty)
  }

  @Test func `finds arrows that lead up, and circles`() {
    let up = ["| `Core` | all | `swift-log`, `UI` | `CoreTests` | here |", rows[1]]
    #expect(rules(manifest, up) == ["`Core` stands above `UI`, which it depends on"])
    let own = ["| `Core` | all | `swift-log`, `Core` | `CoreTests` | here |", rows[1]]
    #expect(rules(manifest, own) == ["`Core` stands above `Core`, which it depends on"])
  }

  @Test func `finds states that do not hold`() {
    let early = [rows[0], "| `UI` | views | `Core` | `UITests` | here |"]
    #expect(rules(manifest, early) == ["`UI` is not in the manifest"])
    let late = ["| `Core` | all | `swift-log` | `CoreTests` | planned |", rows[1]]
    #expect(rules(manifest, late) == ["`Core` is in the manifest"])
    let odd = [rows[0], "| `UI` | views | `Core` | `UITests` | soon |"]
    #expect(rules(manifest, odd) == ["`UI` is `soon`"])
    #expect(rules(manifest, [rows[0], "| `UI` | views |"]) == ["`UI` is ``"])
  }

  @Test func `finds a target without tests`() {
    let untested = ["| `Core` | all | `swift-log` | `UITests` | here |", rows[1]]
    #expect(rules(manifest, untested) == ["no test target `UITests` depends on `Core`"])
    let silent = ["| `Core` | all | `swift-log` | | here |", rows[1]]
    #expect(rules(manifest, silent) == ["`Core` names no tests"])
  }

  @Test func `finds targets that are equal ignoring case`() {
    let more = adding(.init(name: "CORE", type: "regular", dependencies: []))
    #expect(
      LayoutRules.equalIgnoringCase(more).map(\.rule) == ["targets differ only in case: CORE, Core"]
    )
    #expect(LayoutRules.equalIgnoringCase(manifest).isEmpty)
  }
}
