// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay

/// One run of an app whose monitor keeps its ledger in a file, and that may die at any step of its
/// store and of that file.
///
/// Arguments: folder, `monitor`, the step to die at or `none`, its occurrence.
struct MonitorRun {
  private let folder: URL
  private let arguments: [String]

  init(_ arguments: [String]) {
    self.arguments = arguments
    folder = URL(filePath: arguments[1])
  }

  private func journal(_ name: String) -> Journal {
    Journal(path: folder.appending(path: name).path(percentEncoded: false))
  }

  func run() async throws {
    let killer = Killer(
      step: StoreProbe.Step(rawValue: arguments[3]), occurrence: Int(arguments[4]) ?? 1,
      killed: journal("killed"))
    let probe = StoreProbe(reached: { killer.reached($0) })
    let store = try ReportStore(
      at: folder.appending(path: "reports"), .init(maximumCount: 1_000, reserve: 0),
      replies: .otlp, transport: Service(served: journal("served"), refused: journal("refused")),
      probe: probe)
    let sink = await ErrorReport.StoreSink(store, as: .otlp, name: "store", purpose: .log)
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 2)),
      sinks: [sink, ErrorReport.FileSink(folder.appending(path: "errors.jsonl"), name: "file")],
      consent: .init(), ledgerFile: folder.appending(path: "errors.ledger"), probe: probe)
    try note(monitor)
    let (intended, isLast) = (journal("intended"), arguments[3] == "none")
    for number in 0..<16 {
      try intended.append(["\(number)"])
      monitor.capture(AppError.http(status: 500, isRepeatable: true), group: "\(number % 5)")
      guard number % 4 == 3 else { continue }
      if await monitor.flush(within: .seconds(600)) { try note(monitor) }
      await drain(store, rounds: 2)
    }
    await drain(store, rounds: isLast ? 10_000 : 2)
    guard isLast else { return }
    await monitor.shutDown(within: .seconds(600))
    await drain(store, rounds: 10_000)
  }

  /// Writes down what the ledger says, once the file says it.
  private func note(_ monitor: ErrorMonitor) throws {
    let ledger = monitor.ledger
    guard ledger.isBalanced else { exit(3) }
    try journal("seen").append(["\(ledger.captured)"])
  }

  private func drain(_ store: ReportStore, rounds: Int) async {
    for _ in 0..<rounds {
      store.wake()
      if await store.drain() == .finished { return }
    }
  }
}
