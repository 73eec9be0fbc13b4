// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Several processes on one database.
@Suite(.ends(withinMinutes: 10))
struct SharingTests {
  @Test func `four processes that claim at once share out each operation once`() async throws {
    let place = try await Place()
    let first = try await place.opened()
    let operations = (0..<300).map { number in
      NewOperation.note("\(number)", orderedBy: number % 3 == 0 ? "k\(number % 7)" : nil)
    }
    let ids = try await first.insert(contentsOf: operations)
    let runs = try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          let store = try await place.opened()
          var seen: [OperationID] = []
          var rests = 0
          while rests < 20 {
            let leased = try await store.claim(7, isAlone: false)
            rests = leased.isEmpty ? rests + 1 : 0
            for run in leased {
              seen.append(run.lease.id)
              #expect(try await store.settle(run.lease, OperationVerdict(.done)))
            }
            if try await store.snapshot().pending == 0 { break }
          }
          await store.close()
          return seen
        }
      }
      var all: [OperationID] = []
      for try await seen in group { all += seen }
      return all
    }
    #expect(runs.count == Set(runs).count)
    #expect(Set(runs) == Set(ids))
    let ledger = try await first.ledger()
    #expect(ledger.isBalanced)
    #expect(ledger.count(.done) == 300)
    await first.close()
  }

  @Test func `four processes that enqueue under the same keys keep one each`() async throws {
    let place = try await Place()
    let stores = try await (place.opened(), place.opened(), place.opened(), place.opened())
    let all = [stores.0, stores.1, stores.2, stores.3]
    let keys = (0..<20).map { _ in IdempotencyKey() }
    let kept = try await withThrowingTaskGroup { group in
      for store in all {
        for (number, key) in keys.enumerated() {
          group.addTask {
            let order = number % 2 == 0 ? "o" : nil
            return try await store.insert(
              .note("\(number)", orderedBy: order, idempotencyKey: key))
          }
        }
      }
      var ids: Set<OperationID> = []
      for try await id in group { ids.insert(id) }
      return ids
    }
    #expect(kept.count == 20)
    let ledger = try await stores.0.ledger()
    #expect(ledger.enqueued == 20 && ledger.isBalanced)
    #expect(try await stores.0.snapshot().blocked == 9, "one of the ten is the head")
    for store in all { await store.close() }
  }

  @Test func `a unique key is kept by one of four who ask at once`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let other = try await place.opened()
    let wishes = NewOperation.Wishes(uniqueKey: .init("u"))
    let ids = try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          try await (number % 2 == 0 ? store : other).insert(.note("\(number)", wishes: wishes))
        }
      }
      var ids: Set<OperationID> = []
      for try await id in group { ids.insert(id) }
      return ids
    }
    #expect(ids.count == 1)
    #expect(try await store.ledger().enqueued == 1)
    await store.close()
    await other.close()
  }

  @Test(.requirement("O6"))
  func `what a dead process had leased comes back when its lease is over`() async throws {
    let place = try await Place()
    let dead = place.store(lease: .seconds(600))
    _ = try await dead.open()
    let id = try await dead.insert(.note("a"))
    #expect(try await dead.claim().count == 1)
    let other = try await place.opened()
    _ = try await other.promote(NewOperation.types)
    #expect(try await other.claim().isEmpty, "it is leased, and its owner is alive")
    await dead.abandon(isOverdue: false)
    try await place.query(
      "UPDATE @.owner SET alive_until = @.clock() + 200 WHERE id = (SELECT min(id) FROM @.owner)")
    var leased: [LeasedOperation] = []
    while leased.isEmpty {
      _ = try await other.promote(NewOperation.types)
      leased = try await other.claim()
    }
    #expect(leased.map(\.lease.id) == [id])
    #expect(leased.first?.operation.effect == .sentUnknown)
    #expect(leased.first?.operation.lostRuns == 1)
    await other.close()
  }

  @Test(.requirement("O5"))
  func `a heartbeat keeps leases that are older than they last`() async throws {
    // A process that stands still for as long as its lease loses it; one without a heart always.
    while try await !keepsLease() { try Task.checkCancellation() }
  }

  /// Whether a process still has what it leased a second longer ago than the lease lasts.
  private func keepsLease() async throws -> Bool {
    let place = try await Place()
    let store = place.store(lease: .seconds(12))
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    let lease = try #require(try await store.claim().first).lease
    let other = try await place.opened()
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(13) {
      try await place.query("SELECT pg_sleep(0.5)")
      _ = try await other.promote(NewOperation.types)
    }
    let isKept = try await store.confirms(lease)
    if isKept {
      #expect(try await store.settle(lease, OperationVerdict(.done)))
    }
    await store.close()
    await other.close()
    return isKept
  }

  @Test func `one that stalled past its lease is fenced, and works on`() async throws {
    let place = try await Place()
    let (stalled, other) = try await (place.opened(), place.opened())
    _ = try await stalled.insert(.note("a"))
    let old = try #require(try await stalled.claim().first)
    try await place.query(
      "UPDATE @.owner SET alive_until = 0 WHERE id = (SELECT min(id) FROM @.owner)")
    _ = try await other.promote(NewOperation.types)
    let new = try #require(try await other.claim().first)
    #expect(new.lease.token > old.lease.token)
    #expect(try await !stalled.settle(old.lease, OperationVerdict(.done)))
    #expect(
      try await !stalled.settle(
        old.lease, OperationVerdict(.scheduled(after: .seconds(1)))))
    #expect(try await !stalled.checkpoint(old.lease, Data("late".utf8)))
    #expect(try await other.settle(new.lease, OperationVerdict(.done)))
    _ = try await stalled.insert(.note("b"))
    let next = try #require(try await stalled.claim().first)
    #expect(next.text == "b")
    #expect(try await stalled.settle(next.lease, OperationVerdict(.done)))
    #expect(try await stalled.ledger().isBalanced)
    await stalled.close()
    await other.close()
  }

  @Test func `what one process has no worker for is left to another that has`() async throws {
    let place = try await Place()
    let (notes, others) = try await (place.opened(), place.opened())
    let other = ClaimRequest(
      limit: 5, types: [PayloadType(kind: "other", version: 1)], isAlone: true)
    #expect(try await others.claim(other).operations.isEmpty)
    _ = try await notes.insert(.note("a", kind: "other"))
    #expect(try await notes.claim().isEmpty)
    #expect(try await notes.snapshot().parked == 0)
    #expect(try await others.claim(other).operations.map(\.text) == ["a"])
    await notes.close()
    await others.close()
  }

  @Test func `what a paused process says that it reads is left to it`() async throws {
    let place = try await Place()
    let (paused, others) = try await (place.opened(), place.opened())
    try await paused.attend(to: NewOperation.types)
    _ = try await paused.insert(.note("a"))
    let other = ClaimRequest(
      limit: 5, types: [PayloadType(kind: "other", version: 1)], isAlone: true)
    #expect(try await others.claim(other).unknown.isEmpty)
    #expect(try await others.snapshot().parked == 0)
    await paused.close()
    await others.close()
  }

  @Test func `one that only enqueues sets nothing aside, and need not be told`() async throws {
    let place = try await Place()
    let (producer, worker) = try await (place.opened(), place.opened())
    _ = try await producer.insert(.note("a"))
    let nothing = ClaimRequest(limit: 5, types: [], isAlone: true)
    #expect(try await producer.claim(nothing).operations.isEmpty)
    #expect(try await producer.snapshot().ready == 1)
    let waiting = try await place.query("SELECT count(*) FROM @.owner WHERE is_waiting")
    #expect(try waiting.first?.int(0) == 0)
    #expect(try await worker.claim().map(\.text) == ["a"])
    await producer.close()
    await worker.close()
  }

  @Test func `what was leased by a claim that nobody heard of is given back`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["known", "lost"] { _ = try await store.insert(.note(text)) }
    let known = try #require(try await store.claim(1).first)
    try await place.query(
      """
      SELECT count(*) FROM @.lease((SELECT min(id) FROM @.owner),
        array(SELECT id FROM @.op WHERE state = 'ready'))
      """)
    #expect(try await store.snapshot().running == 2)
    let given = try await place.query(
      "SELECT @.give_back((SELECT min(id) FROM @.owner), $1::bigint[])",
      [.ints([known.lease.token])])
    #expect(try given.first?.int(0) == 1)
    #expect(try await store.confirms(known.lease))
    #expect(try await store.claim().map(\.text) == ["lost"])
    await store.close()
  }

  @Test func `a server that crashes forgets nothing it has confirmed`() async throws {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    let store = try await place.opened()
    let ids = try await store.insert(contentsOf: (0..<50).map { .note("\($0)") })
    let lease = try #require(try await store.claim(1).first).lease
    try await server.restart(immediately: true)
    var ended = false
    while !ended {
      // The first calls may meet the broken connections.
      ended = (try? await store.settle(lease, OperationVerdict(.done))) ?? false
    }
    #expect(try await store.operations(after: nil, limit: 99).map(\.id) == Array(ids.dropFirst()))
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `a server that takes no changes says so, and nothing is lost`() async throws {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    let store = try await place.opened()
    _ = try await store.insert(.note("a"))
    try await server.set("default_transaction_read_only = on")
    try await server.restart()
    var code: OutboxError.Code?
    while code != .unavailable {
      do { _ = try await store.insert(.note("b")) } catch { code = (error as? OutboxError)?.code }
    }
    // The first call may meet a broken connection.
    var ledger: OutboxLedger?
    while ledger == nil, !Task.isCancelled { ledger = try? await store.ledger() }
    #expect(ledger?.enqueued == 1)
    await store.close()
  }
}
