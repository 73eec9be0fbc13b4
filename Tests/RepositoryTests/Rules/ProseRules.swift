// SPDX-License-Identifier: Apache-2.0

/// How long the sentences of pages and of documentation comments may be.
enum ProseRules {
  /// The most words of a sentence.
  static let mostWords = 35

  /// Words whose full stop ends no sentence.
  private static let abbreviations: Set = ["e.g.", "i.e.", "vs.", "cf.", "etc."]

  static func longSentences(_ pages: [MarkdownPage]) -> [Violation] {
    pages.flatMap { page in
      page.passages.flatMap { passage in
        sentences(of: passage).filter { $0.count > mostWords }.map { words in
          Violation(
            path: page.path, line: passage.line,
            rule: "the sentence `\(words.prefix(5).joined(separator: " ")) …` has "
              + "\(words.count) words",
            cure: "Make two of it; \(mostWords) are the most")
        }
      }
    }
  }

  /// The words of each sentence.
  ///
  /// In a table a semicolon ends one, too.
  static func sentences(of passage: MarkdownPage.Passage) -> [[String]] {
    let words = passage.prose.split(separator: " ").map(String.init)
    var (sentences, current) = ([[String]](), [String]())
    for (index, word) in words.enumerated() {
      if word.contains(where: { $0.isLetter || $0.isNumber || $0 == "¤" }) { current.append(word) }
      let next = words.dropFirst(index + 1).first
      if isLast(word, before: next) || (passage.isCell && word.hasSuffix(";")) {
        sentences.append(current)
        current = []
      }
    }
    return (sentences + [current]).filter { !$0.isEmpty }
  }

  private static func isLast(_ word: String, before next: String?) -> Bool {
    guard let next else { return true }
    let core = word.reversed().drop { #")"'”*_"#.contains($0) }
    guard let end = core.first, ".!?…".contains(end), !abbreviations.contains(word.lowercased())
    else { return false }
    return next.first { $0.isLetter || $0.isNumber || $0 == "¤" }?.isLowercase != true
  }
}
