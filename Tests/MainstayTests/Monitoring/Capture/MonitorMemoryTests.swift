// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What grows with errors has a bound, and none of it passes that; the benchmark measures bytes.
@Suite(.requirement("A54", "B41"), .ends(withinMinutes: 5)) struct MonitorMemoryTests {
  @Test func `fifty thousand errors of a thousand groups keep to every bound`() async {
    let sinks = [MemorySink("a", isStalled: true), MemorySink("b")]
    let configuration = ErrorMonitor.Configuration(
      history: 50, breadcrumbs: 20, groups: 400, queue: 64, batch: 16)
    let monitor = ErrorMonitor(configuration, sinks: sinks)
    let each = 50_000 / 8
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<each {
            let error = storeError((number &* 8 &+ task) % 1_000)
            monitor.capture(error, during: "Operation \(number % 100)")
            if number % 10 == 0 {
              monitor.addBreadcrumb("step \(number)")
              monitor.recordRecovery(from: error, succeeded: true)
              // An error that is an object, and one that nobody knows.
              monitor.capture(NSError(domain: "D", code: number % 1_000))
            }
          }
        }
      }
    }
    let counts = monitor.memoryCounts
    #expect(counts["history"] == 50 && counts["breadcrumbs"] == 20, "\(counts)")
    // In each of four parts as many as its share, and as many identities.
    #expect(counts["groups"] == 400 && counts["identities"] ?? .max <= 400, "\(counts)")
    #expect(counts["objects"] ?? .max <= 400, "\(counts)")
    #expect(counts["operations"] ?? .max <= 400 * 8, "\(counts)")
    #expect(counts["fingerprints"] ?? .max <= 8 * 512, "\(counts)")
    #expect(counts["recoveries"] ?? .max <= 500, "\(counts)")
    let ledger = monitor.ledger
    #expect(ledger.captured == 8 * (each + (each + 9) / 10) && ledger.isBalanced)
    #expect(ledger.dropped.keys.allSatisfy { [.suppressed, .duplicate].contains($0) })
    for sink in sinks {
      // What waits, and the batch that is with the sink.
      #expect(monitor.waiting(for: sink.name) <= 64 + 16)
      sink.release()
    }
    #expect(await monitor.flush(within: .patience))
    #expect(sinks.allSatisfy { monitor.balances($0) && monitor.waiting(for: $0.name) == 0 })
  }
}
