// SPDX-License-Identifier: Apache-2.0

/// A checklist as tasks of a page: what is done has a cross.
struct ChecklistPage {
  private let checklist: Checklist

  /// The most places of one task that are listed.
  private static let mostPlaces = 20

  init(_ checklist: Checklist) { self.checklist = checklist }

  var text: String {
    var blocks = ["## Checklist", checklist.sentence.markdown + "."]
    blocks += checklist.entries.map(section)
    let open = Checklist.outsideSyntax.map { Self.task($0, isDone: false) }
    blocks.append("### For people to look at")
    blocks.append(open.joined(separator: "\n"))
    return blocks.joined(separator: "\n\n")
  }

  private func section(_ entry: Checklist.Entry) -> String {
    let place = "\(entry.path):\(entry.line)".markdownCode
    let link = "[\(place)](\(entry.path.percentEncoded)#L\(entry.line))"
    var tasks = [
      Self.task("Throw sites are listed (B31): \(Self.places(entry.throwSites))", isDone: true)
    ]
    if let converts = entry.hasConversion, let app = checklist.appError {
      let into = app.markdownCode
      tasks += [
        Self.task("There is a conversion into \(into) (B32, B33)", isDone: converts),
        Self.task(
          "Throw sites use it (B34): \(entry.throwSites.count.grouped) to look at",
          isDone: entry.throwSites.isEmpty),
      ]
    }
    tasks.append(Self.task(tests(of: entry), isDone: entry.isTested))
    tasks.append(
      Self.task("It has a text for people (B36): `errorDescription`", isDone: entry.hasDescription))
    tasks.append(
      Self.task(
        "It says what to do (B36): `recoverySuggestion`", isDone: entry.hasSuggestion))
    tasks.append(
      Self.task(
        "Catch clauses know what it becomes (B37): \(Self.places(entry.catchSites))",
        isDone: entry.catchSites.isEmpty))
    return "### \(entry.name.markdownCode)\n\n\(link)\n\n" + tasks.joined(separator: "\n")
  }

  private func tests(of entry: Checklist.Entry) -> String {
    var text = "Tests provoke it (B35): \(Self.places(entry.tests))"
    if let cases = entry.untestedCases, !cases.isEmpty {
      let shown = cases.prefix(Self.mostPlaces).map { "." + $0 }.map(\.markdownCode)
      let rest = cases.count - shown.count
      text += "; no test names " + shown.joined(separator: ", ")
      if rest > 0 { text += " and \(rest.grouped) more" }
    }
    return text
  }

  private static func task(_ text: String, isDone: Bool) -> String {
    "- [\(isDone ? "x" : " ")] \(text)"
  }

  private static func places(_ uses: [IndexedUse]) -> String {
    guard !uses.isEmpty else { return "none" }
    let shown = uses.prefix(mostPlaces).map { use in
      "[\("\(use.path):\(use.line)".markdownCode)](\(use.path.percentEncoded)#L\(use.line))"
    }
    let rest = uses.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more" : "")
  }
}
