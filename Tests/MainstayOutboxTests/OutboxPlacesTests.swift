// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What begins while the ends of others are on their way to the store.
@Suite(.requirement("C13", "O28"), .ends(withinMinutes: 5)) struct OutboxPlacesTests {
  private let shop: Workshop
  private let store: FailingStore
  /// Open where the store records ends.
  private let records = Gate()

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    store = FailingStore(now: { [day = shop.day] in day.now })
    store.hold(endsUntil: records)
    self.shop = shop
  }

  private func open(atOnce limit: Int, _ worker: Worker) async throws -> Outbox {
    var configuration = shop.configuration
    configuration.maximumConcurrency = limit
    return try await Outbox(store: store, configuration: configuration, clock: shop.clock) {
      worker
    }
  }

  private func enqueue(
    _ texts: [String], orderedBy key: String? = nil, in outbox: Outbox
  ) async throws {
    for text in texts {
      try await outbox.enqueue(Note(text: text), options: EnqueueOptions(orderedBy: key))
    }
  }

  /// Returns when the drainer has looked for work once more, whatever it was about.
  private func turn(_ outbox: Outbox) async {
    // The next look is asked for only after the one before it.
    for _ in 0..<3 {
      let count = store.count("promote")
      await outbox.resume()
      await store.wait(for: "promote", count: count + 1)
    }
  }

  @Test func `the next run begins while the end of the last is on its way to the store`()
    async throws
  {
    let slow = Gate()
    let outbox = try await open(
      atOnce: 2, shop.worker { note, _ in if note.text == "slow" { await slow.pass() } })
    try await enqueue(["a", "slow", "b", "c"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle", count: 2)
    await shop.log.wait(for: "started", count: 3)
    #expect(shop.log.count("started") == 3 && shop.log.count("succeeded") == 0)
    await turn(outbox)
    #expect(shop.log.count("started") == 3, "two ends are on their way")
    #expect(try await outbox.snapshot().running == 3)
    let last = try #require(try await outbox.operations().last)
    #expect(try await outbox.explain(last.id)?.obstacles == [.outboxIsBusy(2)])
    records.open()
    slow.open()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 4)
    #expect(shop.log.count("started") == 4 && shop.log.count("succeeded") == 4)
    await outbox.shutDown()
  }

  @Test func `a store that takes no ends is not asked for more than one further set`()
    async throws
  {
    let outbox = try await open(atOnce: 3, shop.worker { _, _ in })
    try await enqueue((0..<12).map(String.init), in: outbox)
    await outbox.resume()
    await store.wait(for: "settle", count: 3)
    await turn(outbox)
    #expect((3...5).contains(shop.log.count("started")))
    #expect(try await outbox.snapshot().running <= 5)
    records.open()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 12)
    #expect(shop.log.count("started") == 12 && shop.log.count("succeeded") == 12)
    #expect(try await outbox.ledger().count(.done) == 12)
    await outbox.shutDown()
  }

  @Test func `where one runs at a time, its end is recorded before the next begins`()
    async throws
  {
    let outbox = try await open(atOnce: 1, shop.worker { _, _ in })
    try await enqueue(["a", "b"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle")
    await turn(outbox)
    #expect(shop.log.count("started") == 1)
    records.open()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 2)
    #expect(
      shop.log.events.map(\.name).suffix(4) == ["started", "succeeded", "started", "succeeded"])
    await outbox.shutDown()
  }

  @Test func `what has ended is none of those of its kind that run at once`() async throws {
    let outbox = try await open(
      atOnce: 4, Worker(for: Note.self, maximumConcurrency: 1) { _, _ in })
    try await enqueue(["a", "b"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle", count: 2)
    #expect(shop.log.count("started") == 2 && shop.log.count("succeeded") == 0)
    records.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O9"))
  func `what follows under a key begins only after the end before it is recorded`()
    async throws
  {
    let (seen, recorded) = (Box<[String]>([]), Box<[Int]>([]))
    let outbox = try await open(
      atOnce: 4,
      shop.worker { [store] note, _ in
        seen.change { $0.append(note.text) }
        let done = try await store.ledger().count(.done)
        recorded.change { $0.append(done) }
      })
    try await enqueue(["k1", "k2"], orderedBy: "k", in: outbox)
    await outbox.resume()
    await store.wait(for: "settle")
    await turn(outbox)
    #expect(seen.value == ["k1"])
    records.open()
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == ["k1", "k2"] && recorded.value == [0, 1])
    await outbox.shutDown()
  }

  @Test(.requirement("O11"))
  func `an end that closes its lane or slows others down keeps its place until it is recorded`()
    async throws
  {
    let slow = Gate()
    let outbox = try await open(
      atOnce: 2,
      shop.worker { note, _ in
        if note.text == "slow" { await slow.pass() }
        if note.text == "a" { throw AppError.http(status: 429, retryAfter: .seconds(30)) }
      })
    try await enqueue(["a", "slow", "b"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle")
    await shop.log.wait(for: "started", count: 2)
    await turn(outbox)
    #expect(shop.log.count("started") == 2)
    records.open()
    // The lane is closed before the other place is free.
    await outbox.wait { $0.waiting >= 1 }
    slow.open()
    await outbox.wait { $0.waiting == 2 && $0.pending == 2 }
    #expect(shop.log.count("started") == 2, "the lane was closed first")
    await outbox.shutDown()
  }

  @Test(.requirement("O26", "O34"))
  func `before an app is suspended it waits for ends that are on their way`() async throws {
    let outbox = try await open(atOnce: 2, shop.worker { _, _ in })
    try await enqueue(["a"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle")
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    #expect(try await outbox.snapshot().running == 1)
    // The clock stands still: only the record ends the wait.
    records.open()
    await end
    #expect(try await outbox.ledger().count(.done) == 1)
    #expect(shop.log.count("released") == 0)
    await outbox.shutDown()
  }

  @Test func `an end that the store has not taken outlives a suspension, and nothing runs twice`()
    async throws
  {
    let outbox = try await open(atOnce: 2, shop.worker { _, _ in })
    try await enqueue(["a"], in: outbox)
    await outbox.resume()
    await store.wait(for: "settle")
    let isOver = Box(false)
    let end = Task {
      await outbox.suspend(within: .seconds(4))
      isOver.value = true
    }
    while !isOver.value {
      shop.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    await end.value
    records.open()
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(try await outbox.ledger().count(.done) == 1)
    #expect(shop.log.count("started") == 1 && shop.log.count("released") == 0)
    await outbox.shutDown()
  }

  @Test(.requirement("O26"))
  func `what is taken back while its end is on its way is done, and only once`() async throws {
    let outbox = try await open(atOnce: 2, shop.worker { _, _ in })
    let id = try await outbox.enqueue(Note(text: "a"))
    await outbox.resume()
    await store.wait(for: "settle")
    #expect(try await outbox.cancel(id) == .stopping)
    records.open()
    await outbox.wait { $0.pending == 0 }
    let ledger = try await outbox.ledger()
    #expect(ledger.count(.done) == 1 && ledger.count(.cancelled) == 0)
    #expect(shop.log.count("started") == 1)
    await outbox.shutDown()
  }
}
