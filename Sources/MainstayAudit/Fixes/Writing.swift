// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SyntaxProtocol {
  /// The bytes of it, without what stands before and after.
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

extension AuditedFile {
  /// The logger that code at a place can name: a property of a type around it, or of the file.
  ///
  /// - Returns: Its name, or nil where the file declares none or several.
  func logger(at node: some SyntaxProtocol) -> String? {
    var found: [String] = []
    var current = Syntax(node).parent
    while let here = current {
      if let type = TypeDeclaration(here) { found += loggers(of: type) }
      current = here.parent
    }
    if found.isEmpty { found = fileLoggers }
    return found.count == 1 ? found[0] : nil
  }

  /// The loggers among the properties of a type, looked for once: a type may hold a finding in
  /// each of its members.
  private func loggers(of type: TypeDeclaration) -> [String] {
    if let known = knownLoggers[type.node.id] { return known }
    let found = type.properties.filter { isLogger($0.binding) }.map { property in
      property.variable.modifiers.has(.static) ? "Self." + property.name.text : property.name.text
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
    if lines.place(of: open - 1).line == lines.place(of: close).line {
      // All on one line: it stays so, with the statement in front.
      return Edit(open..<open, block.statements.isEmpty ? " \(statement) " : " \(statement);")
    }
    return Edit(open..<open, "\n\(inner)\(statement)")
  }
}
