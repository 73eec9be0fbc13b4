// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let tryOptionalDropped = Rule(
    "MS203", "try-optional-dropped", .warning, .default, serves: ["D17", "D39"],
    summary: "A `try?` stands alone, so neither its result nor its error reaches anybody.",
    why: "When it fails, the program goes on as if it had worked, and no trace is left.",
    guess: "Calls named like closing, cancelling or removing a file tidy up. The one expression of "
      + "a closure is its value, unless what takes the closure is named like running it.",
    onPurpose: "`_ = try? f()`, or a comment that says why a failure does no harm.",
    remedy: .safe("Makes it a `do` with a clause that logs, where the file has a logger."),
    examples: tryOptionalDroppedExamples,
    checks: .tryExpression { expression, file in
      guard expression.isOptional else { return }
      if let assigned = expression.assigned {
        return file.report(expression, "Where `\(assigned)` cannot be set, the error is dropped")
      }
      guard let call = expression.tried, ExprSyntax(expression).isStatement,
        !isTolerable(call, at: expression, in: file), !expression.isAcceptedBefore(call),
        !expression.isAccepted
      else { return }
      let name = call.name.map { "An error of `\($0)`" } ?? "An error"
      let isMild =
        call.name == "createDirectory" || expression.isExcused || expression.isExcusedBefore(call)
        || expression.isContrasted(call)
      file.report(
        expression, "\(name) is dropped", severity: isMild ? .info : nil,
        fix: dropFix(expression, in: file))
    })
}

extension TryExprSyntax {
  /// What `try? a.b = c()` sets; the `try?` covers all of it.
  fileprivate var assigned: String? {
    guard let sequence = parent?.parent?.as(SequenceExprSyntax.self),
      let assignment = Assignment(sequence), assignment.target.id == ExprSyntax(self).id,
      ExprSyntax(sequence).isStatement
    else { return nil }
    return expression.trimmedDescription
  }
}

extension TryExprSyntax {
  /// Whether a remark about a failure stands at the constant that the call is given, right before.
  fileprivate func isExcusedBefore(_ call: FunctionCallExprSyntax) -> Bool {
    constant(for: call)?.isExcused ?? false
  }

  /// Whether such a remark says why it does no harm.
  fileprivate func isAcceptedBefore(_ call: FunctionCallExprSyntax) -> Bool {
    constant(for: call)?.isAccepted ?? false
  }

  private func constant(for call: FunctionCallExprSyntax) -> VariableDeclSyntax? {
    guard let item = parent?.as(CodeBlockItemSyntax.self),
      let before = item.previousSibling?.as(CodeBlockItemSyntax.self),
      let variable = before.item.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    return call.arguments.mentions(name.identifier.bareText) ? variable : nil
  }

  /// Whether another arm of the same `switch` lets the errors of the same call through, so that
  /// dropping them here is a choice.
  fileprivate func isContrasted(_ call: FunctionCallExprSyntax) -> Bool {
    guard let choice = nearest(SwitchExprSyntax.self) else { return false }
    let called = call.calledExpression.trimmedDescription
    return choice.everyOwn(TryExprSyntax.self).contains { other in
      other.questionOrExclamationMark == nil
        && other.tried?.calledExpression.trimmedDescription == called
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether all that it is given to run is empty: what matters is that it comes back.
  fileprivate var doesNothing: Bool {
    let given = closures
    return !given.isEmpty && given.allSatisfy(\.statements.isEmpty)
  }
}

/// Whether a failure of the call changes nothing, or is seen elsewhere.
private func isTolerable(
  _ call: FunctionCallExprSyntax, at node: TryExprSyntax, in file: AuditedFile
) -> Bool {
  guard let name = call.name else { return false }
  if call.scans || call.doesNothing { return true }
  if name == "sleep" || name == "encodeIfPresent" || file.vocabulary.isCleanUp(call) {
    return true
  }
  // `try? self.init(…)` makes a failable initializer.
  if name == "init", Surroundings(of: node)?.isFailableInitializer ?? false { return true }
  if let receiver = call.receiver?.lastName, file.vocabulary.isLogger(receiver) { return true }
  if node.isInCleanUp, words(of: name).contains(where: endings.contains) { return true }
  // What is undone on the way out, while the error that matters goes on.
  guard let clause = node.enclosingCatch else { return false }
  return clause.usesError || clause.body.containsOwn { $0.kind == .throwStmt }
}

/// First words of what is done when something ends.
private let endings: Set<String> = [
  "remove", "delete", "end", "stop", "restore", "reset", "release", "unlock", "free", "clean",
  "kill", "wait", "leave", "finish", "unmount", "detach", "deregister", "unregister",
]

private func dropFix(_ node: TryExprSyntax, in file: AuditedFile) -> Fix? {
  guard node.parent?.kind == .codeBlockItem, let log = file.logCall(at: node) else { return nil }
  let tried = "try " + file.text(node.expression.bytes)
  let range = node.bytes
  let inner = file.indentation(of: node)
  let line = file.lines.bytes(ofLine: file.lines.place(of: range.lowerBound).line)
  let isAlone = file.text(line.lowerBound..<range.lowerBound).allSatisfy(\.isWhitespace)
  let step = inner.hasPrefix("\t") ? "\t" : "  "
  guard isAlone, !tried.contains(where: \.endsLine) else {
    return .safe("log the error", Edit(range, "do { \(tried) } catch { \(log) }"))
  }
  return .safe(
    "log the error",
    Edit(
      range,
      "do {\n\(inner)\(step)\(tried)\n\(inner)} catch {\n\(inner)\(step)\(log)\n\(inner)}"))
}

private let tryOptionalDroppedExamples: [Example] = [
  .bad(
    """
    struct Basket {
      let log: Logger
      func empty() {
        ↓try? store.delete(key)
      }
    }
    """,
    fixed: """
      struct Basket {
        let log: Logger
        func empty() {
          do {
            try store.delete(key)
          } catch {
            log.error("\\(error)")
          }
        }
      }
      """),
  .bad("func save() async { ↓try? await store.save(items); close() }"),
  .bad("func load() { ↓try? self.items = store.items() }"),
  .bad("func save() { Task { ↓try? await store.save() } }"),
  .bad("var name = \"\" { didSet { ↓try? store.write(name) } }"),
  .bad("let button = Button(\"Save\") { ↓try? context.save() }"),
  .bad("func f() { if isDirty { ↓try? self.store?.flush() } else { show() } }"),
  .bad("func f() { DispatchQueue.main.async { [weak self] in ↓try? self?.save() } }"),
  .bad(
    """
    func f() {
      switch kind {
      case .draft: ↓try? drafts.save()
      default: break
      }
      guard isOpen else { ↓try? open(); return }
    }
    """),
  .bad(
    """
    let log = Logger(label: "a")
    func f() { g(); ↓try? x.save() }
    """,
    fixed: """
      let log = Logger(label: "a")
      func f() { g(); do { try x.save() } catch { log.error("\\(error)") } }
      """),
  .good(
    """
    func f() {
      // Best effort: the next start writes it again.
      try? journal.write(entry)
    }
    """, because: "it says why nothing is lost"),
  .bad(
    """
    func f() {
      // An error of it is ignored for now.
      ↓try? journal.write(entry)
      ↓try? fileManager.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    """),
  .bad("func f() { load { item, _ in if let item { if item.isNew { ↓try? keep(item) } } } }"),
  .bad(
    """
    func f() {
      switch code {
      case .done: ↓try? onStep?(progress)
      case .more: try onStep?(progress)
      }
    }
    """),
  .good(
    """
    func f() {
      // Nothing can be done where the queue is closed.
      let job = Job(item)
      try? queue.add(job)
    }
    """),
  .bad(
    """
    func f() {
      // The queue may fail where it is closed.
      let job = Job(item)
      ↓try? queue.add(job)
    }
    """),
  .bad(
    """
    func f() {
      // The store is thread-safe, so this may run anywhere.
      ↓try? store.save(draft)
    }
    """),
  .bad(
    """
    func f() {
      // Saving must not fail silently.
      ↓try? store.save(draft)
    }
    """),
  .bad("func f() { defer { ↓try? journal.write(entry) } }"),
  .bad("func f() { handlers[\"a\"] = { ↓try? store.save() } }"),
  .bad(
    "func f() async { await withTaskGroup(of: Void.self) { group in group.addTask { "
      + "↓try? await store.save() } } }"),
  .good(
    "func f() async { await withTaskGroup(of: Item?.self) { group in group.addTask { "
      + "try? await store.item() }; for await item in group { show(item) } } }",
    because: "the group has its result"),
  .good(
    """
    struct Basket {
      let log: Logger
      func empty() {
        do {
          try store.delete(key)
        } catch {
          log.error("\\(error)")
        }
      }
    }
    """),
  .good("func f() { _ = try? store.save() }", because: "it says so"),
  .good(
    "func f() { try? parser.advance(); try? scanner.skip(spaces) }", because: "the end is near"),
  .good("func f() async { try? await pool.run {} }", because: "it waits for the pool, no more"),
  .good("func f() { try? FileManager.default.removeItem(at: file); try? socket.close() }"),
  .good("func f() async { try? await Task.sleep(for: .seconds(1)) }", because: "MS302 looks at it"),
  .good("func f() -> Data? { try? Data(contentsOf: file) }", because: "it is returned"),
  .good("let sizes = files.map { try? size(of: $0) }", because: "the closure returns it"),
  .good("var data: Data? { try? read() }"),
  .good("var data: Data? {\n#if DEBUG\ntry? sample()\n#else\ntry? read()\n#endif\n}"),
  .bad("func f() {\n#if DEBUG\n↓try? save()\n#endif\n}"),
  .good("init?(_ text: String) { try? self.init(parsing: text) }", because: "it may fail"),
  .good("func f() { if let data = try? read() { show(data) } }"),
  .good(
    "func f() throws { do { try a() } catch { try? database.execute(rollback); throw error } }",
    because: "the error that matters goes on"),
  .good("func f() { defer { try? lock.release() } }"),
  .good("func f() { try? container.encodeIfPresent(name, forKey: .name) }"),
  .good("func test() { try? store.save() }", path: "Tests/AppTests/StoreTests.swift"),
  .good("let value = if isOpen { try? read() } else { nil }"),
  .bad("func f() { lock.withLock { ↓try? store.save() } }"),
  .bad("func f() { Task(priority: .low, operation: { ↓try? await store.save() }) }"),
  .bad("func f() async { await MainActor.run { ↓try? context.save() } }"),
  .good(
    """
    let log = Logger(label: "app")
    func addRoutes() {
      router.get("todos/:id") { request, context in try? await self.todos.find(id) }
      app.get("todos", use: { request in try? await list(request) })
    }
    """, because: "what the closure returns is the answer"),
  .good(
    """
    func f() {
      perform(
        request: request,
        responseTransform: { try? JSONDecoder().decode(Token.self, from: $0) },
        callback: { show($0) })
    }
    """),
  .good(
    "let date = Regex { TryCapture { OneOrMore(.digit) } transform: { try? Date($0, with: s) } }"
  ),
  .good(
    """
    struct Note: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        CodableRepresentation(contentType: .note)
        ProxyRepresentation { note in try? note.plainText() }
      }
    }
    """),
  .good(
    """
    struct PhotoView: View {
      var body: some View {
        VStack {
          CachedImage(key: key) { try? await loader.image(url) }
          Text(title)
        }
      }
    }
    """),
  .good("func f() { cache.fetch(key: \"a\", orElse: { try? compute() }) }"),
  .good("func f() { given(api).load.willReturn { try? fixture() } }"),
]
