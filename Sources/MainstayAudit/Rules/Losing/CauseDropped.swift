// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let causeDropped = Rule(
    "MS205", "cause-dropped", .warning, .default, serves: ["B26"],
    summary: "A catch-all throws another error that knows nothing of the one that was caught.",
    why: "Whoever meets the new error can no longer find out what went wrong.",
    guess: "Names made from the error, also through casts and patterns, carry it on.",
    onPurpose: "`catch _ { throw … }`, a clause for the one error that is expected, or a comment "
      + "that says why the cause does not matter.",
    remedy: .safe("Hands the error over, where a case of the file has a free place for it."),
    examples: causeDroppedExamples,
    checks: .catchClause { clause, file in
      guard clause.isCatchAll, !clause.isDiscarding, !clause.isLeftCancellation,
        !clause.body.statements.isEmpty
      else { return }
      let throwing = clause.ownThrows
      guard !throwing.isEmpty, !clause.isAccepted else { return }
      let names = clause.errorNames
      let dropping = throwing.filter { dropsCause($0, of: clause, names) }
      guard !dropping.isEmpty, !clause.catchesOnlySleep else { return }
      let isNoted = clause.notesError(names)
      let isMild = isNoted || clause.isExplained || clause.doStatement?.body.onlyScans ?? false
      for statement in dropping {
        if isNoted, statement.endsProgram { continue }
        let isOneOfMany = clause.throwsBefore(statement)
        if isOneOfMany, isMild { continue }
        file.report(
          statement,
          isNoted
            ? "The error thrown here does not carry its cause, which is noted elsewhere"
            : "The error thrown here does not carry its cause",
          severity: isMild || isOneOfMany || statement.refuses ? .info : nil,
          fix: payloadFix(statement, error: clause.boundNames.first ?? "error", in: file))
      }
    })
}

extension CatchClauseSyntax {
  /// What it throws itself, rather than a clause inside it.
  fileprivate var ownThrows: [ThrowStmtSyntax] {
    body.everyOwn(ThrowStmtSyntax.self).filter { $0.enclosingCatch?.id == id }
  }

  /// Whether its `do` throws the same error itself, word for word: whoever meets it knows that it
  /// says no more than what could not be done.
  fileprivate func throwsBefore(_ statement: ThrowStmtSyntax) -> Bool {
    let wanted = statement.expression.words
    return doStatement?.body.everyOwn(ThrowStmtSyntax.self)
      .contains { $0.expression.words == wanted } ?? false
  }

  /// Whether a call or an assignment takes note of the error before.
  fileprivate func notesError(_ names: Set<String>) -> Bool {
    body.every(FunctionCallExprSyntax.self).contains {
      $0.enclosingThrow == nil && $0.arguments.mentionsAny(of: names)
    }
      || body.assignments.contains { assignment in
        assignment.isState && assignment.values.contains { $0.mentionsAny(of: names) }
      }
  }
}

extension SyntaxProtocol {
  /// Its tokens, however they are laid out.
  fileprivate var words: [String] { tokens(viewMode: .sourceAccurate).map(\.text) }
}

extension FunctionCallExprSyntax {
  fileprivate var enclosingThrow: ThrowStmtSyntax? {
    var current = parent
    while let here = current, here.kind != .codeBlockItem {
      if let statement = here.as(ThrowStmtSyntax.self) { return statement }
      current = here.parent
    }
    return nil
  }
}

private func dropsCause(
  _ statement: ThrowStmtSyntax, of clause: CatchClauseSyntax, _ names: Set<String>
) -> Bool {
  let thrown = statement.expression
  guard !thrown.mentionsAny(of: names), thrown.core.makesError,
    !thrown.mentions(where: \.isAboutCancellation)
  else { return false }
  return !statement.answersQuestion(about: names, upTo: Syntax(clause.body))
}

extension ExprSyntax {
  /// Whether it makes an error here: `E.failed`, `.failed("…")`, `E(…)`, but not `lastError`.
  fileprivate var makesError: Bool {
    let made = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
    if let access = made.as(MemberAccessExprSyntax.self) {
      guard let base = access.base else { return true }
      return base.lastName?.first?.isUppercase ?? false
    }
    return made.lastName?.first?.isUppercase ?? false
  }
}

extension ThrowStmtSyntax {
  /// Whether it turns somebody away, who must not learn why.
  fileprivate var refuses: Bool {
    expression.mentions { $0.text == "unauthorized" || $0.text == "forbidden" }
  }

  /// Whether it only gives the program its exit code.
  fileprivate var endsProgram: Bool {
    expression.mentions { $0.text == "ExitCode" || $0.text == "CleanExit" }
  }

  /// Whether a branch around it was chosen because of what the error is, which it then says.
  fileprivate func answersQuestion(about names: Set<String>, upTo end: Syntax) -> Bool {
    var child = Syntax(self)
    while let here = child.parent, here.id != end.id {
      if let branch = here.as(IfExprSyntax.self), child.id == branch.body.id {
        if branch.conditions.mentionsAny(of: names) { return true }
      } else if let arm = here.as(SwitchCaseSyntax.self), arm.label.is(SwitchCaseLabelSyntax.self),
        let whole = arm.nearest(SwitchExprSyntax.self), whole.subject.mentionsAny(of: names)
      {
        return true
      } else if let list = here.as(CodeBlockItemListSyntax.self),
        let item = child.as(CodeBlockItemSyntax.self),
        list.statements(before: item).contains(where: { $0.sortsOut(names) })
      {
        return true
      }
      child = here
    }
    return false
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is a guard that lets errors of one kind pass, and throws on all others.
  fileprivate func sortsOut(_ names: Set<String>) -> Bool {
    guard let check = item.as(GuardStmtSyntax.self), check.conditions.mentionsAny(of: names) else {
      return false
    }
    return check.body.everyOwn(ThrowStmtSyntax.self).contains { $0.mentionsAny(of: names) }
  }
}

// MARK: Handing the error over

private func payloadFix(_ statement: ThrowStmtSyntax, error: String, in file: AuditedFile) -> Fix? {
  let thrown = statement.expression
  let call = thrown.as(FunctionCallExprSyntax.self)
  guard let made = (call.map { $0.calledExpression } ?? thrown).as(MemberAccessExprSyntax.self),
    let type = made.base?.lastName,
    let slots = file.slots(ofCase: made.declName.baseName.bareText, in: type)
  else { return nil }
  let given = call?.arguments.map { $0.label?.bareText } ?? []
  let free = slots.enumerated().filter {
    $0.element.takesError && !given.contains($0.element.label)
  }
  guard free.count == 1, let slot = free.first else { return nil }
  let argument = (slot.element.label.map { "\($0): " } ?? "") + error
  guard let call, !call.arguments.isEmpty else {
    let end = made.bytes.upperBound
    let range = call == nil ? end..<end : end..<thrown.bytes.upperBound
    return .safe("hand the error over", Edit(range, "(\(argument))"))
  }
  // Only at the end, so that no order of defaulted arguments can be wrong.
  guard slot.offset == slots.count - 1, slot.element.label != nil,
    let last = call.arguments.last?.expression.bytes.upperBound
  else { return nil }
  return .safe("hand the error over", Edit(last..<last, ", \(argument)"))
}

/// What a case can carry.
private struct Slot {
  let label: String?
  let takesError: Bool
}

extension AuditedFile {
  /// What an enum of this file takes for one of its cases, if all that takes an error may be left
  /// out.
  fileprivate func slots(ofCase name: String, in type: String) -> [Slot]? {
    for item in tree.statements {
      guard let found = TypeDeclaration(Syntax(item.item)), found.kind == .enumeration,
        found.name == type
      else { continue }
      let element = found.cases.first { $0.name.bareText == name }
      return element?.parameterClause?.parameters.map { parameter in
        Slot(
          label: parameter.firstName?.bareText,
          takesError: parameter.type.lastName == "Error" && parameter.defaultValue != nil)
      }
    }
    return nil
  }
}

private let causeDroppedExamples: [Example] = [
  .bad("func f() throws { do { try a() } catch { ↓throw ReadError.failed } }"),
  .bad(
    """
    enum LoadError: Error {
      case failed(underlying: (any Error)? = nil)
      case bad(String, cause: (any Error)? = nil)
    }
    func load() throws {
      do {
        try read()
      } catch {
        if isFirst { ↓throw LoadError.failed() }
        ↓throw LoadError.bad("page")
      }
    }
    """,
    fixed: """
      enum LoadError: Error {
        case failed(underlying: (any Error)? = nil)
        case bad(String, cause: (any Error)? = nil)
      }
      func load() throws {
        do {
          try read()
        } catch {
          if isFirst { throw LoadError.failed(underlying: error) }
          throw LoadError.bad("page", cause: error)
        }
      }
      """),
  .bad("func f() throws { do { try a() } catch let e { ↓throw AppError(code: 4, text: \"no\") } }"),
  .bad(
    """
    func f() throws {
      do {
        try a()
      } catch {
        if let known = error as? StoreError { throw AppError.store(known) }
        ↓throw AppError.unknown
      }
    }
    """),
  .bad(
    """
    func f() throws {
      do { try a() } catch {
        guard let known = error as? StoreError else { ↓throw AppError.unknown }
        throw AppError.store(known)
      }
    }
    """),
  .bad("func f() throws { do { try a() } catch let error as NSError { ↓throw Failure.io } }"),
  .bad(
    """
    func f() throws {
      do { try a() } catch {
        log.error("\\(error)")
        ↓throw ReadError.failed
      }
    }
    """),
  .bad(
    """
    func f() throws {
      do { try a() } catch {
        switch error {
        case is URLError: throw AppError.offline
        default: ↓throw AppError.unknown
        }
      }
    }
    """),
  .bad("func f() throws { do { try check() } catch { ↓throw Abort(.unauthorized) } }"),
  .bad(
    """
    func f() throws {
      do {
        let file = try open()
        guard file.isWhole else { throw FileError.missing }
      } catch {
        ↓throw FileError.missing
      }
    }
    """),
  .good(
    """
    func parse() throws {
      do {
        key = try parser.read(until: equals).text
        guard try parser.read(equals) else { throw ParseError.noAssignment }
      } catch {
        throw ParseError.noAssignment
      }
    }
    """, because: "the text is wrong in either case"),
  .good(
    """
    func statement() throws {
      do {
        if try next() != nil { throw QueryError.several(sql) }
      } catch {
        // What follows the first statement is no SQL. Say that it is one too many.
        throw QueryError.several(sql)
      }
    }
    """),
  .good(
    """
    func f() throws {
      do { try a() } catch {
        // The cause is of no matter to whoever asked: it is told by the other side.
        throw ReadError.failed
      }
    }
    """),
  .good("func f() throws { do { try a() } catch { throw ReadError.failed(underlying: error) } }"),
  .good(
    """
    func f() throws {
      do { try a() } catch {
        let wrapped = ReadError(error)
        throw Outer.failed(wrapped)
      }
    }
    """),
  .good("func f() throws { do { try a() } catch CocoaError.fileNoSuchFile { throw E.missing } }"),
  .good(
    """
    func f() throws {
      do { try a() } catch {
        if let known = error as? StoreError, known == .full { throw E.full }
        throw error
      }
    }
    """, because: "the new error says what the old one was"),
  .good(
    """
    func f() throws {
      do { try a() } catch {
        guard let known = error as? StoreError, known == .full else { throw error }
        throw E.full
      }
    }
    """),
  .good("func f() throws { do { try a() } catch { throw CancellationError() } }"),
  .good("func run() throws { do { try a() } catch { print(error); throw ExitCode.failure } }"),
  .good("func f() throws { do { try a() } catch { lastError = error; throw lastError } }"),
  .good("func f() throws { do { try undo() } catch { throw first } }", because: "it is another"),
  .good("func f() throws { do { try a() } catch _ { throw E.failed } }", because: "it says so"),
  .good("func f() throws { do { try a() } catch { try b { throw E.failed } ; log(error) } }"),
]
