// SPDX-License-Identifier: Apache-2.0

/// What came of a campaign, beside the list of known survivors.
public struct MutationReport: Sendable {
  /// Every mutant and its fate.
  public let results: [(mutant: Mutant, fate: Campaign.Fate)]
  /// Those that survived and are on the list, with the reason.
  public let known: [(mutant: Mutant, reason: String)]
  /// Those that survived and are not on the list.
  public let survivors: [(mutant: Mutant, fate: Campaign.Fate)]
  /// What the list says of these files and is no longer so.
  public let stale: [SurvivorList.Entry]

  /// Compares results with the list.
  public init(_ results: [(mutant: Mutant, fate: Campaign.Fate)], known list: SurvivorList) {
    self.results = results
    let reasons = Dictionary(
      list.entries.map { ($0.key, $0.reason) }, uniquingKeysWith: { first, _ in first })
    let alive = results.filter(\.fate.isAlive)
    known = alive.compactMap { result in
      reasons[result.mutant.key].map { (result.mutant, $0) }
    }
    survivors = alive.filter { reasons[$0.mutant.key] == nil }
    let files = Set(results.map(\.mutant.key.file))
    // Which of several on a line the compiler is said to mind differs from build to build.
    let keys = Set(results.filter { !$0.fate.isKilled }.map(\.mutant.key))
    stale = list.entries.filter { files.contains($0.key.file) && !keys.contains($0.key) }
  }

  /// How many of 100 mutants were noticed, those aside that compile to nothing or are on the list.
  public var score: Double { Self.score(killed: killed, alive: survivors.count) }

  private var killed: Int { results.filter(\.fate.isKilled).count }

  private static func score(killed: Int, alive: Int) -> Double {
    killed + alive == 0 ? 100 : 100 * Double(killed) / Double(killed + alive)
  }

  /// Whether the score is good enough and the list is true.
  public func isGood(minimumScore: Double) -> Bool { score >= minimumScore && stale.isEmpty }

  /// The report as Markdown.
  public var text: String {
    var lines = [
      "| File | Mutants | Killed | Timed out | Survived | Listed | Not compiled | Score |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for file in Set(results.map(\.mutant.key.file)).sorted() {
      lines.append(row(file) { $0.key.file == file })
    }
    lines.append(row("all") { _ in true })
    lines += ["", "Survivors that are not listed: \(survivors.count)"]
    for (mutant, fate) in survivors {
      let unreached = fate == .notReached ? " (not reached)" : ""
      lines += ["", "\(mutant.key.file):\(mutant.line) \(mutant.kind.rawValue)\(unreached)"]
      lines += ["- \(mutant.key.original)", "+ \(mutant.key.mutated)"]
      if mutant.key.occurrence > 1 { lines.append("#\(mutant.key.occurrence)") }
    }
    lines += stale.isEmpty ? [] : ["", "Listed, and no longer so: \(stale.count)"]
    for entry in stale {
      lines += ["", "line \(entry.line)", SurvivorList.block(for: entry.key)]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Every mutant and what became of it, one a line: who noticed it, or why it was left out.
  public var fates: String {
    results.map { mutant, fate in
      "\(mutant.key.file):\(mutant.line)\t- \(mutant.key.original)\t+ \(mutant.key.mutated)"
        + "\t\(fate)\n"
    }.joined()
  }

  private func row(_ name: String, _ isCounted: (Mutant) -> Bool) -> String {
    let counted = results.filter { isCounted($0.mutant) }
    let killed = counted.filter(\.fate.isKilled).count
    let timedOut = counted.filter { $0.fate == .timedOut }.count
    let alive = survivors.filter { isCounted($0.mutant) }.count
    let listed = known.filter { isCounted($0.mutant) }.count
    let uncompiled = counted.count - killed - alive - listed
    let score = (Self.score(killed: killed, alive: alive) * 10).rounded(.down) / 10
    return "| \(name) | \(counted.count) | \(killed - timedOut) | \(timedOut) | \(alive) "
      + "| \(listed) | \(uncompiled) | \(score) % |"
  }
}

extension Campaign.Fate {
  /// Whether no test noticed it.
  var isAlive: Bool { self == .survived || self == .notReached }

  /// Whether a test noticed it, if only by never ending.
  var isKilled: Bool {
    if case .killed = self { true } else { self == .timedOut }
  }
}
