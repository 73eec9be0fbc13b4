// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// At most one operation of a kind waits under a unique key.
  static let uniqueness: [Rule] =
    leasedHolders + endedHolders + newcomersBehind + [
      Rule("what is there stays, and the newcomer is dropped or refused") { desk in
        let id = try await desk.store.insert(unique("a", .keep))
        desk.same(try await desk.store.insert(unique("b", .keep)), id)
        await desk.refuses(.duplicate) {
          try await desk.store.insert(unique("c", .reject))
        }
        let other = NewOperation.note("d", kind: "other", wishes: unique("d", .reject).wishes)
        desk.same(try await desk.store.insert(other), other.id, "kinds have their own keys")
        let ledger = try await desk.store.ledger()
        desk.same(ledger.enqueued, 2)
        desk.hold(ledger.isBalanced)
        desk.same(try await desk.store.claim().map(\.text), ["a"])
      },
      Rule("keys that look alike are others, unless their bytes are the same") { desk in
        let keys = ["e\u{301}", "\u{e9}"]
        for key in keys + keys {
          let wishes = NewOperation.Wishes(uniqueKey: .init(key, ifTaken: .keep))
          _ = try await desk.store.insert(.note("unique", wishes: wishes))
          _ = try await desk.store.insert(.note("ordered", orderedBy: key))
        }
        let snapshot = try await desk.store.snapshot()
        desk.same([snapshot.ready, snapshot.blocked], [4, 2])
        for key in keys {
          let found = try await desk.store.operations(orderedBy: key)
          desk.same(found.map(\.orderingKey?.utf8.count), [key.utf8.count, key.utf8.count])
          desk.same(try await desk.store.last(of: key)?.id, found.last?.id)
        }
        for leased in try await desk.store.claim() {
          desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(.done)))
        }
        desk.same(try await desk.store.claim().map(\.text), ["ordered", "ordered"])
      },
      Rule("several operations are kept in their order, or none of them") { desk in
        let kept = try await desk.store.insert(contentsOf: [.note("a"), .note("b"), .note("c")])
        let texts = try await desk.store.operations(after: nil, limit: 9).map(\.id)
        desk.same(texts, kept)
        let taken = unique("d", .reject)
        _ = try await desk.store.insert(taken)
        await desk.refuses(.duplicate) {
          try await desk.store.insert(contentsOf: [.note("e"), unique("f", .reject), .note("g")])
        }
        let again = try await desk.store.insert(contentsOf: [taken, .note("h"), taken])
        desk.same([again[0], again[2]], [taken.id, taken.id], "it is there already")
        desk.same(try await desk.store.insert(contentsOf: []), [])
        try await desk.crash()
        desk.same(try await desk.store.claim().map(\.text), ["a", "b", "c", "d", "h"])
        let ledger = try await desk.store.ledger()
        desk.same(ledger.enqueued, 5)
        desk.hold(ledger.isBalanced)
      },
      Rule("a newcomer takes the place of what nobody has sent yet") { desk in
        let first = unique("a", .keep, orderedBy: "o")
        let id = try await desk.store.insert(first)
        _ = try await desk.store.insert(.note("follower", orderedBy: "o"))
        let newer = unique("b", .replace)
        desk.same(try await desk.store.insert(newer), id)
        desk.same(try await desk.store.insert(newer), id, "under its key it is the same once more")
        let leased = try await desk.store.claim()
        desk.same(leased.map(\.text), ["b"])
        desk.same(try desk.some(leased.first).operation.idempotencyKey, newer.idempotencyKey)
        desk.same(try desk.some(leased.first).operation.orderingKey, "o")
        let ledger = try await desk.store.ledger()
        desk.same(ledger.enqueued, 3)
        desk.same(ledger.count(.replaced), 1)
        desk.hold(ledger.isBalanced)
      },
      Rule("a replacement is tried at once, or after its own delay") { desk in
        _ = try await desk.store.insert(unique("a", .keep))
        let leased = try desk.some(try await desk.store.claim().first)
        _ = try await desk.store.settle(
          leased.lease, OperationVerdict(.scheduled(after: .seconds(99)), attempts: 3))
        _ = try await desk.store.insert(unique("b", .replace, delay: .seconds(5)))
        desk.hold(try await desk.store.claim().isEmpty)
        desk.same(try await desk.store.promote(NewOperation.types), .seconds(5))
        _ = try await desk.store.insert(unique("c", .replace))
        let next = try desk.some(try await desk.store.claim().first)
        desk.same(next.text, "c")
        desk.same(next.operation.attempts, 0)
      },
      Rule("what may have been sent is not replaced") { desk in
        _ = try await desk.store.insert(unique("a", .keep))
        _ = try await desk.store.claim()
        try await desk.crash()
        let newcomer = unique("b", .replace)
        desk.same(try await desk.store.insert(newcomer), newcomer.id)
        desk.same(try await desk.store.claim().map(\.text), ["a"])
      },
    ]

  private static let leasedHolders: [Rule] = [IfTaken.replace, .append].map { ifTaken in
    Rule("what a worker has is never altered: the newcomer runs after it by \(ifTaken)") { desk in
      _ = try await desk.store.insert(unique("a", .keep))
      let leased = try desk.some(try await desk.store.claim().first)
      let newcomer = unique("b", ifTaken)
      desk.same(try await desk.store.insert(newcomer), newcomer.id)
      desk.same(try await desk.store.insert(unique("x", .keep)), newcomer.id, "it has the key now")
      desk.hold(try await desk.store.claim().isEmpty)
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
      desk.same(try await desk.store.claim().map(\.text), ["b"])
    }
  }

  private static let endedHolders: [Rule] = [
    OperationVerdict.Next.done, .dead(.refused, followers: .goOn),
  ].map { next in
    Rule("a key is free again once its operation has ended \(next == .done ? "well" : "badly")") {
      desk in
      let first = try await desk.store.insert(unique("a", .reject))
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(leased.lease, OperationVerdict(next))
      let second = try await desk.store.insert(unique("b", .reject))
      desk.hold(first != second)
      if next != .done {
        desk.hold(try await desk.store.redrive(first), "it comes back without the key")
        desk.same(try await desk.store.insert(unique("c", .keep)), second)
      }
      desk.hold(try await desk.store.ledger().isBalanced)
    }
  }

  /// Newcomers that take no place, since what is there keeps its place in the order.
  private static let newcomersBehind: [Rule] = [
    Rule("a newcomer that needs others takes no place: it runs after all of them") { desk in
      _ = try await desk.store.insert(unique("a", .keep))
      let needed = try await desk.store.insert(.note("needed"))
      var newcomer = unique("b", .replace)
      newcomer.wishes.dependencies = .init([needed])
      desk.same(try await desk.store.insert(newcomer), newcomer.id)
      desk.same(try await desk.store.insert(unique("x", .keep)), newcomer.id, "it has the key now")
      let leased = try await desk.store.claim()
      desk.same(leased.map(\.text), ["a", "needed"])
      for one in leased {
        desk.hold(try await desk.store.claim().isEmpty, "it waits for \(one.text)")
        _ = try await desk.store.settle(one.lease, OperationVerdict(.done))
      }
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      let ledger = try await desk.store.ledger()
      desk.same(ledger.count(.replaced), 0)
      desk.hold(ledger.isBalanced)
    },
    Rule("a newcomer that may have been sent takes no place, and is known as such") { desk in
      _ = try await desk.store.insert(unique("a", .keep))
      let newcomer = NewOperation.note(
        "b", effect: .sentUnknown, wishes: unique("b", .replace).wishes)
      desk.same(try await desk.store.insert(newcomer), newcomer.id)
      let leased = try desk.some(try await desk.store.claim().first)
      desk.same(leased.text, "a")
      _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
      let next = try desk.some(try await desk.store.claim().first)
      desk.same(next.text, "b")
      desk.same(next.operation.effect, .sentUnknown)
    },
    Rule("what a newcomer needs of the one before it counts more than that it runs after it") {
      desk in
      let holder = try await desk.store.insert(unique("a", .keep))
      var newcomer = unique("b", .append)
      newcomer.wishes.dependencies = .init([holder], ifGivenUp: .giveUp)
      _ = try await desk.store.insert(newcomer)
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.dead(.refused, followers: .goOn)))
      desk.hold(try await desk.store.claim().isEmpty)
      let letters = try await desk.store.deadLetters(after: nil, limit: 9)
      desk.same(letters.map(\.reason), [.refused, .dependencyFailed])
    },
  ]

  private typealias IfTaken = EnqueueOptions.UniqueKey.IfTaken

  private static func unique(
    _ text: String, _ ifTaken: IfTaken, orderedBy key: String? = nil, delay: Duration? = nil
  ) -> NewOperation {
    .note(
      text, orderedBy: key,
      wishes: .init(delay: delay, uniqueKey: .init("k\0", ifTaken: ifTaken)))
  }
}
