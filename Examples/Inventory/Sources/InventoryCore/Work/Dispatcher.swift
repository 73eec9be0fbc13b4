// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Hands what is intended to the outbox, in the order in which it was asked for.
///
/// It does so in rounds: what is intended while one is under way goes together in the next, so that
/// many changes at once wait for the disk together.
///
/// A kill between two steps is harmless: what may not be known to the outbox is handed over again
/// under the same key. An operation that is there already stays the only one, and what has ended
/// meanwhile is no longer intended.
struct Dispatcher: Sendable {
  private let rounds: Rounds<Bool>

  init(
    store: ItemStore, outbox: Outbox, probe: (@Sendable (InterruptionPoint) throws -> Void)?,
    failed: @escaping @Sendable (AppError) -> Void
  ) {
    let round = DispatchRound(store: store, outbox: outbox, probe: probe, failed: failed)
    rounds = Rounds { await round.drain() }
  }

  /// Begins to hand over what is intended.
  func start() async { await rounds.start() }

  /// Returns when all that was intended before has been handed over, or could not be.
  ///
  /// - Returns: Whether the outbox has all of it.
  @discardableResult
  func flush() async -> Bool { await rounds.join() }

  /// Returns when what is being handed over has been, or could not be.
  func settle() async { await rounds.settle() }
}

/// One round, in which what is intended is handed over.
private struct DispatchRound: Sendable {
  let store: ItemStore
  let outbox: Outbox
  let probe: (@Sendable (InterruptionPoint) throws -> Void)?
  let failed: @Sendable (AppError) -> Void

  func drain() async -> Bool {
    do {
      var works = try await store.intents()[...]
      while let first = works.first {
        // Their order is kept: what is of another kind comes in the next batch. All of a batch are
        // accepted or none, so it is small enough to find room in an outbox that is nearly full.
        let batch = works.prefix(100).prefix { $0.kind == first.kind }
        works.removeFirst(batch.count)
        for _ in batch { try probe?(.afterCommit) }
        let ids = try await enqueue(Array(batch), of: first.kind)
        for _ in batch { try probe?(.afterEnqueue) }
        try await store.enqueued(Array(zip(batch, ids)))
      }
      return true
    } catch {
      failed(ErrorMapping.inventory.map(error))
      return false
    }
  }

  private func enqueue(
    _ works: [Work], of kind: Work.Kind
  ) async throws(OutboxError) -> [OperationID] {
    switch kind {
    case .put: try await enqueue(SyncTwin.self, works)
    case .delete: try await enqueue(DeleteTwin.self, works)
    case .photo: try await enqueue(UploadPhoto.self, works)
    }
  }

  private func enqueue<Operation: ItemOperation>(
    _ type: Operation.Type, _ works: [Work]
  ) async throws(OutboxError) -> [OperationID] {
    let byID = Dictionary(works.map { ($0.id, $0) }) { first, _ in first }
    return try await outbox.enqueue(
      contentsOf: works.map { Operation(work: $0.id, item: $0.item) }
    ) { operation in
      EnqueueOptions(
        orderedBy: operation.item.text, idempotencyKey: byID[operation.work]?.key,
        // The outbox had it before, and lost it.
        mayHaveBeenSent: byID[operation.work]?.sent != nil)
    }
  }
}
