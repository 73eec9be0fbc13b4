// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an outbox does when its store fails.
@Suite(.requirement("A54", "O8", "O32"), .ends(withinMinutes: 5)) struct OutboxStorageTests {
  private let shop: Workshop
  private let store: FailingStore

  init() throws {
    let shop = try Workshop()
    self.shop = shop
    store = FailingStore(now: { shop.day.now })
  }

  private func open(_ worker: Worker) async throws -> Outbox {
    try await Outbox(store: store, configuration: shop.configuration, clock: shop.clock) {
      worker
    }
  }

  @Test(arguments: ["claim", "promote"])
  func `a store that fails for a while does not end the work`(call: String) async throws {
    let outbox = try await open(shop.worker { _, _ in })
    store.fail(call, times: 3)
    try await outbox.enqueue(Note(text: "a"))
    for failures in 1...3 {
      await shop.log.wait(for: "storageFailed", count: failures)
      shop.clock.advance(by: .seconds(60))
    }
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  /// Hears of a failure for a minute.
  private struct SlowListener: OutboxObserver {
    let clock: ManualClock

    func observe(_ event: OutboxEvent) {
      if case .storageFailed = event.what { clock.advance(by: .seconds(60)) }
    }
  }

  @Test(arguments: ["claim", "promote", "settle"])
  func `a wait is no longer for those who hear of it slowly`(call: String) async throws {
    var configuration = shop.configuration
    configuration.observer = SlowListener(clock: shop.clock)
    let outbox = try await Outbox(
      store: store, configuration: configuration, clock: shop.clock
    ) {
      shop.worker { _, _ in }
    }
    store.fail(call, times: 3)
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O26"), arguments: [false, true])
  func `nothing begins that was on its way when the outbox was paused`(
    canGiveBack: Bool
  ) async throws {
    let outbox = try await open(shop.worker { _, _ in })
    let (leased, handOver) = (Gate(), Gate())
    store.hold(claimsUntil: handOver, opening: leased)
    try await outbox.enqueue(Note(text: "a"))
    await leased.pass()
    await outbox.pause()
    if !canGiveBack { store.fail("settle", times: 1) }
    handOver.open()
    await outbox.suspend()
    if canGiveBack {
      #expect(shop.log.count("started") == 0)
      #expect(try await outbox.snapshot().ready == 1)
    }
    await outbox.resume()
    // What could not be given back was run rather than forgotten.
    await outbox.wait { $0.pending == 0 }
    #expect(shop.log.count("started") == 1)
    await outbox.shutDown()
  }

  @Test func `an end that could not be recorded is recorded later, without a second run`()
    async throws
  {
    let runs = Box(0)
    let outbox = try await open(shop.worker { _, _ in runs.change { $0 += 1 } })
    store.fail("settle", times: 3)
    try await outbox.enqueue(Note(text: "a"))
    for failures in 1...3 {
      await shop.log.wait(for: "storageFailed", count: failures)
      await shop.clock.sleepers(atLeast: 1)
      shop.clock.advance(by: .seconds(60))
    }
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 1)
    await outbox.shutDown()
  }

  @Test(arguments: ["snapshot", "operations"])
  func `what waits is told as soon as the store can be read again`(call: String) async throws {
    var configuration = shop.configuration
    configuration.startsPaused = true
    // Nothing else happens that would be told.
    let outbox = try await Outbox(store: store, configuration: configuration) {
      shop.worker { _, _ in }
    }
    let id = try await outbox.enqueue(Note(text: "a"), orderedBy: "k")
    store.fail(call, times: 1)
    var told = outbox.pendingOperations(orderedBy: "k").makeAsyncIterator()
    #expect(await told.following()?.map(\.id) == [id])
    await outbox.shutDown()
  }

  /// Says again and again that others may have changed something.
  private struct NoisyStore: SharedStore, ForwardingStore {
    let store: any OutboxStore
    let tell: Box<(@Sendable () -> Void)?>
    let isWatched: Gate

    func watchOthers(_ changed: @escaping @Sendable () -> Void) async {
      tell.value = changed
      isWatched.open()
      try? await untilCancelled()
    }
  }

  /// Notes when the store has failed.
  private struct TimedListener: OutboxObserver {
    let clock: ManualClock
    let times: Box<[Duration]>
    let log: EventLog

    func observe(_ event: OutboxEvent) {
      if case .storageFailed = event.what {
        let now = Timeline(clock).now
        times.change { $0.append(now) }
      }
      log.observe(event)
    }
  }

  @Test(.requirement("O7"), arguments: ["claim", "promote"])
  func `what others may have done does not hurry a store that fails`(call: String) async throws {
    let (tell, isWatched, times) = (Box<(@Sendable () -> Void)?>(nil), Gate(), Box<[Duration]>([]))
    let (clock, log) = (shop.clock, shop.log)
    var configuration = shop.configuration
    configuration.observer = TimedListener(clock: clock, times: times, log: log)
    store.fail(call, times: 4)
    let outbox = try await Outbox(
      store: NoisyStore(store: store, tell: tell, isWatched: isWatched),
      configuration: configuration, clock: clock
    ) {
      shop.worker { _, _ in }
    }
    await isWatched.pass()
    for failures in 1...4 {
      await log.wait(for: "storageFailed", count: failures)
      await clock.sleepers(atLeast: 1)
      for _ in 0..<100 { tell.value?() }
      clock.advance(by: .milliseconds(500 << failures))
    }
    await store.wait(for: call, count: 5)
    // Each wait is twice as long as the one before.
    let waits = zip(times.value, times.value.dropFirst()).map { $1 - $0 }
    #expect(waits == [.seconds(1), .seconds(2), .seconds(4)])
    await outbox.shutDown()
  }

  @Test func `a run that is cancelled while the store fails leaves no lease`() async throws {
    let hasBegun = Gate()
    let outbox = try await open(
      shop.worker { _, _ in
        hasBegun.open()
        try await untilCancelled()
      })
    let id = try await outbox.enqueue(Note(text: "a"))
    await hasBegun.pass()
    store.fail("settle", times: 3)
    _ = try await outbox.cancel(id)
    for failures in 1...3 {
      await shop.log.wait(for: "storageFailed", count: failures)
      await shop.clock.sleepers(atLeast: 1)
      #expect(try await outbox.snapshot().running == 1)
      shop.clock.advance(by: .seconds(60))
    }
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O26"))
  func `what was cancelled to suspend the app while the store failed runs again afterwards`()
    async throws
  {
    let (runs, hasBegun) = (Box(0), Gate())
    let outbox = try await open(
      shop.worker { _, _ in
        runs.change { $0 += 1 }
        guard runs.value == 1 else { return }
        hasBegun.open()
        try await untilCancelled()
      })
    try await outbox.enqueue(Note(text: "a"))
    await hasBegun.pass()
    // The run and whoever gives up on it.
    store.fail("settle", times: 2)
    let suspending = Task { await outbox.suspend(within: .zero) }
    await shop.log.wait(for: "storageFailed", count: 1)
    await shop.clock.sleepers(atLeast: 2)
    shop.clock.advance(by: .seconds(60))
    await suspending.value
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 2)
    await outbox.shutDown()
  }

  @Test func `a shutdown does not wait for a store that fails`() async throws {
    let hasBegun = Gate()
    let outbox = try await open(
      shop.worker { _, _ in
        hasBegun.open()
        try await untilCancelled()
      })
    try await outbox.enqueue(Note(text: "a"))
    await hasBegun.pass()
    store.fail("settle", times: .max)
    // The clock stands still: it ends at once, or never.
    await outbox.shutDown()
    #expect(shop.log.count("storageFailed") == 1)
  }

  @Test func `an enqueue that fails says so, and nothing was accepted`() async throws {
    let outbox = try await open(shop.worker { _, _ in })
    store.fail("insert", times: 1)
    await #expect(throws: OutboxError(.diskFull, details: "")) {
      try await outbox.enqueue(Note(text: "a"))
    }
    #expect(try await outbox.ledger().enqueued == 0)
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `an outbox whose store cannot be opened is not made`() async throws {
    store.fail("open", times: 1)
    await #expect(throws: OutboxError(.diskFull, details: "")) {
      _ = try await open(shop.worker { _, _ in })
    }
  }
}
