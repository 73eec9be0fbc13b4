// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The comments of a file that say which findings are meant.
///
/// `// mainstay:ignore MS203 -- reason` is about its own line where code stands before it, and
/// about the next line of code otherwise. Before the first statement of a clause, a closure or an
/// arm it is also about what opens that. `mainstay:ignore-file` is about the whole file. A rule
/// may stand there by its name as well: `mainstay:ignore try-optional-dropped -- reason`.
/// SwiftLint's comments about the same defect count too.
struct Suppressions: Sendable {
  struct Entry: Sendable {
    let rules: [String]
    /// The lines it is about; nil for the whole file.
    let lines: ClosedRange<Int>?
    let hasReason: Bool
    /// Whether it is a comment of another tool, about which there is nothing to say.
    let isForeign: Bool
    /// Where the comment stands.
    let site: IndexedSite

    func with(_ rules: [String], _ lines: ClosedRange<Int>) -> Entry {
      Entry(rules: rules, lines: lines, hasReason: hasReason, isForeign: isForeign, site: site)
    }
  }

  private(set) var entries: [Entry] = []

  private static let mark = Array("mainstay:ignore".utf8)
  private static let foreignMark = Array("swiftlint:disable".utf8)
  /// SwiftLint's names for what a rule here finds as well.
  static let foreign: [String: String] = [
    "force_try": "MS601", "force_cast": "MS603", "empty_catch": "MS201",
    "unhandled_throwing_task": "MS206",
  ]

  /// Reads the comments of a file; a file without the words costs one look at its bytes.
  init(_ file: AuditedFile) {
    let own = file.bytes.contains(sequence: Self.mark)
    let foreign = file.bytes.contains(sequence: Self.foreignMark)
    guard own || foreign else { return }
    for token in file.tree.tokens(viewMode: .sourceAccurate) {
      var offset = token.position.utf8Offset
      for piece in token.leadingTrivia {
        if piece.isComment { add(piece, at: offset, before: token, in: file, isTrailing: false) }
        offset += piece.sourceLength.utf8Length
      }
      offset = token.endPositionBeforeTrailingTrivia.utf8Offset
      for piece in token.trailingTrivia {
        if piece.isComment { add(piece, at: offset, before: token, in: file, isTrailing: true) }
        offset += piece.sourceLength.utf8Length
      }
    }
  }

  private mutating func add(
    _ piece: TriviaPiece, at offset: Int, before token: TokenSyntax, in file: AuditedFile,
    isTrailing: Bool
  ) {
    var text = ""
    piece.write(to: &text)
    let own = file.lines.place(of: offset).line
    let following = file.lines.line(of: token)
    if let directive = Directive(text) {
      let lines: ClosedRange<Int>? =
        directive.isForFile
        ? nil
        : isTrailing ? file.lines(endingWith: token, own) : file.lines(startingWith: token, own)
      entries.append(
        Entry(
          rules: directive.rules, lines: lines, hasReason: directive.hasReason,
          isForeign: false, site: site(of: text, at: offset, in: file)))
    } else {
      addForeign(text, own: own, following: isTrailing ? own + 1 : following, at: offset, in: file)
    }
  }

  private mutating func addForeign(
    _ text: String, own: Int, following: Int, at offset: Int, in file: AuditedFile
  ) {
    guard let comment = ForeignDirective(text) else { return }
    if comment.isEnd { return end(comment.rules, at: own) }
    let lines: ClosedRange<Int>?
    switch comment.reach {
    case "this": lines = own...own
    case "next": lines = (own + 1)...(own + 1)
    case "previous": lines = max(1, own - 1)...max(1, own - 1)
    default: lines = own...max(own, file.lines.lineCount)
    }
    let rules = comment.rules
    guard !rules.isEmpty else { return }
    entries.append(
      Entry(
        rules: rules, lines: lines, hasReason: true, isForeign: true,
        site: site(of: text, at: offset, in: file)))
  }

  /// Rules that SwiftLint looks for again from a line on.
  private mutating func end(_ rules: [String], at line: Int) {
    for place in entries.indices {
      let entry = entries[place]
      guard entry.isForeign, let lines = entry.lines, lines.lowerBound < line,
        lines.upperBound >= line, entry.rules.contains(where: rules.contains)
      else { continue }
      let left = entry.rules.filter { !rules.contains($0) }
      entries[place] = entry.with(entry.rules.filter(rules.contains), lines.lowerBound...(line - 1))
      if !left.isEmpty { entries.append(entry.with(left, lines)) }
    }
  }

  private func site(of text: String, at offset: Int, in file: AuditedFile) -> IndexedSite {
    let place = file.lines.place(of: offset)
    return IndexedSite(
      path: file.path, line: place.line, column: place.column,
      endColumn: place.column + max(1, text.utf8.count),
      source: file.excerpt(ofLine: place.line),
      anchor: Finding.Anchor(declaration: "", statement: 0))
  }
}

extension AuditedFile {
  /// The lines that a comment before a token is about.
  ///
  /// These are the next one with code, to the end of the statement or up to its first brace, and
  /// for a comment that comes first in a block what opens the block.
  fileprivate func lines(startingWith token: TokenSyntax, _ own: Int) -> ClosedRange<Int> {
    let first = max(own, lines.line(of: token))
    if token.tokenKind == .rightBrace, let opening = token.ownerOfEmptyBlock {
      return min(first, lines.line(of: opening))...first
    }
    guard let item = token.enclosingItem, item.bytes.lowerBound == token.bytes.lowerBound else {
      return first...first
    }
    var last = first
    for token in item.tokens(viewMode: .sourceAccurate).prefix(Self.longestStatement) {
      last = lines.line(of: token)
      if token.tokenKind == .leftBrace { break }
    }
    let opening = item.ownerOfFirstItem.map { min(first, lines.line(of: $0)) } ?? first
    return opening...max(first, last)
  }

  /// The lines that a comment behind a token is about: its own, and those of the statement that
  /// ends there, if no block is in it.
  fileprivate func lines(endingWith token: TokenSyntax, _ own: Int) -> ClosedRange<Int> {
    guard let item = token.enclosingItem, item.bytes.upperBound == token.bytes.upperBound else {
      return own...own
    }
    let tokens = item.tokens(viewMode: .sourceAccurate).prefix(Self.longestStatement)
    if tokens.contains(where: { $0.tokenKind == .leftBrace }) { return own...own }
    return min(own, lines.place(of: item.bytes.lowerBound).line)...own
  }

  /// The most tokens of a statement that are looked at.
  private static let longestStatement = 400
}

extension TokenSyntax {
  /// The nearest statement or member that it is part of.
  fileprivate var enclosingItem: Syntax? {
    var current = parent
    while let here = current {
      if here.kind == .codeBlockItem || here.kind == .memberBlockItem { return here }
      current = here.parent
    }
    return nil
  }

  /// The first token of what an empty block belongs to, where this is its end: `catch`, `defer`.
  fileprivate var ownerOfEmptyBlock: TokenSyntax? {
    if let block = parent?.as(CodeBlockSyntax.self), block.statements.isEmpty {
      return block.parent?.kind == .catchClause
        ? block.parent?.firstToken(viewMode: .sourceAccurate) : block.leftBrace
    }
    guard let closure = parent?.as(ClosureExprSyntax.self), closure.statements.isEmpty else {
      return nil
    }
    return closure.leftBrace
  }
}

extension Syntax {
  /// The token that tells where the clause, closure or arm begins of which this is the first
  /// statement: `catch`, `case`, or the name of what a closure is handed to.
  fileprivate var ownerOfFirstItem: TokenSyntax? {
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.first?.id == id,
      let owner = list.parent
    else { return nil }
    if owner.kind == .switchCase { return owner.firstToken(viewMode: .sourceAccurate) }
    if let closure = owner.as(ClosureExprSyntax.self) {
      guard let call = closure.receiver?.call,
        let called = call.calledExpression.lastToken(viewMode: .sourceAccurate)
      else { return closure.leftBrace }
      // What other closures before it hold is none of its business.
      let others = call.tokens(viewMode: .sourceAccurate).prefix {
        $0.position < closure.leftBrace.position
      }
      let isFirst = !others.contains {
        $0.tokenKind == .leftBrace && $0.position > called.position
      }
      return isFirst ? called : closure.leftBrace
    }
    return owner.parent?.as(CatchClauseSyntax.self)?.catchKeyword
  }
}

extension LineTable {
  /// The line that a token starts on.
  fileprivate func line(of token: TokenSyntax) -> Int {
    place(of: token.positionAfterSkippingLeadingTrivia.utf8Offset).line
  }
}

/// What a comment for SwiftLint says.
private struct ForeignDirective {
  /// The rules here that find the same.
  let rules: [String]
  /// `next`, `this` or `previous`; empty for all that follows.
  let reach: String
  let isEnd: Bool

  init?(_ text: String) {
    let range: Range<String.Index>
    if let start = text.firstRange(of: "swiftlint:disable") {
      range = start
      isEnd = false
    } else if let end = text.firstRange(of: "swiftlint:enable") {
      range = end
      isEnd = true
    } else {
      return nil
    }
    var rest = text[range.upperBound...]
    if rest.first == ":" {
      let word = rest.dropFirst().prefix { $0.isLetter }
      reach = String(word)
      rest = rest[word.endIndex...]
    } else {
      reach = ""
    }
    let names = rest.split { $0 == " " || $0 == "," || $0.isNewline }.map(String.init)
    rules =
      names.contains("all")
      ? Suppressions.foreign.values.sorted() : names.compactMap { Suppressions.foreign[$0] }
  }
}

/// What a comment of ours says; prose that quotes one is none.
private struct Directive {
  /// Ids by the names of the rules.
  private static let ids = Dictionary(uniqueKeysWithValues: Rule.all.map { ($0.name, $0.id) })

  let rules: [String]
  let isForFile: Bool
  let hasReason: Bool

  init?(_ text: String) {
    guard text.hasPrefix("//") || text.hasPrefix("/*") else { return nil }
    let body = text.dropFirst(2).drop { $0 == " " || $0 == "\t" }
    guard body.hasPrefix("mainstay:ignore") else { return nil }
    var rest = body.dropFirst("mainstay:ignore".count)
    isForFile = rest.hasPrefix("-file")
    if isForFile { rest = rest.dropFirst(5) }
    // `mainstay:ignored` and `mainstay:ignore-files` are words of prose.
    if let next = rest.first, next.isLetter || next.isNumber { return nil }
    let parts = rest.firstRange(of: "--")
    let ids = parts.map { rest[..<$0.lowerBound] } ?? rest
    rules = ids.split { $0 == "," || $0 == ":" || $0.isWhitespace }.map(String.init)
      .filter { $0 != "*/" }.map { Self.ids[$0] ?? $0 }
    let reason = parts.map { rest[$0.upperBound...] } ?? ""
    hasReason = reason.contains { $0.isLetter }
  }
}

extension Array<UInt8> {
  /// Whether some bytes stand in a row.
  func contains(sequence: [UInt8]) -> Bool {
    guard let first = sequence.first, count >= sequence.count else { return false }
    return withUnsafeBufferPointer { bytes in
      var index = 0
      let last = bytes.count - sequence.count
      while index <= last {
        if bytes[index] == first {
          var matched = 1
          while matched < sequence.count, bytes[index + matched] == sequence[matched] {
            matched += 1
          }
          if matched == sequence.count { return true }
        }
        index += 1
      }
      return false
    }
  }
}
