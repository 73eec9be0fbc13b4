// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import MainstayOutbox

/// For tools that say who works with the tables, and what lies in them.
extension PostgresStore {
  /// The processes that live and have the database open, the oldest first.
  package func owners() async throws -> [StoreOwner] {
    try await call(
      """
      SELECT name, since, array_to_json(types)::text FROM mainstay.owner
      WHERE alive_until > mainstay.clock() ORDER BY id
      """
    ).map { row in
      let types = try JSONDecoder().decode([String].self, from: Data(try row.text(2).utf8))
      return StoreOwner(
        name: try row.text(0), since: Date(milliseconds: try row.int(1)),
        types: types.compactMap(Self.type))
    }
  }

  /// A kind and its version; a kind may have a slash in it, too.
  private static func type(_ text: String) -> PayloadType? {
    guard let slash = text.lastIndex(of: "/"), let version = Int(text[slash...].dropFirst()) else {
      return nil
    }
    return PayloadType(kind: OperationKind(rawValue: String(text[..<slash])), version: version)
  }

  /// What the dead letters are together.
  package func deadLetterTotals() async throws -> DeadLetterTotals {
    let row = try await ask(
      """
      SELECT count(*), coalesce(sum(octet_length(payload)), 0)::bigint, min(since)
      FROM mainstay.dead
      """)
    return DeadLetterTotals(
      count: Int(try row.int(0)), bytes: Int(try row.int(1)),
      oldest: try row.int(ifAny: 2).map(Date.init(milliseconds:)))
  }
}
