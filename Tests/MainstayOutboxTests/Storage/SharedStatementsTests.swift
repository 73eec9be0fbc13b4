// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// Operations that are leased or ended by the same statements, more of them than one names.
@Suite struct SharedStatementsTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let day = TimeOfDay()

  init() async throws {
    folder = try TemporaryFolder()
    store = SQLiteStore(at: folder.database, now: { [day] in day.now })
    _ = try await store.open()
  }

  @Test func `many are leased in their order, and ended once each`() async throws {
    let ids = try await store.insert(contentsOf: (0..<50).map { .note("\($0)") })
    let leased = try await store.claim(50)
    #expect(leased.map(\.operation.id) == ids)
    #expect(leased.map(\.text) == (0..<50).map(String.init))
    let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
      for one in leased + leased {
        group.addTask { [store] in
          try await store.settle(one.lease, OperationVerdict(.done, effect: .applied))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let taken = answers.filter(\.self).count
    #expect(taken == 50, "the second end of a lease comes too late")
    let ledger = try await store.ledger()
    #expect(ledger.count(.done) == 50 && ledger.pending == 0 && ledger.isBalanced)
    #expect(try await store.snapshot().bytes == 0)
    for id in ids {
      let outcome = try await store.outcome(id)
      #expect(outcome?.reason == .done)
    }
    await store.close()
  }

  @Test func `ends of all kinds that come together are each recorded`() async throws {
    let keyed = (0..<10).map { NewOperation.note("\($0)", orderedBy: "\($0 / 2)") }
    let needed = NewOperation.note("needed")
    let needs = NewOperation.note(
      "needs", wishes: .init(dependencies: .init([needed.id])))
    let ids = try await store.insert(contentsOf: keyed + [needed, needs])
    let leased = try await store.claim(50)
    #expect(leased.count == 6, "the heads of five keys, and one without")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, one) in leased.enumerated() {
        var verdict = OperationVerdict(.done, effect: .applied)
        if number == 0 { verdict = OperationVerdict(.scheduled(after: .seconds(9)), attempts: 1) }
        if number == 1 { verdict.output = Data("out".utf8) }
        group.addTask { [store, verdict] in
          let isTaken = try await store.settle(one.lease, verdict)
          #expect(isTaken)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.outcome(leased[1].operation.id)?.output == Data("out".utf8))
    let next = try await store.claim(50).map(\.text)
    #expect(next == ["3", "5", "7", "9", "needs"])
    #expect(try await store.operation(ids[0])?.state == .scheduled)
    await store.close()
  }

  @Test func `a limit of a type is used up though some turn out not to be wanted`() async throws {
    let constrained = NewOperation.Wishes(constraints: ["gone"])
    _ = try await store.insert(contentsOf: (0..<3).map { .note("\($0)", wishes: constrained) })
    _ = try await store.insert(contentsOf: (3..<6).map { .note("\($0)") })
    let type = PayloadType(kind: "note", version: 1)
    let request = ClaimRequest(
      limit: 4, types: [type], isAlone: true, limits: [type: 2], unmet: ["gone"])
    let claim = try await store.claim(request)
    #expect(claim.operations.map(\.text) == ["3", "4"])
    #expect(try await store.snapshot().causes.constraint == 3)
    await store.close()
  }

  @Test func `tokens grow with each lease, also where one had a greater one before`() async throws {
    _ = try await store.insert(contentsOf: (0..<20).map { .note("\($0)") })
    let first = try await store.claim(20)
    for one in first.prefix(10) { _ = try await store.settle(one.lease, OperationVerdict(.ready)) }
    let second = try await store.claim(20)
    #expect(second.count == 10)
    for (old, new) in zip(first, second) {
      #expect(old.operation.id == new.operation.id && old.lease.token < new.lease.token)
      #expect(try await store.confirms(new.lease))
      #expect(try await store.confirms(old.lease) == false)
    }
    await store.close()
  }
}
