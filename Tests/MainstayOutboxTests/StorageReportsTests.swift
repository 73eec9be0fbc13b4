// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Who hears that the store of an outbox fails.
@Suite(.requirement("C13", "O8"), .ends(withinMinutes: 5)) struct StorageReportsTests {
  @Test(arguments: ["claim", "promote", "settle"])
  func `the log says once that the store fails, and that it works again`(
    call: String
  ) async throws {
    let lines = Log()
    var shop = try Workshop()
    let day = shop.day
    let store = FailingStore(now: { day.now })
    shop.configuration.logger = lines.logger(from: .info) {
      "\($0.level) \($0.message)\($0.pairs())"
    }
    store.fail(call, times: 3)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) {
      shop.worker { _, _ in }
    }
    // An enqueue has the loop look again at once, so there is none while that is what fails.
    if call == "settle" { try await outbox.enqueue(Note(text: "a")) }
    for failures in 1...3 {
      await shop.log.wait(for: "storageFailed", count: failures)
      shop.clock.advance(by: .seconds(9))
    }
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
    let (begin, end) = (try #require(lines.lines.first), try #require(lines.lines.last))
    #expect(lines.lines.count == 2)
    #expect(begin.hasPrefix("warning The storage fails") && begin.contains("failures=1 "))
    #expect(begin.contains("error=outbox.disk-full") && begin.contains("the test says so"))
    #expect(end == "notice The storage works again failures=3 seconds=27")
  }

  @Test func `a simulation logs nothing unless it was given a logger`() {
    var configuration = Outbox.Configuration()
    // One that keeps nothing has that level, whatever it is set to.
    configuration.logger = configuration.quiet.logger
    configuration.logger?.logLevel = .trace
    #expect(configuration.logger?.logLevel == .critical)
    configuration.logger = Log().logger(from: .debug)
    #expect(configuration.quiet.logger?.logLevel == .debug)
  }

  @Test func `an outbox that is shut down while the store fails says nothing of its return`()
    async throws
  {
    let lines = Log()
    var shop = try Workshop()
    let day = shop.day
    let store = FailingStore(now: { day.now })
    shop.configuration.logger = lines.logger(from: .info) { "\($0.level)" }
    store.fail("settle", times: .max)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) {
      shop.worker { _, _ in }
    }
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "storageFailed")
    await outbox.shutDown()
    #expect(lines.lines == ["warning"])
  }
}
