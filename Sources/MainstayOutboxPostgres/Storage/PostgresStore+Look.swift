// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay
package import MainstayOutbox

/// For tools that look at the tables while services use them.
extension PostgresStore: InspectableStore {
  /// The lanes that are closed, by name.
  package func closedLanes() async throws -> [(lane: Lane, cause: String, until: Date?)] {
    try await call(
      """
      SELECT name, cause, until FROM mainstay.lane
      WHERE cause IS NOT NULL AND (until IS NULL OR until > coalesce($1::bigint, mainstay.clock()))
      ORDER BY name
      """, [time]
    ).map { row in
      let until = try row.isNull(2) ? nil : Date(milliseconds: row.int(2))
      return (Lane(rawValue: try row.text(0)), try row.text(1), until)
    }
  }

  /// Looks whether the ledger balances, and whether every row can be read.
  ///
  /// Damage of the server's own files is the server's to find: `pg_amcheck` does.
  ///
  /// - Returns: What is wrong, a sentence each; empty where all is well.
  package func findings() async throws -> [String] {
    var findings: [String] = []
    let ledger = try await ledger()
    if !ledger.isBalanced {
      let gone = ledger.receipts.reduce(0) { $0 + $1.count }
      findings.append(
        """
        The ledger does not balance: \(ledger.enqueued) were accepted, \(ledger.pending) are \
        pending, \(ledger.dead) are dead letters, and receipts count \(gone).
        """)
    }
    var last: OperationID?
    repeat {
      let page = try await operations(after: last, limit: 500)
      last = page.last?.id
    } while last != nil
    return findings
  }
}
