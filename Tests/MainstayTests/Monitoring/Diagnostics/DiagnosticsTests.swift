// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct DiagnosticsTests {
  private struct Counts: Encodable, Sendable {
    var waiting = 3
    var apiToken = "k9Mtd2gDcgG"
    var owner = "jane@example.com"
    var rate = Double.nan
  }

  private struct Broken: Error, CustomStringConvertible {
    let description = "no access to /home/jane/db"
  }

  private let time = Date(timeIntervalSince1970: 1_795_317_947.1234)

  private func monitor() -> ErrorMonitor {
    let time = time
    let monitor = ErrorMonitor(facts: ["app.version": "1.4"], wallClock: { time })
    monitor.addBreadcrumb("opened the list")
    monitor.capture(AppError.http(status: 503, isRepeatable: true), during: "Load")
    monitor.capture(AppError.http(status: 404), during: "Load")
    monitor.capture(AppError.http(status: 404), during: "Find")
    return monitor
  }

  private func source(
    _ sections: [Diagnostics.Section] = [], clock: some Clock<Duration> = ManualClock()
  ) -> Diagnostics.Source {
    Diagnostics.Source(monitor(), sections: sections, clock: clock)
  }

  @Test(.requirement("D29", "D39"))
  func `the document has versions, errors, groups, trends, ledger and what modules add`()
    async throws
  {
    let clock = ManualClock()
    let source = source([.init("outbox") { Counts() }], clock: clock)
    clock.advance(by: .seconds(90))
    let document = await source.collect()
    #expect(document.version == 1)
    #expect(document.uptime == 90)
    #expect(document.generatedAt == time)
    #expect(document.versions["app.version"] == "1.4")
    #expect(document.versions["os"]?.isEmpty == false)
    #expect(document.lastErrors.count == 3)
    #expect(document.lastErrors.allSatisfy { $0.breadcrumbs.isEmpty })
    #expect(document.groups.map(\.count) == [2, 1])
    #expect(document.groups[0].operations == ["Load": 1, "Find": 1])
    #expect(document.trends["minute"]?.last == 3)
    #expect(document.ledger.captured == 3)
    #expect(document.ledger.isBalanced)
  }

  @Test(.requirement("D30"))
  func `what modules add is redacted, by name and by text`() async throws {
    let document = await source([.init("outbox") { Counts() }]).collect()
    #expect(
      document.sections["outbox"]?.value
        == .object([
          "waiting": .integer(3), "apiToken": .string("<redacted>"), "owner": .string("<email>"),
          "rate": .string("nan"),
        ]))
    let text = String(decoding: try document.encoded(), as: UTF8.self)
    #expect(!text.contains("jane"))
    #expect(!text.contains("k9Mtd2gDcgG"))
  }

  @Test(.requirement("D29"))
  func `a section that never answers becomes an error when the limit is over`() async throws {
    let clock = ManualClock()
    // It heeds no cancellation either.
    let deaf = Diagnostics.Section("deaf") { () async -> Int in
      await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in }
    }
    let source = source([deaf], clock: clock)
    let task = Task { await source.collect() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    let answer = try #require(await task.value.sections["deaf"])
    #expect(answer.value == nil)
    #expect(answer.error?.text.contains("did not answer within") == true)
  }

  @Test func `each section stands for itself`() async {
    let sections = await source([
      .init("good") { ["a": 1] },
      .init("broken") { () throws -> Int in throw Broken() },
      .init("long") { String(repeating: "x", count: 100_000) },
      .init("twice") { 1 },
      .init("twice") { 2 },
    ]).collect().sections
    #expect(sections["good"]?.value == .object(["a": .integer(1)]))
    #expect(sections["good"]?.error == nil)
    #expect(sections["broken"]?.error?.text == "no access to /home/<user>/db")
    #expect(sections["long"]?.error?.text == "it has 100002 bytes of 64000")
    #expect(sections["twice"]?.value == .integer(2))
  }

  /// Never released: Swift releases level by level, and a stack ends.
  private static let bottomless = nested(100_000)

  private static func nested(_ depth: Int) -> Diagnostics.Value {
    (0..<depth).reduce(.null) { value, level in
      level.isMultiple(of: 2) ? .array([value]) : .object(["inner": value])
    }
  }

  @Test(.requirement("D30"), arguments: [100, 101, 119, 130, 600, 100_000])
  func `a section that is nested too deep becomes its error`(depth: Int) async throws {
    let value = depth == 100_000 ? Self.bottomless : Self.nested(depth)
    let document = await source([.init("deep") { value }, .init("flat") { 1 }]).collect()
    let answer = try #require(document.sections["deep"])
    #expect((answer.value == nil) == (depth > 100) && (answer.error == nil) == (depth <= 100))
    #expect(document.sections["flat"]?.value == .integer(1))
    let data = try document.encoded()
    #expect(try Diagnostics(from: data).sections["deep"] == answer)
    let deep = Data(String(repeating: "[", count: depth).utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        Diagnostics.Value.self, from: deep + Data(String(repeating: "]", count: depth + 30).utf8))
    }
  }

  @Test(.requirement("D29")) func `circuits say what they do with calls`() async throws {
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(1))
    _ = try? await breaker.run { throw AppError.http(status: 503, isRepeatable: true) }
    let registry = PolicyRegistry("hosts") { (host: String) in CircuitBreaker(host) }
    try await registry.run("a.example") {}
    let sections = await source([.circuits([breaker]), .circuits(in: registry)]).collect().sections
    guard case .array(let circuits)? = sections["circuits"]?.value,
      case .object(let circuit)? = circuits.first
    else {
      Issue.record("\(sections)")
      return
    }
    #expect(circuit["name"] == .string("catalog"))
    #expect(circuit["state"] == .string("open"))
    guard case .object(let hosts)? = sections["circuits.hosts"]?.value else {
      Issue.record("\(sections)")
      return
    }
    #expect(hosts["count"] == .integer(1))
    #expect(hosts["circuits"] == .array([.object(["state": .string("closed")])]))
    #expect(!"\(hosts)".contains("a.example"), "its name is made of a key")
  }

  @Test func `where the caller is cancelled, sections without an answer say so`() async throws {
    let begun = Locked(false)
    let deaf = Diagnostics.Section("deaf") { () async -> Int in
      begun.withLock { $0 = true }
      return await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in }
    }
    let source = source([deaf], clock: ManualClock())
    let task = Task { await source.collect() }
    while !begun.withLock({ $0 }) { await Task.yield() }
    task.cancel()
    let answer = try #require(await task.value.sections["deaf"])
    #expect(answer.value == nil && answer.error?.text.contains("cancelled") == true)
  }

  @Test(.requirement("D30", "T15"))
  func `the export is a complete file of its own, in order, with ISO dates`() async throws {
    try await withFolder { folder in
      let document = await source([.init("outbox") { Counts() }]).collect()
      let first = try document.export(to: folder)
      let second = try document.export(to: folder)
      #expect(first != second)
      #expect(first.lastPathComponent.hasPrefix("diagnostics-20261122T032547123Z-"))
      let data = try Data(contentsOf: first)
      let encoded = try document.encoded()
      #expect(data == encoded)
      let other = try Data(contentsOf: second)
      #expect(data == other)
      let text = String(decoding: data, as: UTF8.self)
      #expect(text.contains(#""generatedAt" : "2026-11-22T03:25:47.123Z""#))
      let places = ["generatedAt", "groups", "lastErrors", "ledger", "sections", "trends"]
        .compactMap { text.range(of: "\n  \"\($0)\"")?.lowerBound }
      #expect(places.count == 6)
      #expect(places == places.sorted())
      let again = try Diagnostics(from: data).encoded()
      #expect(again == data)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.count == 2)
      for name in names {
        let path = folder.appendingPathComponent(name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
      }
    }
  }

  @Test(.requirement("D30", "T15"))
  func `an export that cannot be written throws and leaves nothing behind`() async throws {
    try await withFolder { folder in
      let document = await source().collect()
      let missing = folder.appendingPathComponent("none")
      #expect { try document.export(to: missing) } throws: { error in
        (error as? AppError)?.kind == AppError.from(POSIXError(.ENOENT)).kind
      }
      let file = try document.export(to: folder)
      #expect(throws: AppError.self) { try document.export(to: file) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }

  @Test func `a document of a later version is read, and one that is none is refused`() throws {
    let later = """
      {"version":2,"generatedAt":"2026-11-22T03:25:47.123Z","uptime":1,"versions":{},"sections":{},
      "lastErrors":[],"groups":[],"trends":{},"ledger":{"kept":0,"dropped":{},"sinks":{}},"new":1}
      """
    #expect(try Diagnostics(from: Data(later.utf8)).version == 2)
    #expect(throws: AppError.self) { try Diagnostics(from: Data("[]".utf8)) }
  }
}
