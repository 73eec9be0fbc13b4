// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// The bytes of it, without what stands before and after.
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

/// A property that holds a logger.
struct KnownLogger {
  let name: String
  let isStatic: Bool
}

extension AuditedFile {
  /// The logger that code at a place can name: a property of a type around it, or of the file.
  ///
  /// - Returns: Its name, or nil where the file declares none or several, or where `self` is weak.
  func logger(at node: some SyntaxProtocol) -> String? {
    var found: [String] = []
    var current = Syntax(node).parent
    var prefix = ""
    var seesInstance = true
    while let here = current {
      if let closure = here.as(ClosureExprSyntax.self) {
        if closure.capturesWeakly { return nil }
        if closure.receiver?.call.calledExpression.firstName != "Task" { prefix = "self." }
      } else if here.isTypeMember {
        seesInstance = false
      } else if let type = TypeDeclaration(here) {
        for logger in loggers(of: type) {
          if logger.isStatic {
            found.append(seesInstance ? "Self." + logger.name : logger.name)
          } else if seesInstance {
            found.append(prefix + logger.name)
          }
        }
        // What lies in a type sees no instance of the types around it.
        if !found.isEmpty { break }
        seesInstance = false
      }
      current = here.parent
    }
    if found.isEmpty { found = fileLoggers }
    return found.count == 1 ? found[0] : nil
  }

  /// The loggers among the properties of a type, looked for once: a type may hold a finding in
  /// each of its members.
  private func loggers(of type: TypeDeclaration) -> [KnownLogger] {
    if let known = knownLoggers[type.node.id] { return known }
    let found = type.properties.filter { isLogger($0.binding) }.map { property in
      KnownLogger(
        name: property.name.text, isStatic: property.variable.modifiers.has(.static))
    }
    knownLoggers[type.node.id] = found
    return found
  }

  func isLogger(_ binding: PatternBindingSyntax) -> Bool {
    binding.typeAnnotation?.type.lastName == "Logger"
      || binding.initializer?.value.as(FunctionCallExprSyntax.self)?.name == "Logger"
  }

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

  /// An edit that puts statements into a `do` whose clause holds one statement; nil where moving
  /// lines would change a text of several lines.
  func wrapping(_ statements: CodeBlockItemListSyntax, clause: String) -> Edit? {
    guard let first = statements.first else { return nil }
    let range = statements.bytes
    let text = text(range)
    guard text.contains("\n") || lines.startsLine(range.lowerBound, in: bytes) else {
      return Edit(range, "do { \(text) } catch { \(clause) }")
    }
    if text.contains("\"\"\"") || text.contains("/*") { return nil }
    let inner = indentation(of: first)
    let step = inner.hasPrefix("\t") ? "\t" : "  "
    let moved = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map {
        $0.offset == 0 || $0.element.allSatisfy(\.isWhitespace) ? $0.element : step + $0.element
      }
      .joined(separator: "\n")
    return Edit(
      range,
      "do {\n\(inner)\(step)\(moved)\n\(inner)} catch {\n\(inner)\(step)\(clause)\n\(inner)}")
  }
}

extension ClosureExprSyntax {
  /// Whether it holds `self` or something else weakly or without owning it.
  fileprivate var capturesWeakly: Bool {
    signature?.capture?.items.contains { $0.specifier != nil } ?? false
  }
}

extension Syntax {
  /// Whether it is a `static` or `class` function or property.
  fileprivate var isTypeMember: Bool {
    let modifiers =
      self.as(FunctionDeclSyntax.self)?.modifiers ?? self.as(VariableDeclSyntax.self)?.modifiers
    return modifiers.map { $0.has(.static) || $0.has(.class) } ?? false
  }
}

extension LineTable {
  /// Whether nothing but blanks stands before a place on its line.
  func startsLine(_ offset: Int, in bytes: [UInt8]) -> Bool {
    bytes[self.bytes(ofLine: place(of: offset).line).lowerBound..<offset]
      .allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
