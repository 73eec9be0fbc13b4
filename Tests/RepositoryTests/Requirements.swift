// SPDX-License-Identifier: Apache-2.0

/// What the package must do, and what it must never do, as listed in `requirements.tsv`.
struct Requirements {
  static let list = "Documentation/requirements.tsv"
  static let page = "Documentation/Requirements.md"

  /// One line of the list: an id, a text, and the decision that settles it, if there is one; where
  /// it begins with "open", it says where the requirement will be met.
  struct Item {
    let id: String
    let text: String
    let decision: String?
    let line: Int

    var isSettled: Bool { decision.map { !$0.hasPrefix("open") } ?? false }
  }

  /// A family of ids that share a letter.
  struct Family {
    let letter: Character
    let count: Int
    let title: String
  }

  static let families = [
    Family(letter: "A", count: 58, title: "Error families, recovery and graceful degradation"),
    Family(letter: "B", count: 43, title: "App-wide error standard"),
    Family(letter: "C", count: 25, title: "Offline first"),
    Family(letter: "D", count: 39, title: "JSON-RPC client with an error catalogue"),
    Family(letter: "E", count: 35, title: "Controllers, error states and forms"),
    Family(letter: "T", count: 22, title: "Traps of the naive samples"),
    Family(letter: "P", count: 40, title: "Traps of resilience policies"),
    Family(letter: "O", count: 39, title: "Traps of offline operation"),
  ]

  /// Every id there is, in order.
  static let ids = families.flatMap { family in
    (1...family.count).map { "\(family.letter)\($0)" }
  }

  let items: [Item]

  init(list: String) {
    items = list.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.element.isEmpty }.map { offset, line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return Item(
          id: fields[0], text: fields.count > 1 ? fields[1] : "",
          decision: fields.count > 2 ? fields[2] : nil, line: offset + 1)
      }
  }

  /// Ids that are missing, doubled or unknown, and texts that are missing or too long.
  func violations() -> [Violation] {
    let counts = Dictionary(items.map { ($0.id, 1) }, uniquingKeysWith: +)
    let missing = Self.ids.filter { counts[$0] == nil }.map {
      Violation(path: Self.list, line: 1, rule: "`\($0)` is missing", cure: "Add its line")
    }
    let known = Set(Self.ids)
    return missing
      + items.flatMap { item in
        let words = item.text.split(separator: " ").count
        let faults: [(Bool, String, String)] = [
          (!known.contains(item.id), "`\(item.id)` is not an id", "Ids are never invented here"),
          (counts[item.id, default: 0] > 1, "`\(item.id)` stands here twice", "Delete one line"),
          (words == 0, "`\(item.id)` has no text", "Say it in a few words, after a tab"),
          (words > 12, "`\(item.id)` takes \(words) words", "Say it in at most 12"),
        ]
        return faults.filter(\.0).map {
          Violation(path: Self.list, line: item.line, rule: $0.1, cure: $0.2)
        }
      }
  }

  /// Proofs of ids that do not exist.
  static func unknownIDs(in proofs: [Proof]) -> [Violation] {
    let known = Set(ids)
    return proofs.filter { !known.contains($0.id) }.map {
      Violation(
        path: $0.path, line: $0.line, rule: "`\($0.id)` is no requirement",
        cure: "Take the id from \(list)")
    }
  }

  /// The page that people read.
  func markdown(proofs: [Proof]) -> String {
    let tests = Dictionary(grouping: proofs, by: \.id).mapValues { Set($0.map(\.test)).sorted() }
    let proved = items.filter { tests[$0.id] != nil }.count
    let decided = items.filter { tests[$0.id] == nil && $0.isSettled }.count
    var lines = [
      "# Requirements",
      "",
      "What Mainstay must do, and the traps it must never fall into, each with the tests that",
      "prove it. An id is never renumbered or used again. The texts come from",
      "[requirements.tsv](requirements.tsv), the tests from `.requirement(…)` in their sources;",
      "`make requirements` writes this page, and `RequirementsTests` compares it.",
      "",
      "Of \(items.count), \(proved) are proved by tests, \(decided) are settled by a decision, and "
        + "\(items.count - proved - decided) are open.",
    ]
    for family in Self.families {
      lines += [
        "", "## \(family.letter): \(family.title)", "", "| Id | What | Proof |", "|---|---|---|",
      ]
      lines += items.filter { $0.id.first == family.letter }.map { item in
        let proof = tests[item.id]?.map(Self.cell).joined(separator: "<br>")
        return "| \(item.id) | \(Self.cell(item.text)) | \(proof ?? item.decision ?? "open") |"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text that cannot end its cell.
  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
