// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// What many callers of one store do at the same time: each call is one transaction.
  static let crowds: [Rule] = [
    Rule("claims that come at once lease each operation once") { desk in
      var ids: Set<OperationID> = []
      for number in 0..<10 { ids.insert(try await desk.store.insert(.note("\(number)"))) }
      let claims = await desk.crowd { number, store in try await store.claim(number % 3 + 1) }
      var leased = try claims.flatMap { try $0.get() }
      // One that met another may have passed something by.
      leased += try await desk.store.claim()
      desk.same(leased.count, 10, "leased twice, or not at all")
      desk.same(Set(leased.map(\.lease.id)), ids)
      desk.same(try await desk.store.snapshot().running, 10)
      for one in leased {
        desk.hold(try await desk.store.settle(one.lease, OperationVerdict(.done)), one.text)
      }
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.done) == 10 && ledger.isBalanced)
    },
    Rule("what comes several times at once under one idempotency key is kept once") { desk in
      let key = IdempotencyKey()
      let answers = await desk.crowd { _, store in
        try await store.insert(.note("a", idempotencyKey: key))
      }
      let kept = try await desk.store.operations(after: nil, limit: 99).map(\.id)
      desk.same(Set(try answers.map { try $0.get() }), Set(kept), "all are told of the one")
      desk.same(kept.count, 1)
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.enqueued == 1 && ledger.isBalanced)
    },
    Rule("of what comes at once under one unique key one is kept, and the others are refused") {
      desk in
      let answers = await desk.crowd { number, store in
        let wishes = NewOperation.Wishes(uniqueKey: .init("k", ifTaken: .reject))
        return try await store.insert(.note("\(number)", wishes: wishes))
      }
      var kept: [OperationID] = []
      for answer in answers {
        switch answer {
        case .success(let id): kept.append(id)
        case .failure(let error):
          desk.same((error as? OutboxError)?.code.rawValue, OutboxError.Code.duplicate.rawValue)
        }
      }
      desk.same(kept.count, 1)
      desk.same(try await desk.store.operations(after: nil, limit: 99).map(\.id), kept)
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.enqueued == 1 && ledger.isBalanced)
    },
    Rule("an end that is told several times at once counts once") { desk in
      for next in [OperationVerdict.Next.done, .dead(.refused, followers: .goOn)] {
        _ = try await desk.store.insert(.note("a"))
        let lease = try desk.some(try await desk.store.claim().first).lease
        let answers = await desk.crowd { _, store in
          try await store.settle(lease, OperationVerdict(next))
        }
        desk.same(try answers.count { try $0.get() }, 1, "\(next)")
      }
      desk.same(try await desk.store.deadLetters(after: nil, limit: 9).count, 1)
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.done) == 1 && ledger.isBalanced)
    },
  ]
}
