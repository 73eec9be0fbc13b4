// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// What a store says, and what two operations come to.
  static let answers: [Rule] = [
    Rule("what is leased had no obstacle, and what is not has one") { desk in
      let head = try await desk.store.insert(.note("head", orderedBy: "k"))
      let next = try await desk.store.insert(.note("next", orderedBy: "k"))
      let late = try await desk.store.insert(
        .note("late", wishes: NewOperation.Wishes(delay: .seconds(60))))
      let paused = try await desk.store.insert(.note("paused", lane: "side"))
      try await desk.store.close("side", LaneClosure(.paused))
      let due = desk.time.now.addingTimeInterval(60)
      desk.same(try await desk.store.obstacles(head), [])
      desk.same(try await desk.store.obstacles(next), [.follows(head)])
      desk.same(try await desk.store.obstacles(late), [.notBefore(due)])
      desk.same(try await desk.store.obstacles(paused), [.lane("side", .paused, until: nil)])
      desk.same(try await desk.store.obstacles(OperationID(UUID())), nil)
      desk.same(try await desk.store.claim().map(\.lease.id), [head])
      desk.same(try await desk.store.obstacles(head), [.running])
    },
    Rule("what is not finished, and a dead letter, is found by its idempotency key") { desk in
      let (first, second) = (NewOperation.note("a"), NewOperation.note("b"))
      for new in [first, second] { _ = try await desk.store.insert(new) }
      let found = try await desk.store.operation(keyed: first.idempotencyKey)
      desk.same(found?.id, first.id)
      desk.same(found?.payload, first.payload)
      let leased = try await desk.store.claim()
      desk.same(try await desk.store.operation(keyed: second.idempotencyKey)?.id, second.id)
      _ = try await desk.store.settle(
        try desk.some(leased.first).lease, OperationVerdict(.dead(.refused, followers: .goOn)))
      _ = try await desk.store.settle(
        try desk.some(leased.last).lease, OperationVerdict(.done))
      try await desk.crash()
      let letter = try await desk.store.operation(keyed: first.idempotencyKey)
      desk.same(letter?.id, first.id, "it is a dead letter")
      desk.same(letter?.payload, first.payload)
      desk.same(try await desk.store.operation(keyed: second.idempotencyKey), nil, "it is done")
      desk.same(try await desk.store.operation(keyed: IdempotencyKey()), nil)
    },
    Rule("what waits for a time is ready at once when somebody asks for it") { desk in
      let wishes = NewOperation.Wishes(delay: .seconds(60))
      let id = try await desk.store.insert(.note("a", wishes: wishes))
      desk.hold(try await desk.store.claim().isEmpty)
      desk.hold(try await desk.store.hasten(id))
      desk.hold(try await !desk.store.hasten(id))
      desk.same(try await desk.store.claim().map(\.text), ["a"])
      desk.hold(try await !desk.store.hasten(OperationID(UUID())))
    },
    Rule("two operations that come to one are one, in the place of the first") { desk in
      let first = NewOperation.note("a", orderedBy: "k")
      let id = try await desk.store.insert(first)
      desk.same(try await desk.store.last(of: "k")?.id, id)
      desk.same(try await desk.store.last(of: "other")?.id, nil)
      var second = NewOperation.note("b", orderedBy: "k")
      second.wishes.coalescing = .init(
        earlier: id, expected: first.payload, payload: Data(#"{"text":"ab"}"#.utf8))
      desk.same(try await desk.store.insert(second), id)
      let ledger = try await desk.store.ledger()
      desk.same(ledger.enqueued, 2)
      desk.same(ledger.count(.coalesced), 1)
      desk.hold(ledger.isBalanced)
      let leased = try desk.some(try await desk.store.claim().first)
      desk.same(leased.text, "ab")
      desk.same(leased.operation.idempotencyKey, second.idempotencyKey)
    },
    Rule("two operations that come to nothing are gone, with a receipt for each") { desk in
      let first = NewOperation.note("a", orderedBy: "k")
      let id = try await desk.store.insert(first)
      var second = NewOperation.note("b", orderedBy: "k")
      second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: nil)
      desk.same(try await desk.store.insert(second), second.id)
      desk.hold(try await desk.store.claim().isEmpty)
      let ledger = try await desk.store.ledger()
      desk.same(ledger.count(.coalesced), 2)
      desk.same(ledger.pending, 0)
      desk.hold(ledger.isBalanced)
    },
    Rule("one with a limit of time is not put together with another") { desk in
      let first = NewOperation.note("a", orderedBy: "k", wishes: .init(timeout: .seconds(1)))
      let id = try await desk.store.insert(first)
      var second = NewOperation.note("b", orderedBy: "k")
      second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: nil)
      await desk.refuses(.changedMeanwhile) { try await desk.store.insert(second) }
    },
    Rule("what is leased is not put together with another") { desk in
      let first = NewOperation.note("a", orderedBy: "k")
      let id = try await desk.store.insert(first)
      desk.same(try await desk.store.claim().count, 1)
      var second = NewOperation.note("b", orderedBy: "k")
      second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: nil)
      await desk.refuses(.changedMeanwhile) { try await desk.store.insert(second) }
      desk.same(try await desk.store.ledger().enqueued, 1)
    },
    Rule("what waits is counted by its cause, and what lies there by its bytes") { desk in
      for text in ["failed", "far", "snoozed"] { _ = try await desk.store.insert(.note(text)) }
      let ends = [
        OperationVerdict(.scheduled(after: .seconds(60)), attempts: 1),
        OperationVerdict(.scheduled(after: .seconds(60)), unreachable: 1),
        OperationVerdict(.waiting(after: .seconds(60))),
      ]
      for (leased, end) in zip(try await desk.store.claim(), ends) {
        _ = try await desk.store.settle(leased.lease, end)
      }
      _ = try await desk.store.insert(
        .note("late", wishes: NewOperation.Wishes(delay: .seconds(60))))
      _ = try await desk.store.insert(
        .note("held", wishes: NewOperation.Wishes(constraints: [.power])))
      desk.hold(try await desk.store.claim(unmet: [.power]).isEmpty)
      let rest = LaneClosure(.throttled, for: .seconds(60))
      for (lane, closures) in [
        ("shut", [LaneClosure(.paused)]), ("ask", [LaneClosure(.needsUser), rest]),
        ("slow", [rest]),
      ] {
        _ = try await desk.store.insert(.note(lane, lane: Lane(rawValue: lane)))
        for closure in closures { try await desk.store.close(Lane(rawValue: lane), closure) }
      }
      var causes = OutboxSnapshot.Causes()
      (causes.failure, causes.unreachable, causes.policy, causes.delay) = (1, 1, 1, 1)
      (causes.constraint, causes.lanePaused) = (1, 1)
      (causes.laneNeedsUser, causes.laneThrottled) = (1, 1)
      try await desk.counts(causes, scheduled: 3, waiting: 5)
      desk.time.advance(by: .seconds(60))
      _ = try await desk.store.promote(NewOperation.types)
      for leased in try await desk.store.claim() {
        _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
      }
      causes = OutboxSnapshot.Causes()
      (causes.lanePaused, causes.laneNeedsUser) = (1, 1)
      try await desk.counts(causes, scheduled: 0, waiting: 2)
    },
    Rule("closing a store gives back what it has leased, as what may have been sent") { desk in
      _ = try await desk.store.insert(.note("a"))
      desk.same(try await desk.store.claim().count, 1)
      await desk.store.close()
      let report = try await desk.open()
      desk.same(report.recovered, 0)
      let leased = try desk.some(try await desk.store.claim().first)
      desk.same(leased.operation.effect, .sentUnknown)
      desk.same(leased.operation.lostRuns, 0)
    },
  ]
}

extension StoreDesk {
  /// Holds that so many wait for each cause, and that the bytes are those of what is there.
  fileprivate func counts(
    _ causes: OutboxSnapshot.Causes, scheduled: Int, waiting: Int, line: Int = #line
  ) async throws {
    let snapshot = try await store.snapshot()
    same(snapshot.causes, causes, line: line)
    same(snapshot.scheduled, scheduled, line: line)
    same(snapshot.waiting, waiting, line: line)
    let there = try await store.operations(after: nil, limit: 99)
    same(snapshot.bytes, there.reduce(0) { $0 + $1.payload.count }, line: line)
  }
}
