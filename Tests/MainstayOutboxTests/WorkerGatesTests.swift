// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

private struct Other: QueuedOperation {
  static let kind: OperationKind = "other"
}

/// What lets the calls of a worker through, besides the outbox.
@Suite(.requirement("C14", "O11"), .ends(withinMinutes: 5)) struct WorkerGatesTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  @Test func `while the circuit is open its lane waits, and no attempt is counted`() async throws {
    let circuit = CircuitBreaker(
      "host", .consecutiveFailures(1), breakFor: .seconds(30), breakJitter: 0, clock: shop.clock)
    let isDown = Box(true)
    let worker = shop.worker { _, _ in if isDown.value { throw AppError.test(.transient()) } }
    let outbox = try await shop.open(worker.guarded(by: circuit))
    let first = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    let second = try await outbox.enqueue(Note(text: "b"))
    await shop.log.wait(for: "heldBack")
    #expect(shop.log.count("started") == 1)
    let obstacles = try #require(try await outbox.explain(second)?.obstacles)
    #expect(obstacles.contains { if case .lane(.main, .throttled, _) = $0 { true } else { false } })
    #expect(try await outbox.operation(second)?.attempts == 0)
    #expect(try await outbox.operation(first)?.attempts == 1)
    isDown.value = false
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(30))
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 2)
    #expect(shop.log.count("succeeded") == 2)
    await outbox.shutDown()
  }

  @Test func `as many begin as may try out the circuit, and the others as soon as it has closed`()
    async throws
  {
    var shop = shop
    shop.configuration.startsPaused = true
    let circuit = CircuitBreaker("host", .consecutiveFailures(1), clock: shop.clock)
    let gate = Gate()
    let others = Worker(for: Other.self) { _, _ in await gate.pass() }
    let outbox = try await shop.open(
      shop.worker { _, _ in await gate.pass() }.guarded(by: circuit), others.guarded(by: circuit))
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    for _ in 1...2 { try await outbox.enqueue(Other()) }
    circuit.open(for: .zero)
    await outbox.resume()
    await shop.log.wait(for: "started")
    // What was claimed beside it has been given back.
    await outbox.wait { $0.running == 1 && $0.ready == 3 }
    let held = try await outbox.operations().filter { $0.state != .leased }
    #expect(held.count == 3)
    for operation in held {
      #expect(try await outbox.explain(operation.id)?.obstacles == [.circuitIsProbed])
    }
    gate.open()
    // The clock stands still: nobody waits for a time.
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 4)
    #expect(shop.log.count("succeeded") == 4 && shop.log.count("heldBack") == 0)
    await outbox.shutDown()
  }

  @Test func `a run that began before the circuit opened keeps nobody from trying it out`()
    async throws
  {
    let circuit = CircuitBreaker("host", .consecutiveFailures(1), clock: shop.clock)
    let gate = Gate()
    let worker = shop.worker { note, _ in if note.text == "long" { await gate.pass() } }
    let outbox = try await shop.open(worker.guarded(by: circuit))
    try await outbox.enqueue(Note(text: "long"))
    await shop.log.wait(for: "started")
    circuit.open(for: .zero)
    try await outbox.enqueue(Note(text: "short"))
    await shop.log.wait(for: "succeeded")
    #expect(circuit.state == .closed)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a rejection from inside of a worker is its own`() async throws {
    let circuit = CircuitBreaker("outer", clock: shop.clock)
    let inner = CircuitBreaker("inner", clock: shop.clock)
    let isolation = inner.isolate()
    let worker = shop.worker { _, _ in try await inner.run {} }
    let outbox = try await shop.open(worker.guarded(by: circuit))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.waiting == 1 }
    #expect(shop.log.count("started") == 1 && shop.log.count("heldBack") == 0)
    withExtendedLifetime(isolation) {}
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `a client behind the same breaker makes its calls, and each failed run counts once`(
    isPipeline: Bool
  ) async throws {
    let circuit = CircuitBreaker(
      "host", .consecutiveFailures(2), breakFor: .seconds(30), breakJitter: 0, clock: shop.clock)
    let pipeline = Pipeline("host", clock: shop.clock) { circuit }
    let isDown = Box(true)
    let call: @Sendable () async throws -> Void = {
      if isDown.value { throw AppError.test(.transient()) }
    }
    let worker = shop.worker { _, _ in
      if isPipeline { try await pipeline.run(call) } else { try await circuit.run(call) }
    }
    let outbox = try await shop.open(worker.guarded(by: circuit))
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    #expect(circuit.state == .closed, "one run is one failure")
    await outbox.wait { $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await shop.log.wait(for: "failed", count: 2)
    #expect(circuit.state == .open(retryAfter: .seconds(30)))
    isDown.value = false
    await outbox.wait { $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(30))
    await outbox.wait { $0.pending == 0 }
    #expect(circuit.state == .closed && shop.log.count("failed") == 2)
    await outbox.shutDown()
  }

  @Test func `a change that needs no call says nothing about the other side`() async throws {
    struct Save: MergingOperation {
      static let kind: OperationKind = "save"
      static let mergePolicy = MergePolicy<Int>([.field("all", \.self)])
      var base = VersionedState(RecordState.present(1), version: "1")
      var local = RecordState.present(1)
    }
    let circuit = CircuitBreaker("host", .consecutiveFailures(1), clock: shop.clock)
    let worker = Worker(for: Save.self) { _, _, _ in nil }
    let outbox = try await shop.open(worker.guarded(by: circuit))
    let id = try await outbox.enqueue(Save())
    guard case .ended(.done, _, _) = try await outbox.handle(id, for: Save.self).outcome() else {
      Issue.record("it is not done")
      return
    }
    #expect(circuit.state == .closed)
    await outbox.shutDown()
  }

  @Test func `what is ready behind a worker whose limit is used up is not kept waiting`()
    async throws
  {
    var shop = shop
    shop.configuration.maximumConcurrency = 1
    shop.configuration.startsPaused = true
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(3_600), burst: 1), clock: shop.clock)
    let others = Worker(for: Other.self) { _, _ in }
    let outbox = try await shop.open(shop.worker { _, _ in }.limited(by: limiter), others)
    for text in ["a", "b", "c"] { try await outbox.enqueue(Note(text: text)) }
    try await outbox.enqueue(Other())
    await outbox.resume()
    // The clock stands still.
    await outbox.wait { $0.pending == 2 && $0.running == 0 }
    #expect(try await outbox.operations().allSatisfy { $0.type.kind == "note" })
    await outbox.shutDown()
  }

  @Test func `a limited worker begins as often as its limit says, and others go on`() async throws {
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(10), burst: 2), clock: shop.clock)
    let others = Worker(for: Other.self) { _, _ in }
    let outbox = try await shop.open(shop.worker { _, _ in }.limited(by: limiter), others)
    for text in ["a", "b", "c", "d"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.pending == 2 && $0.running == 0 }
    try await outbox.enqueue(Other())
    await outbox.wait { $0.pending == 2 }
    let left = try await outbox.operations()
    #expect(left.count == 2 && left.allSatisfy { $0.attempts == 0 && $0.type.kind == "note" })
    let obstacles = try #require(try await outbox.explain(left[0].id)?.obstacles)
    #expect(obstacles.contains { if case .rateLimited = $0 { true } else { false } })
    for count in [1, 0] {
      await shop.clock.sleepers(atLeast: 1)
      shop.clock.advance(by: .seconds(10))
      await outbox.wait { $0.pending == count }
    }
    await outbox.shutDown()
  }

  @Test func `what lost its last run keeps nobody waiting while its limit is used up`()
    async throws
  {
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(3_600), burst: 1), clock: shop.clock)
    let others = Worker(for: Other.self) { _, _ in }
    // A process died with two on its hands.
    let dead = SQLiteStore(at: shop.folder.database)
    _ = try await dead.open()
    for text in ["a", "b"] { _ = try await dead.insert(.note(text)) }
    #expect(try await dead.claim().count == 2)
    dead.abandon()
    let outbox = try await shop.open(shop.worker { _, _ in }.limited(by: limiter), others)
    await outbox.wait { $0.pending == 1 && $0.running == 0 }
    // The clock stands still.
    try await outbox.enqueue(Other())
    await outbox.wait { $0.pending == 1 }
    let left = try #require(try await outbox.operations().first)
    #expect(left.lostRuns == 1 && left.type.kind == "note")
    await outbox.pause()
    let id = try await outbox.enqueue(Other())
    #expect(try await outbox.explain(id)?.obstacles == [.paused], "it lets nobody pass")
    await outbox.shutDown()
  }
}
