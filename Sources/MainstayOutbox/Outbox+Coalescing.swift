// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// How a newcomer is put together with the last one of its ordering key.
extension Outbox {
  /// Keeps an operation, or what it and the last one of its key come to, where their kind says so.
  func insert<Operation: QueuedOperation>(
    _ new: NewOperation, _ plain: Data, of type: Operation.Type, _ options: EnqueueOptions
  ) async throws -> OperationID {
    guard let kind = type as? any CoalescingOperation.Type, let key = new.orderingKey,
      options.allowsCoalescing
    else { return try await insert(new, plain, of: type) }
    var refused: StoredOperation?
    // Somebody else may change what both come to, again and again.
    for _ in 0..<8 {
      // What is refused as it still is, is refused for a reason that only the store knows.
      guard let last = try await store.last(of: key), last != refused, last.isOpen(to: new),
        let merged = try merged(new, plain, with: last, by: kind)
      else { break }
      do {
        return try await store.insert(merged)
      } catch let error as OutboxError where error.code == .changedMeanwhile {
        refused = last
      }
    }
    return try await store.insert(new)
  }

  /// What a newcomer and the last one of its key come to; nil where both are kept.
  func merged(
    _ new: NewOperation, _ plain: Data, with last: StoredOperation,
    by kind: any CoalescingOperation.Type
  ) throws -> NewOperation? {
    let content = Vault.Content.payload(new.type)
    switch try? kind.coalesced(vault.opened(last.payload, as: content), with: plain) {
    case .replace(let payload):
      // What is too large to be enqueued as one stays two.
      guard payload.count <= live.now.maximumPayloadBytes else { return nil }
      return new.coalesced(with: last, to: try vault.sealed(payload, as: content))
    case .annihilate: return new.coalesced(with: last, to: nil)
    case .keepBoth, nil: return nil
    }
  }
}

extension StoredOperation {
  /// Whether a newcomer without wishes may be put together with it.
  ///
  /// It must have none of its own, either, since they would be those of the newcomer, too: that
  /// would expire with it, or be dropped to make room. Nor may anybody ask for it by its
  /// idempotency key. What else a store knows of it, such as its unique key, that looks at.
  func isOpen(to new: NewOperation) -> Bool {
    type == new.type && lane == new.lane && isUntouched && !isCancelled
      && expires == nil && timeout == nil && constraints.isEmpty && priority == new.wishes.priority
      && isExpendable == new.wishes.isExpendable && idempotencyKey.isMade(for: id)
  }
}

extension NewOperation {
  /// The same, put together with the last one of its ordering key.
  fileprivate func coalesced(with last: StoredOperation, to payload: Data?) -> NewOperation {
    var wishes = wishes
    wishes.coalescing = Coalescing(earlier: last.id, expected: last.payload, payload: payload)
    return NewOperation(
      id: id, type: type, lane: lane, orderingKey: orderingKey,
      idempotencyKey: payload == nil ? idempotencyKey : IdempotencyKey(anotherOf: last.id),
      payload: self.payload, timeToLive: timeToLive, effect: effect, wishes: wishes)
  }
}
