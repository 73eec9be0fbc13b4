// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// An outbox that is told about the network, and tells about it.
@Suite(.requirement("C17", "O12", "O15"), .ends(withinMinutes: 5)) struct OutboxConnectivityTests {
  /// Fails while there is no network, and would wait for a year then.
  private func worker(while isDown: Box<Bool>) -> Worker {
    Worker(for: Note.self, backoff: .constant(.seconds(31_536_000), jitter: .none)) { _, _ in
      if isDown.value { throw AppError.test(.transient(), kind: .offline) }
    }
  }

  /// Lets time pass, step by step, until nothing is left.
  private func drain(_ outbox: Outbox, on clock: ManualClock, by step: Duration) async {
    let moving = Task {
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: step)
        await Task.yield()
      }
    }
    await outbox.wait { $0.pending == 0 }
    moving.cancel()
  }

  @Test func `what waits because of the network is tried when that is better`() async throws {
    var shop = try Workshop()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    shop.configuration.connectivity = monitor
    let isDown = Box(true)
    let outbox = try await shop.open(worker(while: isDown))
    source.say(.init(link: .down, route: .missing))
    // It is tried though the monitor says that there is no network.
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.scheduled == 1 }
    isDown.value = false
    source.say(.init(link: .up, route: .present, interfaces: [.wifi]))
    // Some seconds, and far less than the year that it would wait by itself.
    await drain(outbox, on: shop.clock, by: .milliseconds(100))
    #expect(monitor.current.isWorthTrying)
    await outbox.shutDown()
    monitor.shutDown()
    shop.clock.advance(by: .seconds(1))
  }

  @Test func `that the network is better is not forgotten where the store fails just then`()
    async throws
  {
    let shop = try Workshop()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    let store = FailingStore(now: { shop.day.now })
    var configuration = shop.configuration
    configuration.connectivity = monitor
    let isDown = Box(true)
    let outbox = try await Outbox(store: store, configuration: configuration, clock: shop.clock) {
      worker(while: isDown)
    }
    source.say(.init(link: .down, route: .missing))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.scheduled == 1 }
    isDown.value = false
    store.fail("expedite", times: 2)
    source.say(.init(link: .up, route: .present, interfaces: [.wifi]))
    await drain(outbox, on: shop.clock, by: .milliseconds(100))
    #expect(store.count("expedite") >= 3)
    await outbox.shutDown()
    monitor.shutDown()
    shop.clock.advance(by: .seconds(1))
  }

  @Test func `what a monitor says of the network replaces what the app said at first`()
    async throws
  {
    var shop = try Workshop()
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource(), clock: shop.clock)
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = [.network]
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(constraints: [.network]))
    await outbox.wait { $0.pending == 0 }
    #expect(monitor.current.isWorthTrying, "nobody knows better yet")
    await outbox.shutDown()
    monitor.shutDown()
  }

  @Test func `a monitor that knows nothing yet does not say that a network costs nothing`()
    async throws
  {
    var shop = try Workshop()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = [.network, .unmetered]
    let outbox = try await shop.open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(
      Note(text: "a"), options: EnqueueOptions(constraints: [.unmetered]))
    // What was told first says that a network is there.
    let options = EnqueueOptions(constraints: [.network])
    let other = try await outbox.enqueue(Note(text: "b"), options: options)
    _ = try await outbox.handle(other, for: Note.self).outcome()
    #expect(try await outbox.explain(id)?.obstacles == [.constraint(.unmetered)])
    source.say(.init(link: .up, route: .present, interfaces: [.wifi]))
    await drain(outbox, on: shop.clock, by: .milliseconds(100))
    await outbox.shutDown()
    monitor.shutDown()
    shop.clock.advance(by: .seconds(1))
  }

  /// A monitor that has said for a while that there is no network.
  private func offline(_ shop: Workshop) -> ConnectivityMonitor {
    let source = ScriptedConnectivitySource(.online)
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    source.say(.init(link: .down, route: .missing))
    shop.clock.advance(by: .seconds(10))
    #expect(monitor.current.standing == .offline)
    return monitor
  }

  @Test(arguments: [false, true])
  func `a run that used no network says nothing about it`(fails: Bool) async throws {
    var shop = try Workshop()
    let monitor = offline(shop)
    shop.configuration.connectivity = monitor
    let outbox = try await shop.open(
      Worker(for: Note.self) { _, _ in
        if fails { throw AppError.test(.permanent, kind: .validation) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.dead == (fails ? 1 : 0) && $0.pending == 0 }
    #expect(monitor.current.standing == .offline && monitor.falseClaims == 0)
    await outbox.shutDown()
    monitor.shutDown()
  }

  @Test func `one whose worker names a host does`() async throws {
    var shop = try Workshop()
    let monitor = offline(shop)
    shop.configuration.connectivity = monitor
    let outbox = try await shop.open(
      Worker(for: Note.self) { _, _ in }.calling("api.example.com"))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.pending == 0 }
    #expect(monitor.current.internet == .validated && monitor.falseClaims == 1)
    await outbox.shutDown()
    monitor.shutDown()
  }

  @Test func `so does an answer of a service`() async throws {
    var shop = try Workshop()
    let monitor = offline(shop)
    shop.configuration.connectivity = monitor
    let outbox = try await shop.open(
      Worker(for: Note.self) { _, _ in throw AppError.http(status: 404) })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.dead == 1 }
    #expect(monitor.current.internet == .validated)
    await outbox.shutDown()
    monitor.shutDown()
  }

  @Test func `what went well counts for a worker whose failures have counted`() async throws {
    var shop = try Workshop()
    let monitor = ConnectivityMonitor(
      source: ScriptedConnectivitySource(.online), clock: shop.clock)
    shop.configuration.connectivity = monitor
    let runs = Box(0)
    let outbox = try await shop.open(
      Worker(for: Note.self, backoff: .none) { _, _ in
        let run = runs.change { count in
          count += 1
          return count
        }
        if run <= 2 { throw AppError.test(.transient(), kind: .offline) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await drain(outbox, on: shop.clock, by: .milliseconds(100))
    #expect(runs.value == 3)
    #expect(monitor.current.standing == .online && monitor.current.internet == .validated)
    await outbox.shutDown()
    monitor.shutDown()
    shop.clock.advance(by: .seconds(1))
  }

  @Test func `so does what somebody beyond this device has answered`() async throws {
    var shop = try Workshop()
    let monitor = offline(shop)
    shop.configuration.connectivity = monitor
    let outbox = try await shop.open(
      // As `ResilientClient` does.
      Worker(for: Note.self) { _, _ in NetworkUse.answered() })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.pending == 0 }
    #expect(monitor.current.internet == .validated && monitor.falseClaims == 1)
    await outbox.shutDown()
    monitor.shutDown()
  }

  /// An outbox whose monitor says that the network is of no use, with what waits for one.
  private func waiting(
    for monitor: ConnectivityMonitor, in shop: Workshop,
    constraints: Set<OperationConstraint> = [.network, .unmetered]
  ) async throws -> Outbox {
    var shop = shop
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = constraints
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(constraints: constraints))
    await outbox.wait { $0.causes.constraint == 1 }
    return outbox
  }

  @Test func `what waits for a network is tried a minute after a sign-in page was met`()
    async throws
  {
    let shop = try Workshop()
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource(), clock: shop.clock)
    monitor.record(.failed(.portal), from: "a")
    #expect(!monitor.current.isWorthTrying)
    let outbox = try await waiting(for: monitor, in: shop)
    await drain(outbox, on: shop.clock, by: .seconds(1))
    await outbox.shutDown()
    monitor.shutDown()
    shop.clock.advance(by: .seconds(1))
  }

  @Test func `a monitor that is shut down holds nothing back any more`() async throws {
    let shop = try Workshop()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    source.say(.init(link: .down, route: .missing))
    #expect(!monitor.current.isWorthTrying)
    let outbox = try await waiting(for: monitor, in: shop, constraints: [.network])
    monitor.shutDown()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a monitor that is shut down does not say that a network costs nothing`()
    async throws
  {
    var shop = try Workshop()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    source.say(.init(link: .down, route: .missing))
    #expect(!monitor.current.isWorthTrying)
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = [.network, .unmetered]
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(constraints: [.unmetered]))
    let options = EnqueueOptions(constraints: [.network])
    let other = try await outbox.enqueue(Note(text: "b"), options: options)
    await outbox.wait { $0.causes.constraint == 2 }
    monitor.shutDown()
    // What it says last is that a network is there.
    _ = try await outbox.handle(other, for: Note.self).outcome()
    await outbox.wait { $0.causes.constraint == 1 && $0.pending == 1 }
    // The app knows better.
    await outbox.set(.unmetered, isMet: true)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
