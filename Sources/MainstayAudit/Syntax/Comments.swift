// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// The comments right before the statement that a node is part of, and behind it on its last
  /// line.
  var remarks: [String] {
    var current = Syntax(self)
    while current.kind != .codeBlockItem && current.kind != .memberBlockItem {
      guard let parent = current.parent else { return [] }
      current = parent
    }
    let before = current.leadingTrivia.lastComments
    guard let last = current.lastToken(viewMode: .sourceAccurate) else { return before }
    let own = last.trailingTrivia.comments
    // In `{ f() } // …` the remark stands behind the brace.
    guard let next = last.nextToken(viewMode: .sourceAccurate), next.tokenKind == .rightBrace,
      !next.leadingTrivia.contains(where: \.isNewline)
    else { return before + own }
    return before + own + next.trailingTrivia.comments
  }

  /// Whether a remark says why a failure here is none, or changes nothing.
  var isExcused: Bool { remarks.contains(where: \.isExcuse) }
}

extension Trivia {
  /// What its comments say, one text for each.
  var comments: [String] {
    compactMap { piece in
      guard piece.isComment else { return nil }
      var text = ""
      piece.write(to: &text)
      return text
    }
  }

  /// The comments after its last empty line.
  fileprivate var lastComments: [String] {
    var pieces: [TriviaPiece] = []
    var breaks = 0
    for piece in reversed() {
      switch piece {
      case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
        breaks += count
        if breaks > 1 { return Trivia(pieces: pieces).comments }
      case .lineComment, .docLineComment, .blockComment, .docBlockComment:
        breaks = 0
        pieces.append(piece)
      default: break
      }
    }
    return Trivia(pieces: pieces).comments
  }
}

extension TriviaPiece {
  var isComment: Bool {
    switch self {
    case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
    default: false
    }
  }
}

extension String {
  /// Whether a comment speaks of what happens when something fails.
  var isExcuse: Bool {
    let text = lowercased()
    return Self.excuses.contains { text.contains($0) }
  }

  private static let excuses = [
    "ignore", "fail", "throw", "error", "can't", "cannot", "never", "nothing", "nobody", "no one",
    "best effort", "best-effort", "harmless", "safe", "fine", "okay", " ok", "guarantee",
    "don't care", "doesn't matter", "no matter", "optional", "try!", "always", "may ", "might",
  ]
}
