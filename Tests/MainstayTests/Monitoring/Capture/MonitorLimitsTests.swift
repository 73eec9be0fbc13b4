// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("P10")) struct MonitorLimitsTests {
  private static let numbers = ["history", "breadcrumbs", "groups", "queue", "batch"]

  private func decoded(_ json: String) throws -> ErrorMonitor.Configuration {
    try JSONDecoder().decode(ErrorMonitor.Configuration.self, from: Data(json.utf8))
  }

  @Test(arguments: ["0", "-1", "100001", "9223372036854775807", "-9223372036854775808"])
  func `numbers from outside that no memory has room for are all told`(number: String) throws {
    let members = Self.numbers.map { "\"\($0)\": \(number)" }
    let settings = try decoded("{\(members.joined(separator: ", "))}")
    let error = #expect(throws: ConfigurationError.self) {
      try ErrorMonitor(validating: settings)
    }
    #expect(error?.violations.map(\.option) == Self.numbers)
    #expect(error?.description.contains("it must be 1 to 100000") == true)
  }

  @Test(arguments: [1, 100_000]) func `the least and the most that is legal works`(
    number: Int
  ) async throws {
    let members = Self.numbers.map { "\"\($0)\": \(number)" }
    let sink = MemorySink()
    let monitor = try ErrorMonitor(
      validating: decoded("{\(members.joined(separator: ", "))}"), sinks: [sink])
    monitor.addBreadcrumb("step")
    monitor.capture(storeError())
    #expect(await monitor.flush(within: .patience))
    #expect(monitor.history.count == 1 && sink.reports.count == 1)
  }

  @Test func `a limit of any count is legal, and no span of time is too long`() throws {
    let settings = try decoded(#"{"limit": {"count": 9223372036854775807, "window": 1e300}}"#)
    let monitor = try ErrorMonitor(validating: settings)
    for _ in 0..<20 { monitor.capture(storeError()) }
    #expect(monitor.ledger.kept == 20)
    #expect(monitor.configuration.limit?.window == .seconds(31_536_000))
  }

  @Test func `a literal that is not legal stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ErrorMonitor(.init(groups: .max))
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("groups: 9223372036854775807 is not legal: it must be 1 to 100000"))
  }
}
