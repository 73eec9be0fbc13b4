// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A ledger that goes on after a restart by itself.
@Suite(.requirement("B42", "A54"), .ends(withinMinutes: 5)) struct MonitorLedgerFileTests {
  private let folder: ReportFolder
  private let refusals = Refusals()

  init() throws { folder = try ReportFolder() }

  private var file: URL { folder.url.appending(path: "errors.ledger") }

  private func monitor(
    _ sinks: [any ReportSink], at file: URL? = nil, probe: StoreProbe? = nil,
    clock: ManualClock = ManualClock()
  ) -> ErrorMonitor {
    ErrorMonitor(
      .init(limit: .init(count: 2)), sinks: sinks, consent: .init(analytics: true),
      ledgerFile: file ?? self.file, probe: probe ?? refusals.probe(), clock: clock)
  }

  /// What a process would read that begins now.
  private func read() throws -> ErrorMonitor.Ledger {
    let copy = folder.url.appending(path: "\(UUID().uuidString).ledger")
    try FileManager.default.copyItem(at: file, to: copy)
    return monitor([], at: copy).ledger
  }

  @Test func `after it was shut down all goes on as it was`() async {
    for run in 1...3 {
      let monitor = monitor([MemorySink()])
      #expect(monitor.ledger.captured == 8 * (run - 1))
      for number in 0..<8 { monitor.capture(storeError(number % 2)) }
      await monitor.shutDown(within: .patience)
      let ledger = monitor.ledger
      // Two of each group, and one that closes it.
      #expect(ledger.captured == 8 * run && ledger.sent(to: "memory") == 6 * run)
      #expect(ledger.dropped == [.suppressed: 2 * run] && ledger.isBalanced)
      #expect(ledger.interruptions == 0 && ledger.stored(for: "memory") == 0)
    }
  }

  /// A sink that makes its reasons of what it was handed.
  private struct WordySink: ReportSink {
    let name = "wordy"
    let purpose = ErrorReport.Purpose.log

    func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      .rejected(.init("no place for \(batch.reports.first?.id.uuidString ?? "none")"))
    }
  }

  @Test func `a sink with other words for each rejection ends no ledger`() async throws {
    for run in 1...2 {
      let monitor = ErrorMonitor(
        .init(queue: 1_000, batch: 1), sinks: [WordySink()], ledgerFile: file)
      for number in 0..<1_000 { monitor.capture(storeError(number)) }
      #expect(await monitor.flush(within: .patience))
      let dropped = monitor.ledger.sinks["wordy"]?.dropped ?? [:]
      #expect(dropped.count == 17 && dropped.values.reduce(0, +) == 1_000 * run)
      #expect(dropped[.init("other")] == 1_000 * run - 16)
      await monitor.shutDown(within: .patience)
    }
    let ledger = try read()
    #expect(ledger.captured == 2_000 && ledger.interruptions == 0 && ledger.isBalanced)
  }

  @Test func `a last word that the disk refuses is told, and tried again`() async throws {
    let first = monitor([MemorySink()])
    first.capture(storeError())
    #expect(await first.flush(within: .patience))
    refusals.refuse(.write, "errors.ledger", with: EIO)
    first.capture(storeError(1))
    await first.shutDown(within: .patience)
    #expect(await first.flush(within: .patience) == false)
    refusals.end()
    await first.shutDown(within: .patience)
    #expect(await first.flush(within: .patience))
    let ledger = try read()
    #expect(ledger.interruptions == 0 && ledger.captured == 2 && ledger.isBalanced)
    #expect(ledger.sent(to: "memory") == 2)
  }

  @Test func `a run that was not shut down is counted, and what it flushed goes on`() async {
    for run in 1...3 {
      let clock = ManualClock()
      let monitor = monitor([MemorySink()], clock: clock)
      #expect(monitor.ledger.interruptions == run - 1 && monitor.ledger.captured == 5 * (run - 1))
      for number in 0..<5 { monitor.capture(storeError(number)) }
      #expect(await monitor.flush(within: .patience))
      // From now on it writes no more, as if it had been killed.
      await clock.sleepers(atLeast: 1)
    }
    let ledger = monitor([MemorySink()]).ledger
    #expect(ledger.sent(to: "memory") == 15 && ledger.interruptions == 3 && ledger.isBalanced)
  }

  @Test func `what waited in memory is unaccounted for after a kill, and lost after an end`()
    async
  {
    let (stalled, clock) = (MemorySink(isStalled: true), ManualClock())
    let killed = monitor([stalled], clock: clock)
    for number in 0..<3 { killed.capture(storeError(number)) }
    #expect(await killed.flush(within: .zero) == false)
    await clock.sleepers(atLeast: 1)
    stalled.release()
    let second = MemorySink(isStalled: true)
    let next = monitor([second])
    #expect(next.ledger.dropped(for: "memory") == [.unaccounted: 3])
    #expect(next.ledger.captured == 3 && next.ledger.isBalanced)
    next.capture(storeError(3))
    await second.batches(atLeast: 1)
    await next.shutDown(within: .zero)
    second.release()
    let last = monitor([MemorySink()]).ledger
    #expect(last.dropped(for: "memory") == [.unaccounted: 3, .lost: 1] && last.captured == 4)
    #expect(last.interruptions == 1)
  }

  @Test func `it is written in the background, at once and then not within a second`() async throws
  {
    let clock = ManualClock()
    let monitor = monitor([MemorySink()], clock: clock)
    monitor.capture(storeError())
    while try read().captured < 1, !Task.isCancelled { await Task.yield() }
    await clock.sleepers(atLeast: 1)
    for number in 1..<50 { monitor.capture(storeError(number)) }
    let early = try read().captured
    clock.advance(by: .seconds(1))
    while try read().captured < 50, !Task.isCancelled { await Task.yield() }
    #expect(early < 50)
    // When nothing changes nothing is written, and nobody waits.
    while try read().sent(to: "memory") < 50 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    while clock.sleeperCount > 0 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(monitor.ledger.captured == 50)
  }

  @Test func `nobody who captures waits for it`() async {
    let gate = DiskGate()
    let monitor = monitor(
      [MemorySink()], probe: StoreProbe(reached: { gate.reached($0 == .ledgerHalfWritten) }))
    gate.close()
    monitor.capture(storeError())
    await gate.arrived()
    for number in 1..<100 { monitor.capture(storeError(number)) }
    #expect(monitor.ledger.captured == 100)
    gate.open()
    #expect(await monitor.flush(within: .patience))
  }

  @Test func `what a store did after the file was written is known all the same`() async throws {
    func store(_ service: ScriptedService) -> ReportStore {
      ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: service, backoff: .none)
    }
    let (first, copy) = (store(.init()), folder.url.appending(path: "earlier.ledger"))
    let sink = await ErrorReport.StoreSink(first, as: .otlp, name: "otlp")
    let killed = monitor([sink])
    for number in 0..<5 { killed.capture(storeError(number)) }
    #expect(await killed.flush(within: .patience))
    try FileManager.default.copyItem(at: file, to: copy)
    // Now the five are sent, two more are kept, and the process is killed before it writes.
    #expect(await first.drain() == .finished)
    for number in 5..<7 { killed.capture(storeError(number)) }
    #expect(await killed.flush(within: .patience))
    await first.shutDown()
    let second = store(.init([ReportStore.Reply(status: 400)]))
    let next = monitor([await ErrorReport.StoreSink(second, as: .otlp, name: "otlp")], at: copy)
    var ledger = next.ledger
    #expect(ledger.captured == 7 && ledger.sent(to: "otlp") == 5 && ledger.isBalanced)
    #expect(ledger.stored(for: "otlp") == 2 && ledger.dropped(for: "otlp").isEmpty)
    #expect(await second.drain() == .finished)
    await next.shutDown(within: .patience)
    await second.shutDown()
    let third = store(.init())
    let last = monitor([await ErrorReport.StoreSink(third, as: .otlp, name: "otlp")], at: copy)
    ledger = last.ledger
    #expect(ledger.captured == 7 && ledger.sent(to: "otlp") == 6 && ledger.isBalanced)
    #expect(ledger.dropped(for: "otlp") == [.rejected: 1] && ledger.interruptions == 1)
  }

  @Test func `of two places one may be torn, and where both are it is begun anew`() async throws {
    let monitor = monitor([MemorySink()])
    for number in 0..<3 {
      monitor.capture(storeError(number))
      #expect(await monitor.flush(within: .patience))
    }
    await monitor.shutDown(within: .patience)
    let whole = try Data(contentsOf: file)
    let half = whole.count / 2
    for place in [0, half] {
      var torn = whole
      torn[place + 40] ^= 1
      try torn.write(to: file)
      let ledger = try read()
      #expect((2...3).contains(ledger.captured) && ledger.isBalanced)
    }
    for bytes in [Data(), whole.prefix(30), Data(repeating: 7, count: whole.count), whole + [1]] {
      try bytes.write(to: file)
      let next = self.monitor([MemorySink()])
      #expect(next.ledger.interruptions == 1 && next.ledger.captured == 0)
      next.capture(storeError())
      await next.shutDown(within: .patience)
      #expect(try read().captured == 1)
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let blocked = self.monitor([MemorySink()])
    blocked.capture(storeError())
    #expect(await blocked.flush(within: .patience) == false)
  }

  @Test func `who flushes is told that it cannot be written, and it is tried again`() async throws {
    let monitor = monitor([MemorySink()])
    for call in [StoreProbe.Call.write, .force] {
      refusals.refuse(call, "errors.ledger", with: ENOSPC)
      let before = monitor.ledger.captured
      monitor.capture(storeError(before))
      #expect(await monitor.flush(within: .patience) == false)
      #expect(try read().captured >= before)
      refusals.end()
      #expect(await monitor.flush(within: .patience))
      #expect(try read() == monitor.ledger.interrupted)
    }
    // Somebody takes it away.
    try FileManager.default.removeItem(at: file)
    monitor.capture(storeError(9))
    #expect(await monitor.flush(within: .patience))
    #expect(try read().captured == 3)
  }

  @Test func `one that cannot be read now is left as it is`() async throws {
    let first = monitor([MemorySink()])
    first.capture(storeError())
    await first.shutDown(within: .patience)
    let bytes = try Data(contentsOf: file)
    refusals.refuse(.read, "errors.ledger", with: EACCES)
    let second = monitor([MemorySink()])
    second.capture(storeError(1))
    #expect(await second.flush(within: .patience) == false)
    await second.shutDown(within: .patience)
    #expect(try Data(contentsOf: file) == bytes)
    refusals.end()
    #expect(monitor([MemorySink()]).ledger.captured == 1)
  }

  @Test func `a ledger that is handed over counts where there is no file`() async {
    let first = monitor([MemorySink()])
    first.capture(storeError())
    #expect(await first.flush(within: .patience))
    #expect(first.ledger.captured == 1)
    let next = ErrorMonitor(
      sinks: [MemorySink()], ledger: first.ledger,
      ledgerFile: folder.url.appending(path: "new.ledger"))
    #expect(next.ledger == first.ledger)
    await next.shutDown(within: .patience)
    let last = ErrorMonitor(
      sinks: [MemorySink()], ledger: .init(), ledgerFile: folder.url.appending(path: "new.ledger"))
    #expect(last.ledger == first.ledger, "the file knows more")
  }
}

extension ErrorMonitor.Ledger {
  /// The same to a process that finds it after a kill.
  fileprivate var interrupted: Self {
    get throws {
      let data = try JSONEncoder().encode(self)
      var json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      json?["interruptions"] = interruptions + 1
      return try JSONDecoder().decode(
        Self.self, from: JSONSerialization.data(withJSONObject: json ?? [:]))
    }
  }
}
