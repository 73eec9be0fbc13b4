// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about monitoring.

import Foundation
import Mainstay

func monitored(_ store: ReportStore, logs: URL) async -> ErrorMonitor {
  ErrorMonitor(
    sinks: [
      ErrorReport.LogSink(),
      ErrorReport.MetricsSink(),
      ErrorReport.SpanSink(),
      ErrorReport.FileSink(logs.appendingPathComponent("errors.jsonl")),
      await ErrorReport.StoreSink(store, as: .sentry, name: "sentry", purpose: .crashes),
    ],
    facts: ["app.name": "inventory", "app.version": "1.4.0", "environment": "production"],
    ledgerFile: logs.appendingPathComponent("errors.ledger"),
    enrich: { _ in Trace.identifiers })
}

func diagnosed(
  _ monitor: ErrorMonitor, _ breaker: CircuitBreaker, _ connectivity: ConnectivityMonitor,
  to folder: URL
) async throws {
  let source = Diagnostics.Source(
    monitor,
    sections: [
      .circuits([breaker]),
      .connectivity(connectivity),
      Diagnostics.Section("outbox") { ["waiting": 3] },
    ])
  let file = try await source.collect().export(to: folder)
  print(file.lastPathComponent)
}
