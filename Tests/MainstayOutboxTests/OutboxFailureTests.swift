// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an outbox does with operations that fail.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct OutboxFailureTests {
  @Test(.requirement("T5", "O22")) func `attempts are limited, and all carry the same key`()
    async throws
  {
    let shop = try Workshop()
    let keys = Box<[IdempotencyKey]>([])
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 3) { _, context in
        keys.change { $0.append(context.idempotencyKey) }
        throw AppError.test(.transient())
      })
    try await outbox.enqueue(Note(text: "a"))
    for failures in 1...2 {
      await shop.log.wait(for: "failed", count: failures)
      shop.clock.advance(by: .seconds(1))
    }
    await shop.log.wait(for: "gaveUp")
    let letter = try #require(try await outbox.deadLetters().first)
    #expect(letter.reason == .attemptsUsedUp)
    #expect(letter.message == "It failed. The test says so.")
    try await outbox.redrive(letter.id)
    await shop.log.wait(for: "failed", count: 3)
    #expect(Set(keys.value).count == 1)
    #expect(keys.value.count == 4)
    let history = try await outbox.attempts(of: letter.id)
    #expect(history.map(\.number) == [1, 2, 3, 4])
    #expect(history.allSatisfy { $0.failure?.message == "It failed. The test says so." })
    await outbox.shutDown()
  }

  @Test(.requirement("T20", "O15", "C1", "C16"))
  func `it tries without asking for a network, and a better one only hurries it`() async throws {
    let shop = try Workshop()
    let isReachable = Box(false)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        if !isReachable.value { throw AppError.test(.transient(), kind: .offline) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    let waiting = try #require(try await outbox.operations().first)
    #expect(waiting.attempts == 0)
    isReachable.value = true
    await outbox.wait { $0.scheduled == 1 }
    // The clock stands still: only the hint can have started it.
    try await outbox.connectionImproved()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("T20")) func `a hint that was wrong costs nothing but a try`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 1) { _, _ in
        throw AppError.test(.transient(), kind: .network)
      })
    try await outbox.enqueue(Note(text: "a"))
    for count in 1...3 {
      await shop.log.wait(for: "failed", count: count)
      await outbox.wait { $0.scheduled == 1 }
      try await outbox.connectionImproved()
    }
    await shop.log.wait(for: "failed", count: 4)
    #expect(try await outbox.snapshot().dead == 0)
    await outbox.shutDown()
  }

  @Test(.requirement("O22")) func `an unknown outcome is asked about before it is sent again`()
    async throws
  {
    let shop = try Workshop()
    let sent = Box(0)
    let answers = Box<[Reconciliation]>([.applied, .unknown, .notApplied])
    let outbox = try await shop.open(
      shop.worker(reconcile: { _, _ in answers.change { $0.popLast() } ?? .applied }) { _, _ in
        sent.change { $0 += 1 }
        throw AppError.test(.unknownOutcome)
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    shop.clock.advance(by: .seconds(1))  // not applied: sent again, and again unknown
    await shop.log.wait(for: "failed", count: 2)
    shop.clock.advance(by: .seconds(1))  // nobody knows: nothing is sent
    await shop.log.wait(for: "reconciled", count: 2)
    await outbox.wait { $0.scheduled == 1 }
    shop.clock.advance(by: .seconds(1))  // applied: done
    await outbox.wait { $0.pending == 0 }
    #expect(sent.value == 2)
    #expect(
      shop.log.events.compactMap { event -> Reconciliation? in
        guard case .reconciled(let answer) = event.what else { return nil }
        return answer
      } == [.notApplied, .unknown, .applied])
    await outbox.shutDown()
  }

  @Test(.requirement("O22"))
  func `a dead letter says so where an earlier run may have had its effect`() async throws {
    let shop = try Workshop()
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        let run = runs.change { count in
          count += 1
          return count
        }
        throw AppError.test(run == 1 ? .unknownOutcome : .permanent)
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.dead == 1 }
    let letter = try #require(try await outbox.deadLetters().first)
    #expect(letter.reason == .outcomeUnknown && letter.operation.effect == .sentUnknown)
    #expect(letter.message.contains("It may have been done all the same"))
    let other = try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.dead == 2 }
    let refused = try #require(try await outbox.deadLetters().first { $0.id == other })
    #expect(refused.reason == .refused && !refused.message.contains("all the same"))
    await outbox.shutDown()
  }

  @Test(.requirement("O26", "E8")) func `shutting down gives back what runs, at no cost`()
    async throws
  {
    let shop = try Workshop()
    let asked = Box(0)
    func worker(_ run: @escaping @Sendable () async throws -> Void) -> Worker {
      shop.worker(
        reconcile: { _, _ in
          asked.change { $0 += 1 }
          return .notApplied
        }) { _, _ in try await run() }
    }
    let clock = shop.clock
    let first = try await shop.open(
      worker { try await clock.sleep(until: clock.now.advanced(by: .seconds(999))) })
    try await first.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    await first.shutDown()
    #expect(shop.log.count("released") == 1)
    let second = try await shop.open(worker {})
    #expect(second.opening.recovered == 0)
    await second.wait { $0.pending == 0 }
    // The call may have gone out before it was cancelled.
    #expect(asked.value == 1)
    #expect(shop.log.count("gaveUp") + shop.log.count("failed") == 0)
    await second.shutDown()
  }

  @Test func `a cancellation that nobody asked for does not come back at once, for ever`()
    async throws
  {
    let shop = try Workshop()
    // As where a task inside of a worker was cancelled, or URLSession does not trust the server.
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 3) { _, _ in throw CancellationError() })
    try await outbox.enqueue(Note(text: "a"))
    for failures in 1...2 {
      await shop.log.wait(for: "failed", count: failures)
      await outbox.wait { $0.scheduled == 1 }
      #expect(shop.log.count("started") == failures, "the clock stands still")
      shop.clock.advance(by: .seconds(1))
    }
    await outbox.wait { $0.dead == 1 }
    let letter = try #require(try await outbox.deadLetters().first)
    #expect(letter.reason == .outcomeUnknown && letter.operation.effect == .sentUnknown)
    #expect(letter.operation.failure?.code == "outbox.broken-off")
    #expect(letter.message.hasPrefix("The call was broken off before it was finished"))
    #expect(shop.log.count("released") == 0)
    await outbox.shutDown()
  }

  @Test(.requirement("O2")) func `a lost lease cancels the run, and its answer changes nothing`()
    async throws
  {
    let shop = try Workshop()
    let gate = Gate()
    let thrown = Box<(any Error)?>(nil)
    let outbox = try await shop.open(
      shop.worker { _, context in
        await gate.pass()
        do { try await context.confirmLease() } catch { thrown.value = error }
        #expect(Task.isCancelled)
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    // Another owner takes the operation over.
    let other = try DatabaseQueue(patientAt: shop.folder.database)
    try await other.write { db in
      try db.execute(sql: "UPDATE mainstay_op SET lease_token = lease_token + 1")
    }
    gate.open()
    await shop.log.wait(for: "leaseLost")
    #expect(thrown.value is CancellationError)
    #expect(shop.log.count("succeeded") == 0)
    #expect(try await outbox.ledger().count(.done) == 0)
    await outbox.shutDown()
    try other.close()
  }

  @Test(.requirement("O18")) func `a lane that needs a person goes on when it is resumed`()
    async throws
  {
    let shop = try Workshop()
    let isSignedIn = Box(false)
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 1) { _, context in
        #expect(context.attempt == 1)
        if !isSignedIn.value { throw AppError.http(status: 401) }
      })
    try await outbox.enqueue(Note(text: "a"))
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.waiting == 2 }
    shop.clock.advance(by: .seconds(86_400))
    isSignedIn.value = true
    try await outbox.resume(.main)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O18")) func `a lane is resumed only for the cause that has ended`()
    async throws
  {
    let shop = try Workshop()
    let outbox = try await shop.open(
      shop.worker { _, _ in throw AppError.http(status: 429, retryAfter: .seconds(30)) })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.waiting == 1 }
    try await outbox.resume(.main, closedFor: .needsUser)
    #expect(try await outbox.snapshot().waiting == 1)
    try await outbox.pause(.main)
    try await outbox.resume(.main, closedFor: .throttled)
    #expect(try await outbox.snapshot().waiting == 1)
    // It waits for claims that are on their way.
    await outbox.suspend()
    try await outbox.resume(.main, closedFor: .paused)
    #expect(try await outbox.snapshot().ready == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("O11")) func `a throttled lane goes on after the hint`() async throws {
    let shop = try Workshop()
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 1) { _, _ in
        if runs.change({
          $0 += 1; return $0
        }) == 1 {
          throw AppError.http(status: 429, retryAfter: .seconds(30))
        }
      })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.waiting == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(29))
    #expect(try await outbox.snapshot().waiting == 1)
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 2)
    await outbox.shutDown()
  }

  @Test func `a service that says "slow down, and come back at once" is not hammered`()
    async throws
  {
    let shop = try Workshop()
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        let run = runs.change { count in
          count += 1
          return count
        }
        if run < 3 { throw AppError.http(status: 429, retryAfter: .zero) }
      })
    try await outbox.enqueue(Note(text: "a"))
    for count in 1...2 {
      await shop.log.wait(for: "failed", count: count)
      await outbox.wait { $0.waiting == 1 }
      #expect(runs.value == count, "the clock stands still")
      await shop.clock.sleepers(atLeast: 1)
      shop.clock.advance(by: .seconds(2))
    }
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 3)
    await outbox.shutDown()
  }

  @Test(.requirement("C21")) func `a conflict waits with its document until it is resolved`()
    async throws
  {
    let shop = try Workshop()
    let sent = Box<[String]>([])
    let outbox = try await shop.open(
      shop.worker { note, _ in
        if note.text == "mine" { throw RemoteConflict(remote: Data("theirs".utf8)) }
        sent.change { $0.append(note.text) }
      })
    let id = try await outbox.enqueue(Note(text: "mine"), orderedBy: "k")
    try await outbox.enqueue(Note(text: "later"), orderedBy: "k")
    await outbox.wait { $0.conflicted == 1 }
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(conflict.id == id)
    #expect(conflict.remote == Data("theirs".utf8))
    #expect(conflict.operation.failure?.code == "http.409")
    try await outbox.resolve(id, with: .send(Note(text: "ours")))
    await outbox.wait { $0.pending == 0 }
    #expect(sent.value == ["ours", "later"])
    #expect(try await !outbox.acceptRemote(id))
    await outbox.shutDown()
  }

  @Test(.requirement("O19", "O20"))
  func `what no worker can read is kept until one can`() async throws {
    let shop = try Workshop()
    struct Stranger: QueuedOperation {
      static let kind: OperationKind = "stranger"
      var number: Int
    }
    let first = try await shop.open(Worker(for: Stranger.self) { _, _ in })
    try await first.enqueue(Note(text: "a"))
    await first.wait { $0.parked == 1 }
    await first.shutDown()
    struct Other: QueuedOperation {
      static let kind: OperationKind = "note"
      var number: Int
    }
    let second = try await shop.open(Worker(for: Other.self) { _, _ in })
    await shop.log.wait(for: "failed")
    await second.wait { $0.parked == 1 }
    #expect(try await second.operations().first?.failure?.code == "outbox.unreadable-payload")
    await second.shutDown()
    let third = try await shop.open(
      shop.worker { note, context in
        #expect(note.text == "a")
        #expect(context.attempt == 1)
      })
    await third.wait { $0.pending == 0 }
    await third.shutDown()
  }

  @Test func `an error that nobody has classified is told once`() async throws {
    struct Odd: Error {}
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in throw Odd() })
    try await outbox.enqueue(Note(text: "a"))
    for failures in 1...2 {
      await shop.log.wait(for: "failed", count: failures)
      shop.clock.advance(by: .seconds(1))
    }
    await shop.log.wait(for: "gaveUp")
    #expect(shop.log.count("unclassified") == 1)
    #expect(try await outbox.deadLetters().first?.reason == .unclassified)
    await outbox.shutDown()
  }

  @Test(.requirement("O4")) func `a clock that was set back a year freezes nothing`() async throws {
    let shop = try Workshop()
    let fails = Box(true)
    let worker = shop.worker { _, _ in
      if fails.value { throw AppError.test(.transient()) }
    }
    let first = try await shop.open(worker)
    try await first.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    await first.shutDown()
    fails.value = false
    shop.day.advance(by: .seconds(-365 * 86_400))
    let second = try await shop.open(worker)
    await second.wait { $0.scheduled == 1 }
    shop.clock.advance(by: .seconds(1))
    await second.wait { $0.pending == 0 }
    await second.shutDown()
  }
}
