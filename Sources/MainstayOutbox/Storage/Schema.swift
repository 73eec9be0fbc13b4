// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of an outbox file, and the steps by which they grow.
///
/// Columns are only ever added. A step that an older build could not live with raises
/// `minimumWriter` in the same step; one that it could not even read raises `minimumReader`.
enum Schema {
  /// The format that this build writes.
  static let format = 2

  /// What a file says about who may use it.
  struct Format: Equatable {
    var minimumReader = 1
    var minimumWriter = 1

    var isWritable: Bool { minimumWriter <= Schema.format && minimumReader <= Schema.format }
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("mainstay.outbox.1") { db in
      try db.execute(sql: tables)
      try db.execute(sql: indexes)
      for (key, value) in [("min_reader", 1), ("min_writer", 1), ("enqueued", 0)] {
        try db.execute(
          sql: "INSERT INTO meta (key, value) VALUES (?, ?)", arguments: [key, value])
      }
    }
    migrator.registerMigration("mainstay.outbox.2") { db in
      // A build that knows format 1 only would run what has to wait for something else.
      try db.execute(sql: scheduling + indexes + schedulingIndexes)
      try db.execute(sql: "UPDATE meta SET value = 2 WHERE key = 'min_writer'")
    }
    return migrator
  }

  /// What the file says; the present format where it says nothing yet.
  static func format(_ db: Database) throws -> Format {
    guard try db.tableExists("meta") else { return Format() }
    let rows = try Row.fetchAll(
      db, sql: "SELECT key, value FROM meta WHERE key IN ('min_reader', 'min_writer')")
    var format = Format()
    for row in rows {
      switch row["key"] as String? {
      case "min_reader": format.minimumReader = row["value"] ?? 1
      default: format.minimumWriter = row["value"] ?? 1
      }
    }
    return format
  }

  /// The tables of format 1.
  ///
  /// Ids are never reused, so they are the order in which operations were enqueued; a redriven
  /// operation keeps its id, and so its place. Ordering keys are bytes: any text is legal, and one
  /// that is read as text would end at its first zero.
  private static let tables = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

    CREATE TABLE owner (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      lock TEXT NOT NULL UNIQUE,
      pid INTEGER NOT NULL,
      boot TEXT,
      since INTEGER NOT NULL
    );

    CREATE TABLE op (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      codec TEXT NOT NULL DEFAULT 'json',
      lane TEXT NOT NULL,
      ordering_key BLOB,
      state TEXT NOT NULL CHECK (state IN
        ('ready', 'scheduled', 'blocked', 'waiting', 'leased', 'parked', 'conflicted')),
      cause TEXT,
      run_at INTEGER,
      wait INTEGER,
      enqueued_at INTEGER NOT NULL,
      expires_at INTEGER,
      attempt INTEGER NOT NULL DEFAULT 0,
      unreachable INTEGER NOT NULL DEFAULT 0,
      crashes INTEGER NOT NULL DEFAULT 0,
      effect TEXT NOT NULL DEFAULT 'notSent',
      lease_token INTEGER NOT NULL DEFAULT 0,
      owner INTEGER REFERENCES owner (id),
      idem_key TEXT NOT NULL UNIQUE,
      error_code TEXT,
      error_message TEXT,
      payload BLOB NOT NULL,
      CHECK ((state = 'leased') = (owner IS NOT NULL)),
      CHECK ((state IN ('scheduled', 'waiting')) = (run_at IS NOT NULL))
    );

    CREATE TABLE dead (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      codec TEXT NOT NULL,
      lane TEXT NOT NULL,
      ordering_key BLOB,
      enqueued_at INTEGER NOT NULL,
      expires_at INTEGER,
      attempt INTEGER NOT NULL,
      crashes INTEGER NOT NULL,
      effect TEXT NOT NULL,
      lease_token INTEGER NOT NULL,
      idem_key TEXT NOT NULL UNIQUE,
      error_code TEXT,
      error_message TEXT,
      payload BLOB NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      holds_key INTEGER NOT NULL
    );

    CREATE TABLE conflict (
      op INTEGER PRIMARY KEY REFERENCES op (id) ON DELETE CASCADE,
      remote BLOB,
      since INTEGER NOT NULL
    );

    CREATE TABLE lane (name TEXT PRIMARY KEY, cause TEXT, until INTEGER, wait INTEGER)
      WITHOUT ROWID;

    CREATE TABLE receipt (
      kind TEXT NOT NULL,
      reason TEXT NOT NULL,
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (kind, reason)
    ) WITHOUT ROWID;
    """

  /// What format 2 adds: when an operation may run, and what stands in its way.
  ///
  /// `rank` is the time at which an operation counts as enqueued, by its priority; the smallest one
  /// runs first. A table's rules cannot be changed, so `op` is made anew; the numbers that it has
  /// given are not given again. A dead letter keeps what it needs, for the time after its redrive.
  private static let scheduling = """
    CREATE TABLE op_2 (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      codec TEXT NOT NULL DEFAULT 'json',
      lane TEXT NOT NULL,
      ordering_key BLOB,
      unique_key BLOB,
      priority INTEGER NOT NULL DEFAULT 2,
      rank INTEGER NOT NULL DEFAULT 0,
      constraints TEXT,
      state TEXT NOT NULL CHECK (state IN
        ('ready', 'scheduled', 'blocked', 'waiting', 'leased', 'parked', 'conflicted')),
      cause TEXT,
      run_at INTEGER,
      wait INTEGER,
      start_at INTEGER,
      enqueued_at INTEGER NOT NULL,
      expires_at INTEGER,
      attempt INTEGER NOT NULL DEFAULT 0,
      unreachable INTEGER NOT NULL DEFAULT 0,
      crashes INTEGER NOT NULL DEFAULT 0,
      effect TEXT NOT NULL DEFAULT 'notSent',
      cancelled INTEGER NOT NULL DEFAULT 0,
      lease_token INTEGER NOT NULL DEFAULT 0,
      owner INTEGER REFERENCES owner (id),
      idem_key TEXT NOT NULL UNIQUE,
      error_code TEXT,
      error_message TEXT,
      payload BLOB NOT NULL,
      CHECK ((state = 'leased') = (owner IS NOT NULL)),
      CHECK ((state = 'scheduled') <= (run_at IS NOT NULL)),
      CHECK ((run_at IS NOT NULL) <= (state IN ('scheduled', 'waiting'))),
      CHECK ((state = 'waiting') <= (run_at IS NOT NULL OR cause = 'constraint'))
    );
    INSERT INTO op_2 (id, uuid, kind, version, codec, lane, ordering_key, rank, state, cause,
        run_at, wait, enqueued_at, expires_at, attempt, unreachable, crashes, effect, lease_token,
        owner, idem_key, error_code, error_message, payload)
      SELECT id, uuid, kind, version, codec, lane, ordering_key, enqueued_at, state, cause,
        run_at, wait, enqueued_at, expires_at, attempt, unreachable, crashes, effect, lease_token,
        owner, idem_key, error_code, error_message, payload FROM op;
    DELETE FROM sqlite_sequence WHERE name = 'op_2';
    INSERT INTO sqlite_sequence (name, seq)
      SELECT 'op_2', seq FROM sqlite_sequence WHERE name = 'op';
    DROP TABLE op;
    ALTER TABLE op_2 RENAME TO op;

    ALTER TABLE dead ADD COLUMN priority INTEGER NOT NULL DEFAULT 2;
    ALTER TABLE dead ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE dead ADD COLUMN constraints TEXT;
    DROP INDEX dead_key;

    CREATE TABLE dep (
      op INTEGER NOT NULL,
      needs INTEGER NOT NULL,
      policy TEXT NOT NULL,
      PRIMARY KEY (op, needs)
    ) WITHOUT ROWID;

    """

  private static let schedulingIndexes = """

    DROP INDEX op_ready;
    CREATE INDEX op_ready ON op (lane, kind, version, rank, id) WHERE state = 'ready';
    CREATE UNIQUE INDEX op_unique ON op (unique_key) WHERE unique_key IS NOT NULL;
    CREATE INDEX op_held ON op (id) WHERE state = 'waiting' AND run_at IS NULL;
    CREATE INDEX dep_needs ON dep (needs);
    """

  /// All partial: rows that nothing can be done with cost nothing where work is looked for.
  ///
  /// `op_head` also holds the rule that at most one operation of an ordering key is not blocked.
  private static let indexes = """
    CREATE INDEX op_ready ON op (lane, id) WHERE state = 'ready';
    CREATE INDEX op_suspect ON op (id) WHERE state = 'ready' AND crashes > 0;
    CREATE INDEX op_due ON op (run_at) WHERE run_at IS NOT NULL;
    CREATE INDEX op_lease ON op (owner) WHERE owner IS NOT NULL;
    CREATE INDEX op_key ON op (ordering_key, id) WHERE ordering_key IS NOT NULL;
    CREATE UNIQUE INDEX op_head ON op (ordering_key)
      WHERE ordering_key IS NOT NULL AND state <> 'blocked';
    CREATE INDEX op_parked ON op (kind, version) WHERE state = 'parked';
    CREATE INDEX op_expiry ON op (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX dead_key ON dead (ordering_key) WHERE ordering_key IS NOT NULL AND holds_key;
    """
}
