// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Links from one page to another, within the repository.
///
/// Addresses of other machines, with `://` or `mailto:`, are not looked at: whether they answer
/// depends on the day, and a test that asks them would fail for no fault of the page.
enum LinkRules {
  static func brokenLinks(_ pages: [SourceFile], paths: [String]) -> [Violation] {
    let existing = Set(paths.flatMap(pathAndFolders))
    return pages.flatMap { page in
      links(in: page).compactMap { link in
        guard let target = resolve(link.target, from: page.path), !existing.contains(target),
          !isPicture(link.target, of: page.path, in: paths), !isPage(link.target, in: paths)
        else { return nil }
        return Violation(
          path: page.path, line: link.line, rule: "the link `\(link.target)` leads nowhere",
          cure: "Correct it; it is relative to the page, and case counts")
      }
    }
  }

  /// Whether a page of a documentation catalog names a picture of the catalog, as DocC wants it:
  /// without folder and extension.
  private static func isPicture(_ name: String, of page: String, in paths: [String]) -> Bool {
    guard let end = page.range(of: ".docc/")?.upperBound else { return false }
    return paths.contains { $0.hasPrefix(page[..<end]) && $0.hasSuffix("/\(name).svg") }
  }

  /// Whether this is the address of a page of another catalog, as the site of all libraries has it.
  private static func isPage(_ address: String, in paths: [String]) -> Bool {
    let parts = address.prefix { $0 != "#" }.split(separator: "/").map { $0.lowercased() }
    guard address.hasPrefix("/documentation/"), parts.count == 2 || parts.count == 3 else {
      return false
    }
    let (catalog, page) = ("/\(parts[1]).docc/", "/\(parts[parts.count - 1]).md")
    return paths.contains { path in
      let path = path.lowercased()
      return path.contains(catalog) && path.hasSuffix(page)
    }
  }

  private static func pathAndFolders(_ path: String) -> [String] {
    let parts = path.split(separator: "/")
    return (0...parts.count).map { parts[..<$0].joined(separator: "/") }
  }

  /// The targets of `[text](target)`, outside code.
  private static func links(in page: SourceFile) -> [(target: String, line: Int)] {
    var isCode = false
    var found: [(target: String, line: Int)] = []
    for (index, line) in page.lines.enumerated() {
      if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.contains("](") else { continue }
      // Every second part between backticks is code.
      let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .map { $0.offset.isMultiple(of: 2) ? $0.element : "code" }.joined()
      for rest in prose.components(separatedBy: "](").dropFirst() {
        let target = rest.prefix { $0 != ")" && $0 != " " }
        found.append((String(target), index + 1))
      }
    }
    return found
  }

  /// The path that a link means; nil when it leads out of the repository or stays on the page.
  static func resolve(_ target: String, from page: String) -> String? {
    let isAddress = target.contains("://") || target.hasPrefix("mailto:")
    guard !isAddress, !target.hasPrefix("#"), !target.hasPrefix("doc:") else { return nil }
    let path = String(target.prefix { $0 != "#" })
    var parts = page.split(separator: "/").dropLast().map(String.init)
    for part in (path.removingPercentEncoding ?? path).split(separator: "/") {
      switch part {
      case ".": continue
      case "..":
        // Above the root there is nothing of ours: keep the dots, so that nothing matches.
        if parts.popLast() == nil { return target }
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }
}
