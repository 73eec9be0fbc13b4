// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayTesting
import Metrics
import TestSupport
import Testing
import Tracing

@Suite struct SinkTests {
  private struct Unknown: Error {}

  private func logger(_ log: Log, level: Logger.Level = .trace) -> Logger {
    var logger = log.logger { "\($0.level) \($0.message)\($0.pairs())" }
    logger.logLevel = level
    return logger
  }

  private let batch = ErrorReport.Batch(
    reports: [SampleReports.full],
    recoveries: [
      SampleReports.recovery(succeeded: true), SampleReports.recovery(succeeded: false),
    ])

  @Test(.requirement("A35", "A37", "A46", "B21", "B38", "D19", "D35", "T21"))
  func `the log has code, operation, time, text and values, and the message no text`() async {
    let log = Log()
    #expect(await ErrorReport.LogSink(logger(log)).send(batch) == .accepted)
    let lines = log.lines
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("error Save item failed: inventory.save-failed "))
    for part in [
      "error.code=inventory.save-failed", "error.kind=timeout", "error.disposition=transient",
      "exception.type=Inventory.SaveError", "fingerprint=1-2c26b46b68ffc68ff99b453c1d304134",
      "report=6f1c52b0-6d0e-4a37-9b0e-0d5c1e0f4a11", "time=2026-11-22T03:25:47.123Z",
      "operation=Save item", "category=storage", "metadata.attempt=3", "suppressed=17",
      "text=The item could not be saved.", "suggestion=Try again in a moment.",
      "site=Inventory/Store.swift:42 save(_:)",
    ] {
      #expect(lines[0].contains(part))
    }
    #expect(lines[1].hasPrefix("info Save item recovered: inventory.save-failed "))
    #expect(lines[1].contains("succeeded=true"))
    #expect(lines[2].hasPrefix("warning Save item did not recover: inventory.save-failed "))
  }

  @Test(.requirement("A37", "A49")) func `the log says what a person saw and chose`() async {
    let log = Log()
    let sink = ErrorReport.LogSink(logger(log))
    #expect(await sink.send(.init(reports: [], updates: [SampleReports.full])) == .accepted)
    #expect(await sink.send(.init(reports: [], updates: [SampleReports.least])) == .accepted)
    #expect(log.lines.count == 1)
    #expect(log.lines[0].hasPrefix("info Save item was shown: inventory.save-failed "))
    for part in [
      "presentation.style=alert", "presentation.title=save.failed", "presentation.action=retry",
      "report=6f1c52b0-6d0e-4a37-9b0e-0d5c1e0f4a11", "time=2026-11-22T03:25:48.000Z",
    ] { #expect(log.lines[0].contains(part)) }
  }

  @Test(.requirement("B21")) func `the error itself goes by swift-log's own parameter`() async {
    struct ErrorLog: LogHandler {
      let log: Log
      var logLevel = Logger.Level.trace
      var metadata: Logger.Metadata = [:]
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
      }
      func log(event: LogEvent) { log.add(event.error.map { "\($0)" } ?? "none") }
    }
    let log = Log()
    let logger = Logger(label: "test", factory: { _ in ErrorLog(log: log) })
    _ = await ErrorReport.LogSink(logger).send(.init(reports: [SampleReports.full]))
    #expect(
      log.lines == ["Inventory.SaveError [inventory.save-failed] the catalog did not answer"])
  }

  @Test(.requirement("B21"))
  func `the log names the place and the trace of the error, not its own`()
    async
  {
    let log = Log()
    let logger = log.logger {
      "\($0.source) \($0.file) \($0.function) \($0.line) \($0.pairs().contains(" trace_id=0af7"))"
        + " \($0.pairs().contains(" span_id=b7ad")) \($0.pairs().contains("metadata.trace_id"))"
    }
    let monitor = ErrorMonitor(
      sinks: [ErrorReport.LogSink(logger)], enrich: { _ in Trace.identifiers })
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await withTracer(RecordingTracer(traceparent: traceparent)) {
      try? await Trace("call").run { _ = monitor.capture(Unknown(), fileID: "Shop/Cart.swift") }
    }
    let error = AppError.timeout(fileID: "Shop/Till.swift", function: "pay()", line: 7)
    monitor.capture(error)
    #expect(await monitor.flush(within: .patience))
    monitor.recordPresentation(.init(style: "alert"), of: error)
    #expect(await monitor.flush(within: .patience))
    #expect(log.lines.count == 3)
    #expect(
      log.lines[0].hasPrefix("Shop Shop/Cart.swift ") && log.lines[0].hasSuffix("true true false"))
    #expect(log.lines[1] == "Shop Shop/Till.swift pay() 7 false false false")
    #expect(log.lines[2] == log.lines[1])
  }

  @Test func `a library's sink stays at info, and a mild report is not written by a strict logger`()
    async
  {
    let log = Log()
    let critical = ErrorReport.Batch(reports: [SampleReports.hostile])
    _ = await ErrorReport.LogSink(logger(log), maximumLevel: .info).send(critical)
    #expect(log.lines.count == 1)
    #expect(log.lines[0].hasPrefix("info "))
    _ = await ErrorReport.LogSink(logger(log, level: .warning), maximumLevel: .info).send(critical)
    #expect(log.lines.count == 1)
  }

  @Test(.requirement("A36", "A37")) func `counts errors with those that were suppressed`() async {
    let factory = RecordingMetrics()
    let sink = ErrorReport.MetricsSink(factory: factory)
    #expect(await sink.send(batch) == .accepted)
    #expect(
      factory.log.lines == [
        "mainstay.errors{error.type=inventory.save-failed} +18",
        "mainstay.recoveries{error.type=inventory.save-failed,outcome=succeeded} +1",
        "mainstay.recoveries{error.type=inventory.save-failed,outcome=failed} +1",
      ])
  }

  @Test(.requirement("A36", "A37")) func `a burst is counted in the calls that capture it, once`()
    async
  {
    let factory = RecordingMetrics()
    let sink = ErrorReport.MetricsSink(factory: factory, maximumCodes: 1)
    let monitor = ErrorMonitor(.init(queue: 1), sinks: [sink])
    for number in 0..<1_000 { monitor.capture(storeError(number % 10)) }
    for _ in 0..<100 { monitor.recordRecovery(from: storeError(), succeeded: true) }
    func sum(of metric: String) -> Int {
      factory.log.lines.filter { $0.hasPrefix(metric + "{") }
        .compactMap { $0.split(separator: "+").last.flatMap { Int($0) } }.reduce(0, +)
    }
    let metrics = ["mainstay.errors", "mainstay.recoveries"]
    #expect(metrics.map { sum(of: $0) } == [1_000, 100], "whatever waits for the sink")
    await monitor.shutDown(within: .patience)
    #expect(metrics.map { sum(of: $0) } == [1_000, 100])
    #expect(monitor.ledger.captured == 1_000 && monitor.ledger.isBalanced)
  }

  @Test(arguments: [
    ("9223372036854775807", 2_147_483_647), ("-5", 0), ("0", 0), ("7", 7),
  ])
  func `a count from a file is bounded, and adding to it never traps`(
    _ written: String, _ count: Int
  ) async {
    let time = #""2026-11-22T03:20:00.000Z""#
    let report = SampleReports.with(
      #""suppressed":{"count":\#(written),"first":\#(time),"last":\#(time)}"#)
    #expect(report.suppressed?.count == count)
    let factory = RecordingMetrics()
    _ = await ErrorReport.MetricsSink(factory: factory).send(.init(reports: [report]))
    #expect(factory.log.lines == ["mainstay.errors{error.type=unknown} +\(count + 1)"])
  }

  @Test func `codes beyond the first ones are counted together`() async {
    let factory = RecordingMetrics()
    let sink = ErrorReport.MetricsSink(factory: factory, maximumCodes: 2)
    let recoveries = (0..<50).map { SampleReports.recovery(succeeded: true, code: "code.\($0)") }
    for _ in 0..<2 { _ = await sink.send(.init(reports: [], recoveries: recoveries)) }
    #expect(factory.made.lines.count == 3)
    #expect(factory.log.lines.count { $0.contains("error.type=_OTHER,") } == 96)
  }

  @Test(.requirement("D35"))
  func `a report is noted on the span of its call, once, and dealt with it is no error`() async {
    let tracer = RecordingTracer()
    let monitor = ErrorMonitor(sinks: [ErrorReport.SpanSink()])
    await withTracer(tracer) {
      try? await Trace("call").run {
        monitor.capture(Unknown(), during: "Save item")
        monitor.capture(CancellationError())
      }
    }
    await monitor.flush(within: .patience)
    let lines = tracer.log.lines
    #expect(
      lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "call began", "call event", "call ended",
      ])
    #expect(lines[1].contains("mainstay.errorReported"))
    #expect(lines[1].contains("exception.type=MainstayTests.SinkTests.Unknown"))
    #expect(lines[1].contains("mainstay.operation=Save item"))
    #expect(monitor.ledger.sent(to: "spans") == 1)
  }

  @Test func `an error that nobody deals with makes the span one, and is recorded once`() async {
    let tracer = RecordingTracer()
    let monitor = ErrorMonitor(sinks: [ErrorReport.SpanSink()])
    await withTracer(tracer) {
      try? await Trace("call").run {
        monitor.capture(Unknown(), isHandled: false)
        throw Unknown()
      }
    }
    #expect(tracer.log.lines.contains("call status error"))
    #expect(tracer.log.lines.count { $0.hasPrefix("call error") } == 1)
  }

  @Test func `an error that nobody deals with makes the span one, also beyond the limit`() async {
    let tracer = RecordingTracer()
    let monitor = ErrorMonitor(.init(limit: .init(count: 1)), sinks: [ErrorReport.SpanSink()])
    await withTracer(tracer) {
      for isHandled in [false, false, true] {
        // Nothing is thrown, so that the span knows of it by the sink alone.
        try? await Trace("call").run {
          _ = monitor.capture(storeError(), isHandled: isHandled)
        }
      }
    }
    let lines = tracer.log.lines
    #expect(lines.count { $0 == "call status error" } == 2)
    #expect(lines.count { $0.hasPrefix("call event") } == 1)
  }

  @Test func `a report knows the trace that it was captured in, where the tracer tells`() async {
    let tracer = RecordingTracer(
      traceparent: "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01")
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink], enrich: { _ in Trace.identifiers })
    await withTracer(tracer) {
      try? await Trace("call").run { _ = monitor.capture(Unknown()) }
    }
    monitor.capture(AppError.http(status: 500, isRepeatable: true))
    await monitor.flush(within: .patience)
    #expect(
      sink.reports.map(\.metadata["trace_id"]) == ["0af7651916cd43dd8448eb211c80319c", nil])
    let body = ErrorReport.Encoding.otlp.body(of: sink.reports[0])
    #expect(String(decoding: body, as: UTF8.self).contains(#""spanId":"b7ad6b7169203331""#))
  }

  @Test(arguments: [
    "", "00", "00-1-2-3", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    String(repeating: "-", count: 1_000_000),
  ])
  func `a tracer that tells nonsense tells nothing`(traceparent: String) async {
    let found = await withTracer(RecordingTracer(traceparent: traceparent)) {
      try? await Trace("call").run { Trace.identifiers }
    }
    #expect(found?.isEmpty == true)
  }
}
