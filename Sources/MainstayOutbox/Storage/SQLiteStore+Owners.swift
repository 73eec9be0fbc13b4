// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// For tools that say who works with a file, and what lies in it.
extension SQLiteStore {
  /// The processes that live and have the file open, the oldest first.
  package func owners() async throws -> [StoreOwner] {
    let folder = url.deletingLastPathComponent()
    return try await read { db in
      var types: [Int64: [PayloadType]] = [:]
      // A file that is only looked at may be of a time before there were any.
      if try Schema.has("mainstay_type", db) {
        for row in try Row.fetchAll(db, sql: "SELECT owner, kind, version FROM mainstay_type") {
          guard let owner = Int64.fromDatabaseValue(row["owner"]) else { continue }
          types[owner, default: []].append(
            ReadySearch.type(kind: row["kind"], version: row["version"]))
        }
      }
      let rows = try Row.fetchAll(
        db, sql: "SELECT id, lock, pid, boot, since FROM mainstay_owner ORDER BY id")
      return rows.compactMap { row in
        guard let id = Int64.fromDatabaseValue(row["id"]),
          let lock = String.fromDatabaseValue(row["lock"])
        else { return nil }
        let path = folder.appending(path: lock).path(percentEncoded: false)
        let boot = String.fromDatabaseValue(row["boot"])
        guard OwnerLock.isHeld(path: path, since: boot) else { return nil }
        return StoreOwner(
          name: "process \(Int64.fromDatabaseValue(row["pid"]) ?? 0)",
          since: Date(milliseconds: Int64.fromDatabaseValue(row["since"]) ?? 0),
          types: types[id] ?? [])
      }
    }
  }

  /// What the dead letters are together.
  package func deadLetterTotals() async throws -> DeadLetterTotals {
    try await read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT count(*) AS n, sum(length(payload)) AS bytes, min(since) AS oldest
          FROM mainstay_dead
          """)
      return DeadLetterTotals(
        count: row.flatMap { Int.fromDatabaseValue($0["n"]) } ?? 0,
        bytes: row.flatMap { Int.fromDatabaseValue($0["bytes"]) } ?? 0,
        oldest: row.flatMap { Int64.fromDatabaseValue($0["oldest"]) }
          .map(Date.init(milliseconds:)))
    }
  }
}

extension SQLiteStore {
  /// Takes away lock files that no row names.
  ///
  /// They are of processes that ended before they had a row, or of a damaged file that was
  /// replaced. One that is being made is not locked for a moment, so it has to have some age.
  func removeStrayLocks(_ db: Database) throws {
    let folder = url.deletingLastPathComponent()
    let start = url.lastPathComponent + "-owner-"
    let files = FileManager.default
    // A folder without a list holds no such file.
    let names = (try? files.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    let locks = names.filter { $0.hasPrefix(start) }
    guard locks.count > 1 else { return }
    let known = try DatabaseValue.fetchAll(db, sql: "SELECT lock FROM mainstay_owner")
    let named = Set(known.compactMap(String.fromDatabaseValue))
    for name in locks where !named.contains(name) {
      let path = folder.appending(path: name).path(percentEncoded: false)
      let made = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date
      guard let made, now().timeIntervalSince(made) > 60, !OwnerLock.isHeld(path: path) else {
        continue
      }
      try? files.removeItem(atPath: path)
    }
  }
}
