// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What is captured before a person was asked waits for the answer, and the answer sends or deletes
/// it.
@Suite struct MonitorPendingConsentTests {
  private static let pending = ErrorMonitor.Consent(pending: [.analytics, .crashes])
  private static let yes = ErrorMonitor.Consent(analytics: true)
  private static let no = ErrorMonitor.Consent(analytics: false, crashes: false)
  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private func store(_ service: ScriptedService) -> ReportStore {
    ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: service, backoff: .none)
  }

  private func monitor(
    _ store: ReportStore, _ consent: ErrorMonitor.Consent = pending,
    purpose: ErrorReport.Purpose = .analytics, ledger: ErrorMonitor.Ledger? = nil
  ) async -> ErrorMonitor {
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp", purpose: purpose)
    return ErrorMonitor(sinks: [sink], consent: consent, ledger: ledger)
  }

  @Test func `what was captured before the person agreed is sent then`() async {
    let sinks = [MemorySink("analytics", purpose: .analytics), MemorySink("log")]
    let monitor = ErrorMonitor(sinks: sinks, consent: Self.pending)
    let error = storeError(1)
    monitor.capture(error)
    monitor.recordRecovery(from: error, succeeded: true)
    monitor.captureNow(storeError(2))
    #expect(await !monitor.flush(within: .patience), "something is left in memory")
    #expect(sinks[0].batches.isEmpty && sinks[1].reports.count == 2)
    #expect(monitor.ledger.stored(for: "analytics") == 2 && monitor.ledger.isBalanced)
    monitor.consent = Self.yes
    #expect(await monitor.flush(within: .patience))
    #expect(Set(sinks[0].reports.map(\.code.rawValue)) == ["store.failed-1", "store.failed-2"])
    #expect(sinks[0].recoveries.count == 1 && monitor.balances(sinks[0]))
    monitor.capture(storeError(3))
    #expect(await monitor.flush(within: .patience))
    #expect(sinks[0].reports.count == 3)
  }

  @Test func `what was captured before the person refused is deleted then`() async {
    let sink = MemorySink("analytics", purpose: .analytics)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.pending)
    for number in 0..<3 { monitor.capture(storeError(number)) }
    monitor.recordRecovery(from: storeError(1), succeeded: true)
    monitor.consent = Self.no
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.isEmpty)
    #expect(monitor.ledger.dropped(for: "analytics") == [.withheld: 3])
    // They change their mind: what was deleted does not come back.
    monitor.consent = Self.yes
    monitor.capture(storeError(9))
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["store.failed-9"] && monitor.balances(sink))
  }

  @Test func `what waits for an answer is bounded, and the mildest leave`() async {
    let sink = MemorySink("analytics", purpose: .analytics)
    let monitor = ErrorMonitor(.init(queue: 4), sinks: [sink], consent: Self.pending)
    for number in 0..<20 {
      monitor.capture(storeError(number), severity: number < 2 ? .critical : .warning)
    }
    #expect(monitor.waiting(for: "analytics") == 4)
    monitor.consent.analytics = true
    #expect(monitor.consent.pending == [.crashes])
    #expect(await monitor.flush(within: .patience))
    let codes = sink.reports.map(\.code.rawValue)
    #expect(codes == [0, 1, 18, 19].map { "store.failed-\($0)" })
    #expect(monitor.ledger.dropped(for: "analytics") == [.overflow: 16])
  }

  @Test func `for crashes only what is critical waits`() async {
    let sinks = [MemorySink("crashes", purpose: .crashes), MemorySink("a", purpose: .analytics)]
    let monitor = ErrorMonitor(sinks: sinks, consent: .init(pending: [.crashes]))
    monitor.capture(storeError(1))
    monitor.capture(storeError(2, severity: .critical))
    await monitor.flush(within: .patience)
    #expect(monitor.ledger.stored(for: "crashes") == 1)
    #expect(monitor.ledger.dropped(for: "crashes") == [.withheld: 1])
    #expect(monitor.ledger.dropped(for: "a") == [.withheld: 2], "of this they were asked")
    monitor.consent.crashes = true
    #expect(await monitor.flush(within: .patience))
    #expect(sinks[0].reports.map(\.code) == ["store.failed-2"] && sinks[1].batches.isEmpty)
  }

  @Test func `what is on its way when asked again is not lost, and the rest waits`() async {
    let clock = ManualClock()
    let sink = MemorySink(
      "analytics", purpose: .analytics, answers: [.later(after: .seconds(5))], isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.yes, clock: clock)
    monitor.capture(storeError(1))
    await sink.batches(atLeast: 1)
    monitor.consent = Self.pending
    monitor.capture(storeError(2))
    sink.release()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    #expect(await !monitor.flush(within: .patience))
    #expect(sink.batches.count == 1 && monitor.ledger.stored(for: "analytics") == 2)
    monitor.consent = Self.yes
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.count == 2 && sink.batches[1].reports.count == 2)
  }

  @Test func `what nobody answered before the end is dropped and counted`() async {
    let sink = MemorySink("analytics", purpose: .analytics)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.pending)
    monitor.capture(storeError())
    await monitor.shutDown(within: .patience)
    monitor.consent = Self.yes
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.isEmpty && monitor.ledger.dropped(for: "analytics") == [.shutDown: 1])
  }

  @Test func `a store keeps on the disk what waits, and sends it when they agree`() async {
    let service = ScriptedService()
    let store = store(service)
    let monitor = await monitor(store, purpose: .crashes)
    monitor.capture(storeError(1, severity: .critical))
    #expect(folder.files.count == 1, "the process may end now")
    monitor.captureNow(storeError(2))
    #expect(await monitor.flush(within: .patience))
    #expect(await store.drain() == .finished)
    #expect(await !store.flush(within: .patience))
    #expect(folder.files.count == 2 && service.requests.isEmpty)
    monitor.consent = Self.yes
    #expect(await store.flush(within: .patience))
    #expect(service.requests.count == 2 && folder.files.isEmpty)
    #expect(monitor.ledger.sent(to: "otlp") == 2 && monitor.ledger.isBalanced)
  }

  @Test func `a store deletes what waits when they refuse`() async {
    let service = ScriptedService()
    let store = store(service)
    let monitor = await monitor(store)
    for number in 0..<5 { monitor.capture(storeError(number)) }
    #expect(await monitor.flush(within: .patience))
    #expect(folder.files.count == 5)
    monitor.consent = Self.no
    #expect(await monitor.flush(within: .patience))
    #expect(folder.files.isEmpty && monitor.ledger.dropped(for: "otlp") == [.withheld: 5])
    #expect(await store.drain() == .finished && service.requests.isEmpty)
    monitor.consent = Self.yes
    monitor.capture(storeError(9))
    await monitor.flush(within: .patience)
    #expect(await store.flush(within: .patience))
    #expect(service.requests.count == 1)
  }

  @Test func `what an earlier process kept waits for the answer, too`() async {
    let first = store(ScriptedService([nil]))
    let before = await monitor(first)
    for number in 0..<3 { before.capture(storeError(number)) }
    await before.flush(within: .patience)
    await first.shutDown()
    let service = ScriptedService()
    let store = store(service)
    let next = await monitor(store, ledger: before.ledger)
    let sender = await started { await store.run() }
    await next.flush(within: .patience)
    _ = await store.drain()
    #expect(service.requests.isEmpty && folder.files.count == 3)
    next.consent = Self.yes
    while await store.status.pending > 0 { await Task.yield() }
    #expect(service.requests.count == 3 && next.ledger.sent(to: "otlp") == 3)
    sender.cancel()
    _ = try? await sender.value
  }

  @Test func `of many answers at once the last one holds, and none is stuck`() async {
    for round in 0..<20 {
      let service = ScriptedService()
      let store = ReportStore(
        at: folder.url.appending(path: "\(round)"), .anywhere, replies: .otlp, transport: service,
        backoff: .none)
      let memory = MemorySink("memory", purpose: .analytics)
      let kept = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
      let monitor = ErrorMonitor(sinks: [kept, memory], consent: Self.pending)
      let answers = [Self.yes, Self.pending, Self.no]
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<9 { group.addTask { monitor.consent = answers[number % 3] } }
      }
      monitor.consent = Self.yes
      await monitor.flush(within: .patience)
      monitor.capture(storeError())
      #expect(await monitor.flush(within: .patience))
      #expect(await store.flush(within: .patience))
      #expect(service.requests.count == 1 && memory.reports.count == 1)
    }
  }

  @Test func `to set a purpose is an answer, and to take it out of those pending is none`() throws {
    #expect(ErrorMonitor.Consent().pending.isEmpty)
    var consent = ErrorMonitor.Consent(analytics: true, pending: Set(ErrorReport.Purpose.allCases))
    #expect(!consent.analytics && !consent.crashes && consent.pending == [.analytics, .crashes])
    consent.crashes = true
    #expect(consent == .init(crashes: true, pending: [.analytics]))
    consent.pending = []
    #expect(consent == .init(analytics: false, crashes: true))
    consent.analytics = true
    consent.pending = []
    #expect(consent.analytics)
  }

  @Test func `a consent is read as it was written, also by and from other builds`() throws {
    struct Older: Codable, Equatable {
      var analytics: Bool
      var crashes: Bool
    }
    for consent in [Self.pending, Self.yes, Self.no, .init(pending: [.crashes])] {
      let data = try JSONEncoder().encode(consent)
      #expect(try JSONDecoder().decode(ErrorMonitor.Consent.self, from: data) == consent)
      let older = try JSONDecoder().decode(Older.self, from: data)
      #expect(older == Older(analytics: consent.analytics, crashes: consent.crashes))
      let read = try JSONDecoder().decode(
        ErrorMonitor.Consent.self, from: try JSONEncoder().encode(older))
      #expect(read.pending.isEmpty && read.crashes == consent.crashes)
    }
    let newer = Data(#"{"analytics":true,"crashes":true,"pending":["research","crashes"]}"#.utf8)
    let read = try JSONDecoder().decode(ErrorMonitor.Consent.self, from: newer)
    #expect(read == .init(analytics: true, pending: [.crashes]))
  }
}
