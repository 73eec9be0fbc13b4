// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// An app that has the last word on what is told.
@Suite(.ends(withinMinutes: 5)) struct MonitorDecisionTests {
  private static let noise = ErrorReport.DropReason("noise")

  @Test func `what is dropped reaches nobody and is counted by its reason`() async {
    let (clock, sink, metrics) = (ManualClock(), MemorySink(), RecordingMetrics())
    let monitor = ErrorMonitor(
      sinks: [sink, ErrorReport.MetricsSink(factory: metrics)],
      decide: { $0.code == "store.failed-1" ? .drop(Self.noise) : .keep }, clock: clock)
    for _ in 0..<25 {
      for number in 0..<2 { #expect(monitor.capture(storeError(number)) != nil) }
    }
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.history.count == 10 && sink.reports.count == 10)
    // Its group falls silent without a word, and nothing is looked at any more.
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(67))
    while sink.reports.count < 11, !Task.isCancelled { await Task.yield() }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.allSatisfy { $0.code == "store.failed-0" } && clock.sleeperCount == 0)
    #expect(monitor.ledger.dropped == [Self.noise: 10, .suppressed: 29])
    #expect(monitor.ledger.captured == 50 && monitor.balances(sink))
    #expect(monitor.groups.map(\.count) == [25, 25])
    #expect(monitor.groups.first { $0.latest == nil }?.suppressed == nil)
    #expect(metrics.log.lines.count == 25 && !metrics.log.lines.contains { $0.contains("-1") })
    await monitor.shutDown(within: .patience)
    #expect(sink.reports.count == 11)
  }

  @Test func `another severity decides who is told, also in the report that closes a group`() async
  {
    let (crashes, all) = (MemorySink("crashes", purpose: .crashes), MemorySink())
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 2)), sinks: [crashes, all],
      decide: { report in
        #expect(report.message == "Item 0 was not saved." || report.severity == .critical)
        return report.severity == .critical ? .as(.info) : .as(.critical)
      })
    for _ in 0..<5 { monitor.capture(storeError()) }
    for _ in 0..<5 { monitor.capture(storeError(1, severity: .critical)) }
    await monitor.shutDown(within: .patience)
    #expect(crashes.reports.map(\.code) == Array(repeating: "store.failed-0", count: 3))
    #expect(crashes.reports.map(\.severity) == Array(repeating: .critical, count: 3))
    let milder = all.reports.filter { $0.severity == .info }
    #expect(milder.count == 3 && milder.allSatisfy { $0.code == "store.failed-1" })
    #expect(all.reports.compactMap(\.suppressed?.count) == [2, 2])
    #expect(monitor.balances(all))
  }

  @Test func `a report that is kept again is told with the next ones of its group`() async {
    let isQuiet = Locked(true)
    let (clock, sink) = (ManualClock(), MemorySink())
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 1)), sinks: [sink],
      decide: { _ in isQuiet.withLock { $0 } ? .drop(Self.noise) : .keep }, clock: clock)
    monitor.capture(storeError())
    isQuiet.withLock { $0 = false }
    clock.advance(by: .seconds(60))
    for _ in 0..<3 { monitor.capture(storeError()) }
    await monitor.shutDown(within: .patience)
    #expect(sink.reports.map { $0.suppressed?.count } == [nil, 1])
    #expect(monitor.ledger.dropped == [Self.noise: 1, .suppressed: 1])
  }

  @Test func `a flood of which the app drops one is told in full`() async {
    let (sink, metrics) = (MemorySink(), RecordingMetrics())
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 2)), sinks: [sink, ErrorReport.MetricsSink(factory: metrics)],
      decide: { $0.operation == "Show ads" ? .drop(Self.noise) : .keep })
    for operation in ["Pay", "Show ads"] + Array(repeating: "Pay", count: 5) {
      monitor.capture(storeError(), during: operation)
    }
    await monitor.shutDown(within: .patience)
    #expect(sink.reports.reduce(0) { $0 + 1 + ($1.suppressed?.count ?? 0) } == 6)
    #expect(metrics.log.lines.count == 6)
    #expect(monitor.ledger.dropped == [Self.noise: 1, .suppressed: 4] && monitor.balances(sink))
  }

  @Test func `a count that went along with what is dropped is told by itself`() async {
    let (clock, sink, metrics) = (ManualClock(), MemorySink(), RecordingMetrics())
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 1)), sinks: [sink, ErrorReport.MetricsSink(factory: metrics)],
      decide: { $0.operation == "Show ads" ? .drop(Self.noise) : .keep }, clock: clock)
    for _ in 0..<4 { monitor.capture(storeError(), during: "Pay") }
    clock.advance(by: .seconds(60))
    for _ in 0..<3 { monitor.capture(storeError(), during: "Show ads") }
    #expect(monitor.groups.first?.suppressed?.count == 5)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(67))
    while sink.reports.count < 2, !Task.isCancelled { await Task.yield() }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map { $0.suppressed?.count } == [nil, 2] && metrics.log.lines.count == 4)
    #expect(monitor.ledger.dropped == [Self.noise: 1, .suppressed: 4] && monitor.balances(sink))
    #expect(clock.sleeperCount == 0 && monitor.groups.first?.suppressed == nil)
  }

  @Test func `nobody is told of a recovery from what is dropped`() async {
    let (sink, metrics) = (MemorySink(), RecordingMetrics())
    let monitor = ErrorMonitor(
      sinks: [sink, ErrorReport.MetricsSink(factory: metrics)],
      decide: { $0.code == "store.failed-1" ? .drop(Self.noise) : .keep })
    for number in 0..<2 { monitor.capture(storeError(number)) }
    // The last one is of an error that nobody captured.
    for number in 0..<3 { monitor.recordRecovery(from: storeError(number), succeeded: true) }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.recoveries.map(\.code) == ["store.failed-0", "store.failed-2"])
    #expect(metrics.log.lines.count == 3 && !metrics.log.lines.contains { $0.contains("-1") })
    #expect(monitor.recoveryRate(of: "store.failed-1") == 1)
  }

  @Test func `reasons that are made of anything are bounded`() {
    let monitor = ErrorMonitor(decide: { .drop(.init($0.id.uuidString)) })
    for number in 0..<100 { monitor.capture(storeError(number)) }
    let dropped = monitor.ledger.dropped
    #expect(dropped.count <= 19 && dropped.values.reduce(0, +) == 100)
    #expect((dropped[.init("other")] ?? 0) > 80 && monitor.ledger.isBalanced)
  }

  @Test func `what is captured while the app decides is its own failure`() {
    let late = Locked<ErrorMonitor?>(nil)
    let monitor = ErrorMonitor(decide: { _ in
      late.withLock { $0 }?.capture(storeError(1))
      return .keep
    })
    late.withLock { $0 = monitor }
    monitor.capture(storeError())
    #expect(monitor.history.count == 1 && monitor.ledger.dropped == [.ownFailure: 1])
    late.withLock { $0 = nil }
  }
}
