// SPDX-License-Identifier: Apache-2.0

/// Code on pages and in documentation comments, which the compiler has to see.
enum SnippetRules {
  /// Blocks of Swift longer than three lines that stand in no snippet, line by line.
  ///
  /// - Parameters:
  ///   - files: Pages in Markdown, and Swift files, whose documentation comments become pages.
  ///   - snippets: What is compiled.
  /// - Returns: The blocks.
  static func uncompiled(_ files: [SourceFile], snippets: [SourceFile]) -> [Violation] {
    let compiled = snippets.map { significant($0.lines) }
    return files.flatMap { file in
      blocks(in: file).compactMap { block in
        let lines = significant(block.lines[...])
        guard lines.count > 3, !compiled.contains(where: { $0.contains(lines) }) else { return nil }
        return Violation(
          path: file.path, line: block.line, rule: "this code is not compiled",
          cure: "Put it into a file of `Snippets/`, in the same words")
      }
    }
  }

  /// What a snippet shows, by the name of the mark before it, line by line.
  static func parts(of snippet: SourceFile) -> [String: [String]] {
    var parts: [String: [String]] = [:]
    var name: String?
    for line in snippet.lines {
      if let mark = line.firstMatch(of: /^ *\/\/ snippet\.([a-z]+)$/) {
        name = mark.1 == "hide" ? nil : String(mark.1)
      } else if let name {
        parts[name, default: []] += significant([line])
      }
    }
    return parts
  }

  private static func blocks(in file: SourceFile) -> [(lines: [Substring], line: Int)] {
    var blocks: [(lines: [Substring], line: Int)] = []
    var open: (lines: [Substring], line: Int)?
    for (index, line) in (file.isSwift ? file.documentation : file.lines).enumerated() {
      guard let text = line else {
        // A block does not go on in the next comment.
        open = nil
        continue
      }
      if let block = open {
        if text == "```" {
          blocks.append(block)
          open = nil
        } else {
          open?.lines.append(text)
        }
      } else if text == "```swift" {
        open = ([], index + 1)
      }
    }
    return blocks
  }

  /// The lines that say something, without what only cuts a snippet out of its file.
  private static func significant(_ lines: some Sequence<Substring>) -> [String] {
    lines.map { $0.filter { $0 != " " } }.filter { !$0.isEmpty && !$0.hasPrefix("//snippet.") }
  }
}
