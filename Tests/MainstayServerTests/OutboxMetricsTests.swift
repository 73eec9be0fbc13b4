// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
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
    #expect(first.count == 15)
    #expect(first.contains(pending("ready", 3)) && first.contains(pending("laneNeedsUser", 0)))
    #expect(first.filter { $0.hasPrefix("mainstay.outbox.oldest{outbox=orders} =") }.count == 1)
    try await store.close(.main, LaneClosure(.needsUser))
    clock.advance(by: .seconds(15))
    await metrics.log.lines(atLeast: 30)
    await clock.sleepers(atLeast: 1)
    let second = metrics.log.lines.dropFirst(15)
    #expect(second.contains(pending("ready", 0)) && second.contains(pending("laneNeedsUser", 3)))
    #expect(metrics.made.lines.count == 15)
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
}
