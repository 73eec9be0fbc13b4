// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What it costs to follow operations, and what becomes of it where the store fails.
@Suite(.requirement("C14"), .ends(withinMinutes: 5)) struct ChangesTests {
  private let shop: Workshop
  private let store: WatchedStore

  init() throws {
    shop = try Workshop()
    store = WatchedStore(store: InMemoryStore(now: { [day = shop.day] in day.now }))
  }

  /// Counts who asks for an operation, and fails as often as a test wants.
  private struct WatchedStore: ForwardingStore {
    let store: any OutboxStore
    let looks = Box<[OperationID: Int]>([:])
    let snapshots = Box(0)
    let errors = Box<[OutboxError]>([])

    func operation(_ id: OperationID) async throws -> StoredOperation? {
      let error = errors.change { $0.isEmpty ? nil : $0.removeFirst() }
      if let error { throw error }
      looks.change { $0[id, default: 0] += 1 }
      return try await store.operation(id)
    }

    func snapshot() async throws -> OutboxSnapshot {
      snapshots.change { $0 += 1 }
      return try await store.snapshot()
    }
  }

  private func open(_ worker: Worker) async throws -> Outbox {
    try await Outbox(store: store, configuration: shop.configuration, clock: shop.clock) { worker }
  }

  @Test func `what a run reports makes nobody look who follows another operation`() async throws {
    let (begun, gate, count) = (Gate(), Gate(), 1_000)
    let outbox = try await open(
      shop.worker { note, context in
        guard note.text == "busy" else { return }
        begun.open()
        for step in 1...count { context.report(progress: Double(step) / Double(count)) }
        await gate.pass()
      })
    try await outbox.pause("closed")
    var others: [OperationID] = []
    for text in 0..<20 {
      others.append(
        try await outbox.enqueue(Note(text: "\(text)"), options: EnqueueOptions(lane: "closed")))
    }
    let readers = others.map { id in
      Task { for await _ in outbox.handle(id, for: Note.self).updates {} }
    }
    let busy = try await outbox.enqueue(Note(text: "busy"))
    await begun.pass()
    for await status in outbox.handle(busy, for: Note.self).updates {
      if case .pending(_, let progress) = status, progress?.fraction == 1 { break }
    }
    // Beside the reports a few things happened that nobody knows whom they concern.
    let looks = store.looks.value
    let most = others.map { looks[$0, default: 0] }.max() ?? 0
    #expect(most < count / 10)
    gate.open()
    await outbox.wait { $0.running == 0 && $0.pending == 20 }
    for reader in readers { reader.cancel() }
    await outbox.shutDown()
  }

  @Test func `whoever watches a busy outbox does not keep its store busy`() async throws {
    let start = Timeline.live.now
    let outbox = try await open(shop.worker { _, _ in })
    let watching = Task { for await _ in outbox.changes {} }
    for text in 0..<1_000 { try await outbox.enqueue(Note(text: "\(text)")) }
    await shop.log.wait(for: "succeeded", count: 1_000)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
    await watching.value
    // However fast the machine is: each reading is followed by a rest, but for what somebody new
    // asks.
    let most = (Timeline.live.now - start) / .milliseconds(5)
    #expect(Double(store.snapshots.value) <= most + 4)
  }

  @Test func `nothing is counted for whoever looks at one ordering key`() async throws {
    let outbox = try await open(shop.worker { _, _ in })
    let seen = Box<[Int]>([])
    let reader = Task {
      for await operations in outbox.pendingOperations(orderedBy: "k") {
        seen.change { $0.append(operations.count) }
      }
    }
    for text in 0..<20 { try await outbox.enqueue(Note(text: "\(text)"), orderedBy: "k") }
    await shop.log.wait(for: "succeeded", count: 20)
    await outbox.shutDown()
    await reader.value
    #expect(store.snapshots.value == 0)
  }

  @Test func `whoever watches is told how things stood in the end`() async throws {
    let outbox = try await open(shop.worker { _, _ in })
    let changes = outbox.changes
    let reader = Task { await changes.reduce(into: [Int]()) { $0.append($1.pending) } }
    for text in 0..<20 { try await outbox.enqueue(Note(text: "\(text)"), orderedBy: "k") }
    await shop.log.wait(for: "succeeded", count: 20)
    await outbox.shutDown()
    #expect(await reader.value.last == 0)
  }

  @Test func `an operation whose store failed once is looked at again, though nothing happens`()
    async throws
  {
    let outbox = try await open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "succeeded")
    await outbox.wait { $0.pending == 0 }
    store.errors.value = [OutboxError(.failed, details: "the test says so")]
    let outcome = Task { try await outbox.handle(id, for: Note.self).outcome() }
    let moving = Task { [clock = shop.clock] in
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(500))
      }
    }
    guard case .ended(.done, _, _) = try await outcome.value else {
      Issue.record("it has not ended")
      return
    }
    moving.cancel()
    await outbox.shutDown()
  }

  @Test(arguments: [OutboxError.Code.newerFormat, .corrupted])
  func `whoever waits for an outcome is told what does not pass by itself`(
    code: OutboxError.Code
  ) async throws {
    let outbox = try await open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "succeeded")
    await outbox.wait { $0.pending == 0 }
    store.errors.value = [OutboxError(code, details: "the test says so")]
    let error = await #expect(throws: OutboxError.self) {
      try await outbox.handle(id, for: Note.self).outcome()
    }
    #expect(error?.code == code)
    await outbox.shutDown()
  }
}
