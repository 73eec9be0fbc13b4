// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let queueMutatedWhileDrained = Rule(
    "MS510", "queue-mutated-while-drained", .warning, .default, serves: ["C13", "T5"],
    summary: "A loop waits while it goes over a stored collection, and then changes it.",
    why: """
      While it waits, a second caller starts on the same items and runs them again; what is added \
      meanwhile is missed or removed unseen.
      """,
    guess: "A name that no function around declares is stored.",
    onPurpose: "Take the items out before the first wait, and put back what failed.",
    remedy: .none("what to do with items that fail depends on the work"),
    examples: [
      .bad(
        """
        func drain() async throws {
          for operation in ↓queue {
            try await operation.run()
            queue.removeAll { $0.id == operation.id }
          }
        }
        """),
      .bad(
        """
        func flush() async {
          for event in self.↓pending {
            if await send(event) {
              self.pending.removeFirst()
            }
          }
        }
        """),
      .bad(
        """
        func retryAll() async {
          for (id, request) in ↓failed {
            do {
              try await client.send(request)
              failed[id] = nil
            } catch {
              log.error("\\(error)")
            }
          }
        }
        """),
      .bad(
        """
        func process() async {
          for job in ↓jobs where job.isReady {
            let result = await job.run()
            jobs = jobs.filter { $0 != job }
            report(result)
          }
        }
        """),
      .bad(
        """
        func close() async {
          Task {
            for connection in ↓connections {
              await connection.close()
              connections.remove(connection)
            }
          }
        }
        """),
      .good(
        """
        func drain() async throws {
          let batch = queue
          queue = []
          for operation in batch {
            do { try await operation.run() } catch { queue.append(operation) }
          }
        }
        """),
      .good(
        """
        func drain() async throws {
          guard !isDraining else { return }
          isDraining = true
          defer { isDraining = false }
          for operation in queue {
            try await operation.run()
            queue.removeFirst()
          }
        }
        """, because: "a flag keeps the second caller out"),
      .good(
        """
        func drain() {
          for operation in queue {
            operation.run()
            queue.removeFirst()
          }
        }
        """, because: "it never waits"),
      .good(
        """
        func drain() async {
          var queue = makeQueue()
          for operation in queue {
            await operation.run()
            queue.removeFirst()
          }
        }
        """, because: "the collection is its own"),
      .good(
        """
        func drain() async {
          for operation in queue {
            await operation.run()
            done.append(operation)
          }
        }
        """, because: "it changes another one"),
      .good(
        """
        func drain() async {
          for operation in queue {
            queue.removeFirst()
            await operation.run()
          }
        }
        """, because: "each item is taken out before the wait"),
    ],
    checks: .loop { loop, file in
      guard let sequence = loop.sequence?.withoutCounting, let name = sequence.storedName,
        loop.node.as(ForStmtSyntax.self)?.awaitKeyword == nil,
        let pause = loop.body.firstWait, loop.body.shrinks(name, after: pause)
      else { return }
      guard sequence.is(MemberAccessExprSyntax.self) || !loop.node.isLocal(name),
        !loop.isGuarded
      else { return }
      let marked = sequence.as(MemberAccessExprSyntax.self).map { Syntax($0.declName) }
      file.report(
        marked ?? Syntax(sequence),
        "`\(name)` is changed while this loop waits, so that a second caller runs items again")
    })
}

extension ExprSyntax {
  /// `a` of `a.enumerated()` and `a.reversed()`.
  fileprivate var withoutCounting: ExprSyntax {
    guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
      call.trailingClosure == nil, ["enumerated", "reversed"].contains(call.name),
      let receiver = call.receiver
    else { return self }
    return receiver.withoutCounting
  }

  /// `a` of `a` or `self.a`.
  fileprivate var storedName: String? {
    if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.bareText }
    guard let access = self.as(MemberAccessExprSyntax.self), access.base?.lastName == "self" else {
      return nil
    }
    return access.declName.baseName.bareText
  }
}

extension CodeBlockSyntax {
  /// Where it first waits, outside of closures.
  fileprivate var firstWait: AbsolutePosition? {
    var found: AbsolutePosition?
    _ = containsOwn { node in
      guard node.kind == .awaitExpr || node.isForAwait else { return false }
      found = node.endPosition
      return true
    }
    return found
  }

  /// Whether it takes something out of a collection behind a place.
  fileprivate func shrinks(_ name: String, after place: AbsolutePosition) -> Bool {
    containsOwn { node in
      guard node.position >= place || node.endPosition > place || node.isDeferred else {
        return false
      }
      if let call = node.as(FunctionCallExprSyntax.self), let method = call.name,
        Self.removals.contains(method), call.receiver?.storedName == name
      {
        return call.position >= place || call.endPosition > place || call.isDeferred
      }
      guard let assignment = node.as(SequenceExprSyntax.self).flatMap(Assignment.init),
        assignment.node.position >= place
      else { return false }
      if let element = assignment.target.as(SubscriptCallExprSyntax.self) {
        return element.calledExpression.storedName == name
          && assignment.value?.kind == .nilLiteralExpr
      }
      return assignment.target.storedName == name
    }
  }

  private static let removals: Set<String> = [
    "remove", "removeAll", "removeFirst", "removeLast", "popFirst", "popLast", "removeValue",
    "removeSubrange", "dequeue",
  ]
}

extension SyntaxProtocol {
  /// Whether it runs last, wherever it stands.
  fileprivate var isDeferred: Bool {
    kind == .functionCallExpr && nearest(DeferStmtSyntax.self) != nil
  }
}

extension Loop {
  /// Whether a flag that the function sets before keeps a second caller out.
  fileprivate var isGuarded: Bool {
    guard let statements = node.enclosingFunction?.statements else { return false }
    return statements.containsOwn { other in
      guard other.position < node.position,
        let assignment = other.as(SequenceExprSyntax.self).flatMap(Assignment.init)
      else { return false }
      return assignment.value?.trimmedDescription == "true" && assignment.isState
    }
  }
}
