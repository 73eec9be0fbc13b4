// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ErrorMonitorTests {
  @Test(.requirement("A36", "A46", "B19", "B38", "D21"))
  func `a report holds what happened, where, during what, and what happened before`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink], facts: ["app.version": "1.4"]) { _ in
      ["device": "phone"]
    }
    monitor.addBreadcrumb("opened the list", category: "navigation")
    let error = storeError(7).adding(metadata: ["table": "items"])
      .adding(context: .init("Sync", metadata: ["try": "2"], site: SourceSite()))
    let id = monitor.capture(
      error, message: "disk is slow", during: "Save item", category: "storage",
      metadata: ["service": "inventory", "owner": .private("Ada")])
    #expect(id == error.id)
    #expect(await monitor.flush(within: .patience))
    let report = sink.reports.first
    #expect(report == monitor.history.first)
    #expect(report?.code == "store.failed-7" && report?.kind == .storage)
    #expect(report?.disposition == .permanent && report?.severity == .error)
    #expect(report?.message == "Item 7 was not saved." && report?.details == "disk is slow")
    #expect(report?.operation == "Save item" && report?.category == "storage")
    #expect(
      report?.metadata == [
        "service": "inventory", "owner": "<private>", "table": "items", "device": "phone",
      ])
    #expect(report?.frames.map(\.operation) == ["Sync"])
    #expect(report?.breadcrumbs.map(\.message) == ["opened the list"])
    #expect(report?.facts == ["app.version": "1.4"])
    #expect(report?.site == error.site && report?.isHandled == true)
    #expect(report?.fingerprint == Fingerprint(of: error))
  }

  @Test(.requirement("B21", "D17")) func `foreign errors keep their type and their cause`() {
    let monitor = ErrorMonitor()
    let cause = NSError(domain: "Disk", code: 5)
    monitor.capture(ShopError.closed)
    monitor.capture(NSError(domain: "Shop", code: 3, userInfo: [NSUnderlyingErrorKey: cause]))
    monitor.capture(AppError.timeout(cause: URLError(.timedOut)))
    let types = monitor.history.map(\.type)
    #expect(types.last == "MainstayTests.ShopError")
    #expect(types.first?.hasSuffix("URLError") == true, "\(types)")
    #expect(monitor.history[1].causes.map(\.code).contains("Disk 5"))
    #expect(monitor.history[2].kind == .unknown && monitor.history[2].disposition == .unclassified)
  }

  @Test func `a cancellation is no error, in whatever form`() {
    let monitor = ErrorMonitor()
    monitor.capture(CancellationError())
    monitor.capture(AppError.cancelled())
    monitor.capture(URLError(.cancelled))
    monitor.capture(NSError(domain: NSPOSIXErrorDomain, code: Int(ECANCELED)))
    monitor.recordRecovery(from: CancellationError(), succeeded: true)
    #expect(monitor.history.isEmpty && monitor.groups.isEmpty && monitor.ledger.captured == 0)
  }

  @Test(.requirement("B41")) func `the same failure counts once, however often it is caught`() {
    let monitor = ErrorMonitor()
    let error = storeError()
    #expect(monitor.capture(error) == error.id)
    #expect(monitor.capture(error.adding(context: .init("Outer", site: SourceSite()))) == nil)
    monitor.capture(storeError())
    #expect(monitor.history.count == 2 && monitor.groups.map(\.count) == [2])
    #expect(monitor.ledger.captured == 3 && monitor.ledger.dropped == [.duplicate: 1])
  }

  @Test(.requirement("B41")) func `the same failure counts once, whatever group it is put into`() {
    for number in 0..<20 {
      let monitor = ErrorMonitor()
      let error = storeError(number)
      #expect(monitor.capture(error) == error.id)
      for name in ["checkout", "saving", "sync", "\(number)"] {
        #expect(monitor.capture(error, group: name) == nil)
      }
      #expect(monitor.capture(AppError.timeout(cause: error), group: "outer") != nil)
      #expect(monitor.ledger.kept == 2 && monitor.ledger.dropped == [.duplicate: 4])
      #expect(monitor.groups.map(\.count) == [1, 1])
    }
  }

  @Test(.requirement("B41")) func `the same object counts once, whoever catches it`() {
    let monitor = ErrorMonitor()
    let error = NSError(domain: "Shop", code: 3)
    let id = monitor.capture(error)
    #expect(id != nil && monitor.history.first?.id == id)
    #expect(monitor.capture(error) == nil && monitor.capture(error, group: "checkout") == nil)
    #expect(monitor.capture(NSError(domain: "Shop", code: 3)) != nil, "another one like it")
    let broken = BrokenShop()
    #expect(monitor.capture(broken) != nil && monitor.capture(broken) == nil)
    #expect(monitor.capture(ShopError.closed) != nil && monitor.capture(ShopError.closed) != nil)
    #expect(monitor.history.count == 5 && monitor.groups.map(\.count).sorted() == [1, 2, 2])
    #expect(monitor.ledger.captured == 8 && monitor.ledger.dropped == [.duplicate: 3])
  }

  @Test func `a flood is told by its first reports and one that counts the others`() async {
    let (clock, wall, sink) = (ManualClock(), WallClock(), MemorySink())
    let monitor = ErrorMonitor(sinks: [sink], clock: clock, wallClock: { wall.now })
    let start = wall.now
    for _ in 0..<25 {
      monitor.capture(storeError())
      wall.advance(by: 1)
    }
    #expect(monitor.history.count == 10 && monitor.groups.first?.count == 25)
    #expect(monitor.groups.first?.suppressed?.count == 15)
    clock.advance(by: .seconds(60))
    monitor.capture(storeError())
    await monitor.flush(within: .patience)
    #expect(sink.reports.count == 11)
    #expect(
      sink.reports.last?.suppressed
        == ErrorReport.Suppressed(count: 15, first: start + 10, last: start + 24))
    let ledger = monitor.ledger
    #expect(ledger.captured == 26 && ledger.dropped == [.suppressed: 15])
    #expect(ledger.sent(to: "memory") == 11 && ledger.stored(for: "memory") == 0)
  }

  @Test func `another limit, or none`() {
    let few = ErrorMonitor(.init(limit: .init(count: 2)))
    let all = ErrorMonitor(.init(limit: nil))
    for _ in 0..<30 {
      few.capture(storeError())
      all.capture(storeError())
    }
    #expect(few.history.count == 2 && all.history.count == 30)
  }

  @Test(.requirement("D15", "D16", "D22", "T15"))
  func `the history holds the newest hundred, and can be cleared`() {
    let monitor = ErrorMonitor()
    #expect(monitor.lastError == nil)
    for number in 0..<150 { monitor.capture(storeError(number)) }
    #expect(monitor.history.map(\.message).first == "Item 149 was not saved.")
    #expect(monitor.history.count == 100 && monitor.lastError == monitor.history.first)
    for _ in 0..<20 { monitor.capture(storeError(60)) }
    for _ in 0..<20 { monitor.capture(storeError(61)) }
    monitor.capture(storeError(60))
    #expect(monitor.lastError?.code == "store.failed-60", "it was suppressed, and is the last")
    monitor.clearHistory()
    #expect(monitor.history.isEmpty && monitor.lastError == nil)
    #expect(monitor.groups.count == 150, "groups stay")
  }

  @Test(.requirement("B39", "A49")) func `the most common errors and their trend are known`() {
    let wall = WallClock()
    let monitor = ErrorMonitor(wallClock: { wall.now })
    for (number, count) in [(1, 3), (2, 50), (3, 7)] {
      for _ in 0..<count { monitor.capture(storeError(number), during: "Save \(number)") }
      wall.advance(by: 60)
    }
    let common = monitor.mostCommon(2)
    #expect(common.map(\.count) == [50, 7])
    #expect(common.first?.latest?.code == "store.failed-2")
    #expect(common.first?.operations == ["Save 2": 50])
    #expect(common.first?.trend(per: .minute).suffix(4) == [0, 50, 0, 0])
    #expect(monitor.trend(per: .minute).suffix(5) == [0, 3, 50, 7, 0])
    #expect(monitor.trend(per: .hour).reduce(0, +) == 60 && monitor.trend(per: .day).count == 30)
    #expect(monitor.group(Fingerprint(of: storeError(3)))?.count == 7)
    #expect(monitor.mostCommon(-1).isEmpty)
  }

  @Test func `a clock that jumps by years breaks nothing`() {
    let wall = WallClock()
    let monitor = ErrorMonitor(wallClock: { wall.now })
    for jump in [0, 3e9, -6e9, 1e300, -2e300, .infinity, 0] as [Double] {
      monitor.capture(storeError())
      wall.advance(by: jump)
    }
    #expect(monitor.groups.first?.count == 7)
    for span in ErrorMonitor.Span.allCases {
      #expect((1...7).contains(monitor.trend(per: span).reduce(0, +)))
    }
    #expect(throws: Never.self) { try JSONEncoder().encode(monitor.groups) }
  }

  @Test(.requirement("D19", "T21"))
  func `texts in the person's language are in no line and move no group`() {
    struct Foreign: LocalizedError {
      let errorDescription: String?
    }
    let monitor = ErrorMonitor()
    monitor.capture(Foreign(errorDescription: "Kein Platz"), during: "Save")
    monitor.capture(Foreign(errorDescription: "Plus de place"), during: "Save")
    #expect(monitor.groups.count == 1)
    for report in monitor.history {
      #expect(!report.message.contains("Platz") && !report.message.contains("place"))
      #expect(!report.description.contains("Platz") && !report.description.contains("place"))
      #expect(report.description.contains("Save: unknown (unknown, unclassified)"))
      #expect(report.details?.contains("la") == true)
    }
  }

  @Test(.requirement("B43")) func `stacks are taken when asked for, of the worst`() {
    let clock = ManualClock()
    let silent = ErrorMonitor()
    silent.capture(ShopError.closed)
    #expect(silent.history.first?.stack.isEmpty == true)
    let monitor = ErrorMonitor(.init(takesStacks: true), clock: clock)
    monitor.capture(ShopError.closed)
    monitor.capture(ShopError.closed)
    monitor.capture(storeError())
    monitor.capture(storeError(1), severity: .critical)
    clock.advance(by: .seconds(60))
    monitor.capture(ShopError.closed)
    #expect(monitor.history.map(\.stack.isEmpty) == [false, false, true, true, false])
    for line in monitor.history.flatMap(\.stack) {
      #expect(!line.contains("[0x") && !line.contains(" 0x") && !line.contains("/"))
      #expect(line.utf8.count <= 600)
    }
    #expect(monitor.groups.allSatisfy { $0.latest?.stack.isEmpty == true })
  }

  @Test func `a group may be given by name`() {
    let monitor = ErrorMonitor()
    monitor.capture(storeError(1), group: "saving")
    monitor.capture(storeError(2), group: "saving")
    #expect(monitor.groups.map(\.count) == [2])
    #expect(monitor.groups.first?.fingerprint == Fingerprint(of: storeError(1), key: "saving"))
  }

  @Test(.requirement("B41")) func `a remembered group is the one that the rules say`() {
    let monitor = ErrorMonitor(.init(limit: nil))
    for kind in [ErrorKind.storage, .offline, .timeout, .unknown, .storage] {
      for code in ["a.b", "unknown", "validation", "network.offline"] as [ErrorCode] {
        for message in ["One message", "Another message"] {
          let error = AppError(
            code: code, kind: kind, disposition: .permanent, title: "Title",
            message: LocalizableText(stringLiteral: message))
          monitor.capture(error)
          #expect(monitor.history.first?.fingerprint == Fingerprint(of: error))
        }
      }
    }
  }

  @Test func `only the newest breadcrumbs are kept, redacted and cut`() {
    let monitor = ErrorMonitor(.init(breadcrumbs: 3))
    for number in 0..<9 {
      monitor.addBreadcrumb(
        "step \(number) of ada@example.com", metadata: ["token": .public("abc"), "page": "2"])
    }
    monitor.addBreadcrumb(String(repeating: "long ", count: 1_000_000))
    #expect(monitor.breadcrumbs.count == 3)
    #expect(monitor.breadcrumbs.first?.message == "step 7 of <email>")
    #expect(monitor.breadcrumbs.first?.metadata == ["token": "<redacted>", "page": "2"])
    #expect(monitor.breadcrumbs.last.map { $0.message.utf8.count <= 200 } == true)
  }

  @Test(.requirement("A36")) func `work with a trail of its own has its own breadcrumbs alone`()
    async
  {
    let settings = ErrorMonitor.Configuration(breadcrumbs: 3, errorBreadcrumbs: false)
    let (monitor, other) = (ErrorMonitor(settings), ErrorMonitor())
    monitor.addBreadcrumb("started")
    let both = Countdown(2)
    await withTaskGroup(of: Void.self) { group in
      for name in ["Ada", "Bob"] {
        group.addTask {
          await monitor.withTrail {
            monitor.addBreadcrumb("asked by \(name)")
            other.addBreadcrumb("for all")
            both.count()
            await both.reached()
            // A child task is part of the work, and another monitor is not asked about it.
            async let child: Void = monitor.addBreadcrumb("looked up")
            await child
            monitor.capture(storeError(name == "Ada" ? 1 : 2))
            await other.withTrail { monitor.addBreadcrumb("answered") }
            #expect(monitor.breadcrumbs.map(\.message).suffix(2) == ["looked up", "answered"])
          }
        }
      }
    }
    for (number, name) in [(1, "Ada"), (2, "Bob")] {
      let report = monitor.history.first { $0.code.rawValue == "store.failed-\(number)" }
      #expect(report?.breadcrumbs.map(\.message) == ["asked by \(name)", "looked up"])
    }
    #expect(monitor.breadcrumbs.map(\.message) == ["started"] && other.breadcrumbs.count == 2)
    await #expect(throws: ShopError.self) { try await monitor.withTrail { throw ShopError.closed } }
  }
}
