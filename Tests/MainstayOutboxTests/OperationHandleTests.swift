// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// An operation with something that comes of it.
private struct Count: QueuedOperation {
  typealias Output = [String: Int]
  static let kind: OperationKind = "count"
  var words: [String]
}

/// Who follows one operation, from the process that enqueued it or from a later one.
@Suite(.requirement("C14"), .ends(withinMinutes: 5)) struct OperationHandleTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  private func counter(
    _ body: @escaping @Sendable (WorkerContext) async throws -> Void = { _ in }
  ) -> Worker {
    Worker(for: Count.self, backoff: .constant(.seconds(1), jitter: .none)) { count, context in
      try await body(context)
      return count.words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  @Test func `what the worker returned is handed over, and again after a restart`() async throws {
    let first = try await shop.open(counter())
    let id = try await first.enqueue(Count(words: ["a", "b", "a"]))
    guard case .ended(.done, let output, _) = try await first.handle(id, for: Count.self).outcome()
    else {
      Issue.record("it is not done")
      return
    }
    #expect(output == ["a": 2, "b": 1])
    await first.shutDown()
    let second = try await shop.open(counter())
    guard case .ended(.done, let again, _) = try await second.handle(id, for: Count.self).status()
    else {
      Issue.record("nobody remembers")
      return
    }
    #expect(again == output)
    await second.shutDown()
  }

  @Test func `an output of another form is none, and the end is known all the same`() async throws {
    struct Recount: QueuedOperation {
      typealias Output = [Int]
      static let kind: OperationKind = "count"
    }
    let outbox = try await shop.open(counter())
    let id = try await outbox.enqueue(Count(words: ["a"]))
    guard
      case .ended(.done, nil, _) = try await outbox.handle(id, for: Recount.self).outcome()
    else {
      Issue.record("it is not done, or has an output")
      return
    }
    await outbox.shutDown()
  }

  @Test func `a handle shows how far the worker is, and what it makes of that is cut to sense`()
    async throws
  {
    let (seen, gate) = (Gate(), Gate())
    let outbox = try await shop.open(
      counter { context in
        context.report(progress: 7)
        context.report(progress: 0.5, note: "half")
        seen.open()
        await gate.pass()
      })
    let id = try await outbox.enqueue(Count(words: []))
    let handle = outbox.handle(id, for: Count.self)
    await seen.pass()
    for await status in handle.updates {
      guard case .pending(_, let progress) = status, let progress else { continue }
      #expect(progress == OperationProgress(fraction: 0.5, note: "half"))
      break
    }
    gate.open()
    guard case .ended(.done, _, _) = try await handle.outcome() else {
      Issue.record("it is not done")
      return
    }
    #expect(OperationProgress(fraction: .nan).fraction == 0)
    #expect(OperationProgress(fraction: -1).fraction == 0)
    #expect(OperationProgress(fraction: 7).fraction == 1)
    await outbox.shutDown()
  }

  private func expectScheduledWithoutProgress(
    _ id: OperationID, in outbox: Outbox
  ) async throws {
    guard
      case .pending(let operation, nil) = try await outbox.handle(id, for: Count.self).status()
    else {
      Issue.record("there is progress though nothing runs")
      return
    }
    #expect(operation.state == .scheduled)
  }

  @Test func `progress goes with the run that told it`() async throws {
    let outbox = try await shop.open(
      counter { context in
        context.report(progress: 0.5)
        throw AppError.test(.transient())
      })
    let id = try await outbox.enqueue(Count(words: []))
    await outbox.wait { $0.scheduled == 1 }
    try await expectScheduledWithoutProgress(id, in: outbox)
    await outbox.shutDown()
  }

  @Test func `there is no progress once the store has recorded the end of the run`() async throws {
    let day = shop.day
    let store = FailingStore(now: { day.now })
    let (recorded, answer) = (Gate(), Gate())
    store.hold(answersUntil: answer, opening: recorded)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) {
      counter { context in
        context.report(progress: 0.5)
        throw AppError.test(.transient())
      }
    }
    let id = try await outbox.enqueue(Count(words: []))
    await recorded.pass()
    try await expectScheduledWithoutProgress(id, in: outbox)
    answer.open()
    await outbox.shutDown()
  }

  @Test func `a run goes on where the one before it stopped`() async throws {
    let seen = Box<[Int?]>([])
    let outbox = try await shop.open(
      counter { context in
        let last = try context.lastCheckpoint(as: Int.self)
        seen.change { $0.append(last) }
        try await context.checkpoint((last ?? 0) + 1)
        if last != 2 { throw AppError.test(.transient()) }
      })
    let id = try await outbox.enqueue(Count(words: []))
    for _ in 0..<2 {
      await shop.clock.sleepers(atLeast: 1)
      await outbox.wait { $0.scheduled == 1 }
      shop.clock.advance(by: .seconds(1))
    }
    _ = try await outbox.handle(id, for: Count.self).outcome()
    #expect(seen.value == [nil, 1, 2])
    await outbox.shutDown()
  }

  @Test func `what is given up is told, and may still end after a redrive`() async throws {
    let isBad = Box(true)
    let outbox = try await shop.open(
      counter { _ in if isBad.value { throw AppError.test(.permanent) } })
    let id = try await outbox.enqueue(Count(words: []))
    let handle = outbox.handle(id, for: Count.self)
    guard case .deadLetter(let letter) = try await handle.outcome() else {
      Issue.record("it was not given up")
      return
    }
    #expect(letter.id == id && letter.operation.effect == .refused)
    isBad.value = false
    try await outbox.redrive(id)
    var last: OperationHandle<Count>.Status?
    for await status in handle.updates { last = status }
    guard case .ended(.done, _, _) = last else {
      Issue.record("it did not end")
      return
    }
    await outbox.shutDown()
  }

  @Test func `what was never there is unknown, and nobody waits for it`() async throws {
    let outbox = try await shop.open(counter())
    let handle = outbox.handle(OperationID(UUID()), for: Count.self)
    guard case .unknown = try await handle.outcome() else {
      Issue.record("it is known")
      return
    }
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `whoever waits for an end is told when the outbox is shut down`(isInMemory: Bool)
    async throws
  {
    let day = shop.day
    let store: any OutboxStore =
      isInMemory
      ? InMemoryStore(now: { day.now })
      : SQLiteStore(at: shop.folder.database, now: { day.now })
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) {
      counter { _ in try await untilCancelled() }
    }
    let id = try await outbox.enqueue(Count(words: []))
    let handle = outbox.handle(id, for: Count.self)
    let waiter = await started { try await handle.outcome() }
    await shop.log.wait(for: "started")
    await outbox.shutDown()
    let error = await #expect(throws: OutboxError.self) { try await waiter.value }
    #expect(error?.code == .shutDown)
  }

  @Test func `a handle takes its operation back`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(counter())
    let id = try await outbox.enqueue(Count(words: []))
    let handle = outbox.handle(id, for: Count.self)
    #expect(try await handle.cancel() == .cancelled)
    guard case .ended(.cancelled, nil, _) = try await handle.outcome() else {
      Issue.record("it is there")
      return
    }
    await outbox.shutDown()
  }
}
