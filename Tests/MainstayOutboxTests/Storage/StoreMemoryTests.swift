// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What a store remembers of operations besides their payload: how they ended, how far they came,
/// and what the other side has.
@Suite(.requirement("C14")) struct StoreMemoryTests {
  typealias Kind = StoreUnderTest.Kind

  private func end(
    _ store: any OutboxStore, _ next: OperationVerdict.Next = .done, output: Data? = nil
  ) async throws -> OperationID {
    let leased = try #require(try await store.claim(1).first)
    var verdict = OperationVerdict(next)
    verdict.output = output
    #expect(try await store.settle(leased.lease, verdict))
    return leased.lease.id
  }

  @Test(arguments: Kind.allCases)
  func `how an operation ended is known afterwards, with what came of it`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b", "c", "d"] { _ = try await test.store.insert(.note(text)) }
    let done = try await end(test.store, output: Data("7".utf8))
    let dropped = try await end(test.store, .dropped)
    let dead = try await end(test.store, .dead(.refused, followers: .holdKey))
    let last = try #require(try await test.store.operations(after: nil, limit: 9).first).id
    _ = try await test.store.cancel(last)
    let (store, _) = try await test.crash()
    #expect(
      try await store.outcome(done)
        == StoredOutcome(reason: .done, output: Data("7".utf8), ended: test.time.now))
    #expect(try await store.outcome(dropped)?.reason == .dropped)
    #expect(try await store.outcome(last)?.reason == .cancelled)
    #expect(try await store.outcome(dead) == nil, "a dead letter has not ended")
    #expect(try await store.deadLetter(dead)?.reason == .refused)
    #expect(try await store.deadLetter(done) == nil)
    _ = try await store.discard(dead)
    #expect(try await store.outcome(dead)?.reason == .discarded)
    await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `the oldest outcomes are forgotten`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumOutcomes: 2))
    var ids: [OperationID] = []
    for text in ["a", "b", "c"] {
      _ = try await test.store.insert(.note(text))
      ids.append(try await end(test.store))
    }
    #expect(try await test.store.outcome(ids[0]) == nil)
    #expect(try await test.store.outcome(ids[1])?.reason == .done)
    #expect(try await test.store.outcome(ids[2])?.reason == .done)
  }

  @Test(arguments: Kind.allCases)
  func `a store that keeps no outcomes keeps none`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumOutcomes: 0))
    _ = try await test.store.insert(.note("a"))
    #expect(try await test.store.outcome(try await end(test.store)) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a checkpoint outlives the process, and only the holder of the lease writes it`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a"))
    let first = try #require(try await test.store.claim().first)
    #expect(first.operation.checkpoint == nil)
    #expect(try await test.store.checkpoint(first.lease, Data("1".utf8)))
    let (store, _) = try await test.crash()
    #expect(try await store.checkpoint(first.lease, Data("2".utf8)) == false)
    let second = try #require(try await store.claim().first)
    #expect(second.operation.checkpoint == Data("1".utf8))
    let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
    _ = try await store.settle(second.lease, verdict)
    #expect(try await store.redrive(first.lease.id))
    let third = try #require(try await store.claim().first)
    #expect(third.operation.checkpoint == Data("1".utf8))
    await store.close()
  }

  @Test(.requirement("C21"), arguments: Kind.allCases)
  func `what the other side has is known as long as something of the record waits`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text, orderedBy: "k")) }
    _ = try await test.store.insert(.note("c"))
    let first = try #require(try await test.store.claim(1).first)
    #expect(try await test.store.latest(for: first.operation) == nil)
    var verdict = OperationVerdict(.done)
    verdict.news = RecordNews(latest: Data("v1".utf8))
    _ = try await test.store.settle(first.lease, verdict)
    let (store, _) = try await test.crash()
    let second = try #require(try await store.operations(orderedBy: "k").first)
    #expect(try await store.latest(for: second) == Data("v1".utf8))
    let other = try #require(try await store.operations(after: second.id, limit: 1).first)
    #expect(try await store.latest(for: other) == nil, "it is another record")
    _ = try await end(store)
    #expect(try await store.latest(for: second) == nil)
    await store.close()
  }

  @Test(.requirement("C21"), arguments: Kind.allCases)
  func `a change that is sent anew has another key, and begins anew`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a", orderedBy: "k"))
    let first = try #require(try await test.store.claim(1).first)
    _ = try await test.store.checkpoint(first.lease, Data("half".utf8))
    var verdict = OperationVerdict(.ready)
    verdict.news = RecordNews(
      latest: Data("v1".utf8), idempotencyKey: IdempotencyKey(), merges: 3)
    _ = try await test.store.settle(first.lease, verdict)
    let second = try #require(try await test.store.claim(1).first).operation
    #expect(second.idempotencyKey == verdict.news?.idempotencyKey)
    #expect(second.merges == 3 && second.checkpoint == nil)
  }

  @Test(.requirement("C21"), arguments: Kind.allCases)
  func `a conflict follows what is heard of the other side, and may go with it`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let id = try await test.store.insert(.note("a", orderedBy: "k"))
    let title = FieldConflict(field: "title", cause: .bothChanged)
    let leased = try #require(try await test.store.claim(1).first)
    let news = RecordNews(latest: Data("v2".utf8))
    #expect(try await test.store.learn(id, news, conflicts: []) == false, "it runs")
    _ = try await test.store.settle(
      leased.lease,
      OperationVerdict(.conflicted(remote: Data("v1".utf8), fields: [title]), effect: .refused))
    #expect(try await test.store.conflicts().map(\.fields) == [[title]])
    let since = try await test.store.conflicts().first?.since
    test.time.advance(by: .seconds(60))
    let shelf = FieldConflict(field: "shelf", cause: .noBase)
    #expect(try await test.store.learn(id, news, conflicts: [shelf]))
    let conflict = try #require(try await test.store.conflicts().first)
    #expect(conflict.fields == [shelf] && conflict.remote == Data("v2".utf8))
    #expect(conflict.since == since)
    #expect(try await test.store.learn(id, news, conflicts: []))
    #expect(try await test.store.conflicts().isEmpty)
    #expect(try await test.store.claim().map(\.text) == ["a"])
    #expect(try await test.store.learn(OperationID(UUID()), news, conflicts: []) == false)
  }

  @Test(.requirement("O1"), arguments: Kind.allCases)
  func `what was given back without a run is as suspicious as before`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text)) }
    _ = try await test.store.claim(1)
    let (store, _) = try await test.crash()
    for _ in 0..<2 {
      let alone = try await store.claim()
      #expect(alone.map(\.text) == ["a"], "it lost its last run, so it is tried alone")
      let lease = try #require(alone.first).lease
      var verdict = OperationVerdict(.ready, effect: .sentUnknown)
      verdict.isUnbegun = true
      #expect(try await store.settle(lease, verdict))
    }
    let lease = try #require(try await store.claim().first).lease
    _ = try await store.settle(lease, OperationVerdict(.ready))
    #expect(try await store.claim().count == 2, "a run that ended clears it")
    await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `the operations of a key are found in order`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for (text, key) in [("a", "k"), ("b", "l"), ("c", "k"), ("d", "k\u{0}")] {
      _ = try await test.store.insert(.note(text, orderedBy: key))
    }
    let found = try await test.store.operations(orderedBy: "k")
    #expect(found.map(\.payload) == ["a", "c"].map { NewOperation.note($0).payload })
    #expect(try await test.store.operations(orderedBy: "nobody").isEmpty)
  }
}
