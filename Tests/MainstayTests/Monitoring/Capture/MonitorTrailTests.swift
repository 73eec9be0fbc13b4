// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What captured errors leave on the trail for the reports after them.
@Suite struct MonitorTrailTests {
  @Test func `an error that is captured stands on the next reports, and not on its own`() throws {
    let wall = WallClock()
    let monitor = ErrorMonitor(wallClock: { wall.now })
    monitor.addBreadcrumb("opened the list")
    wall.advance(by: 1)
    let first = try #require(monitor.capture(storeError(1, severity: .warning), during: "Save"))
    wall.advance(by: 1)
    monitor.addBreadcrumb("tapped on retry")
    monitor.capture(storeError(2))
    let reports = monitor.history
    #expect(reports.last?.breadcrumbs.map(\.message) == ["opened the list"])
    let trail = try #require(reports.first?.breadcrumbs)
    #expect(trail.map(\.message) == ["opened the list", "Not saved", "tapped on retry"])
    #expect(trail[1].category == "error" && trail[1].severity == .warning)
    #expect(
      trail[1].metadata == [
        "code": "store.failed-1", "type": "Mainstay.AppError", "operation": "Save",
        "report": first.uuidString,
      ])
    let seconds = trail.map { Int($0.time.timeIntervalSince1970) - 1_000_000_000 }
    #expect(seconds == [0, 1, 2])
  }

  @Test func `it has none of the error's private words`() throws {
    let monitor = ErrorMonitor()
    let name = "Ada Lovelace"
    monitor.capture(
      AppError(
        code: "a.b", kind: .server, disposition: .permanent, title: "“\(name)” was not saved",
        message: "“\(name)” was not saved.", details: "no room for Ada"),
      message: "by Ada", metadata: ["who": .private(name)])
    monitor.capture(ShopError.sold(to: name))
    monitor.capture(storeError())
    let trail = try #require(monitor.history.first?.breadcrumbs)
    #expect(trail.map(\.message).first == "“<private>” was not saved" && trail.count == 2)
    #expect(trail[1].metadata["type"]?.hasSuffix("ShopError") == true)
    let text = String(decoding: try JSONEncoder().encode(trail), as: UTF8.self)
    #expect(!text.contains("Ada") && !text.contains("Lovelace"))
  }

  @Test func `the same failure leaves one, and none where nobody is told of it`() {
    let monitor = ErrorMonitor(
      .init(limit: .init(count: 1)),
      decide: { $0.code == "store.failed-9" ? .drop(.init("noise")) : .keep },
      clock: ManualClock())
    let error = storeError(1)
    monitor.capture(error)
    monitor.capture(error)
    #expect(monitor.breadcrumbs.count == 1, "a duplicate")
    monitor.captureNow(error)
    #expect(monitor.breadcrumbs.count == 1, "the same as a last word")
    #expect(monitor.history.first?.breadcrumbs.isEmpty == true, "it is no news on its own report")
    monitor.capture(storeError(1))
    #expect(monitor.breadcrumbs.count == 1, "one that is counted alone")
    monitor.capture(storeError(9))
    #expect(monitor.breadcrumbs.count == 1, "one that the app drops")
    monitor.capture(CancellationError())
    #expect(monitor.breadcrumbs.count == 1)
  }

  @Test func `a storm of errors leaves room for what the app said`() {
    let monitor = ErrorMonitor(.init(breadcrumbs: 50, limit: nil))
    for number in 0..<60 { monitor.addBreadcrumb("step \(number)") }
    for number in 0..<1_000 { monitor.capture(storeError(number)) }
    let errors = monitor.breadcrumbs.filter { $0.category == "error" }
    #expect(monitor.breadcrumbs.count == 50 && errors.count == 5)
    #expect(errors.last?.metadata["code"] == "store.failed-999")
    #expect(monitor.breadcrumbs.first?.message == "step 15")
    let large = ErrorMonitor(.init(breadcrumbs: 1_000, limit: nil))
    for number in 0..<100 { large.capture(storeError(number)) }
    #expect(large.breadcrumbs.count == 10)
  }

  @Test func `what is done for one caller leaves nothing on the trails of others`() async {
    let monitor = ErrorMonitor()
    await monitor.withTrail {
      monitor.capture(storeError(1))
      #expect(monitor.breadcrumbs.map(\.message) == ["Not saved"])
    }
    #expect(monitor.breadcrumbs.isEmpty)
  }

  @Test func `it can be switched off, also by a file`() throws {
    let settings = try JSONDecoder().decode(
      ErrorMonitor.Configuration.self, from: Data(#"{"errorBreadcrumbs": false}"#.utf8))
    let monitor = try ErrorMonitor(validating: settings)
    monitor.capture(storeError())
    #expect(monitor.breadcrumbs.isEmpty && !monitor.configuration.errorBreadcrumbs)
  }
}
