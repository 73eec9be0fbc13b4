// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let errorDiscarded = Rule(
    "MS202", "error-discarded", .warning, .default, serves: ["B26"],
    summary: "A catch-all goes on without using the error, throwing, trapping or reporting.",
    why: "The failure turns into a value that looks like any other, and its cause is gone.",
    guess: "Calls named like a log, a report or a failure tell somebody.",
    onPurpose: "`catch _ { … }`, a clause for the one error that is expected, or a comment "
      + "that says why a failure does no harm.",
    remedy: .safe("Adds a log call, where the file has a logger."),
    examples: errorDiscardedExamples + errorDiscardedOnPurpose,
    checks: .catchClause { clause, file in
      guard clause.isCatchAll, !clause.body.statements.isEmpty, !clause.isDiscarding,
        !clause.isLeftCancellation, !clause.usesError, let handling = Handling(clause, file)
      else { return }
      file.report(
        clause, handling.message, severity: handling.isMild ? .info : nil,
        fix: file.logFix(at: clause))
    })
}

/// What a clause that does not use its error does instead.
private enum Handling {
  case nothing, flag, alternative, failable, undoing, explained

  /// None where somebody hears of the failure, or where failing is the answer.
  init?(_ clause: CatchClauseSyntax, _ file: AuditedFile) {
    let body = clause.body
    if body.containsOwn(where: { $0.kind == .throwStmt }) || file.reports(body) { return nil }
    let marks = FailureMarks(body)
    if marks.tells { return nil }
    let around = Surroundings(of: clause)
    if around?.isPredicate ?? false, body.endsWithBoolean { return nil }
    if body.endsWithBoolean, clause.isInFilter { return nil }
    if clause.doStatement?.body.onlyScans ?? false || clause.notesFailureBefore { return nil }
    if clause.catchesOnlySleep || clause.catchesOnlyCleanUp(file.vocabulary) { return nil }
    if clause.isTriedToTheEnd { return nil }
    let triesAgain = body.escapingErrors().contains { !$0.isSleep }
    if triesAgain, around?.isDecoding ?? false { return nil }
    if clause.saysWhoHears || clause.isAccepted { return nil }
    let undoes = body.onlyTidiesUp(file.vocabulary)
    if undoes, clause.isInCleanUp || clause.doStatement?.isExcused ?? false { return nil }
    if clause.isExplained, triesAgain { return nil }
    let isFailable = around?.answersWithNil ?? false && body.returnsNil
    if isFailable, clause.sortsOutBefore { return nil }
    if clause.isExplained {
      self = .explained
    } else if marks.flags {
      self = .flag
    } else if triesAgain || clause.takesOtherForm {
      self = .alternative
    } else if undoes {
      self = .undoing
    } else if isFailable {
      self = .failable
    } else {
      self = .nothing
    }
  }

  var isMild: Bool { self != .nothing }

  var message: String {
    switch self {
    case .nothing, .explained: "This error is dropped: nothing here uses or reports it"
    case .flag: "The failure is shown, but its cause is dropped"
    case .alternative: "Something else is tried, and why the first failed is dropped"
    case .undoing: "What failed is undone, but its cause is dropped"
    case .failable: "The answer is `nil`, without a word of the cause"
    }
  }
}

/// Whether code says in so many words that something failed.
private struct FailureMarks {
  /// It returns or passes on a failure.
  private(set) var tells = false
  /// It sets something that speaks of a failure.
  private(set) var flags = false

  init(_ body: CodeBlockSyntax) {
    var tells = false
    var flags = false
    body.walk { node in
      guard !tells else { return false }
      switch node.kind {
      case .sequenceExpr:
        guard Assignment(node.cast(SequenceExprSyntax.self)) != nil else { break }
        if node.namesFailure { flags = true }
        return !flags
      case .declReferenceExpr:
        tells = Vocabulary.namesFailure(node.cast(DeclReferenceExprSyntax.self).baseName.bareText)
      case .labeledExpr: tells = node.cast(LabeledExprSyntax.self).label?.text == "throwing"
      case .stringLiteralExpr:
        if Vocabulary.speaksOfFailure(node.cast(StringLiteralExprSyntax.self).writtenText) {
          flags = true
        }
      default: break
      }
      return true
    }
    self.tells = tells
    self.flags = flags
  }
}

extension Syntax {
  fileprivate var triedName: String? {
    isSleep ? nil : self.as(TryExprSyntax.self)?.tried?.name
  }

  fileprivate var namesFailure: Bool {
    contains { node in
      if let name = node.as(DeclReferenceExprSyntax.self)?.baseName.bareText {
        return Vocabulary.namesFailure(name)
      }
      guard let text = node.as(StringLiteralExprSyntax.self)?.writtenText else { return false }
      return Vocabulary.speaksOfFailure(text)
    }
  }
}

extension CodeBlockSyntax {
  /// Whether it holds calls that tidy up, and nothing else.
  fileprivate func onlyTidiesUp(_ vocabulary: Vocabulary) -> Bool {
    statements.allSatisfy { item in
      guard var expression = item.item.as(ExprSyntax.self)?.core else { return false }
      if let sequence = expression.as(SequenceExprSyntax.self),
        let only = Assignment(sequence)?.value
      {
        expression = only.core
      }
      return expression.as(FunctionCallExprSyntax.self).map { vocabulary.isCleanUp($0) } ?? false
    }
  }

  /// Whether it does nothing but return `nil`.
  fileprivate var returnsNil: Bool {
    guard statements.count == 1, let only = statements.first?.item else { return false }
    return only.as(ReturnStmtSyntax.self)?.expression?.kind == .nilLiteralExpr
  }

  /// Whether its last statement returns `true` or `false`.
  fileprivate var endsWithBoolean: Bool {
    guard let last = statements.last?.item else { return false }
    let value = last.as(ReturnStmtSyntax.self)?.expression ?? last.as(ExprSyntax.self)
    return value?.kind == .booleanLiteralExpr
  }
}

extension CatchClauseSyntax {
  /// Whether an initializer sets from the same input what its `do` would have set, in another
  /// form.
  fileprivate var takesOtherForm: Bool {
    guard let attempt = doStatement, Surroundings(of: self)?.name == "init" else { return false }
    let wanted = Set(attempt.body.ownAssignments.map(\.path))
    return body.ownAssignments.contains { !$0.isReset && wanted.contains($0.path) }
  }

  /// Whether it goes round in a loop behind which the same is tried once more, for all to see.
  fileprivate var isTriedToTheEnd: Bool {
    guard let loop = enclosingLoop, let item = loop.node.parent?.as(CodeBlockItemSyntax.self),
      let list = item.parent?.as(CodeBlockItemListSyntax.self),
      !body.containsOwn(where: { $0.kind == .returnStmt })
    else { return false }
    let wanted = doStatement?.body.escapingErrors().compactMap(\.triedName) ?? []
    return list.statements(after: item).contains { rest in
      rest.escapingErrors().contains { $0.triedName.map(wanted.contains) ?? false }
    }
  }

  /// Whether clauses before it answer to errors that matter otherwise than with `nil`.
  fileprivate var sortsOutBefore: Bool {
    earlierClauses.contains { !$0.isCatchAll && !$0.mentionsCancellation && $0.body.leaves }
  }

  /// Whether the work itself keeps the error somewhere, as from a closure that it hands over.
  fileprivate var notesFailureBefore: Bool {
    doStatement?.body.assignments.contains { assignment in
      !assignment.isReset && assignment.name.map(Vocabulary.namesFailure) ?? false
    } ?? false
  }

  /// Whether it decides for a `filter` or the like which elements count.
  fileprivate var isInFilter: Bool {
    guard let closure = enclosingRoutine?.node.as(ClosureExprSyntax.self),
      let name = closure.receiver?.call.name
    else { return false }
    return [
      "filter", "contains", "allSatisfy", "first", "firstIndex", "last", "removeAll", "prefix",
      "drop",
    ].contains(name)
  }
}

private let errorDiscardedExamples: [Example] = [
  .bad(
    """
    struct Reader {
      let log: Logger
      func text() -> String? {
        do {
          return try read()
        } ↓catch {
          return nil
        }
      }
    }
    """,
    fixed: """
      struct Reader {
        let log: Logger
        func text() -> String? {
          do {
            return try read()
          } catch {
            log.error("\\(error)")
            return nil
          }
        }
      }
      """),
  .bad("func save() -> Bool { do { try write(); return true } ↓catch { return false } }"),
  .bad(
    """
    for url in urls {
      do { pages.append(try await load(url)) } ↓catch let problem { continue }
    }
    """),
  .bad(
    """
    func load() {
      Task {
        do {
          items = try await api.items()
        } ↓catch {
          items = []
          isLoading = false
        }
      }
    }
    """),
  .bad(
    """
    func next() async -> Data? {
      await withCheckedContinuation { continuation in
        do {
          continuation.resume(returning: try read())
        } ↓catch {
          continuation.resume(returning: nil)
        }
      }
    }
    """),
  .bad(
    """
    func parse() {
      do { try a() } catch let e as ParseError { log.error("\\(e)") } ↓catch { return }
    }
    """),
  .bad("func f() { do { try a() } ↓catch let error as NSError { completion(nil) } }"),
  .bad("func show() { do { try a() } ↓catch { hasError = true } }"),
  .bad(
    """
    let log = Logger(label: "a")
    func f() {
      do { try a() } ↓catch { b()
      }
    }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() {
        do { try a() } catch { log.error("\\(error)"); b()
        }
      }
      """),
  .bad("func f() { do { try db.commit() } ↓catch { db.rollback() } }"),
  .bad(
    "init(_ text: String) { do { self.kind = try .init(text) } ↓catch { kind = .other(text) } }"),
  .bad("func both() throws { do { try a() } ↓catch { try b() } }"),
  .bad("init?(_ data: Data) { do { self = try Self.read(data) } ↓catch { return nil } }"),
  .bad(
    """
    func warm() {
      do { try fill() } ↓catch {
        // The cache fills itself on the first read.
        filled = 0
      }
    }
    """),
  .bad("func f() { do { try a() } ↓catch (let error) { b() } }"),
  .bad("var user: User? { do { return try decode() } ↓catch { return nil } }"),
  .bad("func parse(_ text: String) -> Tree? { do { return try tree() } ↓catch { return nil } }"),
  .good(
    """
    func fetch() async throws -> Data {
      for attempt in 1..<limit {
        do { return try await load() } catch { try await Task.sleep(for: pause(attempt)) }
      }
      return try await load()
    }
    """, because: "the last attempt tells"),
  .good(
    """
    func f() {
      do { value = try result.get() } catch {
        // The error is reported by whoever made the result.
        value = nil
      }
    }
    """, because: "it says who hears of it"),
  .good(
    """
    func split() -> [Part] {
      do { return try parser.read(until: comma) } catch { return rest }
    }
    """, because: "the error says that no comma comes"),
  .good(
    """
    func fold() -> Node {
      do {
        return try folded { problem in
          firstFailure = problem
          throw problem
        }
      } catch { return node }
    }
    """, because: "the closure kept the error"),
  .good("func runVerifyOfTrees() -> Bool { do { try a() } catch { return false }; return true }"),
  .good(
    """
    struct Reader {
      let log: Logger
      func text() -> String? {
        do {
          return try read()
        } catch {
          log.error("reading: \\(error)")
          return nil
        }
      }
    }
    """),
  .good("func f() { do { try a() } catch { logger.warning(\"no cache\"); useDefaults() } }"),
  .good("do { try a() } catch { throw Problem.broken }", because: "another rule looks at that"),
  .good("func f() -> State { do { return try a() } catch { return .failed } }"),
  .good("func f() { do { try a() } catch let e { let text = \"\\(e)\"; show(text) } }"),
  .good("func f() { do { try a() } catch CocoaError.fileNoSuchFile { create() } catch _ { b() } }"),
  .good(
    "func f() async { do { try await Task.sleep(for: .seconds(1)) } catch { return } }",
    because: "a sleep throws only when it is cancelled"),
  .good(
    "func isValid() -> Bool { do { try check(); return true } catch { return false } }",
    because: "whether it throws is the question"),
  .good(
    """
    init(from decoder: any Decoder) throws {
      let box = try decoder.singleValueContainer()
      do { self = .number(try box.decode(Int.self)) } catch {
        self = .text(try box.decode(String.self))
      }
    }
    """, because: "the form that came is found by trying"),
  .good("func f() { do { try a() } catch { completion(.failure(Problem.broken)) } }"),
  .good("func f() { do { try a() } catch { continuation.resume(throwing: Problem.broken) } }"),
  .good("func f() { do { try a() } catch { self.error = error } }"),
  .good("func f() { do { try a() } catch { onFailure?() } }"),
  .good("let good = files.filter { do { try read($0); return true } catch { return false } }"),
]
