// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ErrorReportTests {
  private func report() throws -> ErrorReport {
    let monitor = ErrorMonitor(.init(takesStacks: true), facts: ["app.version": "1"])
    monitor.addBreadcrumb("step", category: "ui", metadata: ["page": "2"])
    let error = AppError.timeout(cause: NSError(domain: "D", code: 3))
      .adding(context: .init("Sync", site: SourceSite()))
    monitor.capture(
      error, message: "slow", during: "Save", category: "storage", metadata: ["service": "api"],
      severity: .critical, isHandled: false)
    monitor.recordPresentation(
      .init(style: "alert", action: "retry", time: Date(timeIntervalSince1970: 5)), of: error)
    monitor.recordRecovery(from: error, succeeded: true)
    return try #require(monitor.history.first)
  }

  @Test(.requirement("A36")) func `it survives JSON`() throws {
    let report = try report()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(report)
    let read = try JSONDecoder().decode(ErrorReport.self, from: data)
    #expect(read == report && read.version == 1 && read.stack.isEmpty == false)
    #expect(try encoder.encode(read) == data)
  }

  @Test func `what is missing, unknown or of another form is left out`() throws {
    let id = "6E9A8F0B-1111-4222-8333-123456789ABC"
    let group = "1-0123456789abcdef0123456789abcdef"
    let bare = try decode(
      ErrorReport.self, #"{"id": "\#(id)", "fingerprint": "\#(group)", "version": 9}"#)
    #expect(bare.code == "unknown" && bare.version == 9 && bare.time.timeIntervalSince1970 == 0)
    let odd = try decode(
      ErrorReport.self,
      """
      {"id": "\(id)", "fingerprint": "\(group)", "time": "noon", "code": 7, "kind": [],
       "severity": "apocalyptic", "metadata": 5, "causes": [{"type": "T"}, 3,
         {"type": "T", "code": "c", "text": "t"}], "breadcrumbs": {}, "site": null, "news": {}}
      """)
    #expect(odd.code == "unknown" && odd.kind == .unknown && odd.severity == .error)
    #expect(odd.causes.map(\.code) == ["c"] && odd.breadcrumbs.isEmpty && odd.metadata.isEmpty)
    #expect(throws: DecodingError.self) {
      try decode(ErrorReport.self, #"{"fingerprint": "\#(group)"}"#)
    }
    #expect(throws: DecodingError.self) { try decode(ErrorReport.self, #"{"id": "\#(id)"}"#) }
  }

  @Test func `any damage to a written report is read or refused, never trapped`() throws {
    let bytes = [UInt8](try JSONEncoder().encode(try report()))
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SeededGenerator(seed: seed)
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<damaged.count, using: &random)
        damaged[index] = UInt8.random(in: 32...126, using: &random)
      }
      let read = try? JSONDecoder().decode(ErrorReport.self, from: Data(damaged))
      if let read { #expect(!read.description.isEmpty) }
    }
  }

  @Test func `trimmed, it has lost only what makes it long`() throws {
    let report = try report()
    #expect(report.trimmed.breadcrumbs.isEmpty && report.trimmed.stack.isEmpty)
    #expect(report.trimmed.metadata == report.metadata && report.trimmed.trimmed == report.trimmed)
  }
}

private struct Traced: Fingerprint.Wrapper {
  let wrapped: any Error
}

@Suite struct WrappedErrorReportTests {
  @Test func `the report of a wrapper says what is inside`() throws {
    let monitor = ErrorMonitor()
    monitor.capture(Traced(wrapped: ShopError.closed))
    let report = try #require(monitor.history.first)
    #expect(report.causes.count == 2)
    #expect(report.causes.last?.code.hasSuffix("ShopError closed") == true)
  }

  @Test func `a wrapper of a cancellation is no report`() {
    let monitor = ErrorMonitor()
    #expect(monitor.capture(Traced(wrapped: CancellationError())) == nil)
    #expect(monitor.history.isEmpty)
  }
}

@Suite(.requirement("P10", "T8")) struct MonitorConfigurationTests {
  @Test func `settings from outside say everything that is wrong at once`() throws {
    let settings = try decode(
      ErrorMonitor.Configuration.self,
      """
      {"history": 0, "breadcrumbs": -1, "groups": 0, "limit": {"count": 0, "window": -3},
       "queue": 0, "batch": 0}
      """)
    let sinks = [MemorySink("a"), MemorySink("a")]
    let error = #expect(throws: ConfigurationError.self) {
      try ErrorMonitor(validating: settings, sinks: sinks)
    }
    #expect(
      error?.violations.map(\.option) == [
        "history", "breadcrumbs", "groups", "limit.count", "limit.window", "queue", "batch",
        "sinks",
      ])
  }

  @Test func `missing keys get their defaults, null means no limit, and they survive JSON`() throws
  {
    #expect(try decode(ErrorMonitor.Configuration.self, "{}") == .init())
    let none = try decode(ErrorMonitor.Configuration.self, #"{"limit": null}"#)
    #expect(none.limit == nil)
    let other = ErrorMonitor.Configuration(
      history: 7, limit: .init(count: 3), takesStacks: true, errorBreadcrumbs: false)
    for settings in [none, other] {
      #expect(try throughJSON(settings) == settings)
    }
    let long = ErrorMonitor.Configuration(limit: .init(window: .seconds(Int64.max)))
    #expect(try ErrorMonitor(validating: long).configuration.limit?.window == .seconds(31_536_000))
  }

  @Test func `settings in the code stop the program where they are not legal`() async {
    await #expect(processExitsWith: .failure) { _ = ErrorMonitor(.init(history: 0)) }
    await #expect(processExitsWith: .failure) {
      _ = ErrorMonitor(sinks: [MemorySink("a"), MemorySink("a")])
    }
  }

  @Test(.requirement("T21")) func `the texts of a report have the braces that people see`() throws {
    let monitor = ErrorMonitor()
    monitor.capture(
      AppError(
        code: "a", kind: .storage, disposition: .permanent, title: "Braces {x}",
        message: "It said {}, } and {0}."))
    let report = try #require(monitor.history.first)
    #expect(report.title == "Braces {x}")
    #expect(report.message == "It said {}, } and {0}.")
    #expect(report.suggestion == nil)
  }

  @Test(.requirement("D19", "T21"))
  func `a report says what the person can do, redacted and cut to a length`() throws {
    let monitor = ErrorMonitor()
    for suggestion in ["Ask ada@example.com {now}.", String(repeating: "wörter ", count: 900)] {
      monitor.capture(
        AppError(
          code: "a", kind: .storage, disposition: .permanent, title: "Not saved",
          message: "It was not saved.",
          suggestion: LocalizableText(verbatim: suggestion)))
    }
    let reports = monitor.history
    #expect(reports[1].suggestion == "Ask <email> {now}.")
    #expect((1_900...2_000).contains(reports[0].suggestion?.utf8.count ?? 0))
    let line = ErrorReport.Encoding.json.body(of: reports[1])
    let read = ErrorReport.Encoding.contents(ofJSON: line).reports
    #expect(read.map(\.suggestion) == ["Ask <email> {now}."])
  }
}
