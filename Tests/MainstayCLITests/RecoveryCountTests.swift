// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Recoveries that stand on reports, and those that have a line of their own.
@Suite(.ends(withinMinutes: 5)) struct RecoveryCountTests {
  /// Hands batches on to another sink, but not before it is told to.
  private struct SlowSink: ReportSink {
    let sink: any ReportSink
    let begun: Countdown
    let opened: Countdown

    var name: String { sink.name }

    func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
      begun.count()
      await opened.passed()
      return await sink.send(batch)
    }
  }

  private struct Nobody: ReportTransport {
    struct Unreachable: Error {}

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      throw Unreachable()
    }
  }

  private static func error(_ code: ErrorCode) -> AppError {
    AppError(
      code: code, kind: .server, disposition: .transient(), title: "No catalog",
      message: "The catalog did not answer.")
  }

  /// Captures three errors and what became of them while the sinks still have to take another one,
  /// so that all is on the reports when these are handed over.
  private func capture(into sinks: [any ReportSink]) async {
    let (begun, opened) = (Countdown(sinks.count), Countdown(1))
    let slow = sinks.map { SlowSink(sink: $0, begun: begun, opened: opened) }
    let monitor = ErrorMonitor(sinks: slow, consent: .init(analytics: true))
    monitor.capture(Self.error("list.down"), during: "Load list")
    await begun.reached()
    for succeeded in [true, false, nil] {
      let error = Self.error("catalog.down")
      monitor.capture(error, during: "Load catalog")
      if let succeeded {
        monitor.recordRecovery(from: error, succeeded: succeeded, during: "Load catalog")
      }
    }
    opened.count()
    #expect(await monitor.flush(within: .patience))
  }

  private func top(_ paths: String...) async throws -> String {
    let end = try await BuiltProgram.run("mainstay", ["errors", "top", "--json"] + paths)
    #expect(end.status == 0 && end.errors == "", "\(end)")
    return end.output
  }

  @Test(.requirement("A37"))
  func `a recovery made before a report was handed over counts in a store as in a log`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "mainstay-cli-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (log, kept) = (folder.path + "/errors.jsonl", folder.path + "/reports")
    let store = ReportStore(
      at: URL(filePath: kept), ReportStore.Configuration(), replies: .otlp,
      transport: Nobody(), backoff: .none)
    await capture(into: [
      ErrorReport.FileSink(URL(filePath: log)),
      await ErrorReport.StoreSink(store, as: .json, name: "store"),
    ])
    await store.shutDown()

    let stored = try await top(kept)
    let groups = try JSONDecoder().decode([ListedGroup].self, from: Data(stored.utf8))
    let catalog = try #require(groups.first)
    #expect(catalog.code == "catalog.down" && catalog.count == 3)
    #expect(catalog.recoveryAttempts == 2 && catalog.recoverySuccesses == 1)
    #expect(try await top(log) == stored, "a log has lines for them besides")
    #expect(try await top(log, kept) == stored, "nothing counts twice")

    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let own = lines.filter { $0.hasPrefix("{\"recovery\"") }
    #expect(own.count == 2)
    let reports = folder.path + "/reports.jsonl"
    try lines.filter { !own.contains($0) }.joined(separator: "\n")
      .write(toFile: reports, atomically: true, encoding: .utf8)
    #expect(try await top(reports) == stored)
    let shown = try await BuiltProgram.run("mainstay", ["errors", "show", "catalog", reports])
    #expect(shown.output.contains("\nRecovered  1 of 2\n"), "\(shown)")
  }
}
