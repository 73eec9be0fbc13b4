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

/// What ends with the service group, and how.
@Suite(.ends(withinMinutes: 2)) struct ServiceTests {
  private struct Order: QueuedOperation {
    static let kind: OperationKind = "order"
    var number: Int
  }

  /// Runs services until the test ends them.
  private func group(_ services: [any Service]) -> ServiceGroup {
    ServiceGroup(
      configuration: .init(
        services: services.map { .init(service: $0) },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  @Test func `an outbox that stops lets its run end, and starts nothing more`() async throws {
    let store = InMemoryStore()
    let began = Countdown(1)
    let gate = Countdown(1)
    let log = Log()
    var configuration = Outbox.Configuration()
    configuration.maximumConcurrency = 1
    let outbox = try await Outbox(store: store, configuration: configuration) {
      Worker(for: Order.self) { order, _ in
        began.count()
        await gate.passed()
        log.add("\(order.number)")
      }
    }
    let first = try await outbox.enqueue(Order(number: 1))
    await began.reached()
    let second = try await outbox.enqueue(Order(number: 2))
    let group = group([OutboxService(outbox, grace: .patience)])
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    while try await outbox.explain(second)?.obstacles.contains(.paused) != true {
      await Task.yield()
    }
    gate.count()
    try await running.value
    #expect(log.lines == ["1"])
    #expect(try await store.operation(first) == nil)
    #expect(try await store.operation(second)?.state == .ready)
    #expect(try await store.operation(second)?.attempts == 0)
  }

  /// What a worker needs until it has ended.
  private struct Needed: Service {
    let log: Log
    let runs: Countdown

    func run() async throws {
      runs.count()
      try? await gracefulShutdown()
      log.add("what it needs was stopped")
    }
  }

  @Test func `an outbox that stands behind what its workers need ends before that`() async throws {
    let began = Countdown(1)
    let gate = Countdown(1)
    let log = Log()
    let outbox = try await Outbox(store: InMemoryStore()) {
      Worker(for: Order.self) { _, _ in
        began.count()
        await gate.passed()
        log.add("worked")
      }
    }
    try await outbox.enqueue(Order(number: 1))
    await began.reached()
    let runs = Countdown(1)
    let group = group([Needed(log: log, runs: runs), OutboxService(outbox, grace: .patience)])
    let running = Task { try await group.run() }
    await runs.reached()
    await group.triggerGracefulShutdown()
    gate.count()
    try await running.value
    #expect(log.lines == ["worked", "what it needs was stopped"])
  }

  @Test func `a monitor of errors ends when its last reports were sent`() async throws {
    let (sink, log) = (MemorySink(isStalled: true), Log())
    // The sink answers on a clock that stands still, so nothing but the answer ends it.
    let monitor = ErrorMonitor(sinks: [sink], clock: ManualClock())
    let group = group([ErrorMonitorService(monitor)])
    let running = Task {
      try await group.run()
      log.add("ended")
    }
    monitor.capture(Gone())
    await group.triggerGracefulShutdown()
    await sink.batches(atLeast: 1)
    for _ in 0..<1000 { await Task.yield() }
    log.add("answers")
    sink.release()
    try await running.value
    #expect(log.lines == ["answers", "ended"])
    #expect(sink.reports.count == 1)
  }

  @Test func `a monitor of errors that ends with its group has told all, and was not killed`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 1...3 {
      let sink = MemorySink()
      let monitor = ErrorMonitor(
        .init(limit: .init(count: 2)), sinks: [sink],
        ledgerFile: folder.appending(path: "errors.ledger"), clock: ManualClock())
      #expect(monitor.ledger.interruptions == 0)
      for _ in 0..<10 { monitor.capture(Gone()) }
      let group = group([ErrorMonitorService(monitor, grace: .patience)])
      await group.triggerGracefulShutdown()
      try await group.run()
      #expect(sink.reports.map { $0.suppressed?.count ?? 0 } == [0, 0, 7])
    }
  }

  @Test func `a monitor of errors that is cancelled sends its last reports, and goes on`()
    async throws
  {
    let (sink, log) = (MemorySink(isStalled: true), Log())
    let monitor = ErrorMonitor(sinks: [sink], clock: ManualClock())
    let running = Task {
      try await ErrorMonitorService(monitor, grace: .patience).run()
      log.add("ended")
    }
    monitor.capture(Gone())
    running.cancel()
    await sink.batches(atLeast: 1)
    for _ in 0..<1000 { await Task.yield() }
    log.add("answers")
    sink.release()
    try await running.value
    #expect(log.lines == ["answers", "ended"])
    // Those that are cancelled with it may fail after it has ended.
    monitor.capture(Gone())
    await sink.batches(atLeast: 2)
  }

  @Test func `a monitor of the connection ends`() async throws {
    let connectivity = ConnectivityMonitor(source: nil)
    let updates = connectivity.updates
    let group = group([ConnectivityService(connectivity)])
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await running.value
    // It would not end otherwise.
    for await _ in updates {}
  }

  @Test func `a run that does not end within the grace is given back`() async throws {
    let (clock, store, began, gate) = (ManualClock(), InMemoryStore(), Countdown(1), Countdown(1))
    let outbox = try await Outbox(store: store, clock: clock) {
      Worker(for: Order.self) { _, _ in
        began.count()
        // It does not hear that it is cancelled.
        await gate.passed()
      }
    }
    let order = try await outbox.enqueue(Order(number: 1))
    await began.reached()
    let group = group([OutboxService(outbox, grace: .seconds(7))])
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    // First the grace, and then the half second for a worker that is cancelled. No time passes
    // before they begin: a run has a limit of its own, and its lease an end.
    while !clock.waits.contains(.seconds(7)), !Task.isCancelled { await Task.yield() }
    clock.advance(by: .seconds(7))
    while try await store.operation(order)?.state == .leased, !Task.isCancelled {
      if clock.waits.contains(.milliseconds(500)) { clock.advance(by: .milliseconds(500)) }
      await Task.yield()
    }
    try await running.value
    let left = try #require(try await store.operation(order))
    #expect(left.state == .ready && left.effect == .sentUnknown)
    gate.count()
  }

  /// A server with an answer that goes on, until a gate opens or it is cancelled.
  private struct Answering: Service {
    let isAsked: Countdown
    let gate: AsyncStream<Never>

    func run() async throws {
      try await gracefulShutdown()
      isAsked.count()
      for await _ in gate {}
    }
  }

  @Test func `an outbox starts nothing more once the shutdown begins, whatever is still answered`()
    async throws
  {
    let (store, began, gate, log) = (InMemoryStore(), Countdown(1), Countdown(1), Log())
    let outbox = try await Outbox(store: store) {
      Worker(for: Order.self) { order, _ in
        began.count()
        await gate.passed()
        log.add("\(order.number)")
      }
    }
    try await outbox.enqueue(Order(number: 1))
    await began.reached()
    let (answer, ending) = AsyncStream.makeStream(of: Never.self)
    let isAsked = Countdown(1)
    let health = Health()
    let group = group([
      OutboxService(outbox, grace: .patience), Answering(isAsked: isAsked, gate: answer),
      HealthService(health, notice: .zero, pausing: [outbox]),
    ])
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    await isAsked.reached()
    let second = try await outbox.enqueue(Order(number: 2))
    // What ran goes on, and nothing else begins.
    gate.count()
    await log.lines(atLeast: 1)
    for await snapshot in outbox.changes where snapshot.running == 0 { break }
    #expect(try await outbox.explain(second)?.obstacles.contains(.paused) == true)
    ending.finish()
    try await running.value
    #expect(log.lines == ["1"])
    #expect(try await store.operation(second)?.attempts == 0)
  }

  @Test func `a group that is given a time ends, and with it its outbox and its monitor`()
    async throws
  {
    let sink = MemorySink()
    let outbox = try await Outbox(store: InMemoryStore()) { Worker(for: Order.self) { _, _ in } }
    let changes = outbox.changes
    let monitor = ErrorMonitor(sinks: [sink], clock: ManualClock())
    monitor.capture(Gone())
    // Nothing ends it but its cancellation.
    let (answer, ending) = AsyncStream.makeStream(of: Never.self)
    var configuration = ServiceGroupConfiguration(
      services: [
        ErrorMonitorService(monitor, grace: .patience), OutboxService(outbox, grace: .patience),
        Answering(isAsked: Countdown(1), gate: answer), HealthService(Health(), notice: .zero),
      ], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    configuration.maximumGracefulShutdownDuration = .zero
    let group = ServiceGroup(configuration: configuration)
    await group.triggerGracefulShutdown()
    // It may say that it did not end well; that it ends is what counts.
    _ = try? await group.run()
    #expect(sink.reports.count == 1)
    // They end with the outbox alone.
    for await _ in changes {}
    withExtendedLifetime(ending) {}
  }

  private struct Gone: Error {}

  @Test func `a process is not ready for a while before it stops`() async throws {
    let clock = ManualClock()
    let health = Health(clock: clock)
    let group = group([HealthService(health, notice: .seconds(5), clock: clock)])
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    await clock.sleepers(atLeast: 1)
    #expect(await !health.report().isReady)
    #expect(clock.nextWakeUp == .seconds(5))
    clock.advance(by: .seconds(5))
    try await running.value
  }

  @Test func `services end with their task, too`() async throws {
    let health = Health()
    let running = Task { try await HealthService(health).run() }
    running.cancel()
    try await running.value
    #expect(await health.report().isStopping)
  }
}
