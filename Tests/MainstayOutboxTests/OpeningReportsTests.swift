// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Opens as a store that has something to say.
private struct WarningStore: ForwardingStore {
  let store: any OutboxStore

  func open() async throws -> OpeningReport {
    var report = try await store.open()
    report.isBalanced = false
    report.warnings = [.sharedByOldSQLite]
    return report
  }
}

/// Who hears of what was wrong when an outbox was opened.
@Suite(.ends(withinMinutes: 5)) struct OpeningReportsTests {
  private let lines = Log()
  private let monitor = ErrorMonitor()
  private let shop: Workshop

  init() throws {
    var shop = try Workshop()
    shop.configuration.logger = lines.logger(from: .warning) {
      "\($0.level) \($0.message)\($0.pairs())"
    }
    shop.configuration.monitor = monitor
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  @Test func `a part of a damaged file that is lost is in the log, and the monitor has it`()
    async throws
  {
    let before = try await shop.open(shop.worker { _, _ in })
    for text in ["a", "b"] { try await before.enqueue(Note(text: text)) }
    await before.shutDown()
    #expect(lines.lines == [])
    let handle = try FileHandle(forWritingTo: shop.folder.database)
    try handle.write(contentsOf: Data(repeating: 0x53, count: 100))
    try handle.close()
    let outbox = try await shop.open(shop.worker { _, _ in })
    let salvage = try #require(outbox.opening.salvage)
    let line = try #require(lines.lines.first)
    #expect(lines.lines.count == 1 && line.hasPrefix("error The outbox was damaged"))
    #expect(line.contains("operations=\(salvage.operations) "), "\(line)")
    #expect(line.contains(try #require(salvage.movedTo.first)), "\(line)")
    #expect(await monitor.flush())
    #expect(monitor.groups.map(\.count) == [1])
    await outbox.shutDown()
    await monitor.shutDown()
  }

  @Test func `a ledger that does not balance and warnings are in the log`() async throws {
    let store = WarningStore(store: InMemoryStore())
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    #expect(lines.lines.count == 2)
    #expect(lines.lines.first?.hasPrefix("error The ledger of the outbox does not balance") == true)
    #expect(
      lines.lines.last == "warning Something may harm the outbox later warning=sharedByOldSQLite")
    #expect(await monitor.flush())
    #expect(monitor.groups.map(\.count) == [1])
    await outbox.shutDown()
    await monitor.shutDown()
  }
}
