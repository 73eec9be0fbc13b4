// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Errors of a process that ends at once.
@Suite(.requirement("B42", "A54"), .ends(withinMinutes: 5)) struct MonitorLastWordsTests {
  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private var log: URL { folder.url.appending(path: "errors.jsonl") }

  private var logged: [ErrorReport] {
    ErrorReport.Encoding.contents(ofJSON: (try? Data(contentsOf: log)) ?? Data()).reports
  }

  @Test(arguments: ["lastWords", "lastWordsNow"])
  func `what a process captures before it ends is in its store and its file`(
    scene: String
  ) async throws {
    let end = try await CrashChild.run([scene, folder.root])
    #expect(end.status == 7, "\(end)")
    #expect(folder.files.count == 1 && logged.count == 1, "\(end)")
    let id = try #require(logged.first?.id.uuidString.lowercased())
    #expect(folder.files.first?.contains(id) == true)
    #expect(logged.first?.isCritical == (scene == "lastWords"))
  }

  private func store() -> ReportStore {
    ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: ScriptedService())
  }

  @Test func `sinks for crashes have a critical report when it was captured, others need not`()
    async
  {
    let store = store()
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "store", purpose: .crashes)
    let monitor = ErrorMonitor(
      sinks: [sink, ErrorReport.FileSink(log, name: "file", purpose: .crashes)])
    for number in 1...20 {
      monitor.capture(storeError(number, severity: .critical))
      #expect(folder.files.count == number && logged.count == number)
    }
    #expect(monitor.ledger.sent(to: "file") == 20 && monitor.ledger.stored(for: "store") == 20)
    let other = await ErrorReport.StoreSink(
      store, as: .otlp, name: "store", purpose: .crashes, writesCriticalAtOnce: false)
    let file = ErrorReport.FileSink(log, writesCriticalAtOnce: true)
    #expect(!other.writesCriticalAtOnce && sink.writesCriticalAtOnce && file.writesCriticalAtOnce)
    let analytics = await ErrorReport.StoreSink(store, as: .otlp, name: "store")
    #expect(!analytics.writesCriticalAtOnce && !ErrorReport.FileSink(log).writesCriticalAtOnce)
  }

  @Test func `what is captured now is written before the call returns, whatever it is`() async {
    let sink = await ErrorReport.StoreSink(store(), as: .otlp, name: "store", purpose: .log)
    let memory = MemorySink(isStalled: true)
    let monitor = ErrorMonitor(sinks: [memory, sink, ErrorReport.FileSink(log)])
    for number in 1...15 {
      #expect(monitor.captureNow(storeError(number), during: "Close") != nil)
      #expect(folder.files.count == number && logged.count == number)
    }
    #expect(logged.allSatisfy { !$0.isHandled && $0.operation == "Close" })
    let again = storeError(16)
    #expect(monitor.captureNow(again) != nil && monitor.captureNow(again) == nil)
    #expect(monitor.captureNow(CancellationError()) == nil && logged.count == 16)
    memory.release()
    #expect(await monitor.flush(within: .patience))
    #expect(memory.reports.count == 16 && monitor.ledger.sent(to: "file") == 16)
    #expect(monitor.ledger.isBalanced && monitor.balances(memory))
  }

  @Test(arguments: ErrorReport.Purpose.allCases)
  func `what ends the process is on the disk, whatever the error says of itself`(
    purpose: ErrorReport.Purpose
  ) async {
    let sink = await ErrorReport.StoreSink(store(), as: .otlp, name: "store", purpose: purpose)
    let monitor = ErrorMonitor(
      sinks: [sink, ErrorReport.FileSink(log, purpose: purpose)], consent: .init(analytics: true))
    #expect(monitor.captureNow(storeError()) != nil)
    #expect(folder.files.count == 1 && logged.map(\.severity) == [.critical])
    // Whoever says how bad it is, or that somebody deals with it, is believed.
    monitor.captureNow(storeError(1), severity: .warning)
    monitor.captureNow(storeError(2), isHandled: true)
    let count = purpose == .crashes ? 1 : 3
    #expect(folder.files.count == count && logged.count == count)
    #expect(logged.dropFirst().allSatisfy { [.warning, .error].contains($0.severity) })
    #expect(monitor.ledger.isBalanced)
  }

  @Test(arguments: [storeError() as any Error, BrokenShop()])
  func `what was captured before is on the disk when it ends the process, and once`(
    error: any Error
  ) async {
    let memory = MemorySink()
    let monitor = ErrorMonitor(sinks: [ErrorReport.FileSink(log, purpose: .crashes), memory])
    let id = monitor.capture(error)
    #expect(id != nil && logged.isEmpty)
    #expect(monitor.captureNow(error, during: "Close") == id)
    #expect(logged.map(\.id) == [id] && logged.first?.operation == "Close")
    #expect(logged.first?.isHandled == false && logged.first?.severity == .critical)
    #expect(monitor.captureNow(error) == nil && monitor.capture(error) == nil)
    #expect(logged.count == 1 && monitor.memoryCounts["lastWords"] == 1)
    #expect(await monitor.flush(within: .patience))
    #expect(memory.reports.count == 2 && memory.reports.count(where: \.isHandled) == 1)
    #expect(monitor.ledger.dropped == [.duplicate: 2] && monitor.balances(memory))
    #expect(monitor.ledger.dropped(for: "file") == [.duplicate: 2, .withheld: 1])
  }

  @Test func `one more of a flood tells what was counted, now`() async {
    // On a slow disk the minute of the limit would pass.
    let monitor = ErrorMonitor(sinks: [ErrorReport.FileSink(log)], clock: ManualClock())
    for _ in 0..<25 { monitor.capture(storeError()) }
    #expect(await monitor.flush(within: .patience))
    #expect(logged.count == 10)
    monitor.captureNow(storeError())
    #expect(logged.count == 11 && logged.last?.suppressed?.count == 15)
    #expect(monitor.ledger.captured == 26 && monitor.ledger.sent(to: "file") == 11)
    #expect(monitor.ledger.dropped == [.suppressed: 15])
  }

  @Test func `a critical one is written whatever milder ones of its group have used up`() async {
    let memory = MemorySink()
    let monitor = ErrorMonitor(
      sinks: [ErrorReport.FileSink(log, purpose: .crashes), memory], clock: ManualClock())
    for _ in 0..<15 { monitor.capture(storeError()) }
    #expect(logged.isEmpty)
    for count in 1...12 {
      monitor.capture(storeError(severity: .critical))
      #expect(logged.count == min(count, 10) && logged.last?.severity == .critical)
    }
    let group = monitor.groups.first
    #expect(monitor.groups.count == 1 && group?.count == 27 && group?.suppressed?.count == 7)
    await monitor.shutDown(within: .patience)
    // Each part is told in its own words: five milder ones, and two that are critical.
    #expect(logged.count == 11 && logged.last?.suppressed?.count == 1)
    let closings = memory.reports.filter { $0.suppressed != nil }
    #expect(closings.count == 2 && Set(closings.map { $0.suppressed?.count }) == [4, 1])
    #expect(closings.allSatisfy { $0.isCritical == ($0.suppressed?.count == 1) })
    #expect(memory.reports.reduce(0) { $0 + 1 + ($1.suppressed?.count ?? 0) } == 27)
    #expect(monitor.ledger.dropped == [.suppressed: 5] && monitor.balances(memory))
  }

  @Test func `the last word is told in its own words, with the count of the others`() {
    let monitor = ErrorMonitor(
      sinks: [ErrorReport.FileSink(log, purpose: .crashes)], clock: ManualClock())
    for _ in 0..<25 { monitor.capture(storeError()) }
    for _ in 0..<12 { monitor.capture(storeError(severity: .critical)) }
    #expect(logged.count == 10)
    monitor.captureNow(storeError(severity: .critical), message: "m", during: "Close")
    let last = logged.last
    #expect(logged.count == 11 && last?.details == "m" && last?.operation == "Close")
    #expect(last?.isHandled == false && last?.suppressed?.count == 17)
    #expect(monitor.group(last?.fingerprint ?? Fingerprint(of: storeError()))?.suppressed == nil)
    #expect(monitor.ledger.dropped == [.suppressed: 17] && monitor.ledger.isBalanced)
  }

  @Test func `where it cannot be written at once it waits like the others`() async throws {
    let clock = ManualClock()
    let file = folder.url.appending(path: "later/errors.jsonl")
    let monitor = ErrorMonitor(
      sinks: [ErrorReport.FileSink(file, purpose: .crashes)], clock: clock)
    monitor.capture(storeError(severity: .critical))
    #expect(monitor.ledger.stored(for: "file") == 1)
    await clock.sleepers(atLeast: 1)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: false)
    clock.advance(by: .seconds(1))
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.ledger.sent(to: "file") == 1 && monitor.ledger.isBalanced)
    let written = ErrorReport.Encoding.contents(ofJSON: try Data(contentsOf: file))
    #expect(written.reports.count == 1)
    // Where consent is withdrawn before that, nothing is written.
    try FileManager.default.removeItem(at: file.deletingLastPathComponent())
    monitor.consent = .init(crashes: false)
    monitor.captureNow(storeError(1, severity: .critical))
    #expect(monitor.ledger.dropped(for: "file") == [.withheld: 1])
  }

  /// A clock that goes on while those who sleep by it sleep too long.
  private struct SleepyClock: Clock {
    let hands = ManualClock()
    let alarm = ManualClock()
    var now: ManualClock.Instant { hands.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try await alarm.sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test func `a flush waits for what is due, also where a critical one is written before it`()
    async throws
  {
    let clock = SleepyClock()
    let file = folder.url.appending(path: "later/errors.jsonl")
    let monitor = ErrorMonitor(
      sinks: [ErrorReport.FileSink(file, purpose: .crashes)], clock: clock)
    monitor.capture(storeError(severity: .critical))
    await clock.alarm.sleepers(atLeast: 1)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: false)
    // The pause is over, and its task has not woken up.
    clock.hands.advance(by: .seconds(1))
    let flush = await started { await monitor.flush(within: .patience) }
    await clock.alarm.sleepers(atLeast: 2)
    monitor.capture(storeError(1, severity: .critical))
    #expect(monitor.ledger.sent(to: "file") == 1 && monitor.ledger.stored(for: "file") == 1)
    clock.alarm.advance(by: .seconds(1))
    #expect(try await flush.value)
    #expect(monitor.ledger.sent(to: "file") == 2)
  }
}
