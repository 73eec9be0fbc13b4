// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct StoreSinkTests {
  private struct Damaged: Error {}

  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private func store(_ service: ScriptedService, _ replies: ReportStore.ReplyPolicy) -> ReportStore
  {
    ReportStore(
      at: folder.store, .anywhere, replies: replies, transport: service, backoff: .none)
  }

  @Test(.requirement("A36", "C22", "D21"))
  func `a report goes to the service as its encoding says, and the ledger says so`() async {
    let service = ScriptedService()
    let store = store(service, .sentry)
    let sink = await ErrorReport.StoreSink(store, as: .sentry, name: "sentry", purpose: .crashes)
    let monitor = ErrorMonitor(sinks: [sink])
    monitor.capture(Damaged(), severity: .critical)
    monitor.capture(AppError.http(status: 404))
    await monitor.flush(within: .patience)
    #expect(monitor.ledger.stored(for: "sentry") == 1)
    #expect(await store.drain() == .finished)
    #expect(service.requests.count == 1)
    let report = monitor.history[1]
    #expect(service.requests[0].body == ErrorReport.Encoding.sentry.body(of: report))
    #expect(service.requests[0].headers["Content-Type"] == "application/x-sentry-envelope")
    #expect(service.requests[0].ids == [report.id])
    let ledger = monitor.ledger
    #expect(ledger.sent(to: "sentry") == 1)
    #expect(ledger.stored(for: "sentry") == 0)
    #expect(ledger.dropped(for: "sentry") == [.withheld: 1])
    #expect(ledger.isBalanced)
  }

  @Test func `what a service refuses, the ledger counts by the store's reason`() async {
    let service = ScriptedService([ReportStore.Reply(status: 400)])
    let store = store(service, .otlp)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
    monitor.capture(Damaged())
    await monitor.flush(within: .patience)
    _ = await store.drain()
    #expect(monitor.ledger.dropped(for: "otlp") == [.rejected: 1])
    #expect(monitor.ledger.isBalanced)
  }

  /// A way to a service that reports its own failures.
  private final class Plaintive: ReportTransport {
    let monitor = Locked<ErrorMonitor?>(nil)

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      monitor.withLock { $0 }?.capture(Damaged())
      return ReportStore.Reply(status: 200)
    }
  }

  @Test func `what fails while the store sends is counted, and not reported again`() async {
    let service = Plaintive()
    let store = ReportStore(
      at: folder.store, .anywhere, replies: .otlp, transport: service, backoff: .none)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
    service.monitor.withLock { $0 = monitor }
    monitor.capture(Damaged())
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished)
    #expect(monitor.history.count == 1)
    #expect(monitor.ledger.dropped[.ownFailure] == 1)
    #expect(monitor.ledger.sent(to: "otlp") == 1 && monitor.ledger.isBalanced)
  }

  @Test func `what the next process finds is stored, and sent by it`() async {
    let service = ScriptedService([nil])
    let ledger: ErrorMonitor.Ledger
    do {
      let store = store(service, .otlp)
      let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
      let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
      monitor.capture(Damaged())
      await monitor.flush(within: .patience)
      _ = await store.drain()
      ledger = monitor.ledger
      #expect(ledger.stored(for: "otlp") == 1)
      await store.shutDown()
    }
    let store = store(service, .otlp)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true), ledger: ledger)
    #expect(monitor.ledger.stored(for: "otlp") == 1)
    _ = await store.drain()
    #expect(monitor.ledger.sent(to: "otlp") == 1)
    #expect(monitor.ledger.stored(for: "otlp") == 0)
    #expect(monitor.ledger.captured == 1)
    #expect(monitor.ledger.isBalanced)
  }

  @Test func `a record has a shorter form where there is what can be spared`() {
    let record = ErrorReport.Encoding.otlp.record(of: SampleReports.full)
    #expect(record.id == SampleReports.full.id)
    #expect(record.fingerprint == "1-2c26b46b68ffc68ff99b453c1d304134")
    #expect(record.trimmed.map { $0.count < record.body.count } == true)
    #expect(ErrorReport.Encoding.otlp.record(of: SampleReports.least).trimmed == nil)
  }
}
