// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What happens between two steps of an outbox, and what outlives a run.
@Suite(.requirement("C13", "O26"), .ends(withinMinutes: 5)) struct OutboxRacesTests {
  private let shop: Workshop
  private let store: FailingStore

  init() throws {
    let shop = try Workshop()
    self.shop = shop
    store = FailingStore(now: { shop.day.now })
  }

  private func open(_ worker: Worker) async throws -> Outbox {
    try await Outbox(store: store, configuration: shop.configuration, clock: shop.clock) { worker }
  }

  /// Suspends an outbox whose worker does not heed its cancellation.
  private func giveUp(_ outbox: Outbox) async {
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .milliseconds(500))
    await end
  }

  @Test func `a deadline around the opening is none of the workers`() async throws {
    let left = Box<[Duration?]>([])
    let attempts = Box<[Int]>([])
    let worker = shop.worker { _, _ in
      left.change { $0.append(Deadline.remaining) }
      attempts.change { $0.append(Retry.currentAttempt) }
    }
    let opening = Box(0)
    let outbox = try await Retry(maximumAttempts: 2, backoff: .none).run {
      opening.change { $0 += 1 }
      if opening.value == 1 { throw AppError.test(.transient()) }
      return try await Deadline(.seconds(1), clock: shop.clock).run { try await open(worker) }
    }
    shop.clock.advance(by: .seconds(2))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.pending == 0 }
    #expect(left.value == [nil] && attempts.value == [1])
    await outbox.shutDown()
  }

  @Test func `what is cancelled while it is handed over does not begin`() async throws {
    let outbox = try await open(shop.worker { _, _ in try await untilCancelled() })
    let (leased, handOver) = (Gate(), Gate())
    store.hold(claimsUntil: handOver, opening: leased)
    let id = try await outbox.enqueue(Note(text: "a"))
    await leased.pass()
    #expect(try await outbox.cancel(id) == .stopping)
    handOver.open()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "cancelled")
    #expect(shop.log.count("started") == 0 && shop.log.count("cancelled") == 1)
    #expect(try await outbox.ledger().count(.cancelled) == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("O18"))
  func `a refusal that is recorded while somebody signs in leaves the lane open`() async throws {
    let isSignedIn = Box(false)
    let outbox = try await open(
      shop.worker { _, _ in if !isSignedIn.value { throw AppError.http(status: 401) } })
    let gate = Gate()
    store.hold(endsUntil: gate)
    try await outbox.enqueue(Note(text: "a"))
    await store.wait(for: "settle")
    isSignedIn.value = true
    try await outbox.resume(.main, closedFor: .needsUser)
    // What opens the lane again fails first, and is done all the same.
    store.fail("reopen", times: 1)
    gate.open()
    await shop.log.wait(for: "storageFailed")
    shop.clock.advance(by: .seconds(60))
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded")
    #expect(store.count("settle") == 2, "what is recorded is not recorded again")
    #expect(shop.log.count("leaseLost") == 0)
    await outbox.shutDown()
  }

  @Test func `what could not be given back is given back as soon as the store takes it`()
    async throws
  {
    let gate = Gate()
    let outbox = try await open(
      shop.worker(reconcile: { _, _ in .applied }) { _, _ in await gate.pass() })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    store.fail("settle", times: 2)
    await giveUp(outbox)
    await shop.log.wait(for: "storageFailed", count: 2)
    #expect(try await outbox.operation(id)?.state == .leased)
    shop.clock.advance(by: .seconds(60))
    await shop.log.wait(for: "released")
    let left = try #require(try await outbox.operation(id))
    #expect(left.state == .ready && left.effect == .sentUnknown)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(shop.log.count("started") == 1 && shop.log.count("reconciled") == 1)
    gate.open()
    await shop.log.wait(for: "leaseLost")
    await outbox.shutDown()
  }

  @Test func `a lease that the store does not take back keeps nothing else from running`()
    async throws
  {
    let deaf = Gate()
    let outbox = try await open(
      shop.worker(reconcile: { _, _ in .applied }) { note, _ in
        if note.text == "deaf" { await deaf.pass() }
      })
    let id = try await outbox.enqueue(Note(text: "deaf"))
    await shop.log.wait(for: "started")
    store.refuse(leaseOf: id)
    await giveUp(outbox)
    await shop.log.wait(for: "storageFailed", count: 2)
    await outbox.resume()
    // The clock stands still, so nothing is tried again meanwhile.
    try await outbox.enqueue(Note(text: "other"))
    await shop.log.wait(for: "succeeded")
    #expect(try await outbox.operation(id)?.state == .leased)
    #expect(shop.log.count("storageFailed") == 2)
    store.refuse(leaseOf: nil)
    shop.clock.advance(by: .seconds(60))
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "released")
    #expect(shop.log.count("released") == 1 && shop.log.count("reconciled") == 1)
    deaf.open()
    await shop.log.wait(for: "leaseLost")
    await outbox.shutDown()
  }

  @Test func `a shutdown waits for no lease that the store does not take back`() async throws {
    let deaf = Gate()
    let outbox = try await open(shop.worker { _, _ in await deaf.pass() })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    store.refuse(leaseOf: id)
    await giveUp(outbox)
    await shop.log.wait(for: "storageFailed", count: 2)
    // The clock stands still: it ends at once, or never.
    await outbox.shutDown()
    deaf.open()
  }

  @Test(.requirement("O11")) func `what was given up on is no work that goes on`() async throws {
    let (deaf, busy) = (Gate(), Gate())
    let outbox = try await open(
      shop.worker { note, _ in
        if note.text == "deaf" { await deaf.pass() }
        if note.text == "busy" { await busy.pass() }
      })
    let id = try await outbox.enqueue(Note(text: "deaf"))
    await shop.log.wait(for: "started")
    await giveUp(outbox)
    try await outbox.cancel(id)
    // Nothing runs meanwhile.
    shop.clock.advance(by: .seconds(1000))
    await outbox.resume()
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await shop.log.wait(for: "succeeded", count: 2)
    try await outbox.enqueue(Note(text: "busy"))
    // Two ends are told a moment before they are counted.
    await outbox.wait { $0.running == 1 && $0.pending == 1 && $0.estimate != nil }
    let estimate = try #require(try await outbox.snapshot().estimate)
    #expect(estimate.likely < .seconds(5))
    deaf.open()
    busy.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a call that began before somebody signed in closes no lane after that`()
    async throws
  {
    let (slow, asked) = (Gate(), Gate())
    let isSignedIn = Box(false)
    let outbox = try await open(
      shop.worker(maximumAttempts: 1) { note, _ in
        let isAllowed = isSignedIn.value
        if note.text == "slow", !isAllowed {
          asked.open()
          await slow.pass()
        }
        if !isAllowed { throw AppError.http(status: 401) }
      })
    try await outbox.enqueue(Note(text: "slow"))
    await asked.pass()
    try await outbox.enqueue(Note(text: "quick"))
    await outbox.wait { $0.causes.laneNeedsUser == 1 && $0.running == 1 }
    isSignedIn.value = true
    try await outbox.resume(.main, closedFor: .needsUser)
    await shop.log.wait(for: "succeeded")
    slow.open()
    await shop.log.wait(for: "failed", count: 2)
    try #require(try await outbox.snapshot().causes.laneNeedsUser == 0)
    await outbox.wait { $0.pending == 0 }
    // Whoever is refused with what is valid now asks again.
    isSignedIn.value = false
    try await outbox.enqueue(Note(text: "late"))
    await shop.log.wait(for: "failed", count: 3)
    #expect(try await outbox.snapshot().causes.laneNeedsUser == 1)
    await outbox.shutDown()
  }

  @Test func `what was given up on says nothing of the run after it`() async throws {
    let (deaf, next, said) = (Gate(), Gate(), Gate())
    let runs = Box(0)
    let outbox = try await open(
      shop.worker { _, context in
        let number = runs.change { count in
          count += 1
          return count
        }
        if number == 1 {
          context.report(progress: 0.5)
          await deaf.pass()
          context.report(progress: 0.9)
          said.open()
        } else {
          context.report(progress: 0.1)
          await next.pass()
        }
      })
    let handle = outbox.handle(try await outbox.enqueue(Note(text: "a")), for: Note.self)
    await shop.log.wait(for: "started")
    await giveUp(outbox)
    #expect(try await handle.status().progress == nil)
    await outbox.resume()
    await shop.log.wait(for: "started", count: 2)
    deaf.open()
    await said.pass()
    await shop.log.wait(for: "leaseLost")
    for await status in handle.updates where status.progress != nil {
      #expect(status.progress?.fraction == 0.1)
      break
    }
    next.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}

extension OperationHandle.Status {
  fileprivate var progress: OperationProgress? {
    if case .pending(_, let progress) = self { progress } else { nil }
  }
}
