// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A sleep whose cancellation a clause of its `do` takes, and goes round the loop.
struct CaughtSleep {
  let sleep: TryExprSyntax
  fileprivate let work: DoStmtSyntax
  fileprivate let exits: Exits

  /// A way out behind the `do`, where the clause leads there.
  func fix(in loop: Loop, of file: AuditedFile) -> Fix? {
    guard exits == .falls, let item = work.parent?.as(CodeBlockItemSyntax.self) else { return nil }
    return file.exit(from: loop, after: item)
  }
}

extension Loop {
  /// The first sleep of each `do` in its body that hides from the loop that it was cancelled.
  ///
  /// Work that is tried again is what MS303 looks at, and each round of a `for` with more in it
  /// than a sleep is other work.
  var caughtSleeps: [CaughtSleep] {
    body.everyOwn(DoStmtSyntax.self).prefix(10).compactMap { work in
      let sleeps = work.body.everyOwn(TryExprSyntax.self).filter {
        $0.questionOrExclamationMark == nil && $0.waitsForSleep
          && $0.enclosingLoop?.node.id == node.id && $0.enclosingCatching?.id == work.id
      }
      guard let sleep = sleeps.first,
        let clause = work.catchClauses.first(where: \.takesCancellation),
        clause.isCatchAll || clause.isForCancellation, !speaksOfCancellation(outside: clause)
      else { return nil }
      if !work.body.escapingErrors().allSatisfy(\.isSleep) {
        guard clause.isCatchAll, !endsByItself, sequence == nil, !triesAgain(work) else {
          return nil
        }
      }
      let exits = ExitFinder(label: label).exits(of: clause.body.statements)
      guard !exits.isEmpty, exits.isDisjoint(with: .leaving), !clause.body.mayEnd(self) else {
        return nil
      }
      return CaughtSleep(sleep: sleep, work: work, exits: exits)
    }
  }

  /// Whether something in it is named after being cancelled, besides what a clause asks for.
  private func speaksOfCancellation(outside clause: CatchClauseSyntax) -> Bool {
    let asked = clause.catchItems.bytes
    return node.mentions { token in
      token.isAboutCancellation
        && !asked.contains(token.positionAfterSkippingLeadingTrivia.utf8Offset)
    }
  }
}

extension CatchClauseSyntax {
  /// Whether no clause behind it hears of cancellation.
  fileprivate var takesCancellation: Bool { isForCancellation || takesWhateverIsThrown }
}

extension CodeBlockSyntax {
  /// Whether it waits by itself, writes what the loop asks for, or calls what is named after
  /// coming to an end.
  fileprivate func mayEnd(_ loop: Loop) -> Bool {
    if !sleeps.isEmpty { return true }
    let written = writtenNames
    if loop.conditions.contains(where: { !$0.referencedNames.isDisjoint(with: written) }) {
      return true
    }
    return ownCalls.contains { $0.calledExpression.isAboutStopping }
  }
}

extension TryExprSyntax {
  /// The nearest `do` with clauses that it lies in the body of.
  fileprivate var enclosingCatching: DoStmtSyntax? {
    var current = Syntax(self)
    while let parent = current.parent, !parent.startsScope {
      if let statement = parent.as(DoStmtSyntax.self), statement.body.id == current.id,
        !statement.catchClauses.isEmpty
      {
        return statement
      }
      current = parent
    }
    return nil
  }
}

let sleepSwallowsCancelCaught: [Example] = [
  .bad(
    """
    func watch() async {
      while isOn {
        await probe()
        do { ↓try await Task.sleep(for: .seconds(1)) } catch {}
      }
    }
    """,
    fixed: """
      func watch() async {
        while isOn {
          await probe()
          do { try await Task.sleep(for: .seconds(1)) } catch {}
          if Task.isCancelled { break }
        }
      }
      """),
  .bad(
    """
    func watch() async {
      while isOn {
        do {
          ↓try await clock.sleep(for: .seconds(1))
        } catch is CancellationError {
          continue
        } catch {
          log.error("\\(error)")
        }
        await probe()
      }
    }
    """),
  .bad(
    """
    func poll() async {
      while isOpen {
        do {
          ↓try await Task.sleep(for: .seconds(5))
          try await refresh()
        } catch {
          log.error("\\(error)")
        }
      }
    }
    """,
    fixed: """
      func poll() async {
        while isOpen {
          do {
            try await Task.sleep(for: .seconds(5))
            try await refresh()
          } catch {
            log.error("\\(error)")
          }
          if Task.isCancelled { break }
        }
      }
      """),
  .bad(
    """
    func ready() async -> Bool {
      for _ in 0..<10 {
        if isReady { return true }
        do { ↓try await Task.sleep(for: .seconds(1)) } catch { continue }
      }
      return false
    }
    """),
  .good(
    """
    while isOn {
      await probe()
      do { try await Task.sleep(for: .seconds(1)) } catch { break }
    }
    """),
  .good(
    """
    while isOn {
      do { try await Task.sleep(for: .seconds(1)) } catch { isOn = false }
    }
    """, because: "the clause ends the loop by its condition"),
  .good(
    """
    while isOn {
      do { try await Task.sleep(for: .seconds(1)) } catch { self.stop() }
    }
    """, because: "the clause calls what ends the loop"),
  .good(
    """
    while isOn {
      do { try await Task.sleep(for: .seconds(1)) } catch is CancellationError {}
      if Task.isCancelled { return }
    }
    """),
  .good(
    """
    for item in items {
      do {
        try await send(item)
        try await Task.sleep(for: .seconds(1))
      } catch { failed.append(item) }
    }
    """, because: "each round is other work"),
]
