// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting

/// A store in memory that fails as often as a test wants.
final class FailingStore: ForwardingStore {
  let store: any OutboxStore
  private let left = Box<[String: Int]>([:])
  private let refused = Box<OperationID?>(nil)
  private let gates = Box<(leased: Gate, handOver: Gate)?>(nil)
  private let promotionGates = Box<(asked: Gate, answer: Gate)?>(nil)
  private let settling = Box<Gate?>(nil)
  private let answerGates = Box<(recorded: Gate, answer: Gate)?>(nil)
  private let calls = Box((all: [String](), streams: [AsyncStream<String>.Continuation]()))

  init(now: @escaping @Sendable () -> Date) { store = InMemoryStore(now: now) }

  /// Lets the next calls of a name fail.
  func fail(_ name: String, times: Int) { left.change { $0[name] = times } }

  /// Takes no lease of an operation back from now on; nil where it takes all again.
  func refuse(leaseOf id: OperationID?) { refused.value = id }

  /// Opens a gate when a claim has leased something, and hands that over when another is open.
  func hold(claimsUntil handOver: Gate, opening leased: Gate) { gates.value = (leased, handOver) }

  /// Opens a gate when it is asked to promote, and does so when another is open.
  func hold(promotionsUntil answer: Gate, opening asked: Gate) {
    promotionGates.value = (asked, answer)
  }

  /// Records no end before a gate is open.
  func hold(endsUntil gate: Gate) { settling.value = gate }

  /// Opens a gate when an end is recorded, and says so when another is open.
  func hold(answersUntil answer: Gate, opening recorded: Gate) {
    answerGates.value = (recorded, answer)
  }

  /// How many calls of a name were made.
  func count(_ name: String) -> Int { calls.value.all.count { $0 == name } }

  /// Returns as soon as so many calls of a name were made.
  func wait(for name: String, count: Int = 1) async {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    calls.change { calls in
      for call in calls.all { continuation.yield(call) }
      calls.streams.append(continuation)
    }
    var seen = 0
    for await call in stream where call == name {
      seen += 1
      if seen >= count { return }
    }
  }

  private func pass(_ name: String) throws {
    let streams = calls.change { calls in
      calls.all.append(name)
      return calls.streams
    }
    for stream in streams { stream.yield(name) }
    let mustFail = left.change { left in
      let times = left[name] ?? 0
      left[name] = max(times - 1, 0)
      return times > 0
    }
    if mustFail { throw OutboxError(.diskFull, details: "the test says so") }
  }

  func open() async throws -> OpeningReport {
    try pass("open")
    return try await store.open()
  }

  func insert(_ operation: NewOperation) async throws -> OperationID {
    try pass("insert")
    return try await store.insert(operation)
  }

  func claim(_ request: ClaimRequest) async throws -> Claim {
    try pass("claim")
    let claim = try await store.claim(request)
    if !claim.operations.isEmpty, let gates = gates.value {
      gates.leased.open()
      await gates.handOver.pass()
    }
    return claim
  }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try pass("settle")
    await settling.value?.pass()
    if lease.id == refused.value { throw OutboxError(.failed, details: "the test says so") }
    let isHeld = try await store.settle(lease, verdict)
    if let gates = answerGates.value {
      gates.recorded.open()
      await gates.answer.pass()
    }
    return isHeld
  }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try pass("promote")
    if let gates = promotionGates.value {
      gates.asked.open()
      await gates.answer.pass()
    }
    return try await store.promote(types)
  }

  func snapshot() async throws -> OutboxSnapshot {
    try pass("snapshot")
    return try await store.snapshot()
  }

  func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try pass("operations")
    return try await store.operations(orderedBy: orderingKey)
  }

  func reconsider() async throws {
    try pass("reconsider")
    try await store.reconsider()
  }

  func expedite(unimportantAfter delay: Duration) async throws {
    try pass("expedite")
    try await store.expedite(unimportantAfter: delay)
  }

  func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    try pass("reopen")
    try await store.reopen(lane, closedFor: cause)
  }

  func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try pass("checkpoint")
    return try await store.checkpoint(lease, data)
  }
}
