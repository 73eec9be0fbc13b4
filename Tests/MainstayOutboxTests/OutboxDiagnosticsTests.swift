// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What an outbox adds to a diagnostics document.
@Suite(.ends(withinMinutes: 5)) struct OutboxDiagnosticsTests {
  @Test(.requirement("D29", "D30"))
  func `its section holds counts by state and the whole account, and no payload`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a secret"))
    let source = Diagnostics.Source(
      ErrorMonitor(), sections: [.outbox(outbox), .outbox(outbox, name: "again")])
    let before = await source.collect()
    #expect(before.sections["again"] == before.sections["outbox"])
    let waiting = before.sections["outbox"]?.value?["waiting"]
    #expect(waiting?["pending"] == .integer(1) && waiting?["ready"] == .integer(1))
    #expect(waiting?["oldestAge"] != nil)
    #expect(!String(decoding: try before.encoded(), as: UTF8.self).contains("a secret"))
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    let after = await source.collect().sections["outbox"]?.value
    #expect(after?["waiting"]?["pending"] == .integer(0))
    #expect(after?["waiting"]?["oldestAge"] == nil)
    #expect(after?["ledger"]?["enqueued"] == .integer(1))
    #expect(after?["ledger"]?["isBalanced"] == .bool(true))
    #expect(after?["ledger"]?["receipts"] == .object(["note/done": .integer(1)]))
    await outbox.shutDown()
  }

  @Test func `an outbox that was shut down is an error of its section alone`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    await outbox.shutDown()
    let source = Diagnostics.Source(
      ErrorMonitor(), sections: [.outbox(outbox), .init("other") { 1 }])
    let document = await source.collect()
    #expect(document.sections["outbox"]?.error != nil)
    #expect(document.sections["other"]?.value == .integer(1))
  }
}
