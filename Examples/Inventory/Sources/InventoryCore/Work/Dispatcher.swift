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
actor Dispatcher {
  private let store: ItemStore
  private let outbox: Outbox
  private let probe: (@Sendable (InterruptionPoint) throws -> Void)?
  private let failed: @Sendable (AppError) -> Void
  /// The last round that has begun, and the one after it, which takes whatever is intended by then.
  private var running: Task<Bool, Never>?
  private var next: Task<Bool, Never>?

  init(
    store: ItemStore, outbox: Outbox, probe: (@Sendable (InterruptionPoint) throws -> Void)?,
    failed: @escaping @Sendable (AppError) -> Void
  ) {
    self.store = store
    self.outbox = outbox
    self.probe = probe
    self.failed = failed
  }

  /// Begins to hand over what is intended.
  func start() { _ = round() }

  /// Returns when all that was intended before has been handed over, or could not be.
  ///
  /// - Returns: Whether the outbox has all of it.
  @discardableResult
  func flush() async -> Bool { await round().value }

  /// Returns when what is being handed over has been, or could not be.
  func settle() async { _ = await (next ?? running)?.value }

  /// The round that takes what is intended by now; all who come before it begins share it.
  private func round() -> Task<Bool, Never> {
    if let next { return next }
    let task = Task { [running] in
      _ = await running?.value
      begin()
      let isComplete = await drain()
      end()
      return isComplete
    }
    next = task
    return task
  }

  private func begin() { (running, next) = (next, nil) }

  private func end() { running = nil }

  private func drain() async -> Bool {
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
