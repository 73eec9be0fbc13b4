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
    Rule("what is leased is not put together with another") { desk in
      let first = NewOperation.note("a", orderedBy: "k")
      let id = try await desk.store.insert(first)
      desk.same(try await desk.store.claim().count, 1)
      var second = NewOperation.note("b", orderedBy: "k")
      second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: nil)
      await desk.refuses(.changedMeanwhile) { try await desk.store.insert(second) }
      desk.same(try await desk.store.ledger().enqueued, 1)
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
