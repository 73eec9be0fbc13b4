// SPDX-License-Identifier: Apache-2.0
// mainstay:ignore-file MS209 -- it shows what the closure is given
// The examples on the page about monitoring errors.

import Mainstay

struct Item: Sendable {
  var name: String
}

struct Store: Sendable {
  func save(_ item: Item) async throws {}
  func reopen() async -> Bool { true }
  func saved(_ item: Item) async throws -> Item { item }
}

func starting() -> ErrorMonitor {
  let monitor = ErrorMonitor(
    sinks: [ErrorReport.LogSink()], consent: .init(analytics: false), facts: ["app.version": "1.4"]
  ) { error in
    ["retryable": error.disposition == .transient() ? "yes" : "no"]
  }
  return monitor
}

func saving(_ item: Item, in store: Store, monitor: ErrorMonitor) async throws {
  do {
    try await store.save(item)
  } catch {
    monitor.capture(
      error, during: "Save item", category: "storage",
      metadata: ["service": "inventory", "name": .private(item.name)])
    throw error
  }
}

func recovering(_ item: Item, in store: Store, monitor: ErrorMonitor) async throws {
  try await monitor.attempt("Save item", category: "storage") {
    try await store.save(item)
  } recover: { error in
    await store.reopen()
  }
}

func deciding(for sinks: [any ReportSink]) -> ErrorMonitor {
  let quiet = ErrorMonitor(
    sinks: sinks,
    decide: { report in
      switch report.code {
      case "sync.conflict": .as(.info)
      case "camera.busy": .drop(.init("noise"))
      default: .keep
      }
    })
  return quiet
}

func looking(up item: Item, in store: Store, monitor: ErrorMonitor) async throws -> Item {
  let saved = try await monitor.withTrail {
    monitor.addBreadcrumb("opened the item", category: "items")
    return try await store.saved(item)
  }
  return saved
}

func ending(_ error: any Error, monitor: ErrorMonitor) -> Never {
  monitor.captureNow(error)
  fatalError("the stock cannot be opened")
}

func showing(_ error: AppError, monitor: ErrorMonitor) {
  monitor.recordPresentation(.init(style: "alert", titleKey: error.title.key), of: error)
  monitor.recordRecovery(from: error, succeeded: true, action: RecoveryAction.retry.id)
}

func reading(_ monitor: ErrorMonitor) {
  for group in monitor.mostCommon(10) {
    print(group.code?.rawValue ?? "", group.title ?? "", group.count)
    print(group.trend(per: .hour), group.recoveryRate ?? 0)
  }
  let ledger = monitor.ledger
  print(ledger.captured, ledger.sent(to: "log"), ledger.stored(for: "log"))
}
