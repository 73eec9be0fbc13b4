// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of the items' file, and the steps by which they grow.
enum ItemSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("inventory.1") { try $0.execute(sql: tables) }
    migrator.registerMigration("inventory.2") { try $0.execute(sql: orphans) }
    migrator.registerMigration("inventory.3") { try $0.execute(sql: missed) }
    return migrator
  }

  /// The tables of the first format.
  ///
  /// `work` holds what is still to be done about an item. A row is written with the change that
  /// asks for it, in one transaction; `intended` means that the outbox may not know it yet.
  private static let tables = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE item (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid TEXT NOT NULL UNIQUE,
      fields BLOB NOT NULL,
      base BLOB,
      twin_version INTEGER,
      version INTEGER NOT NULL,
      enrichment TEXT NOT NULL,
      search TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    );

    CREATE TABLE work (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      item TEXT NOT NULL REFERENCES item (uuid),
      kind TEXT NOT NULL CHECK (kind IN ('put', 'delete', 'photo')),
      key TEXT NOT NULL UNIQUE,
      state TEXT NOT NULL CHECK (state IN ('intended', 'queued', 'conflicted', 'dead', 'done')),
      operation TEXT,
      body BLOB,
      precondition INTEGER,
      sent_at INTEGER,
      created_at INTEGER NOT NULL
    );
    CREATE INDEX work_item ON work (item) WHERE state <> 'done';
    CREATE INDEX work_intended ON work (seq) WHERE state = 'intended';
    CREATE INDEX work_operation ON work (operation) WHERE operation IS NOT NULL;

    CREATE TABLE conflict (
      id TEXT PRIMARY KEY,
      item TEXT NOT NULL UNIQUE REFERENCES item (uuid),
      work TEXT NOT NULL REFERENCES work (id),
      remote BLOB NOT NULL,
      since INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE answer (
      key TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      item BLOB NOT NULL,
      created_at INTEGER NOT NULL
    );

    CREATE TABLE photo (
      work TEXT PRIMARY KEY REFERENCES work (id),
      item TEXT NOT NULL REFERENCES item (uuid),
      type TEXT NOT NULL,
      bytes BLOB NOT NULL
    );
    CREATE INDEX photo_item ON photo (item);
    """

  /// What has lost its operation is asked for again and again, and what is done is kept for long.
  private static let orphans = """
    CREATE INDEX work_orphaned ON work (seq) WHERE state = 'conflicted' AND operation IS NULL;
    """

  /// What others changed while the item had work of its own, until that has ended.
  private static let missed = """
    CREATE TABLE missed (
      item TEXT PRIMARY KEY REFERENCES item (uuid),
      version INTEGER NOT NULL,
      twin BLOB NOT NULL
    ) WITHOUT ROWID;
    """
}
