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
    let arrivals = try operations.map { operation throws(OutboxError) in
      let options = options(operation)
      let (new, plain) = try prepared(operation, options)
      return Newcomer(new: new, plain: plain, isKeyed: options.idempotencyKey != nil)
    }
    // The same bytes are sealed to others each time, so the store would not know a repetition.
    guard vault.codec == nil else { return try await takeUnknown(arrivals, of: Operation.self) }
    do throws(OutboxError) {
      return try await take(arrivals.map(\.new))
    } catch {
      guard error.code == .keyReused, arrivals.contains(where: \.isKeyed) else { throw error }
      return try await takeUnknown(arrivals, of: Operation.self)
    }
  }

  private struct Newcomer {
    let new: NewOperation
    /// Its payload before it was sealed.
    let plain: Data
    let isKeyed: Bool
  }

  private func take(_ new: [NewOperation]) async throws(OutboxError) -> [OperationID] {
    let kept: [OperationID]
    do { kept = try await store.insert(contentsOf: new) } catch { throw OutboxError(error) }
    accepted(kept, of: new)
    return kept
  }

  /// Accepts those that are not there already under their idempotency keys, though in other bytes.
  private func takeUnknown<Operation: QueuedOperation>(
    _ arrivals: [Newcomer], of type: Operation.Type
  ) async throws(OutboxError) -> [OperationID] {
    var ids: [OperationID] = []
    var unknown: [NewOperation] = []
    var given: [IdempotencyKey: (id: OperationID, plain: Data)] = [:]
    for next in arrivals {
      let key = next.new.idempotencyKey
      let twin = next.isKeyed ? try await twin(of: next.new) : nil
      if let twin, isSame(twin, next.new, next.plain, of: type) {
        ids.append(twin.id)
      } else if next.isKeyed, let earlier = given[key],
        type.difference(earlier.plain, next.plain) == .nothing
      {
        ids.append(earlier.id)
      } else {
        if next.isKeyed { given[key] = given[key] ?? (next.new.id, next.plain) }
        ids.append(next.new.id)
        unknown.append(next.new)
      }
    }
    let kept = try await take(unknown)
    let found = Dictionary(zip(unknown.map(\.id), kept)) { first, _ in first }
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
