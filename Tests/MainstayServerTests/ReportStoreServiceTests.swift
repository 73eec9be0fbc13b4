// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayServer
import MainstayTesting
import ServiceLifecycle
import TestSupport
import Testing

/// A store of reports sends with its service group, and what is left at the end of that.
@Suite(.ends(withinMinutes: 2)) struct ReportStoreServiceTests {
  private struct Gone: Error {}

  /// A service that takes everything, or nothing until it is cancelled.
  private final class Receiver: ReportTransport {
    let isAsked = Countdown(1)
    private let isStalled: Bool
    private let requests = Locked<[ReportStore.Request]>([])
    private let gate = AsyncStream.makeStream(of: Never.self)

    init(isStalled: Bool = false) { self.isStalled = isStalled }

    var ids: [UUID] { requests.withLock { $0.flatMap(\.ids) } }

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      isAsked.count()
      if isStalled {
        for await _ in gate.stream {}
        throw CancellationError()
      }
      requests.withLock { $0.append(request) }
      return ReportStore.Reply(status: 200)
    }
  }

  /// A folder that is gone when nobody holds it any more.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let folder = Folder()

  private func store(
    _ receiver: Receiver, clock: some Clock<Duration> = ContinuousClock()
  ) -> ReportStore {
    ReportStore(
      at: folder.url, .init(reserve: 0), replies: .otlp, transport: receiver, clock: clock)
  }

  private func monitor(_ store: ReportStore) async -> ErrorMonitor {
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
    return ErrorMonitor(
      .init(limit: .init(count: 2)), sinks: [sink], consent: .init(analytics: true),
      clock: ManualClock())
  }

  private func group(_ services: [any Service]) -> ServiceGroup {
    ServiceGroup(
      configuration: .init(
        services: services.map { .init(service: $0) },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  @Test func `a store of reports sends while the group runs`() async throws {
    let receiver = Receiver()
    let store = store(receiver)
    let monitor = await monitor(store)
    let group = group([ReportStoreService(store), ErrorMonitorService(monitor)])
    let running = Task { try await group.run() }
    let id = try #require(monitor.capture(Gone()))
    await receiver.isAsked.reached()
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(receiver.ids == [id])
  }

  @Test func `a store of reports sends what its monitor hands over at the very end`() async throws {
    let receiver = Receiver()
    let store = store(receiver)
    let monitor = await monitor(store)
    for _ in 0..<10 { monitor.capture(Gone()) }
    let group = group([
      ReportStoreService(store, grace: .patience), ErrorMonitorService(monitor, grace: .patience),
    ])
    await group.triggerGracefulShutdown()
    try await group.run()
    // Two, and one that tells of the others and is made at the end.
    #expect(receiver.ids.count == 3)
    #expect(await store.status.pending == 0)
  }

  @Test func `what cannot be sent within the grace stays in the folder`() async throws {
    let (receiver, clock) = (Receiver(isStalled: true), ManualClock())
    let store = store(receiver, clock: clock)
    let monitor = await monitor(store)
    let group = group([ReportStoreService(store, grace: .seconds(5))])
    let running = Task { try await group.run() }
    monitor.capture(Gone())
    await receiver.isAsked.reached()
    await group.triggerGracefulShutdown()
    // Nobody else waits for as long. Time that passed before the grace begins would end nothing,
    // and a report would grow too old in the end.
    while !clock.waits.contains(.seconds(5)), !Task.isCancelled { await Task.yield() }
    clock.advance(by: .seconds(5))
    try await running.value
    #expect(receiver.ids.isEmpty)
    #expect(await store.status.pending == 1)
  }

  @Test func `a store of reports that is cancelled sends the last ones of its monitor`()
    async throws
  {
    let receiver = Receiver()
    let store = store(receiver)
    let monitor = await monitor(store)
    let service = ReportStoreService(store, behind: monitor, grace: .patience)
    let running = Task { try await service.run() }
    let id = try #require(monitor.capture(Gone()))
    running.cancel()
    try await running.value
    #expect(receiver.ids == [id])
    #expect(await store.status.pending == 0)
  }
}
