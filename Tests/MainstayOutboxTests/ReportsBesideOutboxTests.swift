// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Reports and a person's work in one folder.
@Suite(.requirement("O37"), .ends(withinMinutes: 5)) struct ReportsBesideOutboxTests {
  /// A service that refuses, over a way that captures each of its own failures.
  private final class Plaintive: ReportTransport {
    let monitor = Locked<ErrorMonitor?>(nil)
    let requests = Locked(0)

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      requests.withLock { $0 += 1 }
      monitor.withLock { $0 }?.capture(URLError(.cannotConnectToHost), during: "Send reports")
      return ReportStore.Reply(status: 503)
    }
  }

  @Test func `a flood of reports that nobody takes neither loops nor costs an operation`()
    async throws
  {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    // Ten notes fill it, and any of them may go where another operation needs the room.
    shop.configuration.maximumPending = 10
    let outbox = try await shop.open(shop.worker { _, _ in })
    let options = EnqueueOptions(isExpendable: true)
    for number in 0..<10 {
      try await outbox.enqueue(Note(text: "\(number)"), options: options)
    }
    let before = try await outbox.operations().map(\.id)

    let (service, clock) = (Plaintive(), ManualClock())
    let store = ReportStore(
      at: shop.folder.url.appending(path: "reports"),
      ReportStore.Configuration(maximumCount: 8, maximumBytes: 40_000, reserve: 0),
      replies: .otlp, transport: service, backoff: .none, clock: clock)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "otlp", purpose: .log)
    let monitor = ErrorMonitor(.init(limit: nil), sinks: [sink])
    service.monitor.withLock { $0 = monitor }
    for number in 0..<200 {
      monitor.capture(
        AppError.test(.permanent).adding(metadata: ["n": "\(number)"]), group: "\(number)")
    }
    #expect(await monitor.flush(within: .patience))
    for _ in 0..<20 {
      clock.advance(by: .seconds(600))
      _ = await store.drain()
      #expect(await monitor.flush(within: .patience))
    }

    // What failed while reports were sent is counted, and is no report of its own.
    let requests = service.requests.withLock { $0 }
    #expect(requests >= 20 && monitor.ledger.dropped[.ownFailure] == requests)
    #expect(monitor.ledger.captured == 200 + requests && monitor.ledger.isBalanced)
    let status = await store.status
    #expect(status.ledger.pending == 8 && status.ledger.isBalanced)
    // Reports have left for reports, and no operation has.
    #expect(try await outbox.operations().map(\.id) == before && before.count == 10)
    // An operation takes the room of one that may go, and of no report.
    try await outbox.enqueue(Note(text: "the tenth of a person"))
    #expect(try await outbox.snapshot().pending == 10)
    #expect(await store.status.ledger.pending == 8)
    service.monitor.withLock { $0 = nil }
    await outbox.shutDown()
  }
}
