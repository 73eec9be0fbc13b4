// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct LifecycleRulesTests {
  private let diagram = """
    digraph Light {
      "start" -> "off" [label="mount"]
      "off" -> "on" [label="switch on,\\nwake"]
      "off" -> "on" [label="switch off", dir=back]
    }
    """
  private let picture = "<title>off</title><title>on</title>"

  private func page(_ states: [String], _ transitions: [String]) -> SourceFile {
    let rows = ["# Light", "## States", "| State | Means |", "|---|---|"] + states
    let table = ["", "## Transitions", "| Name | From | To | When |", "|---|---|---|---|"]
    return planted("A.md", (rows + table + transitions).joined(separator: "\n"))
  }

  private let states = ["| off | dark |", "| on | light |"]
  private let transitions = [
    "| mount | | off | it is bought |", "| switch on, wake | off | on | a hand |",
    "| switch off | any | off | a hand |",
  ]

  private func rules(
    _ states: [String], _ transitions: [String], pictures: [String]? = nil
  ) -> [String] {
    LifecycleRules.differences(
      page(states, transitions), heading: "## States", diagram: diagram,
      pictures: pictures ?? [picture, picture]
    ).map(\.rule)
  }

  @Test func `reads every name on an arrow`() {
    #expect(
      LifecycleRules.arrows(in: diagram).map(\.name) == [
        "mount", "switch on", "wake", "switch off",
      ])
  }

  @Test func `finds nothing where page and picture agree`() {
    #expect(rules(states, transitions) == [])
  }

  @Test func `finds a state that is not drawn, or in one theme only`() {
    #expect(rules(states + ["| broken | dark |"], transitions) == ["broken is not drawn"])
    #expect(
      rules(states, transitions, pictures: [picture, "<title>off</title>"]) == ["on is not drawn"])
  }

  @Test func `finds a state that is not described`() {
    #expect(rules([states[0]], transitions) == ["no row is about on"])
  }

  @Test func `finds an arrow without a row, and a row without an arrow`() {
    #expect(
      rules(states, Array(transitions.dropLast())) == ["no row has switch off, from on to off"])
    #expect(
      rules(states, transitions + ["| melt | on | off | heat |"]) == ["melt is not drawn"])
    #expect(
      rules(states, [transitions[0], "| switch on, wake | on | off | a hand |", transitions[2]])
        == ["no row has switch on, from off to on", "no row has wake, from off to on"])
  }

  @Test func `finds a page without tables`() {
    #expect(rules([], transitions).count == 1)
    #expect(rules(states, []).count == 1)
  }
}
