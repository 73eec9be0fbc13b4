// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension Arrival {
  /// What is in a store: the counters that its triggers keep.
  struct Load {
    var pending = 0
    var bytes = 0
  }

  static func load(_ db: Database) throws -> Load {
    var load = Load()
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT key, value FROM mainstay_meta WHERE key IN ('pending', 'bytes')"))
    for row in rows {
      // Whatever is in the file, it can be counted on from.
      let value = min(max(Int.fromDatabaseValue(row["value"]) ?? 0, 0), 1 << 53)
      if row["key"] == "bytes" { load.bytes = value } else { load.pending = value }
    }
    return load
  }

  /// What is in the store now, read once where nothing but newcomers has changed it.
  mutating func load() throws -> Load {
    if let known { return known }
    let load = try Self.load(db)
    known = load
    return load
  }

  /// How many rows are looked at together where something has to go.
  private static let stride = 100

  /// Drops what has expired, and then what is expendable, until a newcomer has room.
  ///
  /// - Parameters:
  ///   - operation: The newcomer.
  ///   - holder: The one whose place it takes, which may expire meanwhile; nil, the default, for
  ///     none.
  /// - Returns: False where it has none; what is expendable is dropped only where that is enough.
  /// - Throws: What SQLite throws.
  mutating func makeRoom(
    for operation: NewOperation, replacing holder: Holder? = nil
  ) throws -> Bool {
    if try hasRoom(for: operation, replacing: holder) { return true }
    guard operation.payload.count <= limits.maximumBytes ?? .max else { return false }
    var lack: Lack
    var found: Int
    // What nobody wants any more goes before what somebody does, however much of it there is.
    repeat {
      found = try departure.expire(atMost: Self.stride)
      lookAgain()
      lack = try self.lack(of: operation, holder)
      if lack.isMet { return true }
    } while found == Self.stride
    guard let victims = try victims(for: operation, lack, replacing: holder) else { return false }
    for row in victims { try departure.remove(row, as: .evicted) }
    lookAgain()
    return true
  }

  /// Whether a newcomer has room, and nothing has to be dropped for it.
  mutating func hasRoom(
    for operation: NewOperation, replacing holder: Holder? = nil
  ) throws -> Bool {
    guard limits.maximumPending != nil || limits.maximumBytes != nil else { return true }
    return try lack(of: operation, holder).isMet
  }

  /// How much room a newcomer lacks; nothing where it has it.
  private struct Lack {
    var rows: Int
    var bytes: Int

    var isMet: Bool { rows <= 0 && bytes <= 0 }
  }

  private mutating func lack(of operation: NewOperation, _ holder: Holder?) throws -> Lack {
    let load = try load()
    let (rows, bytes) = (limits.maximumPending ?? .max, limits.maximumBytes ?? .max)
    guard let holder else {
      return Lack(
        rows: load.pending + 1 - rows, bytes: load.bytes + operation.payload.count - bytes)
    }
    // It takes up no more places, and what is no larger needs no room.
    let growth = operation.payload.count - holder.bytes
    return Lack(rows: 0, bytes: growth > 0 ? load.bytes + growth - bytes : 0)
  }

  /// Whether there is room for what two operations come to; nothing is dropped for it.
  mutating func isFitting(_ coalescing: NewOperation.Coalescing) throws -> Bool {
    let growth = (coalescing.payload?.count ?? 0) - coalescing.expected.count
    guard growth > 0, let most = limits.maximumBytes else { return true }
    return try load().bytes + growth <= most
  }

  /// Those that go first and make room together; nil where all of them do not.
  ///
  /// What others need stays, since they would be given up for want of it, and so does what the
  /// newcomer itself needs. An expendable newcomer takes the place of nothing that is more
  /// important than it is.
  private func victims(
    for operation: NewOperation, _ lack: Lack, replacing holder: Holder?
  ) throws -> [Row]? {
    let needed = Set(operation.wishes.dependencies?.ids.map(\.data) ?? [])
    var lack = lack
    var victims: [Row] = []
    let cursor = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(OperationRow.leaving) FROM mainstay_op
          WHERE expendable AND state NOT IN ('leased', 'conflicted') AND \(OperationRow.isSafe)
            AND NOT cancelled AND (NOT ?1 OR priority <= ?2)
            AND NOT EXISTS (SELECT 1 FROM mainstay_dep WHERE needs = mainstay_op.id)
          ORDER BY priority, id
          """),
      arguments: [operation.wishes.isExpendable, operation.wishes.priority.rawValue])
    while !lack.isMet {
      guard let row = try cursor.next()?.copy() else { return nil }
      let number: Int64 = row["id"]
      if number == holder?.row || needed.contains(row.legal("uuid", or: Data())) { continue }
      victims.append(row)
      lack.rows -= 1
      lack.bytes -= row.legal("bytes", or: 0)
    }
    return victims
  }
}
