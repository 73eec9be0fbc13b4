// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayServer
import MainstayTesting
import ServiceLifecycle
import TestSupport
import Testing

/// What metrics say of how much waits in an outbox.
@Suite(.ends(withinMinutes: 2)) struct OutboxMetricsTests {
  private struct Order: QueuedOperation {
    static let kind: OperationKind = "order"
    var number: Int
  }

  private func pending(_ cause: String, _ count: Int) -> String {
    "mainstay.outbox.pending{outbox=orders,cause=\(cause)} =\(count)"
  }

  @Test func `how much waits and why is told at each look, and the service ends with its group`()
    async throws
  {
    let (store, clock, metrics) = (InMemoryStore(), ManualClock(), RecordingMetrics())
    let outbox = try await Outbox(store: store) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    try await outbox.enqueue(contentsOf: (1...3).map { Order(number: $0) })
    let service = OutboxMetricsService(outbox, named: "orders", factory: metrics, clock: clock)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: service)],
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let running = Task { try await group.run() }
    await clock.sleepers(atLeast: 1)
    let first = metrics.log.lines
    #expect(first.count == 18)
    #expect(first.contains(pending("ready", 3)) && first.contains(pending("laneNeedsUser", 0)))
    #expect(first.filter { $0.hasPrefix("mainstay.outbox.oldest{outbox=orders} =") }.count == 1)
    try await store.close(.main, LaneClosure(.needsUser))
    clock.advance(by: .seconds(15))
    await metrics.log.lines(atLeast: 36)
    await clock.sleepers(atLeast: 1)
    let second = metrics.log.lines.dropFirst(18)
    #expect(second.contains(pending("ready", 0)) && second.contains(pending("laneNeedsUser", 3)))
    #expect(metrics.made.lines.count == 18)
    await group.triggerGracefulShutdown()
    try await running.value
    await outbox.shutDown()
  }

  @Test func `what is told together is all that is not finished`() async throws {
    let (clock, metrics) = (ManualClock(), RecordingMetrics())
    let outbox = try await Outbox(store: InMemoryStore()) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    try await outbox.enqueue(Order(number: 1), orderedBy: "a")
    try await outbox.enqueue(Order(number: 2), orderedBy: "a")
    try await outbox.enqueue(Order(number: 3), options: EnqueueOptions(delay: .seconds(60)))
    let service = OutboxMetricsService(outbox, named: "orders", factory: metrics, clock: clock)
    let running = Task { try await service.run() }
    await clock.sleepers(atLeast: 1)
    running.cancel()
    try await running.value
    let lines = metrics.log.lines
    for cause in ["ready", "blocked", "delay"] { #expect(lines.contains(pending(cause, 1))) }
    let counts = lines.filter { $0.hasPrefix("mainstay.outbox.pending") }
      .compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }
    #expect(counts.reduce(0, +) == 3)
    await outbox.shutDown()
  }

  @Test func `what was given up is told until somebody has decided`() async throws {
    let (clock, metrics) = (ManualClock(), RecordingMetrics())
    let outbox = try await Outbox(store: InMemoryStore()) {
      Worker(for: Order.self) { _, _ in
        throw AppError(
          code: "test.refused", kind: .validation, disposition: .permanent, title: "It failed",
          message: "The test says so.")
      }
    }
    try await outbox.enqueue(Order(number: 1))
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    let service = OutboxMetricsService(outbox, named: "orders", factory: metrics, clock: clock)
    let running = Task { try await service.run() }
    await clock.sleepers(atLeast: 1)
    #expect(metrics.log.lines.contains("mainstay.outbox.dead{outbox=orders} =1"))
    #expect(metrics.log.lines.contains("mainstay.outbox.bytes{outbox=orders} =0"))
    for letter in try await outbox.deadLetters() {
      #expect(try await outbox.discard(letter.operation.id))
    }
    clock.advance(by: .seconds(15))
    await metrics.log.lines(atLeast: 36)
    #expect(metrics.log.lines.dropFirst(18).contains("mainstay.outbox.dead{outbox=orders} =0"))
    running.cancel()
    try await running.value
    await outbox.shutDown()
  }

  /// A store that says what a test wants, and takes its time for that.
  private final class TellingStore: ForwardingStore {
    let store: any OutboxStore = InMemoryStore()
    private let told: OutboxSnapshot
    private let clock: ManualClock
    let takes = Locked(Duration.zero)

    init(_ told: OutboxSnapshot, _ clock: ManualClock) { (self.told, self.clock) = (told, clock) }

    func snapshot() async throws -> OutboxSnapshot {
      clock.advance(by: takes.withLock { $0 })
      return told
    }
  }

  @Test func `each number is that of its metric`() async throws {
    let (clock, metrics) = (ManualClock(), RecordingMetrics())
    var told = OutboxSnapshot()
    (told.ready, told.running, told.blocked, told.conflicted, told.parked) = (1, 2, 3, 4, 5)
    (told.causes.delay, told.causes.failure, told.causes.unreachable) = (6, 7, 8)
    (told.causes.policy, told.causes.constraint, told.causes.lanePaused) = (9, 10, 11)
    (told.causes.laneNeedsUser, told.causes.laneThrottled, told.causes.kindPaused) = (12, 13, 14)
    (told.dead, told.bytes, told.oldestAge) = (15, 16, .seconds(17))
    let outbox = try await Outbox(store: TellingStore(told, clock)) {
      Worker(for: Order.self) { _, _ in }
    }
    let service = OutboxMetricsService(outbox, named: "orders", factory: metrics, clock: clock)
    let running = Task { try await service.run() }
    await clock.sleepers(atLeast: 1)
    let causes = [
      "ready", "running", "blocked", "conflicted", "parked", "delay", "failure", "unreachable",
      "policy", "constraint", "lanePaused", "laneNeedsUser", "laneThrottled", "kindPaused",
    ]
    let others = ["dead} =15", "bytes} =16", "oldest} =17.0", "unasked} =0.0"].map {
      "mainstay.outbox." + $0.replacing("}", with: "{outbox=orders}")
    }
    #expect(
      Set(metrics.log.lines)
        == Set(zip(causes, 1...).map { pending($0, $1) } + others))
    running.cancel()
    try await running.value
    await outbox.shutDown()
  }

  @Test(arguments: [
    (every: 0, takes: 0, pause: 1), (every: 1, takes: 0, pause: 1),
    (every: 15, takes: 1, pause: 15), (every: 15, takes: 9, pause: 90),
  ])
  func `it looks once a second at most, and less often where that takes long`(
    every: Int, takes: Int, pause: Int
  ) async throws {
    let (clock, metrics) = (ManualClock(), RecordingMetrics())
    let store = TellingStore(OutboxSnapshot(), clock)
    let outbox = try await Outbox(store: store) { Worker(for: Order.self) { _, _ in } }
    store.takes.withLock { $0 = .seconds(takes) }
    let service = OutboxMetricsService(
      outbox, every: .seconds(every), factory: metrics, clock: clock)
    let running = Task { try await service.run() }
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .seconds(pause))
    running.cancel()
    try await running.value
    await outbox.shutDown()
  }

  /// A store that can be told not to say how much waits.
  private final class BlindStore: ForwardingStore {
    let store: any OutboxStore = InMemoryStore()
    let isBlind = Locked(true)

    func snapshot() async throws -> OutboxSnapshot {
      if isBlind.withLock({ $0 }) { throw OutboxError(.failed, details: "it took too long") }
      return try await store.snapshot()
    }
  }

  @Test func `where the outbox cannot be asked the log says so once, and a metric for how long`()
    async throws
  {
    let (clock, metrics, log) = (ManualClock(), RecordingMetrics(), Log())
    let store = BlindStore()
    let outbox = try await Outbox(store: store) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    let service = OutboxMetricsService(
      outbox, named: "orders", logger: log.logger(from: .warning), factory: metrics, clock: clock)
    let running = Task { try await service.run() }
    for look in 0..<3 {
      await metrics.log.lines(atLeast: look + 1)
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(15))
    }
    await metrics.log.lines(atLeast: 4)
    #expect(
      metrics.log.lines
        == [0.0, 15.0, 30.0, 45.0].map {
          "mainstay.outbox.unasked{outbox=orders} =\($0)"
        })
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains("outbox=orders") == true, "\(log.lines)")
    store.isBlind.withLock { $0 = false }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(15))
    await metrics.log.lines(atLeast: 22)
    #expect(metrics.log.lines.last == "mainstay.outbox.unasked{outbox=orders} =0.0")
    running.cancel()
    try await running.value
    await outbox.shutDown()
  }
}
