// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct MonitorSinkTests {
  @Test(.requirement("C22", "C23"))
  func `logs get all, analytics what was agreed to, the crash service what is critical`() async {
    let sinks = ErrorReport.Purpose.allCases.map { MemorySink($0.rawValue, purpose: $0) }
    let monitor = ErrorMonitor(sinks: sinks)
    let counts = { sinks.map { $0.reports.count } }
    monitor.capture(storeError())
    await monitor.flush(within: .patience)
    #expect(counts() == [1, 0, 0])
    monitor.capture(storeError(severity: .critical))
    monitor.capture(ShopError.closed, isHandled: false)
    monitor.capture(ShopError.closed)
    await monitor.flush(within: .patience)
    #expect(counts() == [4, 0, 2])
    monitor.consent = .init(analytics: true, crashes: false)
    monitor.capture(storeError(severity: .critical))
    await monitor.flush(within: .patience)
    #expect(counts() == [5, 1, 2])
    #expect(monitor.ledger.dropped(for: "analytics") == [.withheld: 4])
    #expect(sinks.allSatisfy { monitor.balances($0) })
  }

  @Test(.requirement("C23")) func `critical is what is said so, and two kinds more`() {
    let monitor = ErrorMonitor()
    let damaged = AppError(
      code: "data.damaged", kind: .corrupted, disposition: .permanent, title: "Damaged",
      message: "It cannot be read.")
    for (error, isHandled) in [
      (storeError(), true), (storeError(severity: .critical), true), (damaged, true),
      (ShopError.closed, true), (ShopError.closed, false), (storeError(), false),
    ] as [(any Error, Bool)] { monitor.capture(error, isHandled: isHandled) }
    let critical = monitor.history.reversed().map(\.isCritical)
    #expect(critical == [false, true, true, false, true, false])
  }

  @Test(.requirement("C22")) func `what waits is dropped once consent is withdrawn`() async {
    let sink = MemorySink("analytics", purpose: .analytics, isStalled: true)
    let monitor = ErrorMonitor(.init(batch: 1), sinks: [sink], consent: .init(analytics: true))
    for number in 0..<5 { monitor.capture(storeError(number)) }
    await sink.batches(atLeast: 1)
    monitor.consent = .init(analytics: false)
    sink.release()
    await monitor.flush(within: .patience)
    #expect(sink.reports.count == 1)
    #expect(monitor.ledger.dropped(for: "analytics") == [.withheld: 4])
    #expect(monitor.balances(sink))
  }

  @Test func `a stalled sink holds up nobody, and the worst wait longest`() async {
    let (stalled, well) = (MemorySink("stalled", isStalled: true), MemorySink("well"))
    let monitor = ErrorMonitor(.init(limit: nil, queue: 10, batch: 5), sinks: [stalled, well])
    monitor.capture(storeError())
    await stalled.batches(atLeast: 1)
    for number in 0..<200 {
      monitor.capture(storeError(number), severity: number == 3 ? .critical : .warning)
    }
    let before = monitor.ledger
    #expect(before.stored(for: "stalled") == 11 && monitor.waiting(for: "stalled") == 11)
    #expect(before.dropped(for: "stalled") == [.overflow: 190])
    stalled.release()
    #expect(await monitor.flush(within: .patience))
    #expect(stalled.reports.map(\.severity).contains(.critical))
    #expect(monitor.ledger.sent(to: "stalled") == 11)
    #expect(monitor.balances(stalled) && monitor.balances(well))
  }

  @Test(.requirement("B42"))
  func `ten times more than stalled sinks can hold stays bounded and balances`() async {
    let sinks = ["a", "b", "c"].map { MemorySink($0, isStalled: true) }
    let room = 10 * RandomDose.cases
    let monitor = ErrorMonitor(
      .init(groups: 50, limit: nil, queue: room, batch: 10), sinks: sinks)
    // Each task has errors of its own, a tenth of them critical.
    let each = 10 * room / 8
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<each {
            monitor.capture(
              storeError(task * each + number), severity: number % 10 == 0 ? .critical : .error)
          }
        }
      }
    }
    let ledger = monitor.ledger
    #expect(ledger.captured == 8 * each && ledger.isBalanced)
    #expect(monitor.groups.count <= 50 && monitor.history.count <= 100)
    for sink in sinks {
      // What waits, and the batch that is stuck in the sink.
      #expect(monitor.waiting(for: sink.name) <= room + 10)
      #expect(ledger.dropped(for: sink.name).keys.allSatisfy { $0 == .overflow })
    }
    for sink in sinks { sink.release() }
    #expect(await monitor.flush(within: .seconds(600)))
    for sink in sinks {
      #expect(monitor.balances(sink) && monitor.ledger.stored(for: sink.name) == 0)
      // The worst were kept, and the mild ones made room.
      #expect(sink.reports.dropFirst(10).count { $0.severity == .critical } >= room / 2)
    }
  }

  @Test(.requirement("B42")) func `a sink is told once what was lost on the way to it`() async {
    let clock = ManualClock()
    let sink = MemorySink(answers: [.accepted, .later()], isStalled: true)
    let monitor = ErrorMonitor(.init(queue: 2, batch: 1), sinks: [sink], clock: clock)
    monitor.capture(storeError())
    await sink.batches(atLeast: 1)
    for number in 1...5 { monitor.capture(storeError(number)) }
    sink.release()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.map(\.losses) == [[:], [.overflow: 3], [.overflow: 3], [:]])
  }

  @Test func `what a sink puts off it is handed again after the pause`() async {
    let clock = ManualClock()
    let sink = MemorySink(answers: [.later(after: .seconds(30)), .later(), .rejected(.init("bad"))])
    let monitor = ErrorMonitor(sinks: [sink], clock: clock)
    monitor.capture(storeError())
    await clock.sleepers(atLeast: 1)
    #expect(monitor.ledger.stored(for: "memory") == 1)
    clock.advance(by: .seconds(30))
    await sink.batches(atLeast: 2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await sink.batches(atLeast: 3)
    await monitor.flush(within: .patience)
    #expect(sink.reports.map(\.id) == Array(repeating: sink.reports[0].id, count: 3))
    #expect(monitor.ledger.dropped(for: "memory") == [.init("bad"): 1])
  }

  @Test func `errors of a sink about its own sending are counted, not sent`() async {
    final class Slot: ReportSink {
      let name = "complaining"
      let purpose = ErrorReport.Purpose.log
      let monitor = Locked<ErrorMonitor?>(nil)

      func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
        let monitor = monitor.withLock { $0 }
        for _ in batch.reports { monitor?.capture(URLError(.notConnectedToInternet)) }
        return .accepted
      }
    }
    let sink = Slot()
    let monitor = ErrorMonitor(sinks: [sink])
    sink.monitor.withLock { $0 = monitor }
    for number in 0..<3 { monitor.capture(storeError(number)) }
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.ledger.captured == 6 && monitor.ledger.dropped == [.ownFailure: 3])
    #expect(monitor.history.count == 3)
    sink.monitor.withLock { $0 = nil }
  }

  @Test func `a task that a sink began and that outlives its sending reports like any other`() async
  {
    final class Session: ReportSink {
      let name = "session"
      let purpose = ErrorReport.Purpose.log
      let monitor = Locked<ErrorMonitor?>(nil)
      let refresh = Locked<Task<Void, Never>?>(nil)
      let isDue = Countdown(1)

      func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
        guard refresh.withLock({ $0 == nil }) else { return .accepted }
        let task = Task {
          await isDue.passed()
          let monitor = monitor.withLock { $0 }
          monitor?.capture(storeError(1))
          monitor?.recordRecovery(from: storeError(1), succeeded: true)
        }
        refresh.withLock { $0 = task }
        return .accepted
      }
    }
    let sink = Session()
    let monitor = ErrorMonitor(sinks: [sink])
    sink.monitor.withLock { $0 = monitor }
    monitor.capture(storeError())
    #expect(await monitor.flush(within: .patience))
    sink.isDue.count()
    await sink.refresh.withLock { $0 }?.value
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.history.map(\.code) == ["store.failed-1", "store.failed-0"])
    #expect(monitor.ledger.dropped.isEmpty && monitor.ledger.sent(to: "session") == 2)
    #expect(monitor.recoveryRate(of: "store.failed-1") == 1)
    sink.monitor.withLock { $0 = nil }
  }

  @Test func `flushing ends in time where a sink is stalled, and with its caller`() async {
    let (clock, sink) = (ManualClock(), MemorySink(isStalled: true))
    let monitor = ErrorMonitor(sinks: [sink], clock: clock)
    #expect(await monitor.flush(within: .patience), "nothing to do")
    monitor.capture(storeError())
    let flush = Task { await monitor.flush(within: .seconds(3)) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    #expect(await flush.value == false)
    let cancelled = Task { await monitor.flush(within: .seconds(3)) }
    cancelled.cancel()
    #expect(await cancelled.value == false)
    sink.release()
    #expect(await monitor.flush(within: .patience))
  }

  @Test func `after shutting down nothing is kept, and all of it is counted`() async {
    let (clock, sink) = (ManualClock(), MemorySink(isStalled: true))
    let monitor = ErrorMonitor(.init(batch: 1), sinks: [sink], clock: clock)
    for number in 0..<3 { monitor.capture(storeError(number)) }
    await sink.batches(atLeast: 1)
    let end = Task { await monitor.shutDown(within: .seconds(1)) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await end.value
    #expect(monitor.capture(storeError(4)) == nil)
    sink.release()
    await monitor.flush(within: .patience)
    let ledger = monitor.ledger
    #expect(ledger.captured == 4 && ledger.sent(to: "memory") == 1)
    #expect(ledger.dropped(for: "memory") == [.shutDown: 3] && monitor.balances(sink))
    await monitor.shutDown()
  }

  @Test(.requirement("B42")) func `a sink that keeps reports tells what became of them`() async {
    final class Shelf: ReportSink {
      let name = "shelf"
      let purpose = ErrorReport.Purpose.log
      let state = Locked(ErrorMonitor.Ledger.Books(inherited: 4))

      func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome { .accepted }
      var books: ErrorMonitor.Ledger.Books? { state.withLock { $0 } }
    }
    var old = ErrorMonitor.Ledger()
    let before = ErrorMonitor(sinks: [MemorySink("shelf", isStalled: true)])
    for number in 0..<6 { before.capture(storeError(number)) }
    old = before.ledger
    let shelf = Shelf()
    let monitor = ErrorMonitor(sinks: [shelf], ledger: old)
    #expect(monitor.ledger.stored(for: "shelf") == 4)
    #expect(monitor.ledger.dropped(for: "shelf") == [.lost: 2])
    monitor.capture(storeError())
    await monitor.flush(within: .patience)
    #expect(monitor.ledger.stored(for: "shelf") == 5 && monitor.ledger.captured == 7)
    shelf.state.withLock { books in
      books.delivery.sent = 3
      books.delivery.dropped[.init("expired")] = 1
    }
    let ledger = monitor.ledger
    #expect(ledger.sent(to: "shelf") == 3 && ledger.stored(for: "shelf") == 1)
    #expect(ledger.dropped(for: "shelf") == [.lost: 2, .init("expired"): 1])
    #expect(ledger.isBalanced && ledger.captured == 3 + 1 + 2 + 1)
  }

  @Test func `eight tasks, a reader and a sink that changes its mind: the ledger balances`() async {
    let answers: [ErrorReport.SendOutcome] = [.accepted, .rejected(), .accepted, .rejected()]
    let sinks = [MemorySink("a", answers: answers), MemorySink("b", isStalled: true)]
    let monitor = ErrorMonitor(.init(groups: 800, queue: 20, batch: 3), sinks: sinks)
    let each = 50 * RandomDose.cases
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<each {
            let error = storeError((number &* 31 &+ task) % 100)
            monitor.capture(error, during: "Save")
            if number % 5 == 0 { monitor.capture(error) }
            if number % 50 == 0 {
              monitor.addBreadcrumb("step")
              monitor.recordPresentation(.init(style: "toast"), of: error)
              monitor.recordRecovery(from: error, succeeded: number % 100 == 0)
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<100 {
          #expect(monitor.ledger.isBalanced)
          _ = (monitor.groups.count, monitor.history.count, monitor.trend(per: .minute))
        }
      }
    }
    #expect(monitor.ledger.captured == 8 * (each + each / 5))
    // The same failure counts once, but for a task that was held up between its two captures while
    // so many others passed that the first one was forgotten.
    let (ledger, count) = (monitor.ledger, monitor.groups.reduce(0) { $0 + $1.count })
    #expect(count == ledger.captured - (ledger.dropped[.duplicate] ?? 0) && count >= 8 * each)
    #expect(monitor.groups.count == 100)
    sinks[1].release()
    #expect(await monitor.flush(within: .seconds(600)))
    let taken = zip(sinks[0].batches.indices, sinks[0].batches)
      .filter { index, _ in ![1, 3].contains(index) }
    #expect(monitor.balances(sinks[0], accepted: taken.reduce(0) { $0 + $1.1.reports.count }))
    #expect(monitor.balances(sinks[1]))
    #expect(monitor.ledger.stored(for: "b") == 0)
  }
}
