// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What a person no longer agrees to is sent to nobody, wherever it is.
@Suite(.requirement("C22")) struct MonitorConsentTests {
  private static let yes = ErrorMonitor.Consent(analytics: true)
  private static let no = ErrorMonitor.Consent(analytics: false, crashes: false)

  @Test func `what a sink puts off after consent was withdrawn is not handed over again`() async {
    let clock = ManualClock()
    let sink = MemorySink(
      "analytics", purpose: .analytics, answers: [.later(after: .seconds(5))], isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.yes, clock: clock)
    let error = storeError()
    monitor.capture(error)
    await sink.batches(atLeast: 1)
    monitor.recordRecovery(from: error, succeeded: true)
    monitor.capture(storeError(1))
    monitor.consent = Self.no
    sink.release()
    await clock.sleepers(atLeast: 1)
    // They change their mind: only what is captured from now on is sent.
    monitor.consent = Self.yes
    monitor.capture(storeError(2))
    clock.advance(by: .seconds(5))
    await sink.batches(atLeast: 2)
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.map { $0.reports.map(\.code) }.last == ["store.failed-2"])
    #expect(sink.batches.count == 2 && sink.recoveries.isEmpty)
    #expect(monitor.ledger.dropped(for: "analytics") == [.withheld: 2])
    #expect(monitor.balances(sink, accepted: 1))
  }

  @Test func `recoveries that were on their way are not handed over again either`() async {
    let clock = ManualClock()
    let sink = MemorySink("analytics", purpose: .analytics, answers: [.later()], isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.yes, clock: clock)
    monitor.recordRecovery(from: storeError(), succeeded: true)
    await sink.batches(atLeast: 1)
    monitor.consent = Self.no
    sink.release()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.count == 1 && sink.recoveries.count == 1)
  }

  @Test func `what was learned of a report later is not handed over either`() async {
    let sink = MemorySink("analytics", purpose: .analytics, isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink], consent: Self.yes)
    let error = storeError()
    monitor.capture(error)
    await sink.batches(atLeast: 1)
    monitor.recordPresentation(.init(style: "alert"), of: error)
    monitor.recordRecovery(from: error, succeeded: true)
    monitor.consent = Self.no
    monitor.recordPresentation(.init(style: "toast"), of: error)
    sink.release()
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.count == 1 && sink.recoveries.isEmpty && sink.updates.isEmpty)
  }

  /// A sink that keeps what it is handed, and notes in which order it is asked what.
  private final class Shelf: ReportSink {
    let name: String
    let purpose: ErrorReport.Purpose
    private let calls = Locked<[String]>([])
    private let gate = MemorySink(isStalled: true)

    init(_ name: String, _ purpose: ErrorReport.Purpose, isStalled: Bool = false) {
      (self.name, self.purpose) = (name, purpose)
      if !isStalled { gate.release() }
    }

    var all: [String] { calls.withLock { $0 } }

    func begun() async { await gate.batches(atLeast: 1) }

    func release() { gate.release() }

    func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      calls.withLock { $0.append("begin") }
      _ = await gate.send(batch)
      calls.withLock { $0.append("end") }
      return .accepted
    }

    func withdraw() async {
      calls.withLock { $0.append("withdraw") }
      await Task.yield()
      calls.withLock { $0.append("withdrawn") }
    }
  }

  @Test func `a sink drops what it keeps between two batches`() async {
    let shelf = Shelf("shelf", .analytics, isStalled: true)
    let monitor = ErrorMonitor(sinks: [shelf], consent: Self.yes)
    monitor.capture(storeError())
    await shelf.begun()
    monitor.consent = Self.no
    monitor.consent = Self.yes
    monitor.capture(storeError(1))
    shelf.release()
    #expect(await monitor.flush(within: .patience))
    #expect(shelf.all == ["begin", "end", "withdraw", "withdrawn", "begin", "end"])
    monitor.consent = Self.no
    await monitor.flush(within: .patience)
    #expect(shelf.all.suffix(2) == ["withdraw", "withdrawn"], "also where nothing is on its way")
  }

  @Test func `only what is no longer agreed to is dropped`() async {
    let sinks = ErrorReport.Purpose.allCases.map { Shelf($0.rawValue, $0) }
    let asked = { sinks.filter { $0.all.contains("withdraw") }.map(\.purpose) }
    let monitor = ErrorMonitor(sinks: sinks, consent: Self.yes)
    await monitor.flush(within: .patience)
    #expect(asked().isEmpty)
    monitor.consent = .init(analytics: false, crashes: true)
    await monitor.flush(within: .patience)
    #expect(asked() == [.analytics])
    monitor.consent = Self.no
    await monitor.flush(within: .patience)
    #expect(asked() == [.analytics, .crashes])
    let other = Shelf("later", .analytics)
    await ErrorMonitor(sinks: [other]).flush(within: .patience)
    #expect(other.all == ["withdraw", "withdrawn"], "an earlier process may have had it")
  }

  @Test func `of many who set it at once, the last one has the last word everywhere`() async {
    for _ in 0..<100 {
      let sink = MemorySink("analytics", purpose: .analytics)
      let monitor = ErrorMonitor(sinks: [sink], consent: Self.yes)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask { monitor.consent = number.isMultiple(of: 2) ? Self.yes : Self.no }
        }
      }
      monitor.capture(storeError())
      #expect(await monitor.flush(within: .patience))
      #expect(sink.reports.count == (monitor.consent.analytics ? 1 : 0))
    }
  }
}
