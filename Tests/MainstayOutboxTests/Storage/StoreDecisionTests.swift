// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// Lanes, dead letters, conflicts, limits and the ledger, in every store alike.
@Suite(.requirement("T6")) struct StoreDecisionTests {
  typealias Kind = StoreUnderTest.Kind

  @Test(.requirement("O18"), arguments: Kind.allCases)
  func `a lane that needs a person waits until it is resumed`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for lane: Lane in ["a", "a", "b"] {
      _ = try await test.store.insert(.note(lane.rawValue, lane: lane))
    }
    let first = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(
      first.lease, OperationVerdict(.ready, closesLane: LaneClosure(.needsUser)))
    #expect(try await test.store.snapshot().waiting == 2)
    #expect(try await test.store.claim().map(\.text) == ["b"])
    test.time.advance(by: .seconds(86_400))
    #expect(try await test.store.claim().isEmpty)
    try await test.store.reopen("a", closedFor: nil)
    let again = try await test.store.claim()
    #expect(again.map(\.text) == ["a", "a"])
    #expect(again.map(\.operation.attempts) == [0, 0])
  }

  @Test(.requirement("O11"), arguments: Kind.allCases)
  func `a throttled lane waits as long as it was told to`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a"))
    let first = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(
      first.lease,
      OperationVerdict(.ready, closesLane: LaneClosure(.throttled, for: .seconds(30))))
    #expect(try await test.store.claim().isEmpty)
    #expect(try await test.store.promote(NewOperation.types) == .seconds(30))
    test.time.advance(by: .seconds(30))
    #expect(try await test.store.claim().count == 1)
  }

  @Test(arguments: Kind.allCases)
  func `throttling does not open a lane that was paused`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a"))
    try await test.store.close(.main, LaneClosure(.paused))
    try await test.store.close(.main, LaneClosure(.throttled, for: .seconds(1)))
    test.time.advance(by: .seconds(2))
    #expect(try await test.store.claim().isEmpty)
  }

  @Test(.requirement("O12"), arguments: Kind.allCases)
  func `a better connection hurries what waits for it, and nothing else`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["network", "server"] { _ = try await test.store.insert(.note(text)) }
    let both = try await test.store.claim()
    for (leased, unreachable) in zip(both, [1, 0]) {
      _ = try await test.store.settle(
        leased.lease,
        OperationVerdict(.scheduled(after: .seconds(60)), unreachable: unreachable))
    }
    try await test.store.expedite()
    #expect(try await test.store.claim().map(\.text) == ["network"])
  }

  @Test(.requirement("O9"), arguments: Kind.allCases)
  func `a dead letter holds its key until somebody decides`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text, orderedBy: "k")) }
    try await kill(test.store, .holdKey)
    _ = try await test.store.insert(.note("c", orderedBy: "k"))
    #expect(try await test.store.claim().isEmpty)
    let letter = try #require(try await test.store.deadLetters(after: nil, limit: 5).first)
    #expect(letter.reason == .refused)
    #expect(letter.message == "No. It was refused.")
    #expect(try await test.store.redrive(letter.id))
    let again = try #require(try await test.store.claim().first)
    #expect(again.text == "a")
    #expect(again.operation.idempotencyKey == letter.operation.idempotencyKey)
    #expect(again.operation.attempts == 0)
    _ = try await test.store.settle(
      again.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
    #expect(try await test.store.discard(letter.id))
    #expect(try await test.store.claim().map(\.text) == ["b"])
    #expect(try await test.store.ledger().isBalanced)
  }

  @Test(arguments: Kind.allCases)
  func `a dead letter that holds nothing is redriven behind what runs`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b", "c"] { _ = try await test.store.insert(.note(text, orderedBy: "k")) }
    try await kill(test.store, .goOn)
    let next = try #require(try await test.store.claim().first)
    #expect(next.text == "b")
    let letter = try #require(try await test.store.deadLetters(after: nil, limit: 5).first)
    #expect(try await test.store.redrive(letter.id))
    #expect(try await test.store.claim().isEmpty)
    _ = try await test.store.settle(next.lease, OperationVerdict(.done))
    #expect(try await test.store.claim().map(\.text) == ["a"])
    #expect(try await !test.store.redrive(letter.id))
    #expect(try await !test.store.discard(letter.id))
  }

  private func kill(_ store: any OutboxStore, _ followers: Worker.AfterDeadLetter) async throws {
    let head = try #require(try await store.claim(1).first)
    _ = try await store.settle(
      head.lease,
      OperationVerdict(
        .dead(.refused, followers: followers), attempts: 3,
        failure: FailureNote(code: "test.no", message: "No. It was refused.")))
  }

  @Test(arguments: Kind.allCases)
  func `a conflict keeps the other side's document and stops only its own key`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for (text, key) in [("a1", "a"), ("a2", "a"), ("b", "b")] {
      _ = try await test.store.insert(.note(text, orderedBy: key))
    }
    let head = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(
      head.lease, OperationVerdict(.conflicted(remote: Data("theirs".utf8))))
    #expect(try await test.store.claim().map(\.text) == ["b"])
    let conflict = try #require(try await test.store.conflicts().first)
    #expect(conflict.remote == Data("theirs".utf8))
    #expect(try await test.store.snapshot().conflicted == 1)
    let key = IdempotencyKey()
    let merged = Data(#"{"text":"merged"}"#.utf8)
    #expect(
      try await test.store.resolve(
        head.lease.id, with: .replaced(payload: merged, idempotencyKey: key)))
    let again = try #require(try await test.store.claim().first)
    #expect(again.text == "merged")
    #expect(again.operation.idempotencyKey == key)
    #expect(try await test.store.conflicts().isEmpty)
    _ = try await test.store.settle(again.lease, OperationVerdict(.conflicted(remote: nil)))
    #expect(try await test.store.resolve(head.lease.id, with: .dropped))
    #expect(try await !test.store.resolve(head.lease.id, with: .dropped))
    #expect(try await test.store.claim().map(\.text) == ["a2"])
    #expect(try await test.store.ledger().count(.dropped) == 1)
  }

  @Test(.requirement("O22", "O24"), arguments: Kind.allCases)
  func `the same key twice is the same operation, with another payload an error`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let key = IdempotencyKey()
    let id = try await test.store.insert(.note("a", idempotencyKey: key))
    #expect(try await test.store.insert(.note("a", idempotencyKey: key)) == id)
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      _ = try await test.store.insert(.note("b", idempotencyKey: key))
    }
    try await kill(test.store, .holdKey)
    #expect(try await test.store.insert(.note("a", idempotencyKey: key)) == id)
    #expect(try await test.store.ledger().enqueued == 1)
  }

  @Test(.requirement("T6"), arguments: Kind.allCases)
  func `a full store refuses, and takes again when something has ended`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 2))
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text)) }
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("c"))
    }
    let first = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(first.lease, OperationVerdict(.done))
    _ = try await test.store.insert(.note("c"))
    #expect(try await test.store.snapshot().pending == 2)
  }

  @Test(.requirement("O36"), arguments: Kind.allCases)
  func `what expires leaves a receipt, and what may have been sent does not expire`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["sent", "fresh"] {
      _ = try await test.store.insert(.note(text, orderedBy: text, timeToLive: .seconds(60)))
    }
    _ = try await test.store.insert(.note("next", orderedBy: "fresh"))
    let sent = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(
      sent.lease, OperationVerdict(.scheduled(after: .seconds(10)), effect: .sentUnknown))
    test.time.advance(by: .seconds(61))
    _ = try await test.store.promote(NewOperation.types)
    let ledger = try await test.store.ledger()
    #expect(ledger.count(.expired) == 1)
    #expect(ledger.receipts.first?.bytes == 16)
    #expect(ledger.isBalanced)
    #expect(try await test.store.claim().map(\.text) == ["sent", "next"])
  }

  @Test(arguments: Kind.allCases)
  func `lists go on where they ended`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b", "c"] { _ = try await test.store.insert(.note(text)) }
    let first = try await test.store.operations(after: nil, limit: 2)
    #expect(first.count == 2)
    let rest = try await test.store.operations(after: first.last?.id, limit: 2)
    #expect(rest.count == 1)
    #expect(try await test.store.operations(after: nil, limit: -1).isEmpty)
    #expect(try await test.store.operation(rest[0].id) == rest[0])
    #expect(try await test.store.operation(OperationID(UUID())) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `the oldest age follows the time of day`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    #expect(try await test.store.snapshot().oldestAge == nil)
    _ = try await test.store.insert(.note("a"))
    test.time.advance(by: .seconds(90))
    #expect(try await test.store.snapshot().oldestAge == .seconds(90))
    test.time.advance(by: .seconds(-900))
    #expect(try await test.store.snapshot().oldestAge == .zero)
  }
}
