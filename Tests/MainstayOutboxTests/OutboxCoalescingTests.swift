// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Neighbours under an ordering key that are put together.
@Suite(.ends(withinMinutes: 5)) struct OutboxCoalescingTests {
  private enum Edit: CoalescingOperation, Equatable {
    static let kind: OperationKind = "edit"

    case create
    case set(Int)
    case delete
    case note

    func coalesced(with later: Edit) -> Coalesced<Edit> {
      switch (self, later) {
      case (.create, .delete): .annihilate
      case (.set, .set), (.set, .delete): .replace(by: later)
      default: .keepBoth
      }
    }
  }

  private func open(
    _ shop: inout Workshop, _ seen: Box<[Edit]>
  ) async throws -> Outbox {
    shop.configuration.startsPaused = true
    shop.configuration.maximumConcurrency = 1
    return try await shop.open(
      Worker(for: Edit.self) { edit, _ in seen.change { $0.append(edit) } })
  }

  @Test(.requirement("O36"))
  func `fewer do the same, and receipts count the others`() async throws {
    var shop = try Workshop()
    let seen = Box<[Edit]>([])
    let outbox = try await open(&shop, seen)
    for edit in [Edit.set(1), .set(2), .note, .set(3), .set(4)] {
      try await outbox.enqueue(edit, orderedBy: "a")
    }
    try await outbox.enqueue(Edit.create, orderedBy: "b")
    try await outbox.enqueue(Edit.delete, orderedBy: "b")
    try await outbox.enqueue(Edit.set(9), orderedBy: "c")
    #expect(try await outbox.snapshot().pending == 4)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value.filter { $0 != .set(9) } == [.set(2), .note, .set(4)])
    let ledger = try await outbox.ledger()
    #expect(ledger.enqueued == 8 && ledger.count(.coalesced) == 4 && ledger.isBalanced)
    await outbox.shutDown()
  }

  @Test func `the handles of two that came to nothing say so`() async throws {
    var shop = try Workshop()
    let outbox = try await open(&shop, Box([]))
    let first = try await outbox.enqueue(Edit.create, orderedBy: "b")
    for id in [first, try await outbox.enqueue(Edit.delete, orderedBy: "b")] {
      let status = try await outbox.handle(id, for: Edit.self).outcome()
      guard case .ended(.coalesced, _, _) = status else {
        Issue.record("it is \(status)")
        continue
      }
    }
    await outbox.shutDown()
  }

  @Test func `what has wishes of its own is kept`() async throws {
    var shop = try Workshop()
    let outbox = try await open(&shop, Box([]))
    try await outbox.enqueue(Edit.set(1), orderedBy: "a")
    let key = IdempotencyKey()
    for _ in 0..<2 {
      try await outbox.enqueue(
        Edit.set(2), options: EnqueueOptions(orderedBy: "a", idempotencyKey: key))
    }
    try await outbox.enqueue(
      Edit.set(3), options: EnqueueOptions(orderedBy: "a", timeToLive: .seconds(60)))
    try await outbox.enqueue(Edit.set(4))
    try await outbox.enqueue(Edit.set(5))
    #expect(try await outbox.snapshot().pending == 5)
    await outbox.shutDown()
  }

  @Test func `nor does a newcomer meet what has wishes of its own`() async throws {
    var shop = try Workshop()
    let outbox = try await open(&shop, Box([]))
    let needed = try await outbox.enqueue(Edit.note)
    let wishes = [
      EnqueueOptions(idempotencyKey: IdempotencyKey()), EnqueueOptions(timeToLive: .seconds(60)),
      EnqueueOptions(priority: .low), EnqueueOptions(uniqueKey: .init("u")),
      EnqueueOptions(dependencies: .init([needed])), EnqueueOptions(constraints: [.power]),
      EnqueueOptions(isExpendable: true),
    ]
    for (number, wish) in wishes.enumerated() {
      let key = String(number)
      var options = wish
      options.orderingKey = key
      let first = try await outbox.enqueue(Edit.set(1), options: options)
      let second = try await outbox.enqueue(Edit.set(2), orderedBy: key)
      let kept = try await outbox.operations(orderedBy: key).map(\.id)
      #expect(kept == [first, second], "\(options)")
    }
    #expect(try await outbox.ledger().count(.coalesced) == 0)
    await outbox.shutDown()
  }

  @Test func `who asks again under a given key meets the same operation`() async throws {
    var shop = try Workshop()
    let seen = Box<[Edit]>([])
    let outbox = try await open(&shop, seen)
    let options = EnqueueOptions(orderedBy: "a", idempotencyKey: IdempotencyKey())
    let first = try await outbox.enqueue(Edit.set(1), options: options)
    try await outbox.enqueue(Edit.set(2), orderedBy: "a")
    #expect(try await outbox.enqueue(Edit.set(1), options: options) == first)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == [.set(1), .set(2)])
    await outbox.shutDown()
  }

  @Test func `what was put together goes on, under another key each time`() async throws {
    var shop = try Workshop()
    let outbox = try await open(&shop, Box([]))
    var keys: Set<IdempotencyKey> = []
    for number in 1...5 {
      let id = try await outbox.enqueue(Edit.set(number), orderedBy: "a")
      keys.insert(try #require(try await outbox.operation(id)).idempotencyKey)
    }
    #expect(try await outbox.snapshot().pending == 1)
    #expect(keys.count == 5 && keys.allSatisfy { UUID(uuidString: $0.rawValue) != nil })
    await outbox.shutDown()
  }

  @Test func `what would be too large as one stays two`() async throws {
    struct Line: CoalescingOperation {
      static let kind: OperationKind = "line"
      var text: String
      func coalesced(with later: Line) -> Coalesced<Line> {
        .replace(by: Line(text: text + later.text))
      }
    }
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    shop.configuration.maximumPayloadBytes = 40
    let outbox = try await shop.open(Worker(for: Line.self) { _, _ in })
    for _ in 0..<5 {
      try await outbox.enqueue(Line(text: String(repeating: "a", count: 10)), orderedBy: "k")
    }
    // `{"text":"…"}` are 11 bytes, so there is room for two.
    let sizes = try await outbox.operations(orderedBy: "k").map(\.payload.count)
    #expect(sizes == [31, 31, 21])
    await outbox.shutDown()
  }

  @Test(.requirement("O23")) func `what runs is left alone`() async throws {
    let shop = try Workshop()
    let gate = Gate()
    let seen = Box<[Edit]>([])
    let outbox = try await shop.open(
      Worker(for: Edit.self) { edit, _ in
        await gate.pass()
        seen.change { $0.append(edit) }
      })
    try await outbox.enqueue(Edit.set(1), orderedBy: "a")
    await shop.log.wait(for: "started")
    for number in 2...4 { try await outbox.enqueue(Edit.set(number), orderedBy: "a") }
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == [.set(1), .set(4)])
    await outbox.shutDown()
  }

  @Test(arguments: ["maybe", "no"])
  func `what may be there already is not put together with what takes it away again`(
    _ sent: String
  ) async throws {
    let shop = try Workshop()
    // Such as of a service that answered 504, and then not at all.
    let failure = AppError.Network.offline.appError.adding(metadata: ["http.sent": sent])
    let outbox = try await shop.open(
      Worker(for: Edit.self, reconcile: { _, _ in .unknown }, run: { _, _ in throw failure }))
    let first = try await outbox.enqueue(Edit.create, orderedBy: "a")
    await shop.log.wait(for: "failed")
    let second = try await outbox.enqueue(Edit.delete, orderedBy: "a")
    let left = try await outbox.operations(orderedBy: "a").map { $0.id }
    #expect(left == (sent == "maybe" ? [first, second] : []))
    await outbox.shutDown()
  }

  @Test func `many who edit one thing at once come to few operations, and nothing is lost`()
    async throws
  {
    var shop = try Workshop()
    let outbox = try await open(&shop, Box([]))
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask { _ = try await outbox.enqueue(Edit.set(number), orderedBy: "a") }
      }
      try await group.waitForAll()
    }
    let ledger = try await outbox.ledger()
    #expect(ledger.enqueued == 40 && ledger.isBalanced)
    #expect(ledger.pending + ledger.count(.coalesced) == 40)
    await outbox.shutDown()
  }
}
