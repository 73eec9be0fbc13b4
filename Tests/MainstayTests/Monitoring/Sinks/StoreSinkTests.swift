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
      at: folder.store, .anywhere, replies: replies, transport: service, backoff: .none,
      clock: ManualClock())
  }

  private static func encoding(_ name: String) -> ErrorReport.Encoding {
    switch name {
    case "otlp": .otlp
    case "sentry": .sentry
    default: .json
    }
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

  @Test(arguments: ["otlp", "sentry", "json"])
  func `lines alone share a request`(name: String) async throws {
    let encoding = Self.encoding(name)
    let service = ScriptedService()
    let store = ReportStore(
      at: folder.store, .init(reserve: 0, recordsPerRequest: 10), replies: .otlp,
      transport: service,
      backoff: .none)
    let sink = await ErrorReport.StoreSink(store, as: encoding, name: name)
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
    monitor.capture(storeError(1))
    monitor.capture(storeError(2))
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished)
    let bodies = service.requests.filter { !$0.ids.isEmpty }.map(\.body)
    let whole = monitor.history.reversed().map { encoding.body(of: $0) }
    #expect(bodies == (name == "json" ? [whole.reduce(Data(), +)] : whole))
    #expect(monitor.ledger.sent(to: name) == 2 && monitor.ledger.isBalanced)
  }

  @Test(arguments: ["otlp", "sentry", "json"])
  func `secrets in the words of a service are redacted before they are on the disk`(
    name: String
  ) async throws {
    let store = store(ScriptedService(), .otlp)
    let sink = await ErrorReport.StoreSink(store, as: Self.encoding(name), name: name)
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
    let words = "Bearer abcdefgh12345 of lovelace@example.org was refused, password: hunter2"
    monitor.capture(
      AppError(
        code: "shop.refused", kind: .denied, disposition: .permanent, title: "Refused",
        message: "The shop has refused it.", details: words, metadata: ["server.message": words],
        underlying: [TextError(words)]))
    monitor.capture(TextError(words))
    #expect(await monitor.flush(within: .patience))
    let files = folder.files
    #expect(files.count == 2)
    for file in files {
      let stored = String(decoding: try folder.bytes(file), as: UTF8.self)
      for secret in ["abcdefgh12345", "lovelace", "example.org", "hunter2"] {
        #expect(!stored.contains(secret), "\(secret)")
      }
      // The rest of the words is there, so they have come as far as the file.
      #expect(stored.contains("Bearer <redacted> of <email> was refused, password: <redacted>"))
    }
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

  @Test(.requirement("A37", "A49"), arguments: ["otlp", "json"])
  func `what a person saw and did of a report that was sent follows it`(name: String) async {
    let service = ScriptedService()
    let store = store(service, .otlp)
    let encoding = name == "otlp" ? ErrorReport.Encoding.otlp : .json
    let sink = await ErrorReport.StoreSink(store, as: encoding, name: "service")
    let monitor = ErrorMonitor(
      sinks: [sink], consent: .init(analytics: true), facts: ["service.name": "inventory"])
    let error = storeError()
    monitor.capture(error)
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished)
    monitor.recordPresentation(.init(style: "alert"), of: error)
    monitor.recordRecovery(from: error, succeeded: true, action: "retry")
    #expect(await monitor.flush(within: .patience))
    #expect(await store.drain() == .finished)
    let followers = service.requests.dropFirst()
    #expect((1...2).contains(followers.count) && followers.allSatisfy(\.ids.isEmpty))
    let text = String(decoding: followers.last?.body ?? Data(), as: UTF8.self)
    if name == "otlp" {
      let id = error.id.uuidString.lowercased()
      for part in [
        #"{"key":"mainstay.report","value":{"stringValue":"\#(id)"}}"#,
        #"{"key":"mainstay.presentation.style","value":{"stringValue":"alert"}}"#,
        #"{"key":"mainstay.presentation.action","value":{"stringValue":"retry"}}"#,
        #"{"key":"mainstay.recovered","value":{"boolValue":true}}"#,
        #"{"key":"service.name","value":{"stringValue":"inventory"}}"#,
      ] { #expect(text.contains(part)) }
      #expect(!text.contains("log.record.uid"), "it would be taken for the report again")
    } else {
      let contents = ErrorReport.Encoding.contents(ofJSON: Data(text.utf8))
      #expect(contents.presentations[error.id]?.action == "retry" && contents.unreadable == 0)
      #expect(contents.recoveries.map(\.succeeded) == [true] && contents.reports.isEmpty)
    }
    #expect(monitor.ledger.sent(to: "service") == 1 && monitor.ledger.isBalanced)
    #expect(await store.ledger.captured == 1)
  }

  @Test(.requirement("B42")) func `Sentry is told once how many reports were lost`() async throws {
    let ok = ReportStore.Reply(status: 200)
    let service = ScriptedService([ok, ok, ok, nil])
    let store = ReportStore(
      at: folder.store, .init(maximumCount: 3, reserve: 0), replies: .sentry, transport: service,
      backoff: .none, clock: ManualClock())
    let sink = await ErrorReport.StoreSink(store, as: .sentry, name: "sentry")
    let monitor = ErrorMonitor(
      .init(queue: 10, batch: 10), sinks: [sink], consent: .init(analytics: true))
    for number in 0..<10 { monitor.capture(storeError(number)) }
    #expect(await monitor.flush(within: .patience))
    monitor.capture(storeError(10))
    #expect(await monitor.flush(within: .patience))
    let lost = monitor.ledger.dropped(for: "sentry")
    #expect(lost == [.overflow: 8])
    guard case .paused = await store.drain() else {
      Issue.record("the service did not answer")
      return
    }
    store.wake()
    #expect(await store.drain() == .finished)
    let told = service.requests.dropFirst(3)
    #expect(told.count == 2 && told.first?.body == told.last?.body && told.last?.ids == [])
    let lines = try #require(told.last?.body.split(separator: UInt8(ascii: "\n")))
    #expect(String(decoding: lines[1], as: UTF8.self).contains(#""type":"client_report""#))
    let report = String(decoding: lines[2], as: UTF8.self)
    #expect(report.contains(#"{"reason":"queue_overflow","category":"error","quantity":8}"#))
    // Nothing was lost since, and what was told is no report.
    monitor.capture(storeError(11))
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished)
    #expect(service.requests.count == 6 && service.requests.last?.ids.count == 1)
    #expect(await store.ledger.captured == 12 && monitor.ledger.isBalanced)
  }

  @Test(.requirement("C22")) func `what follows a report is dropped where consent is withdrawn`()
    async
  {
    let service = ScriptedService()
    let store = store(service, .otlp)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp")
    let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
    let error = storeError()
    monitor.capture(error)
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished)
    monitor.recordPresentation(.init(style: "alert"), of: error)
    await monitor.flush(within: .patience)
    monitor.consent = .init(analytics: false)
    await monitor.flush(within: .patience)
    #expect(await store.drain() == .finished && service.requests.count == 1)
  }

  @Test func `a record has a shorter form where there is what can be spared`() {
    let record = ErrorReport.Encoding.otlp.record(of: SampleReports.full)
    #expect(record.id == SampleReports.full.id)
    #expect(record.fingerprint == "1-2c26b46b68ffc68ff99b453c1d304134")
    #expect(record.trimmed.map { $0.count < record.body.count } == true)
    #expect(ErrorReport.Encoding.otlp.record(of: SampleReports.least).trimmed == nil)
  }
}
