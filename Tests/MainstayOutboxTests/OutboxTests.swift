// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an outbox does with operations that go well.
@Suite(.requirement("C2", "C13"), .ends(withinMinutes: 5)) struct OutboxTests {
  @Test(.requirement("C15")) func `runs what was enqueued, under its key`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let seen = Box<[Note]>([])
    let outbox = try await shop.open(
      shop.worker { note, context in
        #expect(context.attempt == 1)
        #expect(IdempotencyKey.current == context.idempotencyKey)
        try await context.confirmLease()
        seen.change { $0.append(note) }
      })
    let id = try await outbox.enqueue(Note(text: "a"))
    await outbox.resume()
    await shop.log.wait(for: "succeeded")
    #expect(seen.value == [Note(text: "a")])
    #expect(shop.log.events.last?.id == id)
    #expect(shop.log.events.map(\.name) == ["enqueued", "started", "succeeded"])
    let ledger = try await outbox.ledger()
    #expect(ledger.enqueued == 1)
    #expect(ledger.count(.done) == 1)
    #expect(ledger.isBalanced)
    await outbox.shutDown()
  }

  @Test func `it starts when it is told to, where it was asked to wait`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"))
    try await outbox.connectionImproved()
    #expect(try await outbox.snapshot().ready == 1 && shop.log.count("started") == 0)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O22"), arguments: [true, false])
  func `what another outbox may have sent is asked about first`(_ isInMemory: Bool) async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let day = shop.day
    let worker = shop.worker(reconcile: { _, _ in .applied }) { _, _ in
      Issue.record("it was sent again")
    }
    let outbox =
      isInMemory
      ? try await Outbox(
        store: InMemoryStore(now: { day.now }), configuration: shop.configuration
      ) { worker } : try await shop.open(worker)
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(mayHaveBeenSent: true))
    await outbox.resume()
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.events.map(\.name) == ["enqueued", "reconciled", "succeeded"])
    await outbox.shutDown()
  }

  @Test(.requirement("T5")) func `many triggers at once run each operation once`() async throws {
    let shop = try Workshop()
    let runs = Box<[String: Int]>([:])
    let outbox = try await shop.open(
      shop.worker { note, _ in runs.change { $0[note.text, default: 0] += 1 } })
    try await withThrowingTaskGroup { group in
      for number in 0..<60 {
        group.addTask {
          try await outbox.enqueue(Note(text: String(number)))
          await outbox.resume()
        }
      }
      try await group.waitForAll()
    }
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value.count == 60)
    #expect(runs.value.values.allSatisfy { $0 == 1 })
    await outbox.shutDown()
  }

  @Test(.requirement("T5", "O7")) func `a drain that runs sees what is enqueued meanwhile`()
    async throws
  {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 1
    let gate = Gate()
    let outbox = try await shop.open(shop.worker { _, _ in await gate.pass() })
    try await outbox.enqueue(Note(text: "first"))
    await shop.log.wait(for: "started")
    try await outbox.enqueue(Note(text: "second"))
    gate.open()
    await shop.log.wait(for: "succeeded", count: 2)
    await outbox.shutDown()
  }

  @Test(.requirement("T5")) func `each outcome is on the disk by itself`() async throws {
    let shop = try Workshop()
    let gate = Gate()
    let outbox = try await shop.open(
      shop.worker { note, _ in
        if note.text == "bad" { throw AppError.test(.permanent) }
        if note.text == "slow" { await gate.pass() }
      })
    for text in ["good", "bad", "slow"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.pending == 1 && $0.dead == 1 }
    let ledger = try await outbox.ledger()
    #expect(ledger.count(.done) == 1)
    #expect(ledger.dead == 1)
    #expect(ledger.isBalanced)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `at most so many run at once`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 3
    let running = Box((now: 0, most: 0))
    let (gate, arrivals) = (Gate(), Countdown(3))
    let outbox = try await shop.open(
      shop.worker { _, _ in
        running.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        arrivals.count()
        await gate.pass()
        running.change { $0.now -= 1 }
      })
    for number in 0..<10 { try await outbox.enqueue(Note(text: String(number))) }
    await arrivals.reached()
    #expect(try await outbox.snapshot().running == 3)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(running.value.most == 3)
    await outbox.shutDown()
  }

  @Test(.requirement("T6", "O9"))
  func `operations of one key run in the order in which they were enqueued`() async throws {
    let shop = try Workshop()
    let seen = Box<[String]>([])
    let fails = Box(true)
    let outbox = try await shop.open(
      shop.worker { note, _ in
        let mustFail = fails.change { fails in
          defer { if note.text == "a1" { fails = false } }
          return fails && note.text == "a1"
        }
        if mustFail { throw AppError.test(.transient()) }
        seen.change { $0.append(note.text) }
      })
    for text in ["a1", "a2", "a3", "b1"] {
      try await outbox.enqueue(Note(text: text), orderedBy: text.prefix(1))
    }
    await outbox.wait { $0.pending == 3 && $0.scheduled == 1 }
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3"])
    #expect(seen.value.first == "b1")
    await outbox.shutDown()
  }

  @Test func `pausing starts nothing, and keeps what is enqueued`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    await outbox.pause()
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.ready == 1 }
    #expect(shop.log.count("started") == 0)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a paused lane stays paused after a restart`() async throws {
    let shop = try Workshop()
    let first = try await shop.open(shop.worker { _, _ in })
    try await first.pause(.main)
    try await first.enqueue(Note(text: "a"))
    await first.wait { $0.waiting == 1 }
    await first.shutDown()
    let second = try await shop.open(shop.worker { _, _ in })
    #expect(try await second.snapshot().waiting == 1)
    try await second.resume(.main)
    await second.wait { $0.pending == 0 }
    await second.shutDown()
  }

  @Test func `a caller that was cancelled has still been accepted`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await outbox.enqueue(Note(text: "a"))
    }
    _ = try await task.value
    await outbox.wait { $0.pending == 0 }
    #expect(try await outbox.ledger().count(.done) == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("C3", "C18")) func `changes end with the newest snapshot`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    let changes = outbox.changes
    for number in 0..<50 { try await outbox.enqueue(Note(text: String(number))) }
    await shop.log.wait(for: "succeeded", count: 50)
    // Read only now: whatever was told before, the newest is there.
    for await snapshot in changes where snapshot.pending == 0 { break }
    await outbox.shutDown()
    for await _ in outbox.changes { Issue.record("told after the end") }
  }

  @Test func `nothing is taken after it was shut down`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    await outbox.shutDown()
    await #expect(throws: OutboxError(.shutDown, details: "")) {
      try await outbox.enqueue(Note(text: "late"))
    }
  }
}

/// What an outbox refuses.
@Suite(.requirement("T6"), .ends(withinMinutes: 5)) struct OutboxRefusalTests {
  private struct Unencodable: QueuedOperation {
    static let kind: OperationKind = "unencodable"
    var number = Double.nan
  }

  @Test func `payloads that are too large or cannot be encoded`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumPayloadBytes = 20
    let outbox = try await shop.open(shop.worker { _, _ in })
    await #expect(throws: OutboxError(.tooLarge, details: "")) {
      try await outbox.enqueue(Note(text: String(repeating: "x", count: 10)))
    }
    await #expect(throws: OutboxError(.unencodable, details: "")) {
      try await outbox.enqueue(Unencodable())
    }
    #expect(try await outbox.ledger().enqueued == 0)
    await outbox.shutDown()
  }

  @Test func `two workers for the same kind and version`() async throws {
    let shop = try Workshop()
    await #expect(throws: OutboxError(.duplicateWorker, details: "")) {
      _ = try await shop.open(shop.worker { _, _ in }, shop.worker { _, _ in })
    }
  }

  @Test(arguments: [
    OutboxError.Code.unavailable, .diskFull, .newerFormat, .corrupted, .busy, .full, .tooLarge,
    .unencodable, .keyReused, .shutDown, .duplicateWorker, .failed,
  ])
  func `every error has words for people and names what it is about`(code: OutboxError.Code) {
    let error = OutboxError(code, details: "/data/outbox.sqlite")
    #expect(!error.appError.title.isBlank)
    #expect(!error.appError.message.isBlank)
    #expect(error.appError.suggestion?.isBlank == false)
    #expect(error.appError.details?.contains("/data/outbox.sqlite") == true)
    #expect(!error.appError.message.description.contains("/data"))
    #expect(error.localizedDescription == error.appError.message.description)
  }
}
