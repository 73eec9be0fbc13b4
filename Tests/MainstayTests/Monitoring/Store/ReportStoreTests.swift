// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("B42", "A54")) struct ReportStoreTests {
  private let folder: ReportFolder

  init() throws { folder = try ReportFolder() }

  private func store(
    _ service: ScriptedService, _ configuration: ReportStore.Configuration = .anywhere,
    clock: ManualClock = ManualClock(), replies: ReportStore.ReplyPolicy = .otlp
  ) -> ReportStore {
    ReportStore(
      at: folder.store, configuration, replies: replies, transport: service,
      backoff: .constant(.seconds(2), jitter: .none), clock: clock,
      timeOfDay: { Date(timeIntervalSince1970: 1_700_000_000) }, seed: 1)
  }

  @Test func `what happens offline is sent by the next process`() async throws {
    let records = (0..<3).map { _ in ReportStore.Record.sample() }
    do {
      let offline = ScriptedService([nil, nil, nil])
      let store = store(offline)
      for record in records { #expect(await store.keep(record) == .kept) }
      #expect(await store.drain() == .paused(.seconds(2)))
      #expect(offline.requests.count == 1, "it does not try them all in vain")
      #expect(await store.ledger.failedRequests == 1)
      await store.shutDown()
    }
    let online = ScriptedService()
    let next = store(online)
    #expect(await next.status.pending == 3)
    #expect(next.books.inherited == 3)
    #expect(await next.drain() == .finished)
    #expect(online.ids == records.map(\.id), "the oldest first")
    #expect(online.requests[0].headers == ["Content-Type": "application/x-ndjson"])
    #expect(online.requests[0].body == records[0].body)
    let ledger = await next.ledger
    #expect(ledger.captured == 3 && ledger.sent == 3 && ledger.isBalanced)
    #expect(folder.files.isEmpty)
  }

  @Test func `a file goes only after a terminal reply`() async {
    let service = ScriptedService([.init(status: 503), .init(status: 400), .init(status: 200)])
    let store = store(service)
    await store.keep(.sample())
    await store.keep(.sample())
    #expect(await store.drain() == .paused(.seconds(2)))
    #expect(folder.files.count == 2)
    store.wake()
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.dropped(.rejected) == 1 && ledger.isBalanced)
    #expect(ledger.failedRequests == 2)
    // The one that was put off came last.
    #expect(service.ids == [service.ids[0], service.ids[1], service.ids[0]])
  }

  @Test func `what was taken in part is never sent again`() async {
    let service = ScriptedService([.init(status: 200, rejected: 2)])
    let store = store(service, .init(reserve: 0, recordsPerRequest: 5))
    for _ in 0..<3 { await store.keep(.sample()) }
    #expect(await store.drain() == .finished)
    #expect(service.requests.count == 1 && service.ids.count == 3)
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.dropped(.rejected) == 2 && ledger.isBalanced)
  }

  @Test func `several records of a request stand one to a line`() async {
    let service = ScriptedService()
    let store = store(service, .init(reserve: 0, recordsPerRequest: 2))
    await store.keep(.sample(bytes: 2))
    await store.keep(.sample(bytes: 3))
    _ = await store.drain()
    #expect(service.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["xx\nxxx"])
  }

  @Test func `a critical record is on the disk when the call returns`() {
    let store = store(ScriptedService())
    #expect(store.keepNow(.sample(.critical)) == .kept)
    #expect(folder.files.count == 1)
  }

  @Test func `it sends as records come, and after each pause`() async throws {
    let clock = ManualClock()
    let service = ScriptedService([nil])
    let store = store(service, clock: clock)
    let sender = await started { await store.run() }
    await store.keep(.sample())
    await clock.sleepers(atLeast: 1)
    #expect(service.requests.count == 1)
    // More than once: it may just have read the clock, and wait for as long again.
    while await store.ledger.sent < 1 {
      clock.advance(by: .seconds(2))
      await Task.yield()
    }
    await store.keep(.sample())
    while await store.ledger.sent < 2 { await Task.yield() }
    sender.cancel()
    try await sender.value
    #expect(service.requests.count == 3 && folder.files.isEmpty)
  }

  @Test(.requirement("T5")) func `a cancellation is no failure, and the record stays`() async throws
  {
    let service = ScriptedService(meanwhile: {
      while !Task.isCancelled { await Task.yield() }
      throw CancellationError()
    })
    let store = store(service)
    await store.keep(.sample())
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    #expect(await store.drain() == .busy)
    round.cancel()
    #expect(await round.value == .cancelled)
    let ledger = await store.ledger
    #expect(ledger.pending == 1 && ledger.failedRequests == 0)
    #expect(await store.status.pause == nil)
  }

  @Test func `what goes wrong while sending is counted and not reported`() async throws {
    let late = Late()
    let service = ScriptedService(meanwhile: { await late.store?.keep(.sample()) })
    let store = store(service)
    late.store = store
    await store.keep(.sample())
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(service.requests.count == 1)
    #expect(ledger.dropped(.ownFailure) == 1 && ledger.captured == 2 && ledger.isBalanced)
  }

  /// Gives no answer to requests with one record, as a firewall does for which it is an attack.
  private final class Firewall: ReportTransport {
    private let attack: UUID
    private let passed = Locked<[UUID]>([])

    init(against attack: UUID) { self.attack = attack }

    var ids: [UUID] { passed.withLock { $0 } }

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      if request.ids.contains(attack) { throw ScriptedService.Unreachable() }
      passed.withLock { $0 += request.ids }
      return .init(status: 200)
    }
  }

  @Test(arguments: [1, 5])
  func `a record that never gets an answer holds up no other, nor those of its request`(
    size: Int
  ) async {
    let records = (0..<4).map { _ in ReportStore.Record.sample() }
    let (clock, firewall) = (ManualClock(), Firewall(against: records[1].id))
    let store = ReportStore(
      at: folder.store, .init(reserve: 0, recordsPerRequest: size), replies: .otlp,
      transport: firewall,
      backoff: .constant(.seconds(2), jitter: .none), clock: clock, seed: 1)
    for record in records { await store.keep(record) }
    for _ in 0..<5 {
      #expect(await store.drain() == .paused(.seconds(2)))
      clock.advance(by: .seconds(2))
    }
    #expect(firewall.ids == [0, 2, 3].map { records[$0].id })
    let ledger = await store.ledger
    #expect(ledger.sent == 3 && ledger.pending == 1 && ledger.isBalanced)
    // What comes later is sent first, too.
    await store.keep(.sample())
    #expect(await store.drain() == .paused(.seconds(2)))
    #expect(await store.ledger.sent == 4)
  }

  private final class Late: Sendable {
    private let state = Locked<ReportStore?>(nil)
    var store: ReportStore? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  @Test func `the limits of count, bytes and age hold, and each loss has its reason`() async {
    let clock = ManualClock()
    let store = store(
      ScriptedService(),
      .init(maximumCount: 3, maximumBytes: 10_000, maximumAge: .seconds(100), reserve: 0),
      clock: clock)
    for _ in 0..<4 { await store.keep(.sample(.warning)) }
    #expect(await store.keep(.sample(.info)) == .dropped(.overflow))
    #expect(await store.keep(.sample(.critical, bytes: 20_000)) == .dropped(.tooLarge))
    #expect(await store.keep(.sample(.critical, bytes: 20_000, trimmed: 9_000)) == .kept)
    #expect(await store.status.bytes <= 10_000 && folder.files.count <= 3)
    clock.advance(by: .seconds(101))
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.dropped(.tooLarge) == 1 && ledger.dropped(.expired) >= 1)
    #expect(ledger.captured == 7 && ledger.pending == 0 && ledger.isBalanced)
    #expect(folder.files.isEmpty)
  }

  @Test func `what a record can spare goes before another record does`() async {
    let service = ScriptedService()
    let store = store(service, .init(maximumBytes: 10_000, reserve: 0))
    await store.keep(.sample(.info, bytes: 6_000, trimmed: 500))
    await store.keep(.sample(.error, bytes: 6_000))
    #expect(await store.ledger.droppedInAll == 0)
    _ = await store.drain()
    #expect(service.requests.map(\.body.count) == [500, 6_000])
  }

  @Test func `age goes on over a restart, and a clock that jumps costs nothing`() async {
    func open(_ seconds: TimeInterval, keeping record: ReportStore.Record? = nil) async
      -> ReportStore.Ledger
    {
      let store = ReportStore(
        at: folder.store, .anywhere, replies: .otlp, transport: ScriptedService([nil]),
        clock: ManualClock(), timeOfDay: { Date(timeIntervalSince1970: seconds) })
      if let record { await store.keep(record) }
      await store.shutDown()
      return await store.ledger
    }
    let day = 86_400.0
    #expect(await open(1_000 * day, keeping: .sample()).pending == 1)
    #expect(await open(-1e300).pending == 1, "the clock went back")
    #expect(await open(1_030 * day).pending == 1)
    let last = await open(1_030 * day + 1)
    #expect(last.dropped(.expired) == 1 && last.isBalanced)
  }

  @Test func `what was kept while a clock was ahead grows old all the same`() async {
    func open(_ day: Double, keeping record: ReportStore.Record? = nil) async -> ReportStore.Ledger
    {
      let store = ReportStore(
        at: folder.store, .anywhere, replies: .otlp, transport: ScriptedService([nil]),
        clock: ManualClock(), timeOfDay: { Date(timeIntervalSince1970: day * 86_400) })
      if let record { await store.keep(record) }
      let ledger = await store.ledger
      await store.shutDown()
      return ledger
    }
    // The clock says 2099, then is put right.
    #expect(await open(47_000, keeping: .sample(bytes: 900, trimmed: 90)).pending == 1)
    for day in [20_000.0, 20_010, 19_990, 20_030] {
      #expect(await open(day).pending == 1, "day \(day)")
    }
    let last = await open(20_031)
    #expect(last.dropped(.expired) == 1 && last.isBalanced && folder.files.isEmpty)
    // One that was right, and read while the clock was behind for a while, keeps its age.
    #expect(await open(20_031, keeping: .sample()).pending == 1)
    #expect(await open(10).pending == 1)
    #expect(await open(20_061).pending == 1)
    #expect(await open(20_062).dropped(.expired) == 2)
  }

  @Test func `a folder belongs to one store, and the other one waits in memory`() async {
    let service = ScriptedService()
    let first = store(ScriptedService([nil]))
    await first.keep(.sample())
    let second = store(service)
    #expect(await second.keep(.sample()) == .keptInMemory)
    #expect(await second.status.condition == .lockedByAnother)
    await first.shutDown()
    #expect(await first.keep(.sample()) == .dropped(.shutDown))
    #expect(await second.keep(.sample()) == .kept)
    let status = await second.status
    #expect(status.condition == .writing && status.pendingInMemory == 0)
    #expect(status.ledger.isBalanced && folder.files.count == status.pending)
    #expect(await second.drain() == .finished)
    #expect(service.ids.count == status.pending)
  }

  @Test func `nobody else can read the files, and no name says what an error said`() async throws {
    let store = store(ScriptedService())
    let record = ReportStore.Record(
      id: UUID(), time: Date(timeIntervalSince1970: .infinity), severity: .error,
      category: "../../etc/passwd\n", fingerprint: "/\u{0}\r\nX-Evil: 1",
      contentType: "text/plain\r\nX-Evil: 1", body: Data("{}".utf8))
    #expect(!record.contentType.contains("\r"))
    #expect(await store.keep(record) == .kept)
    let name = try #require(folder.files.first)
    #expect(name == "0000000000000001-\(record.id.uuidString.lowercased()).report")
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.path) == 0o700)
    #expect(try mode(folder.path + "/" + name) == 0o600)
    #expect(try mode(folder.path + "/ledger") == 0o600)
  }

  @Test func `the accounts go on over restarts`() async {
    for run in 1...5 {
      let store = store(ScriptedService([.init(status: 400), nil]))
      await store.keep(.sample())
      await store.keep(.sample())
      _ = await store.drain()
      let ledger = await store.ledger
      #expect(ledger.captured == 2 * run && ledger.dropped(.rejected) == run)
      #expect(ledger.pending == run && ledger.isBalanced)
      let books = store.books
      #expect(books.inherited == run - 1 && books.since.captured == 2)
      #expect(books.since.dropped(.rejected) == 1 && books.since.pending == 1)
      await store.shutDown()
    }
  }

  @Test func `records from many tasks are each kept and sent once`() async {
    let service = ScriptedService([nil, .init(status: 503), nil])
    let store = store(service, .init(maximumCount: 1_000, reserve: 0, recordsPerRequest: 7))
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<25 {
            let record = ReportStore.Record.sample(number == 0 ? .critical : .error)
            if (task + number).isMultiple(of: 2) {
              await store.keep(record)
            } else {
              store.keepNow(record)
            }
            if number % 10 == task { _ = await store.drain() }
          }
        }
      }
    }
    repeat { store.wake() } while await store.drain() != .finished
    let ledger = await store.ledger
    #expect(ledger.captured == 200 && ledger.sent == 200 && ledger.isBalanced)
    #expect(Set(service.ids).count == 200 && folder.files.isEmpty)
  }

  @Test func `smaller limits hold for what is there already`() async {
    let first = store(ScriptedService(), .init(maximumCount: 300, reserve: 0))
    for number in 0..<250 { await first.keep(.sample(number < 5 ? .critical : .error)) }
    await first.shutDown()
    let service = ScriptedService()
    let next = store(service, .init(maximumCount: 10, reserve: 0))
    let ledger = await next.ledger
    #expect(ledger.pending == 10 && ledger.dropped(.overflow) == 240 && ledger.isBalanced)
    #expect(folder.files.count == 10)
    #expect(folder.files.filter { Int($0.prefix(16), radix: 16) ?? 0 <= 5 }.count == 5)
  }

  @Test func `the ledger can be told`() async throws {
    let store = store(ScriptedService([.init(status: 400)]))
    await store.keep(.sample(category: "session"))
    _ = await store.drain()
    let ledger = await store.ledger
    let json = try JSONEncoder().encode(ledger)
    #expect(try JSONDecoder().decode(ReportStore.Ledger.self, from: json) == ledger)
    #expect(String(decoding: json, as: UTF8.self).contains(#""rejected":{"session":1}"#))
  }

  @Test(.requirement("P10")) func `settings that are not legal are all told at once`() throws {
    let json = #"""
      {"maximumCount": 0, "maximumBytes": 1, "maximumAge": -1, "reserve": -1,
       "recordsPerRequest": 101}
      """#
    let settings = try JSONDecoder().decode(
      ReportStore.Configuration.self, from: Data(json.utf8))
    let error = #expect(throws: ConfigurationError.self) {
      try ReportStore(
        at: folder.store, validating: settings, replies: .otlp, transport: ScriptedService())
    }
    let options = ["maximumCount", "maximumBytes", "maximumAge", "reserve", "recordsPerRequest"]
    #expect(error?.violations.map(\.option) == options)
    let defaults = try JSONDecoder().decode(ReportStore.Configuration.self, from: Data("{}".utf8))
    #expect(defaults == ReportStore.Configuration())
    let data = try JSONEncoder().encode(defaults)
    #expect(try JSONDecoder().decode(ReportStore.Configuration.self, from: data) == defaults)
  }

  @Test(.requirement("P10")) func `a literal that is not legal stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReportStore(
        at: URL(filePath: "/nowhere"), .init(maximumCount: 0), replies: .otlp,
        transport: ScriptedService())
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("maximumCount: 0 is not legal: it must be 1 to 1000"))
  }
}
