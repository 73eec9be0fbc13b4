// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Pictures on pages: for light and for dark screens, and with words for those who see neither.
enum PictureRules {
  /// The fewest words that say what is to be seen.
  private static let fewestWords = 3

  static func violations(_ pages: [SourceFile], paths: [String]) -> [Violation] {
    pages.flatMap { page in
      let isCatalog = page.path.contains(".docc/")
      let tags = tags(in: page, paths: paths)
      let shown = MarkdownPage(page).passages.flatMap { passage in
        passage.text.matches(of: /!\[([^\]]*)\]\(([^) ]+)/).flatMap { match -> [Violation] in
          let (words, target) = (String(match.1), String(match.2))
          return without(words, page: page.path, line: passage.line)
            + (isCatalog
              ? catalogPicture(target, of: page.path, line: passage.line, paths: paths)
              : [
                violation(
                  page.path, passage.line, "the picture `\(target)` has one theme",
                  "Write a <picture> with a <source> for dark screens")
              ])
        }
      }
      return tags + shown
    }
  }

  /// A picture of a catalog is named without folder and extension; its dark twin ends in `~dark`.
  private static func catalogPicture(
    _ name: String, of page: String, line: Int, paths: [String]
  ) -> [Violation] {
    guard let end = page.range(of: ".docc/")?.upperBound else { return [] }
    let names = Set(
      paths.filter { $0.hasPrefix(page[..<end]) }.compactMap { path in
        path.split(separator: "/").last?.split(separator: ".").first.map(String.init)
      })
    let core = String(name.split(separator: ".").first ?? "")
    return [core, "\(core)~dark"].filter { !names.contains($0) }.map {
      violation(page, line, "the picture `\($0)` is not there", "Draw it, or correct its name")
    }
  }

  /// The `<picture>` and `<img>` tags of a page, which may go over several lines.
  private static func tags(in page: SourceFile, paths: [String]) -> [Violation] {
    let text = page.lines.joined(separator: "\n")
    return text.matches(of: /(?s)<picture>.*?<\/picture>|<img[^>]*>/).flatMap { match in
      let tag = String(match.output)
      let line = text[..<match.range.lowerBound].filter { $0 == "\n" }.count + 1
      let alt = tag.firstMatch(of: /(?s)alt="([^"]*)"/).map { String($0.1) } ?? ""
      let sources = tag.matches(of: /(?:src|srcset)="([^"]*)"/).map { String($0.1) }
      let isDark = tag.contains("(prefers-color-scheme: dark)")
      let lost = sources.filter { !paths.contains(LinkRules.resolve($0, from: page.path) ?? "") }
      return without(alt, page: page.path, line: line)
        + (isDark
          ? []
          : [
            violation(
              page.path, line, "the picture has one theme",
              "Write a <picture> with a <source> for dark screens")
          ])
        + lost.map { violation(page.path, line, "the picture `\($0)` is not there", "Correct it") }
    }
  }

  private static func without(_ words: String, page: String, line: Int) -> [Violation] {
    guard words.split(whereSeparator: \.isWhitespace).count < fewestWords else { return [] }
    return [
      violation(
        page, line, "a picture says `\(words)` to those who do not see it",
        "Say in words what is to be seen")
    ]
  }

  private static func violation(
    _ path: String, _ line: Int, _ rule: String, _ cure: String
  ) -> Violation {
    Violation(path: path, line: line, rule: rule, cure: cure)
  }
}
