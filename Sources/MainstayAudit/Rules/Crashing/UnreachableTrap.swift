// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unreachableTrap = Rule(
    "MS604", "unreachable-trap", .info, .strict, serves: ["C20"],
    summary: "A throwing function ends in a trap after its loop.",
    why: "An attempt limit of zero, or a changed condition, makes the unreachable place a crash.",
    guess: "The loop before it tries something again.",
    onPurpose: "An ignore with the reason.",
    remedy: .unsafe("Throws the error that the loop kept, and traps only without one."),
    examples: unreachableTrapExamples,
    checks: .routine { routine, file in
      guard routine.isThrowing, let statements = routine.statements, statements.count > 1,
        let last = statements.last, let call = last.item.as(FunctionCallExprSyntax.self),
        let name = call.freeName, ["fatalError", "preconditionFailure"].contains(name),
        let loop = statements.dropLast().last?.loop, !loop.isEndless
      else { return }
      file.report(
        call, "`\(name)` is all that is left when the loop ends; throw instead",
        fix: throwFix(call, statements, in: file))
    })
}

extension CodeBlockItemSyntax {
  /// The loop that it is, with or without a label.
  fileprivate var loop: Loop? {
    let node = Syntax(item)
    return Loop(node.as(LabeledStmtSyntax.self).map { Syntax($0.statement) } ?? node)
  }
}

/// Where the function keeps the last error in an optional of its own.
private func throwFix(
  _ trap: FunctionCallExprSyntax, _ statements: CodeBlockItemListSyntax, in file: AuditedFile
) -> Fix? {
  let kept = statements.compactMap { $0.item.as(VariableDeclSyntax.self) }.flatMap(\.bindings)
    .filter { binding in
      binding.typeAnnotation?.type.kind == .optionalType
        && binding.typeAnnotation?.type.lastName == "Error"
    }
  guard kept.count == 1, let name = kept.first?.pattern.as(IdentifierPatternSyntax.self) else {
    return nil
  }
  let range = trap.bytes
  let error = name.identifier.text
  let separator =
    file.lines.startsLine(range.lowerBound, in: file.bytes)
    ? "\n" + file.indentation(of: trap) : "; "
  return .unsafe(
    "throw the last error",
    Edit(
      range, "guard let \(error) else { \(file.text(range)) }\(separator)throw \(error)"))
}

private let unreachableTrapExamples: [Example] = [
  .bad(
    """
    func load() async throws -> Page {
      var lastError: (any Error)?
      for _ in 1...attempts {
        do { return try await fetch() } catch { lastError = error; note(error) }
      }
      ↓fatalError("never")
    }
    """,
    fixed: """
      func load() async throws -> Page {
        var lastError: (any Error)?
        for _ in 1...attempts {
          do { return try await fetch() } catch { lastError = error; note(error) }
        }
        guard let lastError else { fatalError("never") }
        throw lastError
      }
      """),
  .bad("func f() throws -> Int { while left > 0 { if try g() { return 1 } }; ↓fatalError() }"),
  .bad("func f() throws { retry: for n in 0..<count { try g(n) }; ↓preconditionFailure(\"no\") }"),
  .bad("init() throws { repeat { try g() } while isOpen; ↓fatalError() }"),
  .bad("var a: Int { get throws { for n in 0..<3 { if try g(n) { return n } }; ↓fatalError() } }"),
  .good(
    "func f() throws -> Int { for n in a { if try g(n) { return n } }; throw RetryError.none }"),
  .good("func f() -> Int { for n in 0..<3 { if g(n) { return n } }; fatalError() }"),
  .good("func f() throws -> Int { try g(); fatalError() }", because: "no loop ends before it"),
  .good("func f() throws { for n in 0..<3 { try g(n) }; fatalErrorLog() }"),
  .good("func f() throws -> Int { while true { if try g() { return 1 } }; fatalError() }"),
]
