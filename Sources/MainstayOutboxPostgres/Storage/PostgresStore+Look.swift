// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay
package import MainstayOutbox

/// For tools that look at the tables while services use them.
extension PostgresStore: InspectableStore {
  /// The lanes that are closed, by name.
  package func closedLanes() async throws -> [(lane: Lane, cause: String, until: Date?)] {
    try await closures()
  }

  /// What closes lanes now, by their names.
  func closures() async throws -> [(lane: Lane, cause: String, until: Date?)] {
    try await call(
      """
      SELECT l.name, c.cause, c.until FROM mainstay.lane AS l CROSS JOIN LATERAL
        (VALUES (l.cause, l.until), (CASE WHEN l.rest_until IS NOT NULL THEN 'throttled' END,
          l.rest_until)) AS c (cause, until)
      WHERE c.cause IS NOT NULL
        AND (c.until IS NULL OR c.until > coalesce($1::bigint, mainstay.clock()))
      ORDER BY 1, 2
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
  /// - Parameter progress: Told now and then how many rows have been looked at, and of how many.
  /// - Returns: What is wrong, a sentence each; empty where all is well.
  /// - Throws: ``OutboxError`` where nothing can be looked at.
  package func findings(
    _ progress: @escaping @Sendable (_ rows: Int, _ total: Int) -> Void
  ) async throws -> [String] {
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
    findings += try await wrongCounters()
    var rows = 0
    func looked(at count: Int) {
      rows += count
      progress(rows, ledger.pending + ledger.dead)
    }
    findings += try await illegal(in: "operation", "no operation", looked) {
      _ = try $0.operation()
    }
    findings += try await illegal(in: "dead_letter", "no dead letter", looked) {
      _ = try $0.deadLetter()
    }
    return findings
  }

  /// What the counters say that the limits go by, where it is not so.
  private func wrongCounters() async throws -> [String] {
    // One statement, and so one moment.
    let counts = try await call(
      """
      SELECT l.pending, o.pending, l.bytes, o.bytes FROM (
          SELECT coalesce(sum(pending), 0)::bigint AS pending,
            coalesce(sum(bytes), 0)::bigint AS bytes FROM mainstay.load) AS l,
        (SELECT count(*) AS pending,
            coalesce(sum(octet_length(payload)), 0)::bigint AS bytes FROM mainstay.op) AS o
      """)
    var found: [String] = []
    for row in counts {
      for (column, words) in [("pending", "are pending"), ("bytes", "are the bytes of payloads")] {
        let index = column == "pending" ? 0 : 2
        let (said, there) = (try row.int(index), try row.int(index + 1))
        guard said != there else { continue }
        found.append(
          """
          The counter says \(said), and \(there) \(words). Set it right: UPDATE \(schema).load SET \
          \(column) = \(column) + (\(there &- said)) \
          WHERE shard = (SELECT min(shard) FROM \(schema).load)
          """)
      }
    }
    return found
  }

  /// The rows of a view that cannot be read, a sentence each, the first 20 of them.
  private func illegal(
    in view: String, _ words: String, _ looked: (_ rows: Int) -> Void,
    _ read: (OperationReading) throws -> Void
  ) async throws -> [String] {
    var findings: [String] = []
    var last: Int64 = 0
    while findings.count < 20 {
      // By the number, since rows come and go meanwhile.
      let rows = try await call(
        "SELECT * FROM mainstay.\(view) WHERE id > $1 ORDER BY id LIMIT 500", [.int(last)])
      if rows.isEmpty { break }
      looked(rows.count)
      for row in rows {
        let reading = OperationReading(row: row)
        last = try reading.number
        do {
          try read(reading)
          // mainstay:ignore MS202 -- that it fails is what was looked for
        } catch {
          findings.append("Row \(last) is \(words).")
        }
      }
    }
    return Array(findings.prefix(20))
  }
}
