// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import Testing

/// The other side: it applies whatever arrives, and knows what it has applied.
struct NaiveServer {
  private(set) var applied: [String] = []

  func knows(_ key: IdempotencyKey) -> Bool { applied.contains(key.rawValue) }

  mutating func apply(_ key: IdempotencyKey) { applied.append(key.rawValue) }
}

/// Something that must never happen.
struct Violation: Error {
  let what: String
  let line: Int
}

private func hold(_ isTrue: Bool, _ what: String = "", line: Int = #line) throws {
  if !isTrue { throw Violation(what: what, line: line) }
}

/// A random life of a store, with crashes, beside a list of what it should hold.
struct StoreWalk {
  /// What the test knows of one operation.
  private struct Known {
    let id: OperationID
    let orderingKey: String?
    var idempotencyKey: IdempotencyKey
    /// It is done, discarded or dropped.
    var isGone = false
    var isApplied = false
  }

  private enum Ending: CaseIterable {
    case done, lostAnswer, transient, offline, permanent, conflict, rejected, cancelled, throttled,
      needsUser
  }

  private var test: StoreUnderTest
  private var generator: SeededGenerator
  private var known: [Known] = []
  private var server = NaiveServer()
  private var held: [LeasedOperation] = []
  private var stale: [LeasedOperation] = []
  private let rules = OperationStateMachine.Rules()

  init(_ kind: StoreUnderTest.Kind, seed: UInt64) async throws {
    test = try await StoreUnderTest(kind)
    generator = SeededGenerator(seed: seed)
  }

  private var store: any OutboxStore { test.store }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  mutating func run(steps: Int) async throws {
    for _ in 0..<steps {
      try await step()
      try await check()
    }
    try await drain()
  }

  private mutating func step() async throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<25: try await insert()
    case 25..<50: try await claim()
    case 50..<75: try await finish()
    case 75..<82: try await crash()
    case 82..<88: try await answerLate()
    case 88..<94:
      test.time.advance(by: .seconds(Int.random(in: 0...400, using: &generator)))
      _ = try await store.promote(NewOperation.types)
    default: try await decide()
    }
  }

  private mutating func insert() async throws {
    let orderingKey = ["a", "b", nil].randomElement(using: &generator) ?? nil
    let key = IdempotencyKey("key-\(known.count)") ?? IdempotencyKey()
    let new = NewOperation.note(
      String(known.count), orderedBy: orderingKey, idempotencyKey: key)
    let id = try await store.insert(new)
    try hold(id == new.id)
    if chance(10) { try hold(try await store.insert(new) == id) }
    known.append(Known(id: id, orderingKey: orderingKey, idempotencyKey: key))
  }

  private mutating func claim() async throws {
    let limit = Int.random(in: 1...3, using: &generator)
    let claim = try await store.claim(
      ClaimRequest(limit: limit, types: NewOperation.types, isAlone: held.isEmpty))
    try hold(claim.operations.count <= limit)
    for leased in claim.operations {
      try hold(!held.contains { $0.lease.id == leased.lease.id }, "it was leased twice")
      let index = try #require(known.firstIndex { $0.id == leased.lease.id })
      try hold(!known[index].isGone, "what is gone came back")
      if let key = known[index].orderingKey {
        let head = known.firstIndex { $0.orderingKey == key && !$0.isGone }
        try hold(head == index, "something stands before it")
      }
    }
    held += claim.operations
  }

  private mutating func crash() async throws {
    for leased in held where chance(50) { send(leased) }
    stale += held
    held = []
    let (next, report) = try await test.crash()
    try hold(report.isBalanced)
    test = test.with(next)
  }

  private mutating func answerLate() async throws {
    guard let late = stale.randomElement(using: &generator) else { return }
    try hold(try await !store.settle(late.lease, OperationVerdict(.done)), "a late answer counted")
  }

  /// The effect, unless the other side says that it has happened.
  private mutating func send(_ leased: LeasedOperation) {
    let key = leased.operation.idempotencyKey
    if leased.operation.effect == .sentUnknown, server.knows(key) { return }
    server.apply(key)
    if let index = known.firstIndex(where: { $0.id == leased.lease.id }) {
      known[index].isApplied = true
    }
  }

  private mutating func finish() async throws {
    guard !held.isEmpty else { return }
    let leased = held.remove(at: Int.random(in: 0..<held.count, using: &generator))
    var machine = OperationStateMachine(leased.operation, rules: rules)
    let fraction = Double.random(in: 0..<1, using: &generator)
    if machine.mustReconcile {
      let isKnown = server.knows(leased.operation.idempotencyKey)
      if let verdict = machine.reconciled(isKnown ? .applied : .notApplied, fraction: fraction) {
        return try await settle(leased, verdict)
      }
    }
    let ending = Ending.allCases.randomElement(using: &generator) ?? .done
    if ending == .done || ending == .lostAnswer || (ending == .cancelled && chance(50)) {
      send(leased)
    }
    try await settle(leased, verdict(of: &machine, ending, fraction))
  }

  private func verdict(
    of machine: inout OperationStateMachine, _ ending: Ending, _ fraction: Double
  ) -> OperationVerdict {
    let error: AppError
    switch ending {
    case .done: return machine.succeeded()
    case .lostAnswer: error = .test(.unknownOutcome)
    case .transient: error = .test(.transient())
    case .offline: error = .test(.transient(), kind: .offline)
    case .permanent: error = .test(.permanent)
    case .conflict: error = .http(status: 409)
    case .rejected: error = .test(.rejected())
    case .cancelled: error = .cancelled()
    case .throttled: error = .test(.throttled())
    case .needsUser: error = .test(.needsUser)
    }
    return machine.failed(
      error, isResolvable: true, isRunCancelled: ending == .cancelled, fraction: fraction)
  }

  private mutating func settle(
    _ leased: LeasedOperation, _ verdict: OperationVerdict
  ) async throws {
    try hold(try await store.settle(leased.lease, verdict), "a held lease did not count")
    if verdict.next == .done { go(leased.lease.id) }
    stale.append(leased)
  }

  private mutating func go(_ id: OperationID) {
    if let index = known.firstIndex(where: { $0.id == id }) { known[index].isGone = true }
  }

  /// What a person does now and then.
  private mutating func decide() async throws {
    if chance(30) { try await store.reopen(.main, closedFor: nil) }
    if chance(30) { try await store.expedite(unimportantAfter: .zero) }
    if let letter = try await store.deadLetters(after: nil, limit: 99)
      .randomElement(using: &generator)
    {
      if chance(70) {
        try hold(try await store.redrive(letter.id))
      } else {
        try hold(try await store.discard(letter.id))
        go(letter.id)
      }
    }
    if let conflict = try await store.conflicts().randomElement(using: &generator) {
      try await resolve(conflict)
    }
  }

  private mutating func resolve(_ conflict: OutboxConflict) async throws {
    if chance(30) {
      try hold(try await store.resolve(conflict.id, with: .dropped))
      return go(conflict.id)
    }
    let key = IdempotencyKey(conflict.operation.idempotencyKey.rawValue + "+") ?? IdempotencyKey()
    let payload = conflict.operation.payload
    try hold(
      try await store.resolve(
        conflict.id, with: .replaced(payload: payload, idempotencyKey: key)))
    if let index = known.firstIndex(where: { $0.id == conflict.id }) {
      known[index].idempotencyKey = key
    }
  }

  private func check() async throws {
    let ledger = try await store.ledger()
    try hold(ledger.isBalanced)
    try hold(ledger.enqueued == known.count)
    try hold(ledger.pending + ledger.dead == known.count { !$0.isGone })
    let snapshot = try await store.snapshot()
    try hold(snapshot.pending == ledger.pending)
    try hold(snapshot.dead == ledger.dead)
    try hold(snapshot.running == held.count)
    let sum =
      snapshot.ready + snapshot.running + snapshot.scheduled + snapshot.blocked
      + snapshot.waiting + snapshot.conflicted + snapshot.parked
    try hold(sum == snapshot.pending)
    let causes = snapshot.causes.inWords.reduce(0) { $0 + $1.count }
    try hold(causes == snapshot.scheduled + snapshot.waiting)
    try hold(server.applied.count == Set(server.applied).count, "applied twice")
  }

  /// All goes well from here on: everything that is wanted must come to its end, in order.
  private mutating func drain() async throws {
    for _ in 0..<1000 {
      for leased in held {
        send(leased)
        try await settle(leased, OperationVerdict(.done))
      }
      held = []
      test.time.advance(by: .seconds(400))
      try await store.reopen(.main, closedFor: nil)
      for letter in try await store.deadLetters(after: nil, limit: 99) {
        try hold(try await store.redrive(letter.id))
      }
      for conflict in try await store.conflicts() { try await resolve(conflict) }
      _ = try await store.promote(NewOperation.types)
      if !known.contains(where: { !$0.isGone }) { break }
      try await claim()
    }
    try hold(!known.contains { !$0.isGone }, "something is stuck")
    try await check()
    for key in ["a", "b"] {
      let wanted = known.filter { $0.orderingKey == key && $0.isApplied }
        .map(\.idempotencyKey.rawValue)
      let order = server.applied.filter { wanted.contains($0) }
      try hold(order == wanted, "key \(key) is out of order")
    }
  }
}

extension StoreUnderTest: CustomTestStringConvertible {
  var testDescription: String { String(describing: type(of: store)) }
}
