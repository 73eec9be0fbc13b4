// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The comments of a file that say which findings are meant.
///
/// `// mainstay:ignore MS203 -- reason` is about its own line where code stands before it, and
/// about the next line of code otherwise. `mainstay:ignore-file` is about the whole file.
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
    let following = file.lines.place(of: token.positionAfterSkippingLeadingTrivia.utf8Offset).line
    if let directive = Directive(text) {
      let lines: ClosedRange<Int>? =
        directive.isForFile
        ? nil : isTrailing ? own...own : max(own, following)...max(own, following)
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
    guard let range = text.firstRange(of: "swiftlint:disable") else { return }
    let rest = text[range.upperBound...].split(whereSeparator: { $0 == " " || $0 == "," })
    let lines: ClosedRange<Int>?
    switch rest.first.map({ text[range.upperBound..<$0.endIndex] }) {
    case ":this": lines = own...own
    case ":next": lines = (own + 1)...(own + 1)
    case ":previous": lines = max(1, own - 1)...max(1, own - 1)
    default: lines = own...max(own, file.lines.lineCount)
    }
    let rules = rest.compactMap { Self.foreign[String($0)] }
    guard !rules.isEmpty else { return }
    entries.append(
      Entry(
        rules: rules, lines: lines, hasReason: true, isForeign: true,
        site: site(of: text, at: offset, in: file)))
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

/// What a comment of ours says; prose that quotes one is none.
private struct Directive {
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
    let parts = rest.firstRange(of: "--")
    let ids = parts.map { rest[..<$0.lowerBound] } ?? rest
    rules = ids.split { $0 == " " || $0 == "," || $0 == "\t" || $0 == ":" }.map(String.init)
      .filter { $0 != "*/" }
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
