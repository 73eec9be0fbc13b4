// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Outbox {
  /// Accepts several operations in their order, or none of them, with one wait for the disk.
  ///
  /// None of them is put together with what waits already: see ``CoalescingOperation``.
  ///
  /// - Parameters:
  ///   - operations: What is to be done.
  ///   - options: The wishes for each; none by default.
  /// - Returns: Their identities, as ``enqueue(_:options:)`` returns them, in the same order.
  /// - Throws: ``OutboxError``, as ``enqueue(_:options:)`` for the first one that is refused.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    contentsOf operations: some Sequence<Operation>,
    options: (Operation) -> EnqueueOptions = { _ in EnqueueOptions() }
  ) async throws(OutboxError) -> [OperationID] {
    var ids: [OperationID] = []
    var new: [NewOperation] = []
    var given: [IdempotencyKey: (id: OperationID, plain: Data)] = [:]
    for operation in operations {
      let options = options(operation)
      let (next, plain) = try prepared(operation, options)
      // The same bytes are sealed to others each time, so the store would not know a repetition.
      let isGiven = options.idempotencyKey != nil && vault.codec != nil
      let twin = isGiven ? try await twin(of: next) : nil
      if let twin, isSame(twin, next, plain) {
        ids.append(twin.id)
      } else if isGiven, let earlier = given[next.idempotencyKey], earlier.plain == plain {
        ids.append(earlier.id)
      } else {
        if isGiven { given[next.idempotencyKey] = given[next.idempotencyKey] ?? (next.id, plain) }
        ids.append(next.id)
        new.append(next)
      }
    }
    let kept: [OperationID]
    do { kept = try await store.insert(contentsOf: new) } catch { throw OutboxError(error) }
    let found = Dictionary(zip(new.map(\.id), kept)) { first, _ in first }
    accepted(kept, of: new)
    return ids.map { found[$0] ?? $0 }
  }

  private func twin(of new: NewOperation) async throws(OutboxError) -> StoredOperation? {
    do {
      return try await store.operation(keyed: new.idempotencyKey)
    } catch {
      throw OutboxError(error)
    }
  }
}
