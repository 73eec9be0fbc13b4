// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// The bytes of it, without what stands before and after.
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

extension AuditedFile {
  /// The statement that logs an error at a place: a call of its logger.
  func logCall(at node: some SyntaxProtocol, error: String = "error") -> String? {
    logger(at: node).map { "\($0).error(\"\\(\(error))\")" }
  }

  /// An edit that puts a statement at the start of a block, on a line of its own.
  func insertion(_ statement: String, atStartOf block: CodeBlockSyntax) -> Edit {
    let outer = indentation(of: block.rightBrace)
    let inner = outer + step(in: block)
    let open = block.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset
    let close = block.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset
    let next = block.statements.first?.bytes.lowerBound ?? close
    if lines.place(of: open - 1).line == lines.place(of: next).line {
      // The first statement is on the line of the brace: so is the new one, in front of it.
      return Edit(open..<open, block.statements.isEmpty ? " \(statement) " : " \(statement);")
    }
    return Edit(open..<open, "\n\(inner)\(statement)")
  }

  /// The fix that logs the error of a clause first, where its file has a logger.
  func logFix(at clause: CatchClauseSyntax) -> Fix? {
    guard let name = clause.boundNames.first, clause.boundNames.count == 1,
      let log = logCall(at: clause.body, error: name)
    else { return nil }
    return .safe("log the error", insertion(log, atStartOf: clause.body))
  }

  /// An edit that puts statements into a `do` whose clause holds one statement.
  ///
  /// - Parameters:
  ///   - statements: What the `do` holds.
  ///   - clause: The statement of the clause.
  ///   - start: What stands before the first statement then, such as `_ = `.
  /// - Returns: Nil where moving lines would change a text of several lines.
  func wrapping(
    _ statements: CodeBlockItemListSyntax, clause: String, start: String = ""
  ) -> Edit? {
    guard let first = statements.first else { return nil }
    let range = statements.bytes
    let text = start + text(range)
    guard text.contains(where: \.endsLine) || lines.startsLine(range.lowerBound, in: bytes) else {
      return Edit(range, "do { \(text) } catch { \(clause) }")
    }
    if text.contains("\"\"\"") || text.contains("/*") { return nil }
    let inner = indentation(of: first)
    let step = inner.hasPrefix("\t") ? "\t" : "  "
    let moved = text.split(omittingEmptySubsequences: false) { $0.endsLine }.enumerated()
      .map {
        $0.offset == 0 || $0.element.allSatisfy(\.isWhitespace) ? $0.element : step + $0.element
      }
      .joined(separator: "\n")
    return Edit(
      range,
      "do {\n\(inner)\(step)\(moved)\n\(inner)} catch {\n\(inner)\(step)\(clause)\n\(inner)}")
  }
}

extension LineTable {
  /// Whether nothing but blanks stands before a place on its line.
  func startsLine(_ offset: Int, in bytes: [UInt8]) -> Bool {
    bytes[self.bytes(ofLine: place(of: offset).line).lowerBound..<offset]
      .allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
