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
      ErrorMonitor(), sections: [.outbox(outbox), .outbox(outbox, name: "again")],
      limit: .seconds(120))
    let before = await source.collect()
    #expect(before.sections["again"] == before.sections["outbox"])
    let waiting = before.sections["outbox"]?.value?["waiting"]
    #expect(waiting?["pending"] == .integer(1) && waiting?["ready"] == .integer(1))
    #expect(waiting?["oldestAge"] != nil)
    #expect(waiting?["bytes"] == .integer(19) && waiting?["causes"]?["delay"] == .integer(0))
    let log = before.sections["outbox"]?.value?["log"]
    #expect(log?["isHeld"] == .bool(false) && log?["bytes"] != nil && log?["bytes"] != .integer(0))
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

  @Test(.requirement("D29", "D30"))
  func `a document says how connection, levels, circuits and queue stand together`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a secret"))
    let network = ScriptedConnectivitySource(.online(by: .wifi, identity: "Ada at home"))
    let connectivity = ConnectivityMonitor(source: network, clock: ManualClock(), seed: 1)
    let levels = DegradationController(.standard)
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(1), clock: ManualClock())
    let source = Diagnostics.Source(
      ErrorMonitor(),
      sections: [
        .outbox(outbox), .connectivity(connectivity), .levels(levels), .circuits([breaker]),
      ], limit: .seconds(120))
    let well = await source.collect()
    #expect(well.sections.count == 4 && well.sections.values.allSatisfy { $0.error == nil })
    let before = well.sections["connectivity"]?.value
    #expect(before?["standing"] == .string("online") && before?["status"] == .string("connected"))
    #expect(before?["source"] == .string("system") && before?["falseClaims"] == .integer(0))
    #expect(well.sections["levels"]?.value?["level"] == .string("full"))
    #expect(well.sections["circuits"]?.value?[0]?["state"] == .string("closed"))

    network.say(.offline)
    levels.report(.network, isMet: false)
    _ = try? await breaker.run { throw AppError.http(status: 503, isRepeatable: true) }
    let ill = await source.collect()
    let after = ill.sections["connectivity"]?.value
    #expect(after?["standing"] == .string("offline") && after?["link"] == .string("down"))
    #expect(after?["evidence"]?[0]?["finding"] != nil)
    #expect(after?["since"] != nil && after?["confidence"] != nil)
    #expect(ill.sections["levels"]?.value?["level"] == .string("offline"))
    #expect(ill.sections["circuits"]?.value?[0]?["state"] == .string("open"))
    #expect(ill.sections["outbox"]?.value?["waiting"]?["pending"] == .integer(1))
    for document in [well, ill] {
      let text = String(decoding: try document.encoded(), as: UTF8.self)
      #expect(try Diagnostics(from: Data(text.utf8)).sections == document.sections)
      #expect(!text.contains("a secret") && !text.contains("Ada"))
    }
    levels.end()
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
