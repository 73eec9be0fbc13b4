// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A monitor in front of a store: its ledger, and what the person has agreed to.
@Suite struct MonitorStoreTests {
  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private func store(_ service: ScriptedService) -> ReportStore {
    ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: service, backoff: .none)
  }

  private func monitor(
    _ store: ReportStore, consent: ErrorMonitor.Consent = .init(analytics: true),
    ledger: ErrorMonitor.Ledger? = nil, purpose: ErrorReport.Purpose = .analytics
  ) async -> ErrorMonitor {
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp", purpose: purpose)
    return ErrorMonitor(sinks: [sink, MemorySink("log")], consent: consent, ledger: ledger)
  }

  // Four hundred times something is forced to the disk.
  @Test(.requirement("B42"), .ends(withinMinutes: 30))
  func `a critical report is the next file, whatever waits before it`() async throws {
    let gate = DiskGate()
    let store = try ReportStore(
      at: folder.store, .init(maximumCount: 1_000, reserve: 0), replies: .otlp,
      transport: ScriptedService(), probe: StoreProbe(reached: gate.reached))
    let monitor = await monitor(store)
    gate.close()
    for number in 0..<200 { monitor.capture(storeError(number), severity: .warning) }
    await gate.arrived()
    let critical = storeError(500, severity: .critical)
    monitor.capture(critical)
    gate.open()
    #expect(await monitor.flush(within: .patience))
    let files = folder.files
    try #require(files.count == 201)
    #expect(files[1].contains(critical.id.uuidString.lowercased()))
    #expect(monitor.ledger.stored(for: "otlp") == 201 && monitor.ledger.isBalanced)
  }

  @Test(.requirement("B42")) func `a critical report is on the disk at once where that is asked`()
    async
  {
    let store = store(ScriptedService())
    let sink = await ErrorReport.StoreSink(
      store, as: .otlp, name: "otlp", purpose: .crashes, writesCriticalAtOnce: true)
    let monitor = ErrorMonitor(sinks: [sink])
    for number in 1...20 {
      monitor.capture(storeError(number, severity: .critical))
      #expect(folder.files.count == number)
    }
    #expect(await monitor.flush(within: .patience))
    #expect(await store.drain() == .finished)
    #expect(monitor.ledger.sent(to: "otlp") == 20 && monitor.ledger.isBalanced)
  }

  @Test(.requirement("B42")) func `a ledger goes on also where a folder is opened late`() async {
    let before = store(ScriptedService([nil]))
    let first = await monitor(before)
    for number in 0..<5 { first.capture(storeError(number)) }
    await first.flush(within: .patience)
    // The folder is still locked when the next one begins.
    let service = ScriptedService()
    let store = store(service)
    let next = await monitor(store, ledger: first.ledger)
    next.capture(storeError(9))
    await next.flush(within: .patience)
    #expect(await store.status.condition == .lockedByAnother)
    #expect(next.ledger.isBalanced)
    await before.shutDown()
    #expect(await store.drain() == .finished)
    #expect(service.ids.count == 6)
    let ledger = next.ledger
    #expect(ledger.captured == 6 && ledger.sent(to: "otlp") == 6, "\(ledger)")
    #expect(ledger.stored(for: "otlp") == 0 && ledger.dropped(for: "otlp").isEmpty)
    #expect(ledger.isBalanced && ledger.stored(for: "log") == 0)
  }

  @Test(.requirement("C22"))
  func `what lies in the store is dropped when consent is withdrawn`() async throws {
    let service = ScriptedService([nil])
    let store = store(service)
    let monitor = await monitor(store)
    for number in 0..<150 { monitor.capture(storeError(number)) }
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.ledger.stored(for: "otlp") == 100)
    monitor.consent = .init(analytics: false)
    #expect(await monitor.flush(within: .patience))
    #expect(folder.files.isEmpty)
    let ledger = monitor.ledger
    #expect(ledger.dropped(for: "otlp") == [.withheld: 100, .overflow: 50] && ledger.isBalanced)
    #expect(ledger.stored(for: "otlp") == 0 && ledger.sent(to: "log") == 150)
    #expect(await store.drain() == .finished && service.requests.isEmpty)
    // What is captured after they have agreed again is kept and sent.
    monitor.consent = .init(analytics: true)
    monitor.capture(storeError(500))
    await monitor.flush(within: .patience)
    while await store.drain() != .finished { store.wake() }
    #expect(monitor.ledger.sent(to: "otlp") == 1 && monitor.ledger.isBalanced)
  }

  @Test(.requirement("C22"), .ends(withinMinutes: 5))
  func `no request begins and no file is written once consent is withdrawn`() async throws {
    let gate = DiskGate()
    let service = ScriptedService()
    let store = try ReportStore(
      at: folder.store, .anywhere, replies: .otlp, transport: service,
      probe: StoreProbe(reached: gate.reached))
    let monitor = await monitor(store)
    let sender = await started { await store.run() }
    monitor.capture(storeError())
    await monitor.flush(within: .patience)
    while await store.ledger.sent < 1, !Task.isCancelled { await Task.yield() }
    gate.close()
    for number in 1...50 { monitor.capture(storeError(number)) }
    // One is being written, and the one that sends waits for its turn.
    await gate.arrived()
    monitor.consent = .init(analytics: false)
    gate.open()
    #expect(await monitor.flush(within: .patience))
    sender.cancel()
    try await sender.value
    #expect(service.requests.count == 1 && folder.files.isEmpty)
    let ledger = monitor.ledger
    #expect(ledger.sent(to: "otlp") == 1 && ledger.dropped(for: "otlp") == [.withheld: 50])
    #expect(ledger.stored(for: "otlp") == 0 && ledger.isBalanced)
    #expect(await store.ledger.isBalanced)
    // They change their mind.
    monitor.consent = .init(analytics: true)
    monitor.capture(storeError(51))
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished && service.requests.count == 2)
  }

  @Test(.requirement("C22"))
  func `what an earlier process kept is not sent without consent`() async {
    let first = store(ScriptedService([nil]))
    let before = await monitor(first)
    for number in 0..<3 { before.capture(storeError(number)) }
    await before.flush(within: .patience)
    await first.shutDown()
    let service = ScriptedService()
    let store = store(service)
    let next = await monitor(store, consent: .init(), ledger: before.ledger)
    await next.flush(within: .patience)
    #expect(await store.drain() == .finished)
    #expect(service.requests.isEmpty && folder.files.isEmpty)
    #expect(next.ledger.dropped(for: "otlp") == [.withheld: 3] && next.ledger.isBalanced)
    #expect(await store.ledger.dropped(.withheld) == 3)
  }

  @Test(.requirement("C22"))
  func `critical reports stay while analytics alone is forbidden`() async {
    let service = ScriptedService()
    let store = store(service)
    let monitor = await monitor(store, purpose: .crashes)
    monitor.capture(storeError(severity: .critical))
    await monitor.flush(within: .patience)
    monitor.consent = .init(analytics: false, crashes: true)
    await monitor.flush(within: .patience)
    #expect(folder.files.count == 1)
    monitor.consent = .init(analytics: false, crashes: false)
    await monitor.flush(within: .patience)
    #expect(folder.files.isEmpty && monitor.ledger.dropped(for: "otlp") == [.withheld: 1])
    #expect(await store.drain() == .finished && service.requests.isEmpty)
  }
}
