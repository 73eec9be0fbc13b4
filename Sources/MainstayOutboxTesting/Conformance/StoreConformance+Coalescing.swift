// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// What is not put together with a newcomer, whatever both come to.
  static let coalescing: [Rule] =
    plainNeighbours + [
      Rule(
        "what two come to must have room", limits: StoreLimits(maximumBytes: 30)
      ) { desk in
        let first = NewOperation.note("a", orderedBy: "k")
        let id = try await desk.store.insert(first)
        var second = NewOperation.note("b", orderedBy: "k")
        second.wishes.coalescing = .init(
          earlier: id, expected: first.payload, payload: Data(repeating: 0x20, count: 31))
        await desk.refuses(.changedMeanwhile) { try await desk.store.insert(second) }
        second.wishes.coalescing = .init(
          earlier: id, expected: first.payload, payload: Data(repeating: 0x20, count: 30))
        desk.same(try await desk.store.insert(second), id)
        desk.same(try await desk.store.operation(id)?.payload.count, 30)
        desk.hold(try await desk.store.ledger().isBalanced)
      },
      Rule("how two ended that came to nothing is known of both") { desk in
        let first = NewOperation.note("a", orderedBy: "k")
        let id = try await desk.store.insert(first)
        var second = NewOperation.note("b", orderedBy: "k")
        second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: nil)
        for ended in [id, try await desk.store.insert(second)] {
          desk.same(try await desk.store.outcome(ended)?.reason, .coalesced)
        }
      },
      Rule("how far a run came is forgotten where its operation gets another payload") { desk in
        let first = NewOperation.note("a", orderedBy: "k")
        let id = try await desk.store.insert(first)
        let leased = try desk.some(try await desk.store.claim().first)
        desk.hold(try await desk.store.checkpoint(leased.lease, Data("half of a".utf8)))
        _ = try await desk.store.settle(
          leased.lease, OperationVerdict(.waiting(after: .seconds(1))))
        desk.same(try await desk.store.operation(id)?.checkpoint, Data("half of a".utf8))
        var second = NewOperation.note("b", orderedBy: "k")
        second.wishes.coalescing = .init(
          earlier: id, expected: first.payload, payload: second.payload)
        desk.same(try await desk.store.insert(second), id)
        desk.time.advance(by: .seconds(1))
        _ = try await desk.store.promote(NewOperation.types)
        let again = try desk.some(try await desk.store.claim().first)
        desk.same(again.text, "b")
        desk.same(again.operation.checkpoint, nil)
      },
    ]

  /// One that has wishes or needs of its own, in words.
  private static let wishful: [(what: String, make: @Sendable (OperationID) -> NewOperation)] = [
    ("expires", { _ in .note("a", orderedBy: "k", timeToLive: .seconds(60)) }),
    ("is expendable", { _ in .note("a", orderedBy: "k", wishes: .init(isExpendable: true)) }),
    ("waits for power", { _ in .note("a", orderedBy: "k", wishes: .init(constraints: [.power])) }),
    ("has a priority", { _ in .note("a", orderedBy: "k", wishes: .init(priority: .low)) }),
    ("has a unique key", { _ in .note("a", orderedBy: "k", wishes: .init(uniqueKey: .init("u"))) }),
    (
      "needs another",
      { .note("a", orderedBy: "k", wishes: .init(dependencies: .init([$0]))) }
    ),
  ]

  /// What would be the newcomer's, too.
  private static let plainNeighbours: [Rule] = wishful.map { what, make in
    Rule("what \(what) is not put together with one that does not") { desk in
      let needed = try await desk.store.insert(.note("needed"))
      let first = make(needed)
      let id = try await desk.store.insert(first)
      var second = NewOperation.note("b", orderedBy: "k")
      for payload in [Data("{}".utf8), nil] {
        second.wishes.coalescing = .init(earlier: id, expected: first.payload, payload: payload)
        await desk.refuses(.changedMeanwhile) { try await desk.store.insert(second) }
      }
      second.wishes.coalescing = nil
      desk.same(try await desk.store.insert(second), second.id)
      let ledger = try await desk.store.ledger()
      desk.same(ledger.enqueued, 3)
      desk.hold(ledger.isBalanced)
    }
  }
}
