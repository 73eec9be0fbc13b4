// SPDX-License-Identifier: Apache-2.0

/// Links to a heading of a page, and to the pages of a documentation catalog.
enum AnchorRules {
  /// Links whose page is there, but not the heading.
  static func brokenAnchors(_ pages: [SourceFile]) -> [Violation] {
    let parsed = pages.map(MarkdownPage.init)
    let anchors = Dictionary(uniqueKeysWithValues: parsed.map { ($0.path, $0.anchors) })
    return parsed.flatMap { page in
      links(in: page, of: /\]\(([^) ]+)\)/).compactMap { target, line in
        guard let sign = target.firstIndex(of: "#"), !target.contains("://"),
          !target.hasPrefix("doc:")
        else { return nil }
        let path =
          sign == target.startIndex ? page.path : LinkRules.resolve(target, from: page.path)
        let anchor = String(target[target.index(after: sign)...])
        guard let path, path.hasSuffix(".md"), let known = anchors[path], !known.contains(anchor)
        else { return nil }
        return Violation(
          path: page.path, line: line, rule: "no heading of \(path) is `#\(anchor)`",
          cure: "Take one of \(known.sorted().joined(separator: ", "))")
      }
    }
  }

  /// `<doc:Page>` and `[text](doc:Page#Heading)` without such a page or heading.
  static func brokenTopics(_ pages: [SourceFile]) -> [Violation] {
    let parsed = pages.map(MarkdownPage.init)
    let known = Dictionary(
      parsed.compactMap { page in catalog(of: page.path).map { ("\($0)/\(name(page))", page) } },
      uniquingKeysWith: { first, _ in first })
    return parsed.flatMap { page in
      guard let own = catalog(of: page.path) else {
        return links(in: page, of: /<doc:([^>]+)>|\]\(doc:([^)]+)\)/).map { target, line in
          Violation(
            path: page.path, line: line, rule: "`doc:\(target)` is on a page of no catalog",
            cure: "Link the file")
        }
      }
      return links(in: page, of: /<doc:([^>]+)>|\]\(doc:([^)]+)\)/).compactMap { target, line in
        let halves = target.split(separator: "#", maxSplits: 1).map(String.init)
        // `Page` is of the same catalog; `/documentation/Module/Page` names another's.
        let parts = halves[0].split(separator: "/").map(String.init)
          .filter { $0 != "documentation" }
        let module = parts.count > 1 ? parts.dropLast().last ?? own : own
        guard let found = known["\(module)/\(parts.last ?? "")"] else {
          return Violation(
            path: page.path, line: line, rule: "no page of \(module) is called `\(target)`",
            cure: "Correct it; a symbol stands between two backticks")
        }
        guard halves.count == 2,
          !found.anchors.contains(MarkdownPage.anchor(halves[1]))
        else { return nil }
        return Violation(
          path: page.path, line: line, rule: "no heading of \(found.path) is `#\(halves[1])`",
          cure: "Correct it; it is the heading with hyphens for spaces")
      }
    }
  }

  /// The first group that matched, outside of code.
  private static func links(
    in page: MarkdownPage, of pattern: Regex<(Substring, Substring)>
  ) -> [(target: String, line: Int)] {
    page.passages.flatMap { passage in
      withoutCode(passage.text).matches(of: pattern).map { (String($0.1), passage.line) }
    }
  }

  private static func links(
    in page: MarkdownPage, of pattern: Regex<(Substring, Substring?, Substring?)>
  ) -> [(target: String, line: Int)] {
    page.passages.flatMap { passage in
      withoutCode(passage.text).matches(of: pattern).compactMap { match in
        (match.1 ?? match.2).map { (String($0), passage.line) }
      }
    }
  }

  private static func withoutCode(_ text: String) -> String {
    text.replacing(/``[^`]+``|`[^`]+`/) { _ in "code" }
  }

  /// The module whose catalog holds a page.
  private static func catalog(of path: String) -> String? {
    path.split(separator: "/").first { $0.hasSuffix(".docc") }.map { String($0.dropLast(5)) }
  }

  private static func name(_ page: MarkdownPage) -> String {
    String(page.path.split(separator: "/").last?.dropLast(3) ?? "")
  }
}
