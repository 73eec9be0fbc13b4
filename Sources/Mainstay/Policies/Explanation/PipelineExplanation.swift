// SPDX-License-Identifier: Apache-2.0

/// What a ``Pipeline`` does to a call: its stages in words, the worst that can happen, and what
/// looks like a mistake.
///
/// Its ``description`` is a page to read. In a test its findings are an assertion:
///
/// ```swift
/// #expect(catalog.explain().findings.isEmpty)
/// ```
///
/// It knows what stands in the pipeline, not how the program uses it: a pipeline that is made anew
/// for each call, so that its breaker never learns anything, looks like any other.
public struct PipelineExplanation: Sendable, Hashable {
  /// One stage in words.
  public struct Stage: Sendable, Hashable {
    /// The policy, with the name of its own where it has one.
    public let title: String
    /// What it does to the calls through it.
    public let words: String
  }

  /// Something about the order or the settings of the stages that looks like a mistake.
  public struct Finding: Sendable, Hashable {
    /// Which rule found it; the set is open.
    public struct Rule: Sendable, Hashable {
      /// The name of the rule, in lower case with hyphens.
      public let rawValue: String

      /// Makes the name of a rule.
      public init(_ rawValue: StaticString) { self.rawValue = rawValue.description }
    }

    /// Which rule found it.
    public let rule: Rule
    /// How bad it is: `warning` where something does not work as it reads, `info` where it works
    /// but costs more than it seems.
    public let severity: Severity
    /// What is the matter, in a sentence.
    public let message: String
    /// What to do about it, in a sentence.
    public let cure: String
  }

  /// The name of the pipeline.
  public let name: String
  /// Its stages, the outermost first.
  public let stages: [Stage]
  /// How often the operation runs at most for one call: what an outage multiplies the load by.
  ///
  /// `Int.max` where it is more than fits.
  public let maximumCalls: Int
  /// How long one call takes at most, as long as the operation heeds its cancellation; nil where
  /// nothing bounds it.
  public let longestTime: Duration?
  /// Why nothing bounds the time; nil where something does.
  public let unboundedBecause: String?
  /// What looks like a mistake, from the outside in.
  public let findings: [Finding]

  /// - Parameters:
  ///   - name: The name of the pipeline.
  ///   - summaries: Its stages, the outermost first.
  ///   - hasFallback: Whether another function is called for a call that failed.
  ///   - hasOtherClock: Whether its own clock is not that of the system.
  init(
    name: String, summaries: [StageSummary], hasFallback: Bool = false, hasOtherClock: Bool = false
  ) {
    self.name = name
    let words = "calls another function where the call has failed, outside of all limits"
    let fallback = hasFallback ? [Stage(title: "Fallback", words: words)] : []
    stages = fallback + summaries.map { Stage(title: $0.title, words: $0.words) }
    let worst = WorstCase(of: summaries)
    maximumCalls = worst.calls
    switch worst.time {
    case _ where hasFallback:
      (longestTime, unboundedBecause) = (nil, "the fallback has no time limit")
    case .atMost(let time): (longestTime, unboundedBecause) = (time, nil)
    case .unbounded(let reason): (longestTime, unboundedBecause) = (nil, reason)
    }
    findings =
      PipelineRules.findings(in: summaries)
      + (hasOtherClock ? PipelineRules.mixedClocks(summaries) : [])
  }
}

extension PipelineExplanation.Finding: CustomStringConvertible {
  /// Severity, rule, what is the matter and what to do about it, in one line.
  public var description: String {
    "\(severity.rawValue) \(rule.rawValue): \(message) \(cure)"
  }
}

extension PipelineExplanation: CustomStringConvertible {
  /// A page about the pipeline: its stages, the worst case and the findings.
  public var description: String {
    var lines = ["Pipeline \"\(name)\", from the outside in:"]
    for (index, stage) in stages.enumerated() {
      lines.append("  \(index + 1). \(stage.title): \(stage.words)")
    }
    lines.append("  \(stages.count + 1). the operation")
    let calls = maximumCalls == 1 ? "1 call" : "\(maximumCalls) calls"
    lines.append("At most \(calls) of the operation.")
    lines.append(
      longestTime.map { "At most \($0.inWords)." }
        ?? "No longest time: \(unboundedBecause ?? "nothing bounds it").")
    lines += findings.isEmpty ? ["No findings."] : findings.map(\.description)
    return lines.joined(separator: "\n")
  }
}

extension Pipeline {
  /// Says what this pipeline does to a call, and what about it looks like a mistake.
  ///
  /// - Returns: The stages in words, the worst case and the findings.
  public func explain() -> PipelineExplanation {
    PipelineExplanation(name: name, summaries: summaries, hasOtherClock: reports.hasOtherClock)
  }
}
