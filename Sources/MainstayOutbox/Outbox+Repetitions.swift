// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay

/// How what comes again under its idempotency key is known.
extension Outbox {
  /// Keeps an operation, or finds the one that is there already.
  ///
  /// Stores compare bytes, and one value may have others each time: sealed ones, or a set.
  func insert<Operation: QueuedOperation>(
    _ new: NewOperation, _ plain: Data, of type: Operation.Type
  ) async throws -> OperationID {
    do {
      return try await store.insert(new)
    } catch let error as OutboxError where error.code == .keyReused {
      let twin = try await store.operation(keyed: new.idempotencyKey)
      guard let twin, isSame(twin, new, plain, of: type) else { throw error }
      return twin.id
    }
  }

  func isSame<Operation: QueuedOperation>(
    _ twin: StoredOperation, _ new: NewOperation, _ plain: Data, of type: Operation.Type
  ) -> Bool {
    twin.type == new.type && type.difference(vault.opened(twin).payload, plain) == .nothing
  }
}

/// What tells two payloads of one kind and version apart.
package enum PayloadDifference: Sendable {
  /// They are of equal operations.
  case nothing
  /// The order of their bytes, and nobody can say whether that means anything.
  case order
  /// What they say.
  case content
}

extension QueuedOperation {
  /// What tells two payloads apart.
  ///
  /// A set is written in an order that is chance, and so is a dictionary whose keys are neither
  /// texts nor integers. Then `==` decides, where the operation has it; but not where the bytes
  /// differ in more than their order, as it may leave out some of the operation.
  package static func difference(_ left: Data, _ right: Data) -> PayloadDifference {
    if left == right { return .nothing }
    guard left.count == right.count, left.sorted() == right.sorted() else { return .content }
    guard self is any Equatable.Type else { return .order }
    guard let left = try? decode(left), let right = try? decode(right),
      let left = left as? any Equatable, areEqual(left, right)
    else { return .content }
    return .nothing
  }

  private static func areEqual<Value: Equatable>(_ left: Value, _ right: Self) -> Bool {
    left == right as? Value
  }
}
