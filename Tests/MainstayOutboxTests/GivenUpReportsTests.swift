// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Who hears of what an outbox gives up.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct GivenUpReportsTests {
  @Test func `what is given up is in the log at error, once, and the monitor has it`()
    async throws
  {
    let (lines, monitor) = (Log(), ErrorMonitor())
    var shop = try Workshop()
    shop.configuration.logger = lines.logger(from: .error) {
      "\($0.message)\($0.pairs(without: "mainstay.operation"))"
    }
    shop.configuration.monitor = monitor
    let outbox = try await shop.open(
      shop.worker { _, _ in throw AppError.test(.permanent) })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    await outbox.shutDown()
    let line = try #require(lines.lines.first)
    #expect(lines.lines.count == 1)
    #expect(line.contains("given up") && line.contains("mainstay.kind=note"))
    #expect(line.contains("reason=refused"))
    #expect(await monitor.flush())
    #expect(monitor.groups.map(\.count) == [1])
    await monitor.shutDown()
  }

  @Test func `what is given up is counted by kind and reason, and told`() async throws {
    let metrics = RecordingMetrics()
    var shop = try Workshop()
    let quiet = Log().logger()
    shop.configuration.logger = quiet
    shop.configuration.observer = GivenUpReports(
      quiet, observer: shop.configuration.observer, factory: metrics)
    let outbox = try await shop.open(shop.worker { _, _ in throw AppError.test(.permanent) })
    try await outbox.enqueue(Note(text: "a"), orderedBy: "a")
    try await outbox.enqueue(Note(text: "b"), orderedBy: "b")
    await shop.log.wait(for: "gaveUp", count: 2)
    let series = "mainstay.outbox.given_up{kind=note,reason=refused}"
    #expect(metrics.made.lines.allSatisfy { $0 == series })
    #expect(metrics.log.lines == ["\(series) +1", "\(series) +1"])
    await outbox.shutDown()
  }

  @Test func `what is given up for want of another one is counted and told, too`() async throws {
    let metrics = RecordingMetrics()
    var shop = try Workshop()
    let quiet = Log().logger()
    shop.configuration.logger = quiet
    shop.configuration.startsPaused = true
    shop.configuration.observer = GivenUpReports(
      quiet, observer: shop.configuration.observer, factory: metrics)
    let outbox = try await shop.open(shop.worker { _, _ in throw AppError.test(.permanent) })
    let first = try await outbox.enqueue(Note(text: "a"))
    let needs = EnqueueOptions.Dependencies([first], ifGivenUp: .giveUp)
    let second = try await outbox.enqueue(
      Note(text: "b"), options: EnqueueOptions(dependencies: needs))
    await outbox.resume()
    await shop.log.wait(for: "gaveUp", count: 2)
    let told = shop.log.events.compactMap { event -> OperationID? in
      guard case .gaveUp(.dependencyFailed, nil) = event.what else { return nil }
      return event.id
    }
    #expect(told == [second])
    #expect(
      Set(metrics.log.lines)
        == Set(
          ["refused", "dependencyFailed"].map {
            "mainstay.outbox.given_up{kind=note,reason=\($0)} +1"
          }))
    await outbox.shutDown()
  }
}
