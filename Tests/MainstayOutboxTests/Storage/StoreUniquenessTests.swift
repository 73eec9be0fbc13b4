// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// At most one operation of a kind waits under a unique key, in every store.
@Suite(.requirement("O24")) struct StoreUniquenessTests {
  typealias Kind = StoreUnderTest.Kind
  typealias IfTaken = EnqueueOptions.UniqueKey.IfTaken

  private func unique(
    _ text: String, _ ifTaken: IfTaken, orderedBy key: String? = nil, delay: Duration? = nil
  ) -> NewOperation {
    .note(
      text, orderedBy: key,
      wishes: .init(delay: delay, uniqueKey: .init("k\0", ifTaken: ifTaken)))
  }

  @Test(arguments: Kind.allCases)
  func `what is there stays, and the newcomer is dropped or refused`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let id = try await test.store.insert(unique("a", .keep))
    #expect(try await test.store.insert(unique("b", .keep)) == id)
    await #expect(throws: OutboxError(.duplicate, details: "")) {
      try await test.store.insert(unique("c", .reject))
    }
    let other = NewOperation.note("d", kind: "other", wishes: unique("d", .reject).wishes)
    #expect(try await test.store.insert(other) == other.id, "kinds have their own keys")
    let ledger = try await test.store.ledger()
    #expect(ledger.enqueued == 2 && ledger.isBalanced)
    #expect(try await test.store.claim().map(\.text) == ["a"])
  }

  @Test(arguments: Kind.allCases)
  func `a newcomer takes the place of what nobody has sent yet`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let first = unique("a", .keep, orderedBy: "o")
    let id = try await test.store.insert(first)
    _ = try await test.store.insert(.note("follower", orderedBy: "o"))
    let newer = unique("b", .replace)
    #expect(try await test.store.insert(newer) == id)
    #expect(try await test.store.insert(newer) == id, "under its key it is the same once more")
    let leased = try await test.store.claim()
    #expect(leased.map(\.text) == ["b"])
    #expect(leased[0].operation.idempotencyKey == newer.idempotencyKey)
    #expect(leased[0].operation.orderingKey == "o")
    let ledger = try await test.store.ledger()
    #expect(ledger.enqueued == 3 && ledger.count(.replaced) == 1 && ledger.isBalanced)
  }

  @Test(arguments: Kind.allCases)
  func `a replacement is tried at once, or after its own delay`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(unique("a", .keep))
    let leased = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(
      leased.lease, OperationVerdict(.scheduled(after: .seconds(99)), attempts: 3))
    _ = try await test.store.insert(unique("b", .replace, delay: .seconds(5)))
    #expect(try await test.store.claim().isEmpty)
    #expect(try await test.store.promote(NewOperation.types) == .seconds(5))
    _ = try await test.store.insert(unique("c", .replace))
    let next = try #require(try await test.store.claim().first)
    #expect(next.text == "c" && next.operation.attempts == 0)
  }

  @Test(.requirement("O23"), arguments: Kind.allCases, [IfTaken.replace, .append])
  func `what a worker has is never altered: the newcomer runs after it`(
    kind: Kind, ifTaken: IfTaken
  ) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(unique("a", .keep))
    let leased = try #require(try await test.store.claim().first)
    let newcomer = unique("b", ifTaken)
    #expect(try await test.store.insert(newcomer) == newcomer.id)
    #expect(try await test.store.insert(unique("x", .keep)) == newcomer.id, "it has the key now")
    #expect(try await test.store.claim().isEmpty)
    _ = try await test.store.settle(
      leased.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
    #expect(try await test.store.claim().map(\.text) == ["b"])
  }

  @Test(.requirement("O23"), arguments: Kind.allCases)
  func `what may have been sent is not replaced`(kind: Kind) async throws {
    var test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(unique("a", .keep))
    _ = try await test.store.claim()
    test = test.with(try await test.crash().store)
    let newcomer = unique("b", .replace)
    #expect(try await test.store.insert(newcomer) == newcomer.id)
    #expect(try await test.store.claim().map(\.text) == ["a"])
  }

  @Test(arguments: Kind.allCases, [OperationVerdict.Next.done, .dead(.refused, followers: .goOn)])
  func `a key is free again once its operation has ended`(
    kind: Kind, next: OperationVerdict.Next
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let first = try await test.store.insert(unique("a", .reject))
    let leased = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(leased.lease, OperationVerdict(next))
    let second = try await test.store.insert(unique("b", .reject))
    #expect(first != second)
    if next != .done {
      #expect(try await test.store.redrive(first), "it comes back without the key")
      #expect(try await test.store.insert(unique("c", .keep)) == second)
    }
    #expect(try await test.store.ledger().isBalanced)
  }
}
