// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

extension StoredOperation {
  /// The operation as it was enqueued; nil where it is of another kind or version, or cannot be
  /// read.
  public func decoded<Operation: QueuedOperation>(
    as type: Operation.Type = Operation.self
  ) -> Operation? {
    guard self.type == Operation.payloadType else { return nil }
    return try? Operation.decode(payload)
  }
}

extension Outbox {
  /// The operations of an ordering key that are not finished, now and each time they are others.
  ///
  /// Where the store cannot be read, it is asked again half a second later.
  ///
  /// - Parameter orderingKey: What they change.
  /// - Returns: The stream; the newest is never missed, older ones may be. It ends with the outbox.
  public func pendingOperations(
    orderedBy orderingKey: some CustomStringConvertible & Sendable
  ) -> some AsyncSequence<[StoredOperation], Never> & Sendable {
    let told = Told()
    let timeline = drainer.settings.timeline
    // Snapshots would be counted for nothing.
    return changeFeed.bell().compactMap { [weak self] _ in
      while !Task.isCancelled {
        do throws(OutboxError) {
          guard let found = try await self?.operations(orderedBy: orderingKey) else { return nil }
          return told.isNews(found) ? found : nil
        } catch {
          guard error.code != .shutDown else { return nil }
          try? await timeline.sleep(until: timeline.now + .milliseconds(500))
        }
      }
      return nil
    }
  }
}

/// What was told last: that an operation runs, or waits, is no other operation.
private final class Told: Sendable {
  private struct Known: Equatable {
    let id: OperationID
    let payload: Data
  }

  private let last = Locked<[Known]?>(nil)

  func isNews(_ operations: [StoredOperation]) -> Bool {
    let known = operations.map { Known(id: $0.id, payload: $0.payload) }
    return last.withLock { last in
      guard last != known else { return false }
      last = known
      return true
    }
  }
}

extension ResponseCache {
  /// What is kept under a key with what waits in an outbox laid over it, now and after each change
  /// of either: what a screen shows of something that is edited offline.
  ///
  /// Let the worker `keep(_:for:tags:)` what the service answered before it returns: then the
  /// change is in what is kept when its operation is gone.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - type: What is kept.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - operation: The kind of operation that is laid over it; others under the same ordering key
  ///     are left out. What waits in an older form is brought up to it by its worker.
  ///   - outbox: Where they wait.
  ///   - orderingKey: The key that they were enqueued by.
  ///   - apply: Makes the change of one; see `CachedValue.overlaying(_:on:_:)`.
  /// - Returns: The stream; it ends with the cache's `wipe()`.
  public func updates<Value: Codable & Sendable, Operation: QueuedOperation>(
    for key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil,
    overlaying operation: Operation.Type, of outbox: Outbox,
    orderedBy orderingKey: some CustomStringConvertible & Sendable,
    _ apply: @escaping @Sendable (inout Value?, Operation) -> Void
  ) -> some AsyncSequence<CachedValue<Value>?, Never> & Sendable {
    let workers = outbox.drainer.workers
    let changes = outbox.pendingOperations(orderedBy: orderingKey).map { operations in
      operations.compactMap { workers.decoded($0, as: Operation.self) }
    }
    return updates(for: key, as: Value.self, policy: policy, overlaying: changes, apply)
  }

  /// What is kept under a key, with the changes that wait in an outbox done again on it in order.
  ///
  /// It is a rebase of changes that are functions, of which none is lost with the app.
  /// A change that throws is left out, for as long as it does: one that cannot be done to what the
  /// service has by now, or that this has already. It still waits, so `localChanges` counts it.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - operation: The kind of operation that is done again; others under the same ordering key
  ///     are left out. What waits in an older form is brought up to it by its worker.
  ///   - outbox: Where they wait.
  ///   - orderingKey: The key that they were enqueued by.
  /// - Returns: The stream; it ends with the cache's `wipe()`. Where nothing is kept there is
  ///   nothing to change, and so nothing to show.
  public func updates<Operation: QueuedOperation & RebasingOperation>(
    for key: String, policy: CachePolicy? = nil, rebasing operation: Operation.Type,
    of outbox: Outbox, orderedBy orderingKey: some CustomStringConvertible & Sendable
  ) -> some AsyncSequence<CachedValue<Operation.Document>?, Never> & Sendable
  where Operation.Document: Codable {
    updates(
      for: key, as: Operation.Document.self, policy: policy, overlaying: operation, of: outbox,
      orderedBy: orderingKey
    ) { document, change in
      guard var changed = document, (try? change.apply(to: &changed)) != nil else { return }
      document = changed
    }
  }
}
