// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A person withdraws what they agreed to.
@Suite(.requirement("C22", "B42")) struct ReportStoreDiscardTests {
  private let folder: ReportFolder
  private let gate = Gate()

  init() throws { folder = try ReportFolder() }

  private func store(
    _ service: ScriptedService, _ configuration: ReportStore.Configuration = .anywhere
  ) -> ReportStore {
    ReportStore(
      at: folder.store, configuration, replies: .otlp, transport: service, backoff: .none,
      clock: ManualClock())
  }

  /// Holds a request up until a test has done something else.
  private final class Gate: Sendable {
    private let isOpen = Locked(false)

    func open() { isOpen.withLock { $0 = true } }

    func passed() async { while !isOpen.withLock({ $0 }) { await Task.yield() } }
  }

  @Test func `all that waits is dropped, in files and in memory`() async throws {
    let service = ScriptedService()
    let store = store(service, .init(maximumCount: 300, reserve: 0))
    for _ in 0..<250 { await store.keep(.sample()) }
    await store.discard()
    #expect(folder.files.isEmpty)
    var ledger = await store.ledger
    #expect(ledger.dropped(.withheld) == 250 && ledger.pending == 0 && ledger.isBalanced)
    #expect(await store.drain() == .finished && service.requests.isEmpty)
    #expect(await store.keep(.sample()) == .kept, "it goes on with what comes later")
    await store.shutDown()
    await store.discard()
    #expect(folder.files.count == 1, "the folder may be another's by now")
    let next = self.store(service, .init(reserve: .max))
    #expect(await next.keep(.sample()) == .keptInMemory)
    await next.discard()
    ledger = await next.ledger
    #expect(ledger.dropped(.withheld) == 252 && ledger.pending == 0 && ledger.isBalanced)
    await next.shutDown()
    #expect(await self.store(service).ledger == ledger)
  }

  @Test(arguments: [nil, 503] as [Int?])
  func `what is on its way is dropped where it would be sent again`(status: Int?) async throws {
    let service = ScriptedService(
      [status.map { .init(status: $0) }], meanwhile: { [gate] in await gate.passed() })
    let store = store(service, .init(reserve: 0, recordsPerRequest: 2))
    for _ in 0..<3 { await store.keep(.sample()) }
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    await store.discard()
    #expect(folder.files.count == 2, "it may be taken yet")
    let record = ReportStore.Record.sample()
    await store.keep(record)
    gate.open()
    guard case .paused = await round.value else {
      Issue.record("a failure holds it back")
      return
    }
    store.wake()
    #expect(await store.drain() == .finished)
    #expect(service.requests.count == 2 && service.requests.last?.ids == [record.id])
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.dropped(.withheld) == 3 && ledger.isBalanced)
    #expect(folder.files.isEmpty)
  }

  @Test func `what a service took before it heard of it is sent`() async throws {
    let service = ScriptedService(meanwhile: { [gate] in await gate.passed() })
    let store = store(service)
    await store.keep(.sample())
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    await store.discard()
    gate.open()
    #expect(await round.value == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.droppedInAll == 0 && ledger.isBalanced)
  }

  @Test func `a request that is cancelled brings nothing back`() async throws {
    let service = ScriptedService(meanwhile: {
      while !Task.isCancelled { await Task.yield() }
      throw CancellationError()
    })
    let store = store(service)
    await store.keep(.sample())
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    await store.discard()
    round.cancel()
    #expect(await round.value == .cancelled)
    let ledger = await store.ledger
    #expect(ledger.dropped(.withheld) == 1 && ledger.isBalanced && folder.files.isEmpty)
  }

  @Test func `a process that dies before the answer leaves nothing that is sent`() async throws {
    let service = ScriptedService(meanwhile: { [gate] in await gate.passed() })
    let store = store(service)
    await store.keep(.sample())
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    await store.discard()
    let copy = try folder.copy()
    let later = ScriptedService()
    let next = ReportStore(
      at: copy.store, .anywhere, replies: .otlp, transport: later, clock: ManualClock())
    #expect(await next.drain() == .finished)
    #expect(later.requests.isEmpty && copy.files.isEmpty)
    let ledger = await next.ledger
    #expect(ledger.dropped(.withheld) == 1 && ledger.pending == 0 && ledger.isBalanced)
    gate.open()
    #expect(await round.value == .finished)
  }

  @Test func `a store that is shut down before the answer leaves nothing that is sent`() async {
    let service = ScriptedService([nil], meanwhile: { [gate] in await gate.passed() })
    let store = store(service)
    await store.keep(.sample())
    let round = Task { await store.drain() }
    while service.requests.isEmpty { await Task.yield() }
    await store.discard()
    await store.shutDown()
    #expect(folder.files.isEmpty)
    let later = ScriptedService()
    let next = self.store(later)
    #expect(await next.drain() == .finished && later.requests.isEmpty)
    let ledger = await next.ledger
    #expect(ledger.dropped(.withheld) == 1 && ledger.pending == 0 && ledger.isBalanced)
    gate.open()
    _ = await round.value
  }

  @Test func `what is found later in a folder that another store had is dropped then`() async {
    let first = store(ScriptedService([nil]))
    for _ in 0..<3 { await first.keep(.sample()) }
    let service = ScriptedService()
    let second = store(service)
    await second.keep(.sample())
    await second.discard()
    let record = ReportStore.Record.sample()
    #expect(await second.keep(record) == .keptInMemory)
    await first.shutDown()
    #expect(await second.drain() == .finished)
    #expect(service.ids == [record.id])
    let ledger = await second.ledger
    #expect(ledger.sent == 1 && ledger.dropped(.withheld) == 4 && ledger.isBalanced)
  }
}
