// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct LifecycleRulesTests {
  private let diagram = """
    digraph Light {
      subgraph cluster_lit {
        graph [label="lit"]
        "on"
        "dimmed"
        {
          rank=same
          "on" -> "dimmed" [label="dim"]
        }
      }
      "start" -> "off" [label="mount"]
      "off" -> "on" [lhead=cluster_lit, label="switch on,\\nwake"]
      "off" -> "on" [lhead=cluster_lit, label="switch off", dir=back]
    }
    """
  private let picture = """
    <title>off</title><title>on</title><title>dimmed</title>
    <g class="edge"><title>on-&gt;dimmed</title><text x="1">dim</text></g>
    <g class="edge"><title>start-&gt;off</title><text x="1">mount</text></g>
    <g class="edge"><title>off-&gt;on</title><text>switch on,</text><text>wake</text></g>
    <g class="edge"><title>off-&gt;on</title><text>switch off</text></g>
    <text>a caption</text>
    """

  private func page(_ states: [String], _ transitions: [String]) -> SourceFile {
    let rows = ["# Light", "## States", "| State | Means |", "|---|---|"] + states
    let table = ["", "## Transitions", "| Name | From | To | When |", "|---|---|---|---|"]
    return planted("A.md", (rows + table + transitions).joined(separator: "\n"))
  }

  private let states = ["| off | dark |", "| on | light |", "| dimmed | some light |"]
  private let transitions = [
    "| mount | | off | it is bought |",
    "| switch on, wake | off | on, or dimmed: as before | a hand |",
    "| switch off | on, dimmed | off | a hand |", "| dim | on | dimmed; no less | a hand |",
  ]

  private func rules(
    _ states: [String], _ transitions: [String], pictures: [String]? = nil
  ) -> [String] {
    LifecycleRules.differences(
      page(states, transitions), heading: "## States", diagram: diagram,
      pictures: pictures ?? [picture, picture]
    ).map(\.rule)
  }

  /// The rules about a table in which one row is another one.
  private func rules(replacing row: Int, with other: String) -> [String] {
    var rows = transitions
    rows[row] = other
    return rules(states, rows)
  }

  @Test func `reads every name on an arrow, and the states of a frame`() {
    let arrows = LifecycleRules.arrows(in: diagram)
    #expect(arrows.map(\.name) == ["dim", "mount", "switch on", "wake", "switch off"])
    #expect(arrows[3].from == ["off"] && arrows[3].to == ["on", "dimmed"])
    #expect(arrows[4].from == ["on", "dimmed"] && arrows[4].to == ["off"])
  }

  @Test func `finds nothing where page and picture agree`() {
    #expect(rules(states, transitions) == [])
  }

  @Test func `finds a state that is not drawn, or in one theme only`() {
    #expect(rules(states + ["| broken | dark |"], transitions) == ["broken is not drawn"])
    let other = picture.replacing("<title>on</title>", with: "")
    #expect(rules(states, transitions, pictures: [picture, other]) == ["on is not drawn"])
  }

  @Test func `finds a state that is not described, and one that there is not`() {
    let rules = rules(Array(states.dropLast()), transitions)
    #expect(rules.first == "no row is about dimmed")
    #expect(Set(rules.dropFirst()) == ["“dimmed” is no state"])
    #expect(
      self.rules(replacing: 0, with: "| mount | | off or on | it is bought |").first
        == "“off or on” is no state")
  }

  @Test func `finds an arrow without a row, also one of several from a frame`() {
    #expect(
      rules(states, Array(transitions.dropLast())) == ["no row has dim, from on to dimmed"])
    #expect(
      rules(replacing: 2, with: "| switch off | on | off | a hand |")
        == ["no row has switch off, from dimmed to off"])
    #expect(
      rules(replacing: 1, with: "| switch on | off | on | a hand |")
        == ["no row has wake, from off to on or dimmed"])
  }

  @Test func `finds a row without an arrow, also between two of its states`() {
    #expect(
      rules(states, transitions + ["| melt | on | off | heat |"])
        == ["melt is not drawn from on to off"])
    #expect(
      rules(replacing: 3, with: "| dim | on, off | dimmed | a hand |")
        == ["dim is not drawn from off to dimmed"])
    #expect(
      rules(replacing: 0, with: "| mount | | off, on | it is bought |")
        == ["mount is not drawn from start to on"])
  }

  @Test func `finds a picture that is older than its diagram`() {
    for (old, new) in [("off-&gt;on", "on-&gt;off"), ("<text>wake</text>", "")] {
      let other = picture.replacing(old, with: new)
      #expect(
        rules(states, transitions, pictures: [picture, other])
          == ["a picture has other arrows than its diagram"])
    }
  }

  @Test func `finds a page without tables`() {
    #expect(rules([], transitions).count == 1)
    #expect(rules(states, []).count == 1)
  }
}
