// SPDX-License-Identifier: Apache-2.0

package import MainstayOutbox

/// An entry that an outbox brings to a ledger.
package struct Change: QueuedOperation, Hashable {
  package static let kind: OperationKind = "change"

  /// The account that it belongs to; its entries are to stand in order.
  package let account: String
  /// Its place among those of the account.
  package let number: Int
  /// Makes the request as large as a test wants it.
  package let padding: String

  package init(account: String, number: Int, padding: Int = 0) {
    self.account = account
    self.number = number
    self.padding = String(repeating: "x", count: padding)
  }
}
