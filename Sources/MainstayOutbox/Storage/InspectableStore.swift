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

extension SQLiteStore: InspectableStore {}
