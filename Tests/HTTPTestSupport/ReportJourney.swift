// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
package import MainstayHTTP
package import MainstayTesting
internal import Testing
internal import TestSupport

/// Reports on their way from the monitor over the disk and the network to a service; each test
/// target sends them by its own transport.
package struct ReportJourney: Sendable {
  /// One way that a journey goes, as a sentence.
  package enum Course: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case otlp = "a collector that is overloaded is left alone for as long as it asks"
    case sentry = "a connection that breaks and a limit for the category lose no envelope"
    case restart = "what one process could not send, the next one sends"
    case partly = "what a collector did not take is counted and not sent again"

    package var testDescription: String { rawValue }
  }

  private struct Damaged: Error {}

  private let make: @Sendable (ReportEndpoint, Duration, ManualClock) -> any ReportTransport
  private let clock = ManualClock()
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "journey-\(UUID().uuidString)")

  /// Names what makes a transport, of an endpoint, a time limit and the clock of that.
  package init(
    _ make: @escaping @Sendable (ReportEndpoint, Duration, ManualClock) -> any ReportTransport
  ) {
    self.make = make
  }

  /// Goes one way.
  package func check(_ course: Course) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    switch course {
    case .otlp: try await otlp()
    case .sentry: try await sentry()
    case .restart: try await restart()
    case .partly: try await partly()
    }
  }

  private func store(
    _ endpoint: ReportEndpoint, _ replies: ReportStore.ReplyPolicy
  ) -> ReportStore {
    ReportStore(
      at: folder, ReportStore.Configuration(reserve: 0), replies: replies,
      transport: make(endpoint, .seconds(30), clock), backoff: .none, clock: clock)
  }

  private func monitor(
    _ store: ReportStore, _ encoding: ErrorReport.Encoding
  ) async -> ErrorMonitor {
    let sink = await ErrorReport.StoreSink(store, as: encoding, name: "service")
    return ErrorMonitor(sinks: [sink], consent: .init(analytics: true, crashes: true))
  }

  /// Captures so many errors, and returns their identities.
  private func capture(_ count: Int, _ monitor: ErrorMonitor) async -> Set<UUID> {
    for status in 0..<count {
      monitor.capture(AppError.http(status: 404 + status, isRepeatable: true))
    }
    await monitor.flush(within: .patience)
    return Set(monitor.history.map(\.id))
  }

  /// The whole journey is in the books, and nothing is left on the disk.
  private func expectDone(_ store: ReportStore, _ monitor: ErrorMonitor, sent: Int) async throws {
    #expect(monitor.ledger.sent(to: "service") == sent)
    #expect(monitor.ledger.stored(for: "service") == 0)
    #expect(monitor.ledger.isBalanced)
    let ledger = await store.ledger
    #expect(ledger.sent == sent && ledger.pending == 0 && ledger.isBalanced)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasSuffix(".report") })
  }
}

// MARK: Courses

extension ReportJourney {
  private func otlp() async throws {
    let server = try await LoopbackServer { _, earlier in
      earlier == 0 ? .reply(503, headers: [("Retry-After", "7")]) : .reply(200)
    }
    let endpoint = try ReportEndpoint.otlpLogs(base: server.origin, headers: "api-key=a%20b")
    let store = store(endpoint, .otlp)
    let monitor = await monitor(store, .otlp)
    let ids = await capture(3, monitor)
    #expect(ids.count == 3)

    #expect(await store.drain() == .paused(.seconds(7)))
    clock.advance(by: .seconds(6))
    #expect(await store.drain() == .paused(.seconds(1)))
    #expect(server.received.count == 1)
    #expect(monitor.ledger.stored(for: "service") == 3 && monitor.ledger.isBalanced)

    clock.advance(by: .seconds(1))
    #expect(await store.drain() == .finished)
    let accepted = server.received.dropFirst()
    #expect(accepted.count == 3)
    #expect(Set(accepted.compactMap(Self.uid)) == ids)
    #expect(server.received.allSatisfy { $0.path == "/v1/logs" })
    #expect(server.received.allSatisfy { $0.headers["api-key"] == "a b" })
    #expect(server.received.allSatisfy { $0.headers["content-type"] == "application/json" })
    try await expectDone(store, monitor, sent: 3)
  }

  private func sentry() async throws {
    let server = try await LoopbackServer { _, earlier in
      switch earlier {
      case 0: .hangUp
      case 1: .reply(200, headers: [("X-Sentry-Rate-Limits", "60:error:organization")])
      default: .reply(200)
      }
    }
    let dsn = try SentryDSN("http://abc123@127.0.0.1:\(server.port)/42")
    let store = store(.sentry(dsn), .sentry)
    let monitor = await monitor(store, .sentry)
    let ids = await capture(3, monitor)

    #expect(await store.drain() == .paused(.seconds(1)))
    clock.advance(by: .seconds(1))
    #expect(await store.drain() == .paused(.seconds(60)))
    #expect(server.received.count == 2)
    clock.advance(by: .seconds(60))
    #expect(await store.drain() == .finished)

    let accepted = server.received.dropFirst()
    #expect(accepted.count == 3)
    #expect(Set(accepted.compactMap(Self.eventID)) == ids)
    #expect(server.received.allSatisfy { $0.path == "/api/42/envelope/" })
    let client = "mainstay.swift/\(MainstayVersion.current)"
    let auth = "Sentry sentry_version=7, sentry_client=\(client), sentry_key=abc123"
    #expect(server.received.allSatisfy { $0.headers["x-sentry-auth"] == auth })
    try await expectDone(store, monitor, sent: 3)
  }

  private func restart() async throws {
    let server = try await LoopbackServer { _, earlier in
      earlier == 0 ? .reset : .reply(200)
    }
    let endpoint = try ReportEndpoint.otlpLogs(base: server.origin)
    let first = store(endpoint, .otlp)
    let ids = await capture(3, await monitor(first, .otlp))
    #expect(await first.drain() == .paused(.seconds(1)))
    await first.shutDown()

    let second = store(endpoint, .otlp)
    let heir = await monitor(second, .otlp)
    #expect(heir.ledger.stored(for: "service") == 3)
    #expect(await second.drain() == .finished)
    #expect(Set(server.received.dropFirst().compactMap(Self.uid)) == ids)
    #expect(server.received.count == 4)
    try await expectDone(second, heir, sent: 3)
  }

  private func partly() async throws {
    let body = Data(#"{"partialSuccess":{"rejectedLogRecords":"1"}}"#.utf8)
    let server = try await LoopbackServer { _, earlier in
      let json = [("Content-Type", "application/json")]
      return earlier == 0 ? .reply(200, headers: json, body: body) : .reply(200)
    }
    let store = store(try ReportEndpoint.otlpLogs(base: server.origin), .otlp)
    let monitor = await monitor(store, .otlp)
    _ = await capture(2, monitor)
    #expect(await store.drain() == .finished)
    #expect(server.received.count == 2)
    #expect(monitor.ledger.sent(to: "service") == 1)
    #expect(monitor.ledger.dropped(for: "service") == [.rejected: 1])
    #expect(monitor.ledger.isBalanced)
  }

  /// The identity of the one log record in a body of OTLP.
  private static func uid(_ request: LoopbackServer.Received) -> UUID? {
    let log = JSONValue(json: request.body)?["resourceLogs"]?.array?.first?["scopeLogs"]
    let records = log?.array?.first?["logRecords"]?.array ?? []
    guard records.count == 1 else { return nil }
    let attribute = records[0]["attributes"]?.array?.first {
      $0["key"] == .string("log.record.uid")
    }
    return attribute?["value"]?["stringValue"]?.string.flatMap { UUID(uuidString: $0) }
  }

  /// The identity in the first line of an envelope.
  private static func eventID(_ request: LoopbackServer.Received) -> UUID? {
    let line = Data(request.body.prefix { $0 != UInt8(ascii: "\n") })
    guard let digits = JSONValue(json: line)?["event_id"]?.string, digits.count == 32 else {
      return nil
    }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return UUID(uuidString: text)
  }
}
