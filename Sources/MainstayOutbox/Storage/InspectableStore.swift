// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A store that tools may look at while apps use it.
package protocol InspectableStore: OutboxStore, OperationSearch {
  /// Opens the store to be looked at only: nothing is changed, taken back or brought up to date.
  ///
  /// - Throws: ``OutboxError`` `unavailable` where there is no store or it cannot be reached. It is
  ///   `newerFormat` where this build cannot read it, `corrupted` where it is none, and `failed`
  ///   where an app has to bring it up to date first.
  func openToLook() async throws

  /// The processes that live and have it open, the oldest first; who only looks is none of them.
  func owners() async throws -> [StoreOwner]

  /// What the dead letters are together.
  func deadLetterTotals() async throws -> DeadLetterTotals

  /// Makes ready what waits for a time, as ``OutboxStore/hasten(_:)`` does with one.
  ///
  /// - Returns: Those that waited for one.
  func hasten(contentsOf ids: [OperationID]) async throws -> [OperationID]

  /// The lanes that are closed, by name.
  func closedLanes() async throws -> [(lane: Lane, cause: String, until: Date?)]

  /// Looks for damage, and whether the ledger balances.
  ///
  /// - Parameter progress: Told now and then how many rows have been looked at, and of how many.
  /// - Returns: What is wrong, a sentence each; empty where all is well.
  /// - Throws: ``OutboxError`` where nothing can be looked at.
  func findings(
    _ progress: @escaping @Sendable (_ rows: Int, _ total: Int) -> Void
  ) async throws -> [String]
}

extension InspectableStore {
  /// Looks for damage, and whether the ledger balances.
  package func findings() async throws -> [String] { try await findings { _, _ in } }
}

extension SQLiteStore: InspectableStore, LaneTryingStore {}

/// A process that has a store open.
package struct StoreOwner: Sendable, Hashable {
  /// What an operator knows it by: its number, after the name of its machine where that may be any.
  package let name: String
  /// When it opened the store.
  package let since: Date
  /// What its workers read, by kind and version; nothing as long as it has not asked for work.
  package let types: [PayloadType]

  package init(name: String, since: Date, types: [PayloadType]) {
    self.name = name
    self.since = since
    self.types = types.sorted { one, other in
      (one.kind.rawValue, one.version) < (other.kind.rawValue, other.version)
    }
  }
}

/// What the dead letters of a store are together.
package struct DeadLetterTotals: Sendable, Hashable {
  package let count: Int
  /// How large their payloads are together, as they lie in the store.
  package let bytes: Int
  /// When the oldest was given up; nil where there is none.
  package let oldest: Date?

  package init(count: Int, bytes: Int, oldest: Date?) {
    self.count = count
    self.bytes = bytes
    self.oldest = oldest
  }
}
