// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let taskErrorVanishes = Rule(
    "MS206", "task-error-vanishes", .warning, .default, serves: ["A48", "E2"],
    summary: "A task that nobody keeps can throw, and its error goes nowhere.",
    why: "The error ends the task in silence: no log, no message, and the rest of it never runs.",
    guess: "`Task` is the one of Swift, and a task that is a statement is awaited by nobody. "
      + "A package for Swift 6.4 or later has a compiler that warns of the same by itself.",
    onPurpose: "`_ = Task { … }`, or `Task<Void, any Error> { … }`.",
    remedy: .safe("Puts a `do` with a clause that logs around it, where the file has a logger."),
    examples: taskErrorVanishesExamples,
    checks: .call { call, file in
      guard let closure = call.taskBody, call.isStatement,
        let origin = closure.escapingErrors().first(where: {
          !$0.isSleep && !file.vocabulary.isCleanUp($0)
        })
      else { return }
      let name = origin.as(TryExprSyntax.self)?.tried?.name
      file.report(
        call,
        name.map { "What `\($0)` throws in this task is never seen" }
          ?? "An error of this task is never seen",
        fix: file.fix(closure),
        when: { [path = file.path] in !$0.warnsOfThrowingTasks(in: path) })
    })
}

extension AuditedFile {
  /// Catches and logs what the work of a task throws, where it hands out no value.
  fileprivate func fix(_ closure: ClosureExprSyntax) -> Fix? {
    guard closure.signature?.returnClause?.type.isVoid ?? true,
      !closure.containsOwn(where: { $0.as(ReturnStmtSyntax.self)?.expression != nil }),
      let log = logCall(at: closure)
    else { return nil }
    let edit = wrapping(
      closure.statements, clause: log, start: leavesValue(closure.statements) ? "_ = " : "")
    return edit.map { .safe("catch and log", $0) }
  }

  /// Whether the statements are one call that may return something, which is the task's value as
  /// long as nothing is around it, and an unused result then.
  private func leavesValue(_ statements: CodeBlockItemListSyntax) -> Bool {
    guard statements.count == 1,
      let call = statements.first?.item.as(TryExprSyntax.self)?.tried
    else { return false }
    let known = call.receiver.map { $0.trimmedDescription == "self" } ?? true
    guard known, let own = call.name.flatMap({ functions[$0] }), !own.isEmpty else { return true }
    return !own.allSatisfy { function in
      !Routine(function).returnsValue || function.attributes.names.contains("discardableResult")
    }
  }
}

extension FunctionCallExprSyntax {
  /// The work of `Task { … }`, `Task.detached { … }` or the like.
  fileprivate var taskBody: ClosureExprSyntax? {
    guard let closure = trailingClosure ?? arguments.last?.expression.as(ClosureExprSyntax.self)
    else { return nil }
    if let name = calledExpression.as(DeclReferenceExprSyntax.self)?.baseName {
      return name.text == "Task" ? closure : nil
    }
    guard let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "Task",
      ["detached", "init", "immediate", "immediateDetached"].contains(access.declName.baseName.text)
    else { return nil }
    return closure
  }
}

private let taskErrorVanishesExamples: [Example] = [
  .bad(
    """
    final class Outbox {
      let log = Logger(label: "outbox")
      func flush() {
        ↓Task {
          try await self.send()
        }
      }
      private func send() async throws { try await api.post(queue) }
    }
    """,
    fixed: """
      final class Outbox {
        let log = Logger(label: "outbox")
        func flush() {
          Task {
            do {
              try await self.send()
            } catch {
              log.error("\\(error)")
            }
          }
        }
        private func send() async throws { try await api.post(queue) }
      }
      """),
  .bad("func f() { ↓Task.detached(priority: .low) { [self] in items = try await load() } }"),
  .bad("let button = Button(\"Send\") { ↓Task { try await send() } }"),
  .bad(
    """
    let log = Logger(label: "a")
    func f() {
      ↓Task { @MainActor in try await send() }
    }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() {
        Task { @MainActor in do { _ = try await send() } catch { log.error("\\(error)") } }
      }
      """),
  .bad(
    """
    let log = Logger(label: "a")
    func f() { ↓Task { let n = try await api.count(); return n } }
    func g() { ↓Task { () -> Int in try await api.count() } }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() { Task { let n = try await api.count(); return n } }
      func g() { Task { () -> Int in try await api.count() } }
      """),
  .bad(
    """
    let log = Logger(label: "a")
    func f() { ↓Task { try await api.count() } }
    func g() { ↓Task { count = try await api.count() } }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() { Task { do { _ = try await api.count() } catch { log.error("\\(error)") } } }
      func g() { Task { do { count = try await api.count() } catch { log.error("\\(error)") } } }
      """),
  .bad(
    """
    func f() {
      ↓Task {
        do { try await send() } catch is CancellationError { log("cancelled") }
      }
    }
    """),
  .bad("func f() { ↓Task { for try await event in events { show(event) } } }"),
  .bad("func f() { ↓Task { guard let user else { throw Problem.noUser }; await greet(user) } }"),
  .bad("func f() { ↓Task { do { try await a() } catch { try await b(error) } } }"),
  .bad("var isOn = false { didSet { ↓Task { try await store.save(isOn) } } }"),
  .bad("func f() { ↓Task(operation: { try await send() }) }"),
  .bad(
    "func f() { load { url, _ in if let url { if url.isNew { ↓Task { try await add(url) } } "
      + "else { show() } } } }"),
  .bad(
    "func f() { ↓Task { try await send() } }",
    others: ["Package.swift": "// swift-tools-version: 6.3\nimport PackageDescription\n"]),
  .bad("func f() { list.forEach { item in ↓Task { try await send(item) } } }"),
  .bad("struct Form { let onTap: () -> Void = { ↓Task { try await send() } } }"),
  .bad("func f() { let send: (@Sendable () -> Void)? = { ↓Task { try await post() } } }"),
  .bad("func f() { let go = { ↓Task { try await send() } }; go() }"),
  .bad("func f() { model.save = { ↓Task { try await send() } } }"),
  .good("func f() async throws { let go = { Task { try await send() } }; try await go().value }"),
  .good("struct Form { let job: () -> Task<Void, any Error> = { Task { try await send() } } }"),
  .good("func f() { factory.makeJob = { Task { try await send() } } }"),
  .good(
    """
    final class Outbox {
      let log = Logger(label: "outbox")
      func flush() {
        Task {
          do {
            try await send()
          } catch {
            log.error("\\(error)")
          }
        }
      }
    }
    """),
  .good("func f() { task = Task { try await send() } }", because: "it is kept"),
  .good(
    "func f() -> Task<Void, any Error> { Task { try await send() } }", because: "it is returned"),
  .good("let tasks = items.map { item in Task { try await send(item) } }"),
  .good(
    "func f() -> Task<Void, any Error> {\n#if DEBUG\nTask { try await a() }\n#else\n"
      + "Task { try await b() }\n#endif\n}"),
  .good("func f() async throws { try await Task { try await send() }.value }"),
  .good("func f() { Task { try await Task.sleep(for: .seconds(1)); isShown = false } }"),
  .good("func f() { defer { Task { try await client.shutdown() } } }", because: "it tidies up"),
  .good("func f() { Task { try Task.checkCancellation(); await g() } }"),
  .good("func f() { Task { let a = try? await send(); show(a) } }"),
  .good("func f() { Task<Void, any Error> { try await send() } }", because: "it says so"),
  .good("func f() { Task { await run { try await send() } } }", because: "`run` gets the error"),
  .good("func f() { _ = Task { try await send() } }"),
  .good(
    "func f() { Task { try await send() } }",
    others: ["Package.swift": "// swift-tools-version: 6.4\nimport PackageDescription\n"],
    because: "the compiler warns of it"),
  .good("func f() { Task { try await send() }.store(in: &bag) }"),
  .good("func f() { tasks.append(Task { try await send() }) }"),
]
