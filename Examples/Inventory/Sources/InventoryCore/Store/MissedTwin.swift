// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// What others changed while an item had work of its own.
///
/// The feed tells each change once, and not every work ends with a write that meets it: so the
/// newest is kept here until the work has ended.
enum MissedTwin {
  /// Keeps a twin for later; of two the newer.
  static func note(_ twin: Twin, _ db: any ItemDatabase) throws {
    try db.run(
      """
      INSERT INTO missed (item, version, twin) VALUES (?, ?, ?)
      ON CONFLICT (item) DO UPDATE SET version = excluded.version, twin = excluded.twin
        WHERE excluded.version > missed.version
      """,
      [twin.id.text, twin.version, try JSONEncoder.inventory.encode(twin)])
  }

  /// Takes over what was noted of an item, once nothing is left to do about it.
  static func take(of item: UUID, at time: Timestamp, _ db: any ItemDatabase) throws {
    let rows = try db.rows("\(idle) AND item = ?", [item.text])
    for row in rows { _ = try take(row, at: time, db) }
  }

  /// Takes over what was noted of all items that have no work any more.
  ///
  /// - Returns: The items that changed here.
  static func takeIdle(at time: Timestamp, _ db: any ItemDatabase) throws -> [UUID] {
    try db.rows(idle).compactMap { try take($0, at: time, db) }
  }

  private static let idle = """
    SELECT item, twin FROM missed WHERE NOT EXISTS (
      SELECT 1 FROM work WHERE work.item = missed.item AND work.state <> 'done')
    """

  private static func take(_ row: Row, at time: Timestamp, _ db: any ItemDatabase) throws -> UUID? {
    try db.run("DELETE FROM missed WHERE item = ?", [row["item"] as String])
    let twin = try JSONDecoder().decode(Twin.self, from: row.decode(forColumn: "twin"))
    // It came before the change was thrown away, so nobody was told that the rest of it is kept.
    let isTaken = try ItemStore.take(twin, keepingOwn: false, at: time, db)
    return isTaken ? twin.id : nil
  }
}
