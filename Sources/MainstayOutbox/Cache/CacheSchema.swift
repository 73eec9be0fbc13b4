// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// The tables of a ``SQLiteCacheStore``.
///
/// Names and tags are kept as bytes, so any text comes back as it was given. Times are microseconds
/// since 1970, by the clock of the process that wrote them.
enum CacheSchema {
  /// Raised with each change of the tables; a file of another format is emptied and made anew.
  static let format = 3

  /// Says that a file is one of these ("MsCa"); no other file is ever changed.
  static let applicationID = 0x4D73_4361

  static let tables = """
    CREATE TABLE cache_state (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      latest INTEGER NOT NULL,
      removals INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    -- The count of removals begins anywhere, so that no ticket of another file fits this one.
    INSERT INTO cache_state VALUES (1, 0, abs(random() % 500000000000000000), 0);

    CREATE TABLE cache_entry (
      id INTEGER PRIMARY KEY,
      partition BLOB NOT NULL,
      name BLOB NOT NULL,
      form TEXT NOT NULL,
      validator BLOB,
      asked_at INTEGER,
      number INTEGER NOT NULL,
      initial_age INTEGER NOT NULL,
      fresh_for INTEGER,
      must_revalidate INTEGER NOT NULL,
      stale_while_revalidate INTEGER,
      stale_if_error INTEGER,
      is_expired INTEGER NOT NULL DEFAULT 0,
      used INTEGER NOT NULL,
      size INTEGER NOT NULL,
      tags INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      UNIQUE (partition, name)
    ) STRICT;
    CREATE INDEX cache_entry_by_use ON cache_entry (used);

    CREATE TABLE cache_tag (
      tag BLOB NOT NULL,
      entry INTEGER NOT NULL REFERENCES cache_entry (id) ON DELETE CASCADE,
      PRIMARY KEY (tag, entry)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX cache_tag_by_entry ON cache_tag (entry);

    CREATE TABLE cache_removal (
      id INTEGER PRIMARY KEY,
      partition BLOB,
      name BLOB,
      prefix BLOB,
      tag BLOB,
      asked_at INTEGER,
      number INTEGER
    ) STRICT;

    CREATE TRIGGER cache_entry_added AFTER INSERT ON cache_entry BEGIN
      UPDATE cache_state SET bytes = bytes + new.size;
    END;
    CREATE TRIGGER cache_entry_removed AFTER DELETE ON cache_entry BEGIN
      UPDATE cache_state SET bytes = bytes - old.size;
    END;
    """

  /// What a file turns out to be.
  enum Found {
    case nothing
    case current
    case otherFormat
    case foreign
  }

  static func find(_ db: Database) throws -> Found {
    let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    if id == 0 {
      let isEmpty = try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
      return isEmpty == true ? .nothing : .foreign
    }
    guard id == applicationID else { return .foreign }
    return try Int.fetchOne(db, sql: "PRAGMA user_version") == format ? .current : .otherFormat
  }

  /// Makes the tables, in place of all that are there.
  static func create(_ db: Database) throws {
    try db.inTransaction(.immediate) {
      // Somebody else may have just done so.
      if case .current = try find(db) { return .commit }
      for kind in ["trigger", "view", "table"] {
        let names = try String.fetchAll(
          db, sql: "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'",
          arguments: [kind])
        for name in names {
          try db.execute(sql: "DROP \(kind) IF EXISTS \(name.quotedDatabaseIdentifier)")
        }
      }
      try db.execute(sql: tables)
      try db.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(format)")
      return .commit
    }
  }
}
