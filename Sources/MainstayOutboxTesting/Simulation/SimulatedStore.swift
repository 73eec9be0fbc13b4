// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// The store of a device, as one of its processes sees it: each change waits for its turn, may be
/// the last one before a crash, and goes into the book.
///
/// Questions are answered at once.
struct SimulatedStore: ForwardingStore {
  let store: any OutboxStore
  let life: SimulatedLife
  let world: SimulationWorld

  /// Makes a change when its turn has come; whoever asked goes on at another turn.
  private func change<T: Sendable>(
    _ steps: (before: SimulatedStep, after: SimulatedStep)? = nil,
    _ body: (any OutboxStore) async throws -> T
  ) async throws -> T {
    try await world.turn(life)
    if let steps { try await world.reached(steps.before, life) }
    let result: Result<T, any Error>
    do { result = .success(try await body(store)) } catch { result = .failure(error) }
    if let steps {
      try await world.reached(steps.after, life)
      try await world.turn(life)
    }
    return try result.get()
  }

  private func write(_ body: @Sendable (inout SimulationBook) -> SimulationBook.Finding?) {
    world.state.withLock { state in
      if let (law, details) = body(&state.book) { state.violate(law, details) }
    }
  }

  /// Sees what the store has let go by itself.
  private func look(_ store: any OutboxStore) async throws {
    var there = Set(try await store.operations(after: nil, limit: .max).map(\.id))
    there.formUnion(try await store.deadLetters(after: nil, limit: .max).map(\.id))
    world.state.withLock { [there] in $0.book.found(there, on: life.device) }
  }

  func open() async throws -> OpeningReport {
    let report = try await change { try await $0.open() }
    if !report.isBalanced {
      world.state.withLock {
        $0.violate("the ledger balances", "device \(life.device) opened an outbox that does not")
      }
    }
    return report
  }

  func insert(_ operation: NewOperation) async throws -> OperationID {
    try await change((.beforeEnqueue, .afterEnqueue)) { store in
      let id = try await store.insert(operation)
      world.state.withLock { state in
        state.book.inserted(operation, as: id, life.device)
        state.note("device \(life.device) keeps \(state.book.name(id))")
      }
      if world.change({ $0.book.expiring.contains(life.device) }) { try await look(store) }
      return id
    }
  }

  func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID] {
    try await change((.beforeEnqueue, .afterEnqueue)) { store in
      let ids = try await store.insert(contentsOf: operations)
      world.state.withLock { state in
        for (operation, id) in zip(operations, ids) {
          state.book.inserted(operation, as: id, life.device)
          state.note("device \(life.device) keeps \(state.book.name(id))")
        }
      }
      if world.change({ $0.book.expiring.contains(life.device) }) { try await look(store) }
      return ids
    }
  }

  func last(of orderingKey: String) async throws -> StoredOperation? {
    try await change { try await $0.last(of: orderingKey) }
  }

  func claim(_ request: ClaimRequest) async throws -> Claim {
    try await change((.beforeClaim, .afterClaim)) { store in
      // It costs more than the claim, so not each one is looked at.
      let obstacles = world.mayLook ? try await obstacles(in: store, request.unmet) : nil
      let claim = try await store.claim(request)
      world.state.withLock { state in
        for leased in claim.operations {
          if let (law, details) = state.book.claimed(leased) { state.violate(law, details) }
          guard let obstacles else { continue }
          let found = obstacles[leased.lease.id]?.filter { !$0.isOver(for: request) }
          guard found != [] else { continue }
          let why = found?.map(\.description).joined(separator: " ")
          let name = state.book.name(leased.lease.id)
          state.violate(
            "explanations are true",
            "\(name) was leased, although: \(why ?? "It is not there.")")
        }
      }
      return claim
    }
  }

  /// What stands in the way of all that is there, as the store explains it.
  private func obstacles(
    in store: any OutboxStore, _ unmet: Set<OperationConstraint>
  ) async throws -> [OperationID: [Obstacle]] {
    var obstacles: [OperationID: [Obstacle]] = [:]
    for operation in try await store.operations(after: nil, limit: .max) {
      obstacles[operation.id] = try await store.obstacles(operation.id, unmet: unmet)
    }
    return obstacles
  }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try await change((.beforeSettle, .afterSettle)) { store in
      let isHeld = try await store.settle(lease, verdict)
      write { $0.settled(lease, verdict, isHeld: isHeld) }
      if case .dead(_, .dropFollowers) = verdict.next { try await look(store) }
      return isHeld
    }
  }

  func latest(for operation: StoredOperation) async throws -> Data? {
    let latest = try await store.latest(for: operation)
    if latest != nil { world.state.withLock { $0.book.looked(operation.id) } }
    return latest
  }

  func confirms(_ lease: Lease) async throws -> Bool {
    try await change { try await $0.confirms(lease) }
  }

  func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try await change { try await $0.checkpoint(lease, data) }
  }

  func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    try await change { try await $0.learn(id, news, conflicts: fields) }
  }

  func attend(to types: Set<PayloadType>) async throws {
    try await change { try await $0.attend(to: types) }
  }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try await change { store in
      let wait = try await store.promote(types)
      _ = world.change { $0.unaware.remove(life.device) }
      if world.change({ $0.book.expiring.contains(life.device) }) { try await look(store) }
      return wait
    }
  }

  func reconsider() async throws { try await change { try await $0.reconsider() } }

  func expedite(unimportantAfter delay: Duration) async throws {
    try await change { try await $0.expedite(unimportantAfter: delay) }
  }

  func hasten(_ id: OperationID) async throws -> Bool {
    try await change { try await $0.hasten(id) }
  }

  func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    try await change { try await $0.close(lane, closure) }
  }

  func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    try await change { try await $0.reopen(lane, closedFor: cause) }
  }

  func pause(_ kind: OperationKind) async throws { try await change { try await $0.pause(kind) } }

  func resume(_ kind: OperationKind) async throws { try await change { try await $0.resume(kind) } }

  func redrive(_ id: OperationID) async throws -> Bool {
    try await change { try await $0.redrive(id) }
  }

  func discard(_ id: OperationID) async throws -> Bool {
    try await change { store in
      let isThere = try await store.discard(id)
      if isThere { world.state.withLock { $0.book.end(id, "discarded") } }
      return isThere
    }
  }

  func resolve(_ id: OperationID, with resolution: StoredResolution) async throws -> Bool {
    try await change { store in
      let isThere = try await store.resolve(id, with: resolution)
      guard isThere else { return false }
      world.state.withLock { state in
        if resolution == .dropped { state.book.end(id, "dropped") } else { state.book.decided(id) }
      }
      return true
    }
  }

  func cancel(_ id: OperationID) async throws -> Cancellation? {
    try await change { store in
      let answer = try await store.cancel(id)
      guard let answer else { return nil }
      // What nobody can ask about is gone at once.
      var isGone = answer == .cancelled
      if answer == .mayHaveHappened { isGone = try await store.operation(id) == nil }
      world.state.withLock { [isGone] in $0.book.cancelled(id, isGone: isGone) }
      return answer
    }
  }

  /// A process that has died leaves its store as it is.
  func close() async {}
}

extension Obstacle {
  /// Whether a drainer knows better: nobody waits for suspects that are passed by, nor does one for
  /// what has been running for so long that it counts no more.
  fileprivate func isOver(for request: ClaimRequest) -> Bool {
    switch self {
    case .letsPass: request.passesSuspects
    case .runsAlone: request.isAlone
    default: false
    }
  }
}
