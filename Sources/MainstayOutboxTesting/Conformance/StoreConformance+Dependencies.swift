// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// What has to be done before an operation, and how operations are taken back.
  static let dependencies: [Rule] =
    neededDeadLetters + [
      Rule("an operation waits for all that it needs") { desk in
        let a = try await desk.store.insert(.note("a"))
        let b = try await desk.store.insert(.note("b"))
        let c = try await desk.store.insert(note("c", needs: [a, b, OperationID(UUID())]))
        desk.same(try await desk.store.obstacles(c), [.needs(a), .needs(b)])
        try await settle(desk, "a", .done)
        desk.same(try await desk.store.snapshot().blocked, 1)
        try await settle(desk, "b", .done)
        try await settle(desk, "c", .done)
        desk.hold(try await desk.store.ledger().isBalanced)
      },
      Rule("what follows something that can run is told from what waits for a person") { desk in
        // Only a store of this package can say it.
        guard desk.store is any InspectableStore || desk.store is InMemoryStore else { return }
        func following(line: Int = #line) async throws -> Int {
          try desk.some(try await desk.store.snapshot().following, line: line)
        }
        // Held by a dead letter, by one that needs that, or by one whose lane is closed.
        for text in ["dead", "d1", "d2"] {
          _ = try await desk.store.insert(.note(text, orderedBy: "d"))
        }
        let lost = try await desk.store.insert(.note("lost"))
        try await settle(desk, "dead", dead)
        try await settle(desk, "lost", dead)
        let n1 = try await desk.store.insert(note("n1", needs: [lost]))
        _ = try await desk.store.insert(note("n2", needs: [n1]))
        for text in ["s1", "s2"] {
          _ = try await desk.store.insert(.note(text, orderedBy: "s", lane: "side"))
        }
        try await desk.store.close("side", LaneClosure(.paused))
        desk.same(try await desk.store.snapshot().blocked, 5)
        desk.same(try await following(), 0)
        // Those that follow others step by step.
        let first = try await desk.store.insert(.note("k1", orderedBy: "k"))
        for text in ["k2", "k3"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
        let next = try await desk.store.insert(note("f1", needs: [first]))
        _ = try await desk.store.insert(note("f2", needs: [next, first]))
        _ = try await desk.store.insert(note("f3", needs: [first, lost]))
        desk.same(try await desk.store.snapshot().blocked, 10)
        desk.same(try await following(), 4)
        let leased = try desk.some(try await desk.store.claim().first)
        desk.same(try await following(), 4)
        try await desk.store.reopen("side", closedFor: nil)
        desk.same(try await following(), 5)
        _ = try await desk.store.settle(
          leased.lease, OperationVerdict(.scheduled(after: .seconds(9))))
        desk.same(try await following(), 1)
      },
      Rule("an operation waits for those of its key, too") { desk in
        let a = try await desk.store.insert(.note("a"))
        _ = try await desk.store.insert(note("k1", needs: [a], orderedBy: "k"))
        let second = try await desk.store.insert(.note("k2", orderedBy: "k"))
        let obstacles = try desk.some(try await desk.store.obstacles(second))
        desk.same(obstacles.count, 1)
        for text in ["a", "k1", "k2"] { try await settle(desk, text, .done) }
      },
      Rule("by default it waits until what was given up is redriven") { desk in
        let a = try await desk.store.insert(.note("a"))
        let b = try await desk.store.insert(note("b", needs: [a]))
        try await settle(desk, "a", dead)
        desk.hold(try await desk.store.claim().isEmpty)
        desk.same(try await desk.store.obstacles(b), [.needsDeadLetter(a)])
        desk.hold(try await desk.store.redrive(a))
        try await settle(desk, "a", .done)
        try await settle(desk, "b", .done)
      },
      Rule("what needs something that is discarded is given up, and so on") { desk in
        let a = try await desk.store.insert(.note("a"))
        let b = try await desk.store.insert(note("b", needs: [a]))
        let c = try await desk.store.insert(note("c", needs: [b], .giveUp))
        let d = try await desk.store.insert(note("d", needs: [c], .runAnyway))
        try await settle(desk, "a", dead)
        desk.hold(try await desk.store.discard(a))
        let letters = try await desk.store.deadLetters(after: nil, limit: 9)
        desk.same(letters.map(\.id), [b, c])
        desk.hold(letters.allSatisfy { $0.reason == .dependencyFailed })
        desk.same(
          try desk.some(letters.first).message, "Something that has to be done first was given up.")
        let ledger = try await desk.store.ledger()
        desk.same(ledger.pending, 1)
        desk.hold(ledger.isBalanced)
        try await settle(desk, "d", .done)
        desk.hold(try await desk.store.redrive(c))
        desk.same(try await desk.store.obstacles(c), [.needsDeadLetter(b)], "the order is kept")
        desk.hold(try await desk.store.redrive(b))
        try await settle(desk, "b", .done)
        try await settle(desk, "c", .done)
        desk.same(try await desk.store.obstacles(d), nil)
      },
      Rule("what was not sent is taken back at once") { desk in
        let a = try await desk.store.insert(.note("a", orderedBy: "k"))
        _ = try await desk.store.insert(.note("b", orderedBy: "k"))
        let c = try await desk.store.insert(note("c", needs: [a]))
        desk.same(try await desk.store.cancel(a), .cancelled)
        desk.same(try await desk.store.cancel(a), nil)
        desk.same(try await desk.store.deadLetters(after: nil, limit: 9).map(\.id), [c])
        try await settle(desk, "b", .done)
        let ledger = try await desk.store.ledger()
        desk.same(ledger.count(.cancelled), 1)
        desk.hold(ledger.isBalanced)
      },
      Rule("what runs is taken back where nothing came of it") { desk in
        for text in ["done", "nothing", "unknown"] {
          let id = try await desk.store.insert(.note(text))
          let leased = try desk.some(try await desk.store.claim().first)
          desk.same(try await desk.store.cancel(id), .stopping)
          let next: OperationVerdict.Next = text == "done" ? .done : .scheduled(after: .seconds(9))
          _ = try await desk.store.settle(
            leased.lease,
            OperationVerdict(next, effect: text == "unknown" ? .sentUnknown : .notSent))
          if text == "unknown" {
            desk.same(try await desk.store.cancel(id), .mayHaveHappened)
            let again = try desk.some(try await desk.store.claim().first)
            desk.hold(again.operation.isCancelled)
            desk.same(again.operation.effect, .sentUnknown)
            _ = try await desk.store.settle(again.lease, OperationVerdict(.cancelled))
          }
        }
        let ledger = try await desk.store.ledger()
        desk.same(ledger.count(.done), 1)
        desk.same(ledger.count(.cancelled), 2)
        desk.same(ledger.pending, 0)
        desk.hold(ledger.isBalanced)
      },
    ]

  private static let neededDeadLetters: [Rule] = IfGivenUp.allCases.map { policy in
    Rule("what needs a dead letter already heeds its policy \(policy)") { desk in
      let a = try await desk.store.insert(.note("a"))
      try await settle(desk, "a", dead)
      let b = try await desk.store.insert(note("b", needs: [a], policy))
      let snapshot = try await desk.store.snapshot()
      switch policy {
      case .waitForRedrive: desk.same(try await desk.store.obstacles(b), [.needsDeadLetter(a)])
      case .giveUp:
        desk.same(snapshot.dead, 2)
        desk.same(snapshot.pending, 0)
      case .runAnyway: try await settle(desk, "b", .done)
      }
      desk.hold(try await desk.store.ledger().isBalanced)
    }
  }

  private typealias IfGivenUp = EnqueueOptions.Dependencies.IfGivenUp

  private static let dead = OperationVerdict.Next.dead(.refused, followers: .holdKey)

  private static func note(
    _ text: String, needs ids: Set<OperationID>, _ policy: IfGivenUp = .waitForRedrive,
    orderedBy key: String? = nil
  ) -> NewOperation {
    .note(text, orderedBy: key, wishes: .init(dependencies: .init(ids, ifGivenUp: policy)))
  }

  private static func settle(
    _ desk: StoreDesk, _ text: String, _ next: OperationVerdict.Next, line: Int = #line
  ) async throws {
    let leased = try desk.some(try await desk.store.claim(1).first, line: line)
    desk.same(leased.text, text, line: line)
    desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(next)), line: line)
  }
}
