// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A process that ends, and waits until its store has sent what it keeps.
@Suite(.ends(withinMinutes: 5)) struct ReportStoreFlushTests {
  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private func store(
    _ service: ScriptedService, clock: some Clock<Duration> = ContinuousClock()
  ) -> ReportStore {
    ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: service, clock: clock)
  }

  @Test func `it waits for the round of somebody else, and for all that came meanwhile`()
    async throws
  {
    let (begun, answer) = (Countdown(1), Countdown(1))
    let service = ScriptedService(meanwhile: {
      begun.count()
      await answer.passed()
    })
    let store = store(service)
    let sender = Task { await store.run() }
    await store.keep(.sample())
    await begun.reached()
    let flush = await started { await store.flush(within: .patience) }
    for _ in 0..<2 { await store.keep(.sample()) }
    #expect(service.requests.count == 1)
    answer.count()
    #expect(try await flush.value)
    let ledger = await store.ledger
    #expect(service.requests.count == 3 && ledger.sent == 3 && ledger.pending == 0)
    sender.cancel()
    await sender.value
  }

  @Test func `with nobody else who sends, it does, until there is a pause`() async {
    let service = ScriptedService([.init(status: 200), nil])
    let store = store(service, clock: ManualClock())
    for _ in 0..<3 { await store.keep(.sample()) }
    #expect(await store.flush(within: .patience) == false)
    #expect(await store.ledger.pending == 2)
    store.wake()
    #expect(await store.flush(within: .patience))
    #expect(await store.ledger.sent == 3)
    #expect(await store.flush(within: .zero), "there is nothing to do")
  }

  @Test func `it ends when its time is over, and what has no answer stays`() async throws {
    let (clock, begun) = (ManualClock(), Countdown(1))
    let service = ScriptedService(meanwhile: {
      begun.count()
      try await clock.sleep(until: clock.now.advanced(by: .seconds(3_600)), tolerance: nil)
    })
    let store = store(service, clock: clock)
    await store.keep(.sample())
    let flush = await started { await store.flush() }
    await begun.reached()
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(5))
    #expect(try await flush.value == false)
    let ledger = await store.ledger
    #expect(ledger.pending == 1 && ledger.sent == 0 && folder.files.count == 1)
  }
}
