// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What has to be done before an operation, and how operations are taken back, in every store.
@Suite(.requirement("O10")) struct StoreDependencyTests {
  typealias Kind = StoreUnderTest.Kind
  typealias IfGivenUp = EnqueueOptions.Dependencies.IfGivenUp

  private func note(
    _ text: String, needs ids: Set<OperationID>, _ policy: IfGivenUp = .waitForRedrive,
    orderedBy key: String? = nil
  ) -> NewOperation {
    .note(text, orderedBy: key, wishes: .init(dependencies: .init(ids, ifGivenUp: policy)))
  }

  private func settle(
    _ store: any OutboxStore, _ text: String, _ next: OperationVerdict.Next
  ) async throws {
    let leased = try #require(try await store.claim(1).first)
    #expect(leased.text == text)
    #expect(try await store.settle(leased.lease, OperationVerdict(next)))
  }

  private let dead = OperationVerdict.Next.dead(.refused, followers: .holdKey)

  @Test(arguments: Kind.allCases)
  func `an operation waits for all that it needs`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a"))
    let b = try await test.store.insert(.note("b"))
    let c = try await test.store.insert(note("c", needs: [a, b, OperationID(UUID())]))
    #expect(try await test.store.obstacles(c) == [.needs(a), .needs(b)])
    try await settle(test.store, "a", .done)
    #expect(try await test.store.snapshot().blocked == 1)
    try await settle(test.store, "b", .done)
    try await settle(test.store, "c", .done)
    #expect(try await test.store.ledger().isBalanced)
  }

  @Test(arguments: Kind.allCases)
  func `an operation waits for those of its key, too`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a"))
    _ = try await test.store.insert(note("k1", needs: [a], orderedBy: "k"))
    let second = try await test.store.insert(.note("k2", orderedBy: "k"))
    let obstacles = try #require(try await test.store.obstacles(second))
    #expect(obstacles.count == 1)
    for text in ["a", "k1", "k2"] { try await settle(test.store, text, .done) }
  }

  @Test(arguments: Kind.allCases)
  func `by default it waits until what was given up is redriven`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a"))
    let b = try await test.store.insert(note("b", needs: [a]))
    try await settle(test.store, "a", dead)
    #expect(try await test.store.claim().isEmpty)
    #expect(try await test.store.obstacles(b) == [.needsDeadLetter(a)])
    #expect(try await test.store.redrive(a))
    try await settle(test.store, "a", .done)
    try await settle(test.store, "b", .done)
  }

  @Test(arguments: Kind.allCases)
  func `what needs something that is discarded is given up, and so on`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a"))
    let b = try await test.store.insert(note("b", needs: [a]))
    let c = try await test.store.insert(note("c", needs: [b], .giveUp))
    let d = try await test.store.insert(note("d", needs: [c], .runAnyway))
    try await settle(test.store, "a", dead)
    #expect(try await test.store.discard(a))
    let letters = try await test.store.deadLetters(after: nil, limit: 9)
    #expect(letters.map(\.id) == [b, c])
    #expect(letters.allSatisfy { $0.reason == .dependencyFailed })
    #expect(letters[0].message == "Something that has to be done first was given up.")
    let ledger = try await test.store.ledger()
    #expect(ledger.pending == 1 && ledger.isBalanced)
    try await settle(test.store, "d", .done)
    #expect(try await test.store.redrive(c))
    #expect(try await test.store.obstacles(c) == [.needsDeadLetter(b)], "the order is kept")
    #expect(try await test.store.redrive(b))
    try await settle(test.store, "b", .done)
    try await settle(test.store, "c", .done)
    #expect(try await test.store.obstacles(d) == nil)
  }

  @Test(arguments: Kind.allCases, IfGivenUp.allCases)
  func `what needs a dead letter already heeds its policy`(
    kind: Kind, policy: IfGivenUp
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a"))
    try await settle(test.store, "a", dead)
    let b = try await test.store.insert(note("b", needs: [a], policy))
    let snapshot = try await test.store.snapshot()
    switch policy {
    case .waitForRedrive: #expect(try await test.store.obstacles(b) == [.needsDeadLetter(a)])
    case .giveUp: #expect(snapshot.dead == 2 && snapshot.pending == 0)
    case .runAnyway: try await settle(test.store, "b", .done)
    }
    #expect(try await test.store.ledger().isBalanced)
  }

  @Test(arguments: [(Kind.memory, 300), (.sqlite, 3_000)])
  func `a chain as long as you like ends at once`(kind: Kind, length: Int) async throws {
    let test = try await StoreUnderTest(kind)
    var last = try await test.store.insert(.note("head"))
    for _ in 0..<length {
      last = try await test.store.insert(note("next", needs: [last], .giveUp))
    }
    try await settle(test.store, "head", dead)
    let snapshot = try await test.store.snapshot()
    #expect(snapshot.dead == length + 1 && snapshot.pending == 0)
  }

  @Test(arguments: Kind.allCases)
  func `what was not sent is taken back at once`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let a = try await test.store.insert(.note("a", orderedBy: "k"))
    _ = try await test.store.insert(.note("b", orderedBy: "k"))
    let c = try await test.store.insert(note("c", needs: [a]))
    #expect(try await test.store.cancel(a) == .cancelled)
    #expect(try await test.store.cancel(a) == nil)
    #expect(try await test.store.deadLetters(after: nil, limit: 9).map(\.id) == [c])
    try await settle(test.store, "b", .done)
    let ledger = try await test.store.ledger()
    #expect(ledger.count(.cancelled) == 1 && ledger.isBalanced)
  }

  @Test(arguments: Kind.allCases)
  func `what runs is taken back where nothing came of it`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["done", "nothing", "unknown"] {
      let id = try await test.store.insert(.note(text))
      let leased = try #require(try await test.store.claim().first)
      #expect(try await test.store.cancel(id) == .stopping)
      let next: OperationVerdict.Next = text == "done" ? .done : .scheduled(after: .seconds(9))
      _ = try await test.store.settle(
        leased.lease,
        OperationVerdict(next, effect: text == "unknown" ? .sentUnknown : .notSent))
      if text == "unknown" {
        #expect(try await test.store.cancel(id) == .mayHaveHappened)
        let again = try #require(try await test.store.claim().first)
        #expect(again.operation.isCancelled && again.operation.effect == .sentUnknown)
        _ = try await test.store.settle(again.lease, OperationVerdict(.cancelled))
      }
    }
    let ledger = try await test.store.ledger()
    #expect(ledger.count(.done) == 1 && ledger.count(.cancelled) == 2)
    #expect(ledger.pending == 0 && ledger.isBalanced)
  }
}
