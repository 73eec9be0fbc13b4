// SPDX-License-Identifier: Apache-2.0

/// The manifest against the table of targets in `Documentation/Architecture.md`.
enum LayoutRules {
  static let page = "Documentation/Architecture.md"
  static let heading = "## Targets"

  /// A row of the table.
  struct Entry {
    let target: String

    /// The targets and packages that its row names.
    let named: Set<String>

    /// The test target that covers it.
    let tests: String?

    /// `here` or `planned`.
    let state: String
    let line: Int
  }

  static func entries(in page: SourceFile) -> [Entry] {
    MarkdownTable(under: heading, in: page).rows.map { row in
      // A row that is too short has an empty state, which is found below.
      let cells = row.cells + Array(repeating: "", count: 5)
      return Entry(
        target: cells[0].codeSpans.first ?? cells[0], named: Set(cells[2].codeSpans),
        tests: cells[3].codeSpans.first, state: cells[4], line: row.line)
    }
  }

  /// Everything that is wrong with the table or with the manifest.
  static func violations(_ manifest: Manifest, _ entries: [Entry]) -> [Violation] {
    upwardArrows(entries) + states(manifest, entries)
      + manifest.targets.filter(isBound).flatMap { target in
        guard let entry = entries.first(where: { $0.target == target.name }) else {
          return [
            violation(1, "the target `\(target.name)` is not in the table", "Add a row for it")
          ]
        }
        return dependencies(of: target, entry, entries) + tests(of: target, entry, in: manifest)
      }
  }

  /// What only tests use: shared parts, the programs that tests kill, and a disk that fails.
  private static let support: Set = [
    "TestSupport", "InventoryTestSupport", "HTTPTestSupport", "ChildSupport",
    "OutboxCrashChild", "ReportCrashChild", "ConnectivityChild", "PressureChild",
    "DashboardChild",
    "NetworkTestSupport", "NetworkChild", "CFaultyDisk", "PostgresTestSupport", "PostgresChild",
  ]

  /// Tests, their support and snippets may depend on anything.
  private static func isBound(_ target: Manifest.Target) -> Bool {
    target.type != "test" && target.type != "snippet" && !support.contains(target.name)
  }

  /// A row that depends on a row below it would turn an arrow round, or close a circle.
  private static func upwardArrows(_ entries: [Entry]) -> [Violation] {
    let order = Dictionary(
      entries.enumerated().map { ($0.element.target, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    return entries.enumerated().flatMap { offset, entry in
      entry.named.sorted().filter { (order[$0] ?? -1) >= offset }.map {
        violation(
          entry.line, "`\(entry.target)` stands above `\($0)`, which it depends on",
          "Order the rows so that each depends only on rows before it")
      }
    }
  }

  private static func states(_ manifest: Manifest, _ entries: [Entry]) -> [Violation] {
    let names = Set(manifest.targets.map(\.name))
    return entries.compactMap { entry in
      switch (entry.state, names.contains(entry.target)) {
      case ("here", true), ("planned", false): nil
      case ("here", false):
        violation(entry.line, "`\(entry.target)` is not in the manifest", "Say `planned`")
      case ("planned", true):
        violation(entry.line, "`\(entry.target)` is in the manifest", "Say `here`")
      default:
        violation(
          entry.line, "`\(entry.target)` is `\(entry.state)`", "Say `here` or `planned`")
      }
    }
  }

  private static func dependencies(
    of target: Manifest.Target, _ entry: Entry, _ entries: [Entry]
  ) -> [Violation] {
    let allowed = reachable(from: entry, entries)
    return target.dependencies.filter { !allowed.contains($0) }.map {
      violation(
        entry.line, "`\(target.name)` may not depend on `\($0)`",
        "Remove it from the manifest, or change the design here first, with a decision note")
    }
  }

  /// What a row names, and what those rows name in turn.
  ///
  /// It looks only at rows before this one, so a circle in the table cannot keep it going.
  private static func reachable(from entry: Entry, _ entries: [Entry]) -> Set<String> {
    entries.prefix { $0.line < entry.line }.filter { entry.named.contains($0.target) }
      .reduce(entry.named) { $0.union(reachable(from: $1, entries)) }
  }

  /// Modules of C headers and plugins hold no code that a test could call.
  private static func tests(
    of target: Manifest.Target, _ entry: Entry, in manifest: Manifest
  ) -> [Violation] {
    guard target.type != "system", target.type != "plugin" else { return [] }
    guard let name = entry.tests else {
      return [violation(entry.line, "`\(entry.target)` names no tests", "Name its test target")]
    }
    let tests = manifest.targets.first { $0.name == name && $0.type == "test" }
    guard tests?.dependencies.contains(entry.target) != true else { return [] }
    return [
      violation(
        entry.line, "no test target `\(name)` depends on `\(entry.target)`",
        "Add it to the manifest")
    ]
  }

  static func equalIgnoringCase(_ manifest: Manifest) -> [Violation] {
    Dictionary(grouping: manifest.targets.map(\.name)) { $0.lowercased() }.values
      .filter { $0.count > 1 }.map { same in
        Violation(
          path: "Package.swift", line: 1,
          rule: "targets differ only in case: \(same.sorted().joined(separator: ", "))",
          cure: "Rename one of them")
      }
  }

  private static func violation(_ line: Int, _ rule: String, _ cure: String) -> Violation {
    Violation(path: page, line: line, rule: rule, cure: cure)
  }
}
