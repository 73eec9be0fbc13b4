// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A store that tools may look at while apps use it.
package protocol InspectableStore: OutboxStore {
  /// Opens the store to be looked at only: nothing is changed, taken back or brought up to date.
  ///
  /// - Throws: ``OutboxError`` `unavailable` where there is no store or it cannot be reached,
  ///   `newerFormat` where this build cannot read it, `corrupted` where it is none, and `failed`
  ///   where an app has to bring it up to date first.
  func openToLook() async throws

  /// The lanes that are closed, by name.
  func closedLanes() async throws -> [(lane: Lane, cause: String, until: Date?)]

  /// Looks for damage, and whether the ledger balances.
  ///
  /// - Returns: What is wrong, a sentence each; empty where all is well.
  func findings() async throws -> [String]
}

extension SQLiteStore: InspectableStore {}
