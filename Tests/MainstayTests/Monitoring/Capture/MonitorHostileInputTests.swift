// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Errors that misbehave: work and memory stay bounded, there is a clear record, nothing traps.
@Suite struct MonitorHostileInputTests {
  private final class Node: Error, CustomStringConvertible, Sendable {
    var description: String { "" }
  }

  private func size(of report: ErrorReport?) throws -> Int {
    try JSONEncoder().encode(report).count
  }

  @Test func `a text of ten megabytes is cut wherever it stands`() throws {
    let huge = String(repeating: "all work and no play ", count: 500_000)
    struct Loud: LocalizedError, CustomStringConvertible {
      let description: String
      var errorDescription: String? { description }
    }
    let monitor = ErrorMonitor()
    let error = AppError(
      code: "a.b", kind: .server, disposition: .permanent, title: "Title",
      message: LocalizableText(verbatim: huge), details: huge, metadata: ["a": huge, huge: "b"],
      underlying: [Loud(description: huge)])
    monitor.capture(
      error.adding(context: .init(huge, metadata: [huge: huge], site: SourceSite())),
      message: huge, during: huge, category: huge, metadata: ["c": .public(huge)])
    monitor.capture(Loud(description: huge))
    monitor.addBreadcrumb(huge, category: huge, metadata: [huge: .public(huge)])
    for report in monitor.history { #expect(try size(of: report) < 50_000) }
    #expect(monitor.groups.count == 2 && monitor.breadcrumbs.count == 3)
    #expect(monitor.groups.allSatisfy { $0.operations.keys.allSatisfy { $0.utf8.count <= 200 } })
  }

  @Test func `a hundred thousand values are not looked at one by one`() throws {
    let values = Dictionary(
      uniqueKeysWithValues: (0..<100_000).map { ("key \($0)", "value \($0)") })
    let monitor = ErrorMonitor(facts: values)
    monitor.capture(
      storeError().adding(metadata: values),
      metadata: values.mapValues { ErrorReport.Attachment.public($0) })
    #expect(monitor.history.first?.metadata.count == 32)
    #expect(monitor.history.first?.facts.count == 32)
  }

  @Test(.requirement("A46")) func `nobody's data is in a report`() throws {
    let monitor = ErrorMonitor(facts: ["home": "/Users/ada/app"])
    let secret = "https://ada:pw@example.com/x?token=abc mail ada@example.com Bearer abcdefgh12345"
    let error = AppError(
      code: "a.b", kind: .server, disposition: .permanent, title: "Title",
      message: LocalizableText(verbatim: secret), details: secret, metadata: ["password": "hush"],
      underlying: [NSError(domain: "D", code: 1, userInfo: [NSLocalizedDescriptionKey: secret])])
    monitor.capture(
      error.adding(context: .init(secret, site: SourceSite())), message: secret, during: secret,
      category: secret, metadata: ["url": .public(secret), "who": .private("Ada Lovelace")])
    monitor.addBreadcrumb(secret)
    monitor.capture(storeError())
    let text = String(decoding: try JSONEncoder().encode(monitor.history), as: UTF8.self)
    for word in ["ada@", "ada:", "/ada", "Ada", "pw@", "abc", "hush", "abcdefgh12345"] {
      #expect(!text.contains(word), "\(word)")
    }
    let groups = String(decoding: try JSONEncoder().encode(monitor.groups), as: UTF8.self)
    #expect(!groups.contains("ada@") && !groups.contains("abcdefgh"))
  }

  @Test func `causes that lead in circles or ten thousand deep come to an end`() {
    struct Circular: AppErrorConvertible {
      var appError: AppError {
        AppError(
          code: "circle", kind: .server, disposition: .permanent, title: "Circle", message: "Round",
          underlying: [self])
      }
    }
    struct Deep: AppErrorConvertible {
      let depth: Int
      var appError: AppError {
        AppError(
          code: "deep", kind: .server, disposition: .permanent, title: "Deep", message: "Down",
          underlying: depth > 0 ? [Deep(depth: depth - 1)] : [])
      }
    }
    var nested: any Error = Node()
    for number in 0..<10_000 {
      nested = NSError(domain: "N", code: number, userInfo: [NSUnderlyingErrorKey: nested])
    }
    let monitor = ErrorMonitor()
    for error in [Circular(), Deep(depth: 10_000), nested, Node()] as [any Error] {
      #expect(monitor.capture(error) != nil)
    }
    #expect(monitor.history.allSatisfy { $0.causes.count <= 16 })
    // Taken apart from the outside in: freeing ten thousand in each other needs a large stack.
    while let inner = (nested as NSError).userInfo[NSUnderlyingErrorKey] as? NSError {
      nested = inner
    }
  }

  @Test func `an error that captures while it is asked about itself is counted, and ends`() {
    struct Chatty: AppErrorConvertible {
      let monitor: ErrorMonitor
      var appError: AppError {
        monitor.capture(self)
        return AppError(
          code: "chatty", kind: .server, disposition: .permanent, title: "Chatty", message: "Talks")
      }
    }
    let monitor = ErrorMonitor()
    #expect(monitor.capture(Chatty(monitor: monitor)) != nil)
    #expect(monitor.history.map(\.code) == ["chatty"])
    let ledger = monitor.ledger
    #expect(ledger.kept == 1 && (1...100).contains(ledger.dropped[.ownFailure] ?? 0))
  }

  @Test func `errors without any words leave a record`() {
    struct Silent: LocalizedError, CustomStringConvertible {
      let description = ""
      var errorDescription: String? { "" }
    }
    let monitor = ErrorMonitor()
    monitor.capture(Silent())
    monitor.capture(Node())
    #expect(monitor.history.count == 2)
    for report in monitor.history {
      #expect(!report.type.isEmpty && !report.message.isEmpty && !report.description.isEmpty)
    }
  }

  @Test func `mapping and enriching may capture too`() {
    let slot = Locked<ErrorMonitor?>(nil)
    let mapping = ErrorMapping.standard.adding(ShopError.self) { _ in
      slot.withLock { $0 }?.capture(storeError(9))
      return storeError(1)
    }
    let monitor = ErrorMonitor(
      mapping: mapping,
      enrich: { _ in
        slot.withLock { $0 }?.capture(storeError(8))
        return [:]
      })
    slot.withLock { $0 = monitor }
    monitor.capture(ShopError.closed)
    #expect(monitor.history.map(\.code) == ["store.failed-1"])
    #expect((monitor.ledger.dropped[.ownFailure] ?? 0) >= 2)
    slot.withLock { $0 = nil }
  }
}
