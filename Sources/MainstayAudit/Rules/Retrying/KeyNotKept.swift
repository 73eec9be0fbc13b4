// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let keyNotKept = Rule(
    "MS513", "key-not-kept", .warning, .default, serves: ["A7", "D10"],
    places: [.production, .preview, .example],
    summary: "A new idempotency key is made each time that the same work is done.",
    why: """
      A service knows a repetition by its key. Under a new one, "Try Again" after an answer that \
      got lost makes a second order.
      """,
    guess: """
      `retry:`, `retry { }`, `present(error) { }` and `run("…") { }` run what they are given \
      again, and so is what calls itself from there. Any other call that waits may be repeated by \
      whoever calls it, and is a hint.
      """,
    onPurpose: """
      Make the key on a line of its own, beside what is ordered and outside of what runs again, or \
      as part of it: `Order(key: IdempotencyKey())`.
      """,
    remedy: .none("where the intent begins is for the author to say"),
    examples: keyNotKeptBad + keyNotKeptGood,
    checks: .call { call, file in
      guard call.makesKey, !call.isFallback else { return }
      let taker = call.taker
      guard taker?.name != "enqueue" else { return }
      if let name = call.nameOfRepeater(file.vocabulary) {
        file.report(call, "A new key is made each time that `\(name)` runs this again")
      } else if let name = call.nameOfOwnRetry {
        file.report(call, "A new key is made each time that `\(name)` runs itself again")
      } else if let taker, taker.isAwaited, let name = taker.name {
        file.report(
          call, "`\(name)` gets a key that nobody keeps, so a repetition has another one",
          severity: .info)
      }
    })
}

extension FunctionCallExprSyntax {
  /// Whether it is `IdempotencyKey()`.
  fileprivate var makesKey: Bool {
    calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text == "IdempotencyKey"
      && arguments.isEmpty && closures.isEmpty
  }

  /// Whether it stands for a key that is not there: `known ?? IdempotencyKey()`.
  fileprivate var isFallback: Bool {
    previousSibling?.as(BinaryOperatorExprSyntax.self)?.operator.text == "??"
  }

  /// The call that it is the key of, where that makes no value that keeps it: `Order(key:)`,
  /// `.replaced(key:)`.
  fileprivate var taker: FunctionCallExprSyntax? {
    guard let argument = parent?.as(LabeledExprSyntax.self),
      let label = argument.label?.bareText.lowercased(),
      label == "key" || label.contains("idempoten"),
      let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self),
      let name = call.name, name.first?.isLowercase ?? false
    else { return nil }
    let access = call.calledExpression.as(MemberAccessExprSyntax.self)
    return access != nil && access?.base == nil ? nil : call
  }

  /// Whether code waits for what it returns, or for a member of that.
  fileprivate var isAwaited: Bool {
    var current = Syntax(self)
    while let parent = current.parent {
      switch parent.kind {
      case .awaitExpr: return true
      case .memberAccessExpr, .functionCallExpr, .tryExpr, .optionalChainingExpr, .forceUnwrapExpr,
        .exprList, .sequenceExpr:
        current = parent
      default: return false
      }
    }
    return false
  }

  /// What runs it again: the nearest call that has it in a closure for that.
  fileprivate func nameOfRepeater(_ vocabulary: Vocabulary) -> String? {
    var current = Syntax(self).parent
    while let here = current, here.kind != .functionDecl, here.kind != .memberBlock {
      if let closure = here.as(ClosureExprSyntax.self), closure.runsAgain(vocabulary) {
        return closure.receiver?.call.name
      }
      current = here.parent
    }
    return nil
  }

  /// The function around it, where that hands a call of itself to whoever runs things again.
  fileprivate var nameOfOwnRetry: String? {
    guard let routine = enclosingFunction, let name = routine.name, name != "init",
      let statements = routine.statements, statements.position <= position
    else { return nil }
    let repeats = Syntax(statements).contains { node in
      guard let closure = node.as(ClosureExprSyntax.self), closure.isRetry else { return false }
      return Syntax(closure.statements).contains { inner in
        guard let call = inner.as(FunctionCallExprSyntax.self), call.name == name else {
          return false
        }
        return call.receiver == nil || call.receiver?.lastName == "self"
      }
    }
    return repeats ? name : nil
  }
}

extension ClosureExprSyntax {
  /// Whether it is `retry:`, or what `present(error)` runs when a person asks for it.
  fileprivate var isRetry: Bool {
    guard let (call, label) = receiver else { return false }
    if label == "retry" { return true }
    // What UIKit runs after `present(_:animated:)`, it runs once.
    return label == nil && call.name == "present" && !call.arguments.isEmpty
      && call.argument("animated") == nil
  }

  /// Whether what it is handed to runs it again.
  fileprivate func runsAgain(_ vocabulary: Vocabulary) -> Bool {
    if isRetry { return true }
    guard let (call, label) = receiver else { return false }
    if let retry = RetryCall(call, vocabulary), retry.operation.id == id { return !retry.isSingle }
    // What is being done stands first, and the model keeps the work for "Try Again".
    guard call.name == "run", label == nil || label == "operation" else { return false }
    return call.arguments.first.map { $0.label == nil && $0.expression.kind == .stringLiteralExpr }
      ?? false
  }
}

private let keyNotKeptBad: [Example] = [
  .bad(
    """
    func save(_ draft: Draft) async {
      do {
        try await api.post("/orders", json: draft, key: ↓IdempotencyKey())
      } catch {
        errors.present(error) { [weak self] in await self?.save(draft) }
      }
    }
    """),
  .bad(
    """
    await order.run("Place order") {
      try await shop.post("/orders", json: book, key: ↓IdempotencyKey(), as: Order.self)
    }
    """),
  .bad(
    """
    errors.present(error, during: "Save") {
      let key = ↓IdempotencyKey()
      await model.save(draft, key: key)
    }
    """),
  .bad(
    """
    errors.present(error, of: draft.id, retry: { await send(draft, ↓IdempotencyKey()) })
    """),
  .bad(
    """
    try await retry(3) { try await ↓IdempotencyKey().active { try await shop.pay(cart) } }
    """),
  .bad(
    """
    func rename(_ note: Note) async {
      let key = ↓IdempotencyKey()
      do { try await api.put(note, key: key) } catch {
        presenter.present(error, of: note.id, retry: { await rename(note) })
      }
    }
    """),
  .bad(
    """
    let order = try await books.post("/orders", json: book, key: ↓IdempotencyKey(), as: Order.self)
    """),
]

private let keyNotKeptGood: [Example] = [
  .good(
    """
    let key = IdempotencyKey()
    await order.run("Place order") {
      try await shop.post("/orders", json: book, key: key, as: Order.self)
    }
    """),
  .good(
    """
    func save(_ draft: Draft, key: IdempotencyKey = IdempotencyKey()) async {
      do { try await api.post("/orders", json: draft, key: key) } catch {
        errors.present(error) { [weak self] in await self?.save(draft, key: key) }
      }
    }
    """, because: "the repetition has the same key"),
  .good(
    """
    let draft = Draft(title: title, key: IdempotencyKey())
    try await save(Order(of: draft, key: IdempotencyKey()))
    """, because: "what is ordered keeps its key"),
  .good(
    """
    await order.run("Place order") {
      let key = IdempotencyKey.current ?? IdempotencyKey()
      try await shop.post("/orders", json: book, key: key)
    }
    """, because: "whoever repeats it has made the key active"),
  .good(
    """
    func keep(_ change: Change) async throws {
      try await outbox.enqueue(change, key: IdempotencyKey())
    }
    """, because: "the queue keeps the key with what it sends"),
  .good(
    """
    try await store.settle(id, with: .replaced(payload: data, idempotencyKey: IdempotencyKey()))
    """, because: "what is made of it is kept"),
  .good(
    """
    try await IdempotencyKey().active {
      try await retry(3) { try await shop.pay(cart) }
    }
    """, because: "all attempts have it"),
  .good(
    """
    present(controller, animated: true) { self.draft.key = IdempotencyKey() }
    """, because: "it runs once"),
]
