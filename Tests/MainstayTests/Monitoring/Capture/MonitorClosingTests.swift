// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What was counted of a flood and not told reaches sinks also where no other error follows.
@Suite(.requirement("B42", "A36"), .ends(withinMinutes: 5)) struct MonitorClosingTests {
  /// How many errors a sink was told of.
  private func told(_ sink: MemorySink) -> Int {
    sink.reports.reduce(0) { $0 + 1 + ($1.suppressed?.count ?? 0) }
  }

  private func told(_ sink: MemorySink, atLeast count: Int) async {
    while told(sink) < count, !Task.isCancelled { await Task.yield() }
  }

  @Test func `a burst that the process ends with is told to the last error`() async {
    let (sink, metrics) = (MemorySink(), RecordingMetrics())
    let wall = WallClock()
    let monitor = ErrorMonitor(
      sinks: [sink, ErrorReport.MetricsSink(factory: metrics)], clock: ManualClock(),
      wallClock: { wall.now })
    let start = wall.now
    for number in 0..<20_000 {
      monitor.capture(storeError(number % 2))
      if number % 10_000 == 5_000 { wall.advance(by: 1) }
    }
    #expect(await monitor.flush(within: .patience))
    #expect(told(sink) == 20, "a flush closes nothing")
    await monitor.shutDown(within: .patience)
    #expect(told(sink) == 20_000 && sink.reports.count == 22)
    let closing = sink.reports.suffix(2)
    #expect(Set(closing.map(\.code)) == ["store.failed-0", "store.failed-1"])
    for report in closing {
      #expect(report.suppressed == .init(count: 9_989, first: start, last: start + 2))
      #expect(report.time == start + 2)
    }
    #expect(Set(sink.reports.map(\.id)).count == 22)
    let counted = metrics.log.lines.compactMap { Int($0.split(separator: "+").last ?? "") }
    #expect(counted.reduce(0, +) == 20_000)
    let ledger = monitor.ledger
    #expect(ledger.captured == 20_000 && ledger.kept == 22)
    #expect(ledger.dropped == [.suppressed: 19_978] && monitor.balances(sink))
    #expect(monitor.groups.allSatisfy { $0.count == 10_000 && $0.suppressed == nil })
    #expect(monitor.history.count == 20, "it is no other failure")
    await monitor.shutDown()
    #expect(sink.reports.count == 22)
  }

  @Test func `a group that falls silent after its window is closed, each time`() async {
    let (clock, sink) = (ManualClock(), MemorySink())
    let monitor = ErrorMonitor(sinks: [sink], clock: clock)
    for round in 1...2 {
      for number in 0..<50 { monitor.capture(storeError(number % 2)) }
      #expect(await monitor.flush(within: .patience))
      #expect(told(sink) == 50 * round - 30)
      await clock.sleepers(atLeast: 1)
      // Until then the next error may come and tell it.
      clock.advance(by: .seconds(65))
      #expect(monitor.groups.allSatisfy { $0.suppressed?.count == 15 })
      clock.advance(by: .seconds(2))
      await told(sink, atLeast: 50 * round)
      #expect(sink.reports.count == 22 * round)
    }
    #expect(await monitor.flush(within: .patience))
    let ledger = monitor.ledger
    #expect(ledger.captured == 100 && ledger.dropped == [.suppressed: 56])
    #expect(monitor.balances(sink) && clock.sleeperCount == 0)
  }

  @Test func `one that was suppressed alone is told as it is`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(.init(limit: .init(count: 1)), sinks: [sink])
    for _ in 0..<2 { monitor.capture(storeError()) }
    await monitor.shutDown(within: .patience)
    #expect(sink.reports.map(\.suppressed) == [nil, nil])
    #expect(monitor.ledger.dropped.isEmpty && monitor.ledger.kept == 2 && monitor.balances(sink))
  }

  @Test func `a group that makes room for another one is closed`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(.init(groups: 1), sinks: [sink])
    for number in [0, 1] { for _ in 0..<25 { monitor.capture(storeError(number)) } }
    #expect(await monitor.flush(within: .patience))
    #expect(told(sink) == 35 && monitor.groups.map(\.count) == [25])
    #expect(sink.reports.first(where: { $0.suppressed != nil })?.code == "store.failed-0")
    await monitor.shutDown(within: .patience)
    #expect(told(sink) == 50 && monitor.ledger.captured == 50 && monitor.balances(sink))
  }

  @Test func `nobody reads of more or fewer errors while groups are closed`() async {
    let sinks = [MemorySink("a"), MemorySink("b")]
    let monitor = ErrorMonitor(.init(groups: 100, limit: .init(count: 1)), sinks: sinks)
    let each = 20 * RandomDose.cases
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          // More groups than there is room for: they close each other all the time.
          for number in 0..<each { monitor.capture(storeError((number / 3 + task) % 150)) }
        }
      }
      group.addTask {
        var last = 0
        for _ in 0..<200 {
          let ledger = monitor.ledger
          #expect(ledger.isBalanced && ledger.captured >= last)
          last = ledger.captured
        }
      }
    }
    await monitor.shutDown(within: .patience)
    #expect(monitor.ledger.captured == 4 * each)
    // None is told twice; a group that has to go before it has a report tells nothing.
    for sink in sinks { #expect(monitor.balances(sink) && told(sink) <= 4 * each) }
  }
}
