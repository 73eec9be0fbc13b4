// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Who hears of what is parked.
@Suite(.requirement("C13", "O19"), .ends(withinMinutes: 5)) struct ParkedReportsTests {
  /// What notes look like to a newer build.
  private struct Numbered: QueuedOperation {
    static let kind: OperationKind = "note"
    var number: Int
  }

  private struct Stranger: QueuedOperation {
    static let kind: OperationKind = "stranger"
  }

  private func keeping(_ lines: Log) -> Logger {
    lines.logger(from: .warning) {
      "\($0.level) \($0.message)\($0.pairs(without: "mainstay.operation"))"
    }
  }

  @Test(arguments: [true, false])
  func `what no worker reads is in the log, by kind and version`(isInFile: Bool) async throws {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = keeping(lines)
    shop.configuration.startsPaused = true
    let worker = Worker(for: Stranger.self) { _, _ in }
    let outbox =
      isInFile
      ? try await shop.open(worker)
      : try await Outbox(
        store: InMemoryStore(), configuration: shop.configuration, clock: shop.clock
      ) { worker }
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.resume()
    await outbox.wait { $0.parked == 2 }
    await outbox.shutDown()
    #expect(
      lines.lines == [
        "warning Operations are parked: no worker reads their kind and version"
          + " count=2 mainstay.kind=note version=1"
      ])
  }

  @Test func `what cannot be read is in the log once, with what is wrong and where`() async throws {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = keeping(lines)
    shop.configuration.startsPaused = true
    let before = try await shop.open(shop.worker { _, _ in })
    try await before.enqueue(Note(text: "a secret"))
    await before.shutDown()
    shop.configuration.startsPaused = false
    // It is tried again after each start.
    for count in 1...3 {
      let outbox = try await shop.open(Worker(for: Numbered.self) { _, _ in })
      await shop.log.wait(for: "failed", count: count)
      await outbox.shutDown()
    }
    #expect(
      lines.lines == [
        "warning An operation is parked: its payload can’t be read"
          + " cause=missing key number at \"\" mainstay.kind=note version=1"
      ])
  }

  @Test func `what is parked is counted by kind and reason, of the first hundred kinds`() {
    let metrics = RecordingMetrics()
    let reports = ParkedReports(Log().logger(), factory: metrics)
    for number in 0...100 {
      reports.setAside([PayloadType(kind: OperationKind(rawValue: "k\(number)"), version: 1): 2])
    }
    reports.setAside([PayloadType(kind: "k0", version: 2): 3])
    let lines = metrics.log.lines
    #expect(lines.first == "mainstay.outbox.parked{kind=k0,reason=unknownType} +2")
    #expect(lines[100] == "mainstay.outbox.parked{kind=other,reason=unknownType} +2")
    #expect(lines.last == "mainstay.outbox.parked{kind=k0,reason=unknownType} +3")
    #expect(metrics.made.lines.count == 101)
  }
}
