// SPDX-License-Identifier: Apache-2.0

/// A page in Markdown, taken apart into what people read and what they type.
struct MarkdownPage {
  /// A paragraph, an item of a list, a heading, or one cell of a table, on one line.
  struct Passage {
    let text: String

    /// Where it begins, counted from 1.
    let line: Int
    let isCell: Bool
  }

  /// A block of code.
  struct Block {
    /// What follows the three backticks; nil for a block that is only indented.
    let language: String?

    /// Its lines, and where each stands on the page.
    let lines: [(text: String, line: Int)]
  }

  let path: String
  private(set) var passages: [Passage] = []
  private(set) var blocks: [Block] = []

  /// The headings, in order.
  private(set) var headings: [String] = []

  private var paragraph: [Substring] = []
  private var start = 0
  private var open: (language: String?, lines: [(text: String, line: Int)])?

  init(_ page: SourceFile) { self.init(path: page.path, lines: page.lines) }

  /// The documentation comments of a Swift file, without the names of parameters.
  static func documentation(of file: SourceFile) -> MarkdownPage {
    let lines = file.documentation.map { line -> Substring in
      guard let line, let name = line.prefixMatch(of: /\s*- (Parameter )?\w+:/) else {
        return line ?? ""
      }
      return "- " + line[name.range.upperBound...]
    }
    return MarkdownPage(path: file.path, lines: lines)
  }

  private init(path: String, lines: [Substring]) {
    self.path = path
    var isHTML = false
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      let indent = line.count - text.count
      if readCode(text, indent: indent, line: index + 1) { continue }
      if text.isEmpty {
        endParagraph()
        isHTML = false
      } else if isHTML || (text.hasPrefix("<") && !text.hasPrefix("<doc:")) {
        // The tags of a page, such as those of a picture, up to an empty line.
        isHTML = true
      } else {
        read(text, line: index + 1)
      }
    }
    endParagraph()
    endBlock()
  }

  /// Whether a line belongs to a block of code, or begins or ends one.
  private mutating func readCode(_ text: Substring, indent: Int, line: Int) -> Bool {
    if text.hasPrefix("```") {
      if open == nil || open?.language == nil {
        endBlock()
        endParagraph()
        let language = text.drop { $0 == "`" }.prefix { $0 != " " }
        open = (String(language), [])
      } else {
        endBlock()
      }
      return true
    }
    let isOpen = open != nil
    let isFenced = open?.language != nil
    if isFenced || (indent >= 4 && paragraph.isEmpty && !text.isEmpty) {
      if !isOpen { open = (nil, []) }
      open?.lines.append((String(text), line))
      return true
    }
    if isOpen && !text.isEmpty { endBlock() }
    return false
  }

  private mutating func read(_ text: Substring, line: Int) {
    if text.hasPrefix("#") {
      endParagraph()
      let heading = String(text.drop { $0 == "#" || $0 == " " })
      headings.append(heading)
      passages.append(Passage(text: heading, line: line, isCell: false))
    } else if text.hasPrefix("|") {
      endParagraph()
      for cell in Self.cells(of: text) {
        passages.append(Passage(text: cell, line: line, isCell: true))
      }
    } else if text.hasPrefix("@") || text == "}" {
      // A directive of DocC.
      endParagraph()
    } else {
      let item = text.prefixMatch(of: /([-*+>]|\d+\.) +/)
      if item != nil { endParagraph() }
      if paragraph.isEmpty { start = line }
      paragraph.append(item.map { text[$0.range.upperBound...] } ?? text)
    }
  }

  private mutating func endParagraph() {
    guard !paragraph.isEmpty else { return }
    passages.append(
      Passage(text: paragraph.joined(separator: " "), line: start, isCell: false))
    paragraph = []
  }

  private mutating func endBlock() {
    if let open { blocks.append(Block(language: open.language, lines: open.lines)) }
    open = nil
  }

  /// The cells of a row; a bar between backticks, or after a backslash, is a character.
  private static func cells(of row: Substring) -> [String] {
    var (cells, isCode, isEscaped) = ([""], false, false)
    for character in row {
      if character == "`" { isCode.toggle() }
      if character == "|", !isCode, !isEscaped {
        cells.append("")
      } else {
        cells[cells.count - 1].append(character)
      }
      isEscaped = character == "\\"
    }
    return cells.flatMap { $0.split(separator: "<br>").map(String.init) }
      .filter { $0.contains { $0.isLetter || $0.isNumber } }
  }
}

extension MarkdownPage {
  /// What links name the headings, as the places where repositories are kept and DocC make it.
  var anchors: Set<String> {
    var (found, times) = (Set<String>(), [String: Int]())
    for heading in headings {
      let anchor = Self.anchor(heading)
      found.insert(times[anchor].map { "\(anchor)-\($0)" } ?? anchor)
      times[anchor, default: 0] += 1
    }
    return found
  }

  /// A heading in small letters, with hyphens for spaces and without signs.
  static func anchor(_ heading: String) -> String {
    String(
      heading.lowercased().compactMap { character in
        if character == " " { return "-" }
        let isKept = character.isLetter || character.isNumber || "-_".contains(character)
        return isKept ? character : nil
      })
  }
}

extension MarkdownPage.Passage {
  /// The words that are read: each piece of code is one sign, a link is its words.
  var prose: String {
    let isQuoted = text.split(separator: "`", omittingEmptySubsequences: true)
    guard !isQuoted.isEmpty else { return "" }
    return text.replacing(/``[^`]+``|`[^`]+`/) { _ in "¤" }
      .replacing(/<doc:[^>]*>/) { _ in "¤" }
      .replacing(/!?\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
      .replacing(/<[^>]+>/) { _ in "" }
  }
}
