// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

@Suite struct ServiceMonitorTests {
  private struct Client: Sendable {
    var name = "a"
  }

  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  private func monitor(
    _ history: Int = 100, clock: ManualClock = ManualClock(), logger: Logger? = nil,
    team: ErrorMonitor? = nil
  ) -> ServiceMonitor<Client> {
    ServiceMonitor(
      "books", of: Client(), maximumHistory: history,
      advice: { $0.code.rawValue == "http.404" ? "Look for another book." : nil },
      reportingTo: team, logger: logger, clock: clock, date: { [noon] in noon })
  }

  @Test(.requirement("D23", "D31"))
  func `a success repairs the status, and a failure is thrown once`()
    async throws
  {
    let books = monitor()
    #expect(books.status == .disconnected)
    let error = await #expect(throws: AppError.self) {
      try await books.run("Read") { _ in throw AppError.http(status: 404) }
    }
    #expect(error?.code.rawValue == "http.404")
    #expect(books.status == .connected)
    #expect(books.lastError?.code == error?.code)
    #expect(books.history.map(\.operation) == ["Read"])
    #expect(try await books.run("Read") { $0.name } == "a")
    #expect(books.lastError == nil)
    #expect(books.history.count == 1)
  }

  @Test(.requirement("D11", "D23", "D31")) func `a retry around a call counts as one call`()
    async throws
  {
    let books = monitor()
    let count = Locked(0)
    let value = try await books.run("Read", retry: Retry(maximumAttempts: 3, backoff: .none)) { _ in
      if count.withLock({
        $0 += 1; return $0
      }) < 3 {
        throw AppError.http(status: 503, isRepeatable: true)
      }
      return 7
    }
    #expect(value == 7)
    #expect(count.withLock { $0 } == 3)
    #expect(books.history.isEmpty)
    #expect(books.status == .connected)
  }

  @Test(.requirement("D16", "D22")) func `the newest failures are kept, the newest first`() {
    let books = monitor(3)
    for status in 500...504 {
      books.record(AppError.http(status: status, isRepeatable: true), during: "\(status)")
    }
    #expect(books.history.map(\.operation) == ["504", "503", "502"])
    #expect(books.history.first?.date == noon)
    books.clear()
    #expect(books.history.isEmpty)
    #expect(books.lastError == nil)
    #expect(books.status == .connected)
  }

  @Test(.requirement("D17")) func `errors of others are recorded too, and cancellations are not`()
    async
  {
    struct Foreign: Error {}
    let books = monitor()
    books.record(Foreign(), during: "Read")
    books.record(CancellationError(), during: "Read")
    books.record(URLError(.cancelled), during: "Read")
    #expect(books.history.map(\.error.disposition) == [.unclassified])
    #expect(books.status == .disconnected)
    let error = await #expect(throws: AppError.self) {
      try await books.run("Read") { _ in throw CancellationError() }
    }
    #expect(error?.isCancellation == true)
    #expect(books.history.count == 1)
  }

  @Test(.requirement("D24", "D34")) func `whoever watches is told of each change`() async throws {
    let clock = ManualClock()
    let books = monitor(clock: clock)
    var statuses = books.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .disconnected)
    books.record(AppError.Network.timeout, during: "Read")
    #expect(await statuses.next() == .reconnecting)
    books.record(AppError.http(status: 500, isRepeatable: true), during: "Read")
    #expect(await statuses.next() == .connected)
    books.reconnected()
    #expect(await statuses.next() == .reconnecting)
    clock.advance(by: .seconds(60))
    #expect(await statuses.next() == .failed)
    #expect(books.status == .failed)
    // Who says the same again gets no more time.
    books.note(.unchanged, during: "", standing: .reconnecting)
    #expect(books.status == .failed)
    books.record(AppError.http(status: 500, isRepeatable: true), during: "Read")
    #expect(await statuses.next() == .connected)
  }

  @Test(.requirement("D24", "T15")) func `what began as reconnecting fails by itself, too`()
    async throws
  {
    let clock = ManualClock()
    let books = ServiceMonitor(
      "books", of: Client(), initially: .reconnecting, maximumReconnecting: .seconds(5),
      clock: clock)
    var statuses = books.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reconnecting)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    #expect(await statuses.next() == .failed)
  }

  @Test(.requirement("D20")) func `there is something to do about each error`() {
    let books = monitor()
    #expect(books.suggestion(for: .http(status: 404)) == "Look for another book.")
    let own = AppError.http(status: 503, isRepeatable: true)
    #expect(books.suggestion(for: own) == own.suggestion)
    let bare = AppError(
      code: "a.b", kind: .unknown, disposition: .permanent, title: "A", message: "B",
      help: URL(string: "https://docs.example/a.b"))
    #expect(
      books.suggestion(for: bare).description == "Read about it: https://docs.example/a.b")
  }

  @Test(arguments: ["de", "es", "fr", "ja", "zh-Hans"])
  func `what to do about an error is said in the language of the reader`(_ language: String) {
    let books = monitor()
    func said(_ error: AppError) -> (String, String) {
      let text = books.suggestion(for: error)
      return (text.string(in: Locale(identifier: language)), text.description)
    }
    let plain = AppError(
      code: "a.b", kind: .unknown, disposition: .permanent, title: "A", message: "B")
    let bare = AppError(
      code: "a.b", kind: .unknown, disposition: .permanent, title: "A", message: "B",
      help: URL(string: "https://docs.example/a.b"))
    for error in [plain, bare, .http(status: 503, isRepeatable: true)] {
      let (said, english) = said(error)
      #expect(said != english && !said.isEmpty)
    }
    #expect(said(bare).0.hasSuffix("https://docs.example/a.b"))
    #expect(said(plain).1 == "Try again. If it happens again, contact support.")
  }

  @Test(.requirement("D21")) func `the team is told once`() async throws {
    let sink = MemorySink()
    let team = ErrorMonitor(sinks: [sink])
    let books = monitor(team: team)
    await #expect(throws: AppError.self) {
      try await books.run("Read") { _ in throw AppError.http(status: 500, isRepeatable: true) }
    }
    await team.flush(within: .patience)
    #expect(team.history.map(\.operation) == ["Read"])
  }

  @Test(.requirement("D19", "D28", "D35")) func `a line of the log has all that is needed`() {
    let log = Log()
    let logger = log.logger { "\($0.message)" }
    let books = monitor(logger: logger)
    let error = AppError.http(status: 404)
    books.record(error, during: "Read")
    let line =
      "2027-01-15T08:00:00Z books: Read: \(error.message), http.404: Look for another book."
    #expect(log.lines == [line])
  }

  @Test(.requirement("D29", "D30", "D39")) func `diagnostics have the status and the failures`()
    async throws
  {
    let books = monitor()
    for count in 0..<60 {
      books.record(AppError.http(status: 500 + count % 3, isRepeatable: true), during: "Read")
    }
    let team = ErrorMonitor()
    let source = Diagnostics.Source(
      team, sections: [.service(books, version: "7.0", transport: "websocket")],
      limit: .patience)
    let document = await source.collect()
    let text = String(decoding: try document.encoded(), as: UTF8.self)
    #expect(text.contains("service.books"))
    #expect(text.contains("websocket"))
    #expect(text.contains("http.500"))
    let folder = FileManager.default.temporaryDirectory
    let one = try document.export(to: folder)
    let other = try document.export(to: folder)
    #expect(one != other)
    for url in [one, other] { try FileManager.default.removeItem(at: url) }
  }
}
