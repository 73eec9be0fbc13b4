// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A child process with a monitor, a store and a file of the ledger is killed with SIGKILL at every
/// step that it takes on the disk, and started again.
@Suite(.requirement("B42", "A54", "T5"), .ends(withinMinutes: 30)) struct MonitorCrashTests {
  private static let kills = RandomDose.isTorture ? 500 : 24
  private static let steps = StoreProbe.Step.allCases.filter { $0 != .fileQuarantined }

  @Test func `a ledger balances and never forgets what it has said, whenever it is killed`()
    async throws
  {
    let folder = try ReportFolder()
    var random = SeededGenerator(seed: 7)
    var count = 0
    for run in 0..<(Self.kills * 4) where count < Self.kills {
      let step = Self.steps[run % Self.steps.count]
      let occurrence = Int.random(in: 1...8, using: &random)
      let status = try await CrashChild.run(
        [folder.root, "monitor", step.rawValue, "\(occurrence)"])
      #expect([0, SIGKILL].contains(status.status), "run \(run) ended with \(status)")
      if status.status == SIGKILL { count += 1 }
      // The child goes on by itself in every other run.
      if run.isMultiple(of: 2) {
        await check(folder, runs: run + 1, "run \(run), killed at \(step) \(occurrence)")
      }
    }
    #expect(count == Self.kills)
    let last = try await CrashChild.run([folder.root, "monitor", "none", "0"])
    #expect(last.status == 0, "\(last)")
    let ledger = await check(folder, runs: .max, "the last run")
    #expect(ledger.interruptions > 0 && ledger.stored(for: "store") == 0 && folder.files.isEmpty)
    // One that was served as the child was killed may have been dropped before it was sent again.
    let untold = folder.journal("served").count - ledger.sent(to: "store")
    let overflow = ledger.dropped(for: "store")[.overflow] ?? 0
    #expect((0...overflow).contains(untold), "\(untold) of what was served, \(overflow) dropped")
    // Each step of the file of the ledger was among them.
    let killedAt = folder.journal("killed")
    #expect(killedAt.isSuperset(of: ["ledgerHalfWritten", "ledgerWritten"]), "\(killedAt)")
  }

  @discardableResult
  private func check(
    _ folder: ReportFolder, runs: Int, _ when: String
  ) async -> ErrorMonitor.Ledger {
    let store = ReportStore(
      at: folder.store, .init(maximumCount: 1_000, reserve: 0), replies: .otlp,
      transport: ScriptedService([nil]))
    let log = folder.url.appending(path: "errors.jsonl")
    let monitor = ErrorMonitor(
      sinks: [
        await ErrorReport.StoreSink(store, as: .otlp, name: "store", purpose: .log),
        ErrorReport.FileSink(log, name: "file"),
      ], ledgerFile: folder.url.appending(path: "errors.ledger"))
    let (ledger, stored) = (monitor.ledger, await store.ledger)
    #expect(ledger.isBalanced && stored.isBalanced, "\(when): \(ledger)")
    // What it said when a flush had ended, it says or more.
    let seen = folder.lines("seen").compactMap { Int($0) }
    #expect(ledger.captured >= seen.max() ?? 0, "forgotten: \(when)")
    #expect(ledger.captured <= folder.lines("intended").count, "counted twice: \(when)")
    #expect(ledger.captured >= stored.captured, "\(when)")
    #expect(ledger.stored(for: "store") == stored.pending, "\(when): \(ledger) \(stored)")
    #expect(ledger.sent(to: "store") <= folder.journal("served").count, "\(when)")
    let lines = ErrorReport.Encoding.contents(ofJSON: (try? Data(contentsOf: log)) ?? Data())
    #expect(ledger.sent(to: "file") <= lines.reports.count, "\(when)")
    var known = Set(["lost", "unaccounted", "suppressed", "noSink"])
    // After hundreds of kills the store is full, and the first to go are those of earlier runs.
    if stored.dropped(.overflow) > 0 { known.insert("overflow") }
    #expect(
      Set(ledger.dropped(for: "store").keys.map(\.rawValue)).isSubset(of: known),
      "\(when): \(ledger)")
    #expect(ledger.interruptions <= runs, "\(when)")
    await monitor.shutDown(within: .patience)
    await store.shutDown()
    return ledger
  }
}

extension ReportFolder {
  /// The lines that the child wrote down, one that comes twice too.
  fileprivate func lines(_ name: String) -> [String] {
    let text = try? String(contentsOf: url.appending(path: name), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }
}
