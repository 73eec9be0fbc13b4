// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AuditedFile {
  /// Whether nothing but white space stands before it on its line.
  func startsLine(_ node: some SyntaxProtocol) -> Bool {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let line = lines.bytes(ofLine: lines.place(of: start).line)
    return bytes[line.lowerBound..<start].allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  /// Where its line ends, if nothing but a comment follows it there.
  func lineEnd(after node: some SyntaxProtocol) -> Int? {
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    let line = lines.bytes(ofLine: lines.place(of: max(0, end - 1)).line)
    var last = line.upperBound
    while last > end, bytes[last - 1] == 0x0A || bytes[last - 1] == 0x0D { last -= 1 }
    let rest = bytes[end..<last].drop { $0 == 0x20 || $0 == 0x09 }
    guard rest.isEmpty || rest.starts(with: Array("//".utf8)) else { return nil }
    return last
  }

  /// An edit that puts a statement before another one.
  func insertion(_ statement: String, before node: some SyntaxProtocol) -> Edit {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    guard startsLine(node) else { return Edit(start..<start, "\(statement); ") }
    return Edit(start..<start, "\(statement)\n\(indentation(of: node))")
  }

  /// An edit that puts a statement behind another one.
  func insertion(_ statement: String, after node: CodeBlockItemSyntax) -> Edit {
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    guard startsLine(node) || !isOnOneLine(node), let place = lineEnd(after: node) else {
      return Edit(
        end..<end, node.semicolon == nil ? "; \(statement)" : " \(statement);")
    }
    return Edit(place..<place, "\n\(indentation(of: node))\(statement)")
  }

  /// An edit that takes a statement away with its line, or with the sign between it and another.
  func removal(of node: CodeBlockItemSyntax) -> Edit {
    let range = node.bytes
    if startsLine(node), let end = lineEnd(after: node) {
      let start = lines.bytes(ofLine: lines.place(of: range.lowerBound).line).lowerBound
      return Edit(start..<lines.bytes(ofLine: lines.place(of: end).line).upperBound, "")
    }
    if node.semicolon == nil, let before = node.previousSibling?.as(CodeBlockItemSyntax.self) {
      return Edit(before.item.bytes.upperBound..<range.upperBound, "")
    }
    return Edit(range.lowerBound..<node.endPosition.utf8Offset, "")
  }

  /// Whether it begins and ends on the same line.
  func isOnOneLine(_ node: some SyntaxProtocol) -> Bool {
    let range = node.bytes
    return lines.place(of: range.lowerBound).line
      == lines.place(of: max(range.lowerBound, range.upperBound - 1)).line
  }

  /// An edit that puts neighbouring statements into `if condition { … }`; nil where they hold a
  /// text of several lines, whose indentation must not change.
  func wrapping(
    _ first: CodeBlockItemSyntax, _ last: CodeBlockItemSyntax, in head: String
  ) -> Edit? {
    // Of the last one, the sign that parts it from the next stays where it is.
    let range = first.bytes.lowerBound..<last.item.bytes.upperBound
    let text = text(range)
    guard startsLine(first) else {
      return text.contains(where: \.endsLine) ? nil : Edit(range, "\(head) { \(text) }")
    }
    guard !text.contains("\"\"\"") else { return nil }
    let outer = indentation(of: first)
    let step = first.nearest(CodeBlockSyntax.self).map { self.step(in: $0) } ?? "  "
    let inner = text.split(omittingEmptySubsequences: false) { $0.endsLine }
      .map { $0.isEmpty ? "" : step + $0 }.joined(separator: "\n")
    return Edit(range, "\(head) {\n\(outer)\(inner)\n\(outer)}")
  }
}
