// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Hands what is intended to the outbox, one after the other and in the order in which it was asked
/// for.
///
/// A kill between two steps is harmless: what may not be known to the outbox is handed over again
/// under the same key, and an operation that is there already stays the only one; what has ended
/// meanwhile is no longer intended.
actor Dispatcher {
  private let store: ItemStore
  private let outbox: Outbox
  private let probe: (@Sendable (InterruptionPoint) throws -> Void)?
  private let failed: @Sendable (AppError) -> Void
  private var last: Task<Bool, Never>?

  init(
    store: ItemStore, outbox: Outbox, probe: (@Sendable (InterruptionPoint) throws -> Void)?,
    failed: @escaping @Sendable (AppError) -> Void
  ) {
    self.store = store
    self.outbox = outbox
    self.probe = probe
    self.failed = failed
  }

  /// Returns when all that was intended before has been handed over, or could not be.
  ///
  /// - Returns: Whether the outbox has all of it.
  @discardableResult
  func flush() async -> Bool {
    let previous = last
    let task = Task {
      _ = await previous?.value
      return await self.drain()
    }
    last = task
    return await task.value
  }

  private func drain() async -> Bool {
    do {
      for work in try await store.intents() {
        try probe?(.afterCommit)
        let id = try await enqueue(work)
        try probe?(.afterEnqueue)
        try await store.enqueued(work.id, as: id.description)
      }
      return true
    } catch {
      failed(ErrorMapping.inventory.map(error))
      return false
    }
  }

  private func enqueue(_ work: Work) async throws(OutboxError) -> OperationID {
    switch work.kind {
    case .put: try await enqueue(SyncTwin.self, work)
    case .delete: try await enqueue(DeleteTwin.self, work)
    case .photo: try await enqueue(UploadPhoto.self, work)
    }
  }

  private func enqueue<Operation: ItemOperation>(
    _ type: Operation.Type, _ work: Work
  ) async throws(OutboxError) -> OperationID {
    try await outbox.enqueue(
      Operation(work: work.id, item: work.item),
      options: EnqueueOptions(
        orderedBy: work.item.text, idempotencyKey: work.key,
        // The outbox had it before, and lost it.
        mayHaveBeenSent: work.sent != nil))
  }
}
