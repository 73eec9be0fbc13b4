// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let sleepSwallowsCancel = Rule(
    "MS302", "sleep-swallows-cancel", .error, .default, serves: ["A17", "T9"],
    summary: "`try?` or a clause swallows the cancellation of a sleep, and the code goes on.",
    why: "A cancelled sleep returns at once: the loop no longer waits, runs hot, and never ends.",
    guess: "A loop that says `cancel` nowhere does not look at cancellation.",
    onPurpose: "`while !Task.isCancelled`, a guard behind the sleep, or a clause that leaves.",
    remedy: .safe(
      "Leaves the loop behind the sleep, once the task is cancelled, where nothing follows it; "
        + "with `--unsafe`, leaves the function where something does."),
    examples: sleepSwallowsCancelBad + sleepSwallowsCancelEndless + sleepSwallowsCancelCaught
      + sleepSwallowsCancelGood,
    checks: .loop { loop, file in
      guard !loop.node.isForAwait else { return }
      let sleeps = loop.body.everyOwn(TryExprSyntax.self).filter {
        $0.isSwallowingSleep && $0.enclosingLoop?.node.id == loop.node.id
      }
      guard let first = sleeps.first, !loop.node.speaksOfCancellation,
        !loop.body.mayThrowWhileWaiting, !first.isInDiscardedTask
      else { return }
      let ends = loop.endsByItself
      for sleep in sleeps {
        guard let item = sleep.statementItem else { continue }
        file.report(
          sleep,
          ends
            ? "Once the task is cancelled, this loop runs on without a pause"
            : "Once the task is cancelled, this loop spins",
          severity: ends ? .warning : nil, fix: file.exit(from: loop, after: item))
      }
    },
    .loop { loop, file in
      guard !loop.node.isForAwait, !loop.body.mayThrowWhileWaiting,
        !loop.node.isInDiscardedTask
      else { return }
      for caught in loop.caughtSleeps {
        file.report(
          caught.sleep,
          loop.endsByItself
            ? "Once the task is cancelled, this loop runs on without a pause"
            : "Once the task is cancelled, this loop spins",
          severity: loop.endsByItself ? .warning : nil, fix: caught.fix(in: loop, of: file))
      }
    },
    .tryExpression { node, file in
      // Outside of loops it is a matter of taste, for those who ask for the whole standard.
      guard node.isSwallowingSleep, file.rules.contains(where: { $0.level != .default }),
        let item = node.statementItem, item.enclosingLoop == nil, item.goesOnAsIfNothing,
        !item.isInDiscardedTask
      else { return }
      file.report(
        node, "This sleep ends early when the task is cancelled, and the code goes on",
        severity: .info)
    })
}

extension TryExprSyntax {
  /// Whether it is `try? await Task.sleep(…)`.
  fileprivate var isSwallowingSleep: Bool {
    questionOrExclamationMark?.tokenKind == .postfixQuestionMark && waitsForSleep
  }

  /// Whether it waits for `Task.sleep` or the sleep of a clock.
  var waitsForSleep: Bool {
    guard let call = expression.core.as(FunctionCallExprSyntax.self), call.name == "sleep",
      let receiver = call.receiver?.lastName
    else { return false }
    return receiver == "Task" || receiver.lowercased().hasSuffix("clock")
  }

  /// The statement that it is, alone or behind `_ =`.
  fileprivate var statementItem: CodeBlockItemSyntax? {
    if let item = parent?.as(CodeBlockItemSyntax.self) { return item }
    guard let sequence = parent?.parent?.as(SequenceExprSyntax.self),
      sequence.elements.first?.kind == .discardAssignmentExpr
    else { return nil }
    return sequence.parent?.as(CodeBlockItemSyntax.self)
  }
}

extension CodeBlockItemSyntax {
  /// Whether statements follow that do something, and never look at cancellation.
  fileprivate var goesOnAsIfNothing: Bool {
    guard let list = parent?.as(CodeBlockItemListSyntax.self) else { return false }
    guard list.count <= longestList else { return false }
    let rest = list.drop { $0.id != id }.dropFirst().prefix(20)
    guard let next = rest.first, next.item.kind != .returnStmt else { return false }
    return !rest.contains { $0.speaksOfCancellation || $0.mayThrowWhileWaiting }
  }
}

extension Loop {
  /// Whether it ends without being told: over items, or a counter that its body raises.
  var endsByItself: Bool {
    if let sequence = sequence?.core { return sequence.kind != .postfixOperatorExpr }
    let counted = body.everyOwn(BinaryOperatorExprSyntax.self).filter {
      ["+=", "-=", "&+="].contains($0.operator.text)
    }
    return counted.contains { sign in
      guard let name = sign.previousSibling?.as(ExprSyntax.self)?.lastName else { return false }
      return conditions.contains { $0.mentions(name) }
    }
  }
}

private let sleepSwallowsCancelBad: [Example] = [
  .bad(
    "while on { ↓try? await Task.sleep(for: .seconds(1)) }",
    fixed: "while on { try? await Task.sleep(for: .seconds(1)); if Task.isCancelled { break } }"),
  .bad(
    """
    func poll() async {
      while true {
        await refresh()
        ↓try? await Task.sleep(nanoseconds: 5_000_000_000)  // Five seconds.
      }
    }
    """,
    fixed: """
      func poll() async {
        while true {
          await refresh()
          try? await Task.sleep(nanoseconds: 5_000_000_000)  // Five seconds.
          if Task.isCancelled { break }
        }
      }
      """),
  .bad(
    """
    task = Task { [weak self] in
      repeat {
        guard let self else { return }
        _ = ↓try? await self.clock.sleep(for: .seconds(2))
        await self.probe()
      } while self.isWatching
    }
    """),
  .bad(
    """
    func ready() async -> Bool {
      for _ in 0..<10 {
        if isReady { return true }
        ↓try? await Task.sleep(for: .milliseconds(100))
      }
      return false
    }
    """),
  .bad(
    """
    func drain() async {
      while Date() < end {
        if queue.isEmpty {
          ↓try? await Task.sleep(until: .now + .seconds(1), clock: .continuous)
          continue
        }
        await queue.next()?.run()
      }
    }
    """),
  .bad(
    """
    func blink() async {
      isOn = true
      ↓try? await Task.sleep(for: .seconds(1))
      isOn = false
    }
    """),
]

private let sleepSwallowsCancelEndless: [Example] = [
  .bad(
    """
    func next() async -> Int {
      while true {
        if let next = poll() { return next }
        ↓try? await Task.sleep(for: .seconds(1))
      }
    }
    """,
    fixed: """
      func next() async -> Int {
        while true {
          if let next = poll() { return next }
          try? await Task.sleep(for: .seconds(1))
        }
      }
      """),
  .bad(
    """
    func run() async -> Never {
      repeat { await tick(); ↓try? await Task.sleep(for: .seconds(1)) } while true
    }
    """,
    fixed: """
      func run() async -> Never {
        repeat { await tick(); try? await Task.sleep(for: .seconds(1)) } while true
      }
      """),
  .bad(
    """
    func state() async -> Int {
      while true {
        if isReady { break }
        ↓try? await Task.sleep(for: .seconds(1))
      }
      return count
    }
    """,
    fixed: """
      func state() async -> Int {
        while true {
          if isReady { break }
          try? await Task.sleep(for: .seconds(1))
          if Task.isCancelled { break }
        }
        return count
      }
      """),
  .bad(
    """
    job = Task {
      while true {
        if let next = poll() { return next }
        ↓try? await Task.sleep(for: .seconds(1))
      }
    }
    """,
    fixed: """
      job = Task {
        while true {
          if let next = poll() { return next }
          try? await Task.sleep(for: .seconds(1))
        }
      }
      """),
]

private let sleepSwallowsCancelGood: [Example] = [
  .good("while on { try await Task.sleep(for: .seconds(1)) }"),
  .good(
    "Task { while on { try? await Task.sleep(for: .seconds(1)); tick() } }",
    because: "nobody keeps this task, so nobody cancels it"),
  .good("while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)); await tick() }"),
  .good(
    """
    while true {
      try? await Task.sleep(for: .seconds(1))
      guard !Task.isCancelled else { return }
      await tick()
    }
    """),
  .good(
    """
    func run() async throws {
      while true {
        try? await Task.sleep(for: .seconds(1))
        try await tick()
      }
    }
    """, because: "what follows throws once the task is cancelled"),
  .good(
    "while on { guard (try? await Task.sleep(for: .seconds(1))) != nil else { break } }",
    because: "the outcome is asked"),
  .good(
    "for await change in changes { try? await Task.sleep(for: .seconds(1)); show(change) }",
    because: "a stream ends when the task is cancelled"),
  .good(
    """
    group.addTask {
      try? await Task.sleep(for: .seconds(30))
      return nil
    }
    """, because: "nothing goes on"),
  .good(
    """
    func find() async {
      try? await Task.sleep(for: .milliseconds(300))
      if Task.isCancelled { return }
      await search()
    }
    """),
]
