// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A system that refuses a call for a while, or half-way.
@Suite(.requirement("B42", "A54")) struct ReportStoreRefusalTests {
  private let folder: ReportFolder
  private let service = ScriptedService()
  private let refusals = Refusals()

  init() throws { folder = try ReportFolder() }

  private func store(
    _ configuration: ReportStore.Configuration = .anywhere,
    clock: some Clock<Duration> = ContinuousClock(),
    reached: @escaping @Sendable (StoreProbe.Step) -> Void = { _ in }
  ) throws -> ReportStore {
    try ReportStore(
      at: folder.store, configuration, replies: .otlp, transport: service,
      probe: refusals.probe(reached), clock: clock)
  }

  /// Keeps records and ends.
  private func seed(_ records: [ReportStore.Record]) async throws {
    let store = try store()
    for record in records { #expect(await store.keep(record) == .kept) }
    await store.shutDown()
  }

  // MARK: Sending

  @Test func `a damaged record costs the others of its request no pause`() async throws {
    let store = try store(.init(reserve: 0, recordsPerRequest: 2))
    await store.keep(.sample())
    await store.keep(.sample())
    try folder.write([1, 2, 3], to: try #require(folder.files.first))
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.quarantined == 1 && ledger.isBalanced)
    #expect(service.requests.count == 1 && folder.files.isEmpty)
  }

  @Test(arguments: [EMFILE, ESTALE, EACCES])
  func `a record that cannot be read now is put off, and the others are sent`(
    code: Int32
  ) async throws {
    let store = try store(.init(reserve: 0, recordsPerRequest: 3))
    let records = (0..<3).map { _ in ReportStore.Record.sample() }
    for record in records { await store.keep(record) }
    refusals.refuse(.read, records[1].id.uuidString.lowercased(), with: code)
    // It has a number, so the first round ends; it does not go round and round.
    guard case .paused = await store.drain() else {
      Issue.record("nothing was put off")
      return
    }
    store.wake()
    guard case .paused = await store.drain() else {
      Issue.record("nothing was put off again")
      return
    }
    #expect(service.ids == [records[0].id, records[2].id])
    refusals.end()
    store.wake()
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 3 && ledger.quarantined == 0 && ledger.isBalanced)
  }

  @Test func `a critical record waits in memory where the disk itself has no room`() async throws {
    let store = try store(.init(reserve: .max))
    #expect(await store.status.condition == .writing)
    refusals.refuse(.write, ".report", with: ENOSPC)
    #expect(store.keepNow(.sample(.critical)) == .keptInMemory && folder.files.isEmpty)
    #expect(await store.status.condition == .noSpace)
    refusals.end()
    // It gets its file with the next record, whatever that waits for itself.
    #expect(await store.keep(.sample(.critical)) == .kept && folder.files.count == 2)
    let status = await store.status
    #expect(status.pendingInMemory == 0 && status.ledger.isBalanced)
  }

  @Test func `sending goes on when another store has given the folder back`() async throws {
    let first = try store()
    await first.keep(.sample())
    let clock = ManualClock()
    let second = try store(clock: clock)
    let sender = await started { await second.run() }
    await clock.sleepers(atLeast: 1)
    #expect(await second.status.condition == .lockedByAnother)
    await first.shutDown()
    while await second.ledger.sent < 1 {
      clock.advance(by: .seconds(60))
      await Task.yield()
    }
    sender.cancel()
    try await sender.value
    #expect(service.ids.count == 1 && folder.files.isEmpty)
  }

  @Test func `sending goes on when the ledger can be written again`() async throws {
    let clock = ManualClock()
    let store = try store(clock: clock)
    await store.keep(.sample())
    await store.keep(.sample())
    refusals.refuse(.write, "ledger", with: EIO)
    let sender = await started { await store.run() }
    await clock.sleepers(atLeast: 1)
    #expect(service.ids.count == 1, "what cannot be settled is not sent")
    refusals.end()
    while await store.ledger.sent < 2 {
      clock.advance(by: .seconds(60))
      await Task.yield()
    }
    sender.cancel()
    try await sender.value
    #expect(service.ids.count == 2 && folder.files.isEmpty)
  }

  /// A transport whose first use begins something that goes on.
  private final class Session: ReportTransport {
    let store = Locked<ReportStore?>(nil)
    let refresh = Locked<Task<ReportStore.Fate?, Never>?>(nil)
    let isDue = Countdown(1)

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      let task = Task {
        await isDue.passed()
        return await store.withLock { $0 }?.keep(.sample())
      }
      refresh.withLock { $0 = task }
      return .init(status: 200)
    }
  }

  @Test func `a task that a transport began and that outlives its request is heard`() async {
    let session = Session()
    let store = ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: session)
    session.store.withLock { $0 = store }
    await store.keep(.sample())
    #expect(await store.drain() == .finished)
    session.isDue.count()
    #expect(await session.refresh.withLock { $0 }?.value == .kept)
    session.store.withLock { $0 = nil }
  }

  @Test(.ends(withinMinutes: 5)) func `a backoff of the app's own may call the store`() async throws
  {
    let late = Locked<ReportStore?>(nil)
    let fates = Log()
    let service = ScriptedService([nil, .init(status: 503)])
    let store = try ReportStore(
      at: folder.store, .anywhere, replies: .otlp, transport: service, probe: refusals.probe(),
      backoff: .custom(to: .seconds(60), jitter: .none) { _ in
        let store = late.withLock { $0 }
        store?.wake()
        if let store { fates.add("\(store.keepNow(.sample()))") }
        return .seconds(9)
      }, clock: ManualClock())
    late.withLock { $0 = store }
    await store.keep(.sample())
    for _ in 0..<2 {
      guard case .paused = await store.drain() else {
        Issue.record("it did not wait")
        return
      }
      store.wake()
    }
    #expect(await store.drain() == .finished)
    late.withLock { $0 = nil }
    // Kept, a report of each failure to send would be sent, too, and fail.
    let own = "\(ReportStore.Fate.dropped(.ownFailure))"
    #expect(fates.lines == [own, own])
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.dropped(.ownFailure) == 2 && ledger.isBalanced)
  }

  @Test(.ends(withinMinutes: 5)) func `a time of day of the app's own may call the store`()
    async throws
  {
    let late = Locked<ReportStore?>(nil)
    let store = ReportStore(
      at: folder.store, .anywhere, replies: .otlp, transport: ScriptedService(),
      timeOfDay: {
        late.withLock { $0 }?.keepNow(.sample())
        return Date(timeIntervalSince1970: 1_700_000_000)
      })
    _ = await store.status
    late.withLock { $0 = store }
    #expect(await store.keep(.sample()) == .kept)
    #expect(store.keepNow(.sample()) == .kept)
    late.withLock { $0 = nil }
    let ledger = await store.ledger
    #expect(ledger.pending == 2 && ledger.dropped(.ownFailure) == 2 && ledger.isBalanced)
  }

  // MARK: Writing

  @Test func `a record stays though its shorter form cannot be put onto the disk`() async throws {
    let store = try store(.init(maximumBytes: 10_000, reserve: 0))
    await store.keep(.sample(.info, bytes: 6_000, trimmed: 500))
    refusals.refuse(.sync, with: EIO, times: 1)
    #expect(await store.keep(.sample(bytes: 6_000)) == .kept)
    #expect(folder.files.count == 2)
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 2 && ledger.droppedInAll == 0 && ledger.isBalanced, "\(ledger)")
    #expect(service.requests.map(\.body.count) == [500, 6_000])
  }

  @Test func `what a damaged ledger still says is not lost with the first writing`() async throws {
    let first = try store(.init(maximumBytes: 10_000, reserve: 0))
    await first.keep(.sample())
    await first.keep(.sample(bytes: 20_000))
    await first.shutDown()
    try folder.write(Array(try folder.bytes("ledger").dropLast()), to: "ledger")
    refusals.refuse(.sync, with: EIO)
    let second = try store()
    #expect(await second.status.pending == 0)
    await second.shutDown()
    refusals.end()
    let ledger = await (try store()).ledger
    #expect(ledger.captured == 2 && ledger.dropped(.tooLarge) == 1 && ledger.isBalanced)
  }

  @Test(arguments: [EINVAL, ENOTSUP])
  func `a file system that forces no names onto the disk is used all the same`(
    code: Int32
  ) async throws {
    refusals.refuse(.sync, with: code)
    let store = try store()
    #expect(await store.keep(.sample()) == .kept)
    #expect(await store.status.condition == .writing)
    #expect(await store.drain() == .finished)
    #expect(await store.ledger.sent == 1 && folder.files.isEmpty)
  }

  // MARK: Opening

  @Test(arguments: [EACCES, EPERM, EIO, EMFILE])
  func `records that cannot be read when the folder is opened are sent later`(
    code: Int32
  ) async throws {
    let records = (0..<14).map { ReportStore.Record.sample($0 == 1 ? .critical : .error) }
    try await seed(records)
    for record in records.dropLast() {
      refusals.refuse(.read, record.id.uuidString.lowercased(), with: code)
    }
    let store = try store(.init(reserve: 0, recordsPerRequest: 5))
    let ledger = await store.ledger
    #expect(ledger.pending == 14 && ledger.quarantined == 0 && ledger.isBalanced)
    for _ in 0..<2 {
      _ = await store.drain()
      store.wake()
    }
    #expect(service.ids == [records[13].id], "what can be read comes first")
    refusals.end()
    #expect(await store.drain() == .finished)
    #expect(Set(service.ids) == Set(records.map(\.id)))
    #expect(await store.ledger.sent == 14 && folder.files.isEmpty && folder.quarantined.isEmpty)
  }

  @Test func `what could not be read shares a request with its like alone`() async throws {
    let text = ReportStore.Record(
      id: UUID(), time: Date(), severity: .error, category: "log", fingerprint: "1-0",
      contentType: "text/plain", body: Data("text".utf8))
    let records = [.sample(), text, .sample(), .sample()]
    try await seed(records)
    for record in records.prefix(3) {
      refusals.refuse(.read, record.id.uuidString.lowercased(), with: EACCES, times: 1)
    }
    let store = try store(.init(reserve: 0, recordsPerRequest: 10))
    #expect(await store.status.pending == 4)
    while await store.drain() != .finished { store.wake() }
    #expect(service.requests.first?.ids == [records[3].id])
    #expect(service.requests.allSatisfy { Set($0.ids) != Set([text.id]) || $0.body == text.body })
    #expect(
      service.requests.map { $0.headers["Content-Type"] ?? "" }.sorted()
        == ["application/x-ndjson", "application/x-ndjson", "text/plain"])
    #expect(await store.ledger.sent == 4)
  }

  @Test func `a lock that the file system does not know is not told as another store`() async throws
  {
    refusals.refuse(.lock, with: ENOLCK, times: 1)
    let store = try store()
    guard case .unwritable(let text) = await store.status.condition else {
      Issue.record("\(await store.status.condition)")
      return
    }
    #expect(!text.isEmpty)
    refusals.refuse(.lock, with: EWOULDBLOCK, times: 1)
    #expect(await store.keep(.sample()) == .keptInMemory)
    #expect(await store.status.condition == .lockedByAnother)
    #expect(await store.keep(.sample()) == .kept)
  }

  @Test func `a list of files that ends with an error is none`() async throws {
    try await seed([.sample(), .sample()])
    refusals.refuse(.list, with: EIO, times: 1)
    let store = try store()
    #expect(await store.status.condition != .writing)
    await store.keep(.sample())
    let ledger = await store.ledger
    #expect(ledger.pending == 3 && ledger.droppedInAll == 0 && ledger.isBalanced)
  }

  // MARK: The ledger

  @Test func `writings that end half-way leave a whole ledger`() async throws {
    let store = try store(.init(maximumBytes: 10_000, reserve: 0))
    await store.keep(.sample())
    await store.keep(.sample(bytes: 20_000))
    await store.keep(.sample(bytes: 20_000))
    for _ in 0..<4 {
      refusals.refuse(.write, "ledger", with: EIO, times: 1)
      await store.keep(.sample(bytes: 20_000))
      let copy = try folder.copy()
      let other = ReportStore(
        at: copy.store, .anywhere, replies: .otlp, transport: ScriptedService([nil]))
      let ledger = await other.ledger
      #expect(ledger.resets == 0 && ledger.isBalanced && ledger.pending == 1)
      #expect(ledger.dropped(.tooLarge) == 2, "what was written whole before")
    }
    await store.keep(.sample(bytes: 20_000))
    await store.shutDown()
    #expect(await (try self.store()).ledger.dropped(.tooLarge) == 7)
  }

  @Test func `a process that dies while memory becomes files counts each record once`()
    async throws
  {
    let copies = Locked<[ReportFolder]>([])
    let isOn = Locked(false)
    let store = try store(.init(maximumBytes: 10_000, reserve: 0)) { [folder] _ in
      guard isOn.withLock({ $0 }), let copy = try? folder.copy() else { return }
      copies.withLock { $0.append(copy) }
    }
    refusals.refuse(.write, ".report", with: ENOSPC)
    for _ in 0..<3 { #expect(await store.keep(.sample()) == .keptInMemory) }
    // Which writes the ledger.
    await store.keep(.sample(bytes: 20_000))
    refusals.end()
    isOn.withLock { $0 = true }
    #expect(await store.keep(.sample()) == .kept)
    isOn.withLock { $0 = false }
    #expect(folder.files.count == 4)
    let all = copies.withLock { $0 }
    #expect(all.count > 10)
    for copy in all {
      let next = ReportStore(
        at: copy.store, .anywhere, replies: .otlp, transport: ScriptedService([nil]))
      let ledger = await next.ledger
      #expect(ledger.isBalanced && ledger.resets == 0)
      #expect(ledger.pending == copy.files.count)
      // The last one is captured when its file has its name.
      #expect((4...5).contains(ledger.captured), "\(ledger)")
      #expect(ledger.pending + ledger.dropped(.lost) == ledger.captured - 1, "\(ledger)")
    }
  }
}
