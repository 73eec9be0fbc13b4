// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension Site {
  /// What each pipeline does to a call, the worst that can happen, and what looks like a mistake.
  func pipelines() -> Page {
    var page = Page(
      title: "Pipelines", place: "\(root)/pipelines",
      lead: "From the outside in: what stands first sees a call first.", live: .circuits)
    // Two may have one name, and each needs its own place on the page.
    let names = dashboard.pipelines.map(\.name).numbered
    page.sections = zip(dashboard.pipelines, names).flatMap { pipeline, name in
      [section(pipeline, name)]
        + (pipeline.findings.isEmpty ? [] : [Self.findings(of: pipeline, name)])
    }
    return page
  }

  private func section(_ pipeline: PipelineExplanation, _ name: String) -> Page.Section {
    var section = Page.Section("Pipeline \(name)")
    section.steps =
      pipeline.stages.map { Page.Step(title: $0.title, words: $0.words) }
      + [Page.Step(title: "The operation", words: "")]
    let time =
      pipeline.longestTime.map { Page.Cell($0.inWords) }
      ?? Page.Cell("no limit: \(pipeline.unboundedBecause ?? "nothing bounds it")", tone: .warn)
    section.facts = [
      Page.Fact("Longest time", time),
      Page.Fact(
        "Calls of the operation",
        Page.Cell(
          pipeline.maximumCalls == .max
            ? "no limit" : "at most \(Words.number(pipeline.maximumCalls))")),
      Page.Fact(
        "Findings",
        pipeline.findings.isEmpty
          ? Page.Cell("none", tone: .good)
          : Page.Cell("\(pipeline.findings.count)", tone: .warn)),
    ]
    if let counts = dashboard.tally?.counts(of: pipeline.name) {
      var parts = [
        "\(Words.number(counts.rejected)) refused", "\(Words.number(counts.failed)) failed",
        "\(Words.number(counts.timedOut)) took too long",
      ]
      // Where none was told, nobody knows whether there was none.
      if counts.attemptsFailed > 0 {
        parts.append("\(Words.plural(counts.attemptsFailed, "attempt", "attempts")) failed")
      }
      section.facts.append(Page.Fact("So far", "\(parts.joined(separator: ", "))"))
    }
    return section
  }

  private static func findings(
    of pipeline: PipelineExplanation, _ name: String
  ) -> Page.Section {
    Page.Section(
      "Findings in \(name)", ["Rule", "What is the matter", "What to do"],
      pipeline.findings.map { finding in
        Page.Row(
          Page.Cell(
            "\(finding.rule.rawValue)", tone: finding.severity >= .warning ? .warn : .quiet),
          "\(finding.message)", "\(finding.cure)")
      }, empty: "There is nothing to find fault with.")
  }
}
