// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of an outbox, and the steps by which they grow.
///
/// All names begin with `mainstay_`, so that they can stand among the tables of an app. Columns are
/// only ever added. A step that an older build could not live with raises `min_writer` in the same
/// transaction; one that it could not even read raises `min_reader`.
enum Schema {
  /// The format that this build writes.
  static let format = 3

  /// What a file says about who may use it.
  struct Format: Equatable {
    var minimumReader = 1
    var minimumWriter = 1

    var isWritable: Bool { minimumWriter <= Schema.format && minimumReader <= Schema.format }

    /// Takes what a row says, by its key; what is no number says nothing.
    mutating func note(_ row: Row) {
      let value = row.legal("value", or: 1)
      if row.legal("key") == "min_reader" { minimumReader = value } else { minimumWriter = value }
    }
  }

  /// What the file says; the present format where it says nothing yet.
  static func format(_ db: Database) throws -> Format {
    guard try isPresent(db) else {
      return try OlderSchema.isPresent(db) ? OlderSchema.format(db) : Format()
    }
    let rows = try Row.fetchAll(
      db, sql: "SELECT key, value FROM mainstay_meta WHERE key IN ('min_reader', 'min_writer')")
    var format = Format()
    for row in rows { format.note(row) }
    return format
  }

  /// Whether the tables are those of this build.
  ///
  /// Asked of the file itself: what the connection remembers may be older than what another process
  /// has done.
  static func isPresent(_ db: Database) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'mainstay_meta')"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// Whether nothing has to grow.
  static func isGrown(_ db: Database) throws -> Bool {
    guard try isPresent(db) else { return false }
    return try added.allSatisfy { try has($0, db) } && hasColumns(db)
  }

  /// Whether a table or an index is there that came later.
  static func has(_ name: String, _ db: Database) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?)"
    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [name]) ?? false
  }

  /// Whether operations have a limit of time and the words of failures: builds before this release
  /// left them out.
  static func hasColumns(_ db: Database) throws -> Bool {
    try tablesOfOperations.allSatisfy { table in
      try addedColumns.allSatisfy { try has($0.name, in: table, db) }
    }
  }

  private static let tablesOfOperations = ["mainstay_op", "mainstay_dead"]

  private static let addedColumns = [
    (name: "timeout", type: "INTEGER"), (name: "error_words", type: "TEXT"),
  ]

  private static func has(_ column: String, in table: String, _ db: Database) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?) WHERE name = ?)"
    return try Bool.fetchOne(db, sql: sql, arguments: [table, column]) ?? false
  }

  /// Brings the tables up to date, within a transaction.
  static func grow(_ db: Database) throws {
    // Somebody who opened the file at the same time may have done it just before.
    if try !isPresent(db) {
      try db.execute(sql: tables + indexes + triggers)
      if try OlderSchema.isPresent(db) { try OlderSchema.move(db) }
    }
    for table in tablesOfOperations {
      for (name, type) in addedColumns where try !has(name, in: table, db) {
        try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(name) \(type)")
      }
    }
    try db.execute(sql: additions)
  }

  /// One name of each step of what has come since.
  private static let added = [
    "mainstay_attempt", "mainstay_type", "mainstay_rest", "mainstay_dead_record", "mainstay_pause",
    "mainstay_op_begun", "mainstay_op_unreached",
  ]

  /// What has come since, and builds of the same format can live without.
  ///
  /// `type` is what the workers of an owner read: what nobody reads is set aside. `restrained` is
  /// what waits for constraints, by them; it took the place of `held`, as `lost` that of `suspect`.
  /// `rest` is until when a lane rests since the other side asked for it, whatever else closes it.
  /// `pause` is the kinds of which nothing is leased. `begun` is when waits began. `unreached` is
  /// what is scheduled since the network could not be reached.
  private static let additions = """
    CREATE TABLE IF NOT EXISTS mainstay_attempt (
      op INTEGER NOT NULL,
      number INTEGER NOT NULL,
      at INTEGER NOT NULL,
      error_code TEXT,
      error_message TEXT,
      effect TEXT NOT NULL,
      PRIMARY KEY (op, number)
    ) WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS mainstay_type (
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      owner INTEGER NOT NULL,
      PRIMARY KEY (kind, version, owner)
    ) WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS mainstay_rest (
      lane TEXT PRIMARY KEY, until INTEGER NOT NULL, wait INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS mainstay_pause (kind TEXT PRIMARY KEY) WITHOUT ROWID;

    CREATE INDEX IF NOT EXISTS mainstay_op_restrained
      ON mainstay_op (constraints, lane, kind, version, rank, id)
      WHERE state = 'waiting' AND run_at IS NULL;
    DROP INDEX IF EXISTS mainstay_op_held;
    CREATE INDEX IF NOT EXISTS mainstay_op_lost ON mainstay_op (id) WHERE crashes > 0;
    DROP INDEX IF EXISTS mainstay_op_suspect;

    CREATE INDEX IF NOT EXISTS mainstay_op_begun ON mainstay_op (run_at - wait)
      WHERE run_at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS mainstay_op_unreached ON mainstay_op (priority)
      WHERE state = 'scheduled' AND unreachable > 0;

    CREATE INDEX IF NOT EXISTS mainstay_dead_record ON mainstay_dead (ordering_key)
      WHERE ordering_key IS NOT NULL;
    """

  /// The tables.
  ///
  /// Ids are never reused, so they are the order in which operations were enqueued; a redriven
  /// operation keeps its id, and so its place. Ordering keys are bytes: any text is legal, and one
  /// that is read as text would end at its first zero. `rank` is the time at which an operation
  /// counts as enqueued, by its priority; the smallest one runs first. A dead letter keeps what it
  /// needs for the time after its redrive. `lane` has those that somebody closed. `latest` is what
  /// the other side was last known to have of a record, by the ordering key of what changes it, or
  /// by the operation where it has none.
  /// `error_words` is JSON: what a failure says in words that can be translated, and of fields.
  /// `pending` and `bytes` in the meta table follow `op` by triggers, whoever changes it. Rows up
  /// to `settled_id` were enqueued at `settled_at` at the latest: only the others are looked at
  /// when the clock may have been set back.
  private static let tables = """
    CREATE TABLE mainstay_meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    INSERT INTO mainstay_meta (key, value) VALUES
      ('min_reader', 3), ('min_writer', 3), ('enqueued', 0), ('pending', 0), ('bytes', 0);

    CREATE TABLE mainstay_owner (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      lock TEXT NOT NULL UNIQUE,
      pid INTEGER NOT NULL,
      boot TEXT,
      since INTEGER NOT NULL
    );

    CREATE TABLE mainstay_op (
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
      expendable INTEGER NOT NULL DEFAULT 0,
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
      merges INTEGER NOT NULL DEFAULT 0,
      effect TEXT NOT NULL DEFAULT 'notSent',
      cancelled INTEGER NOT NULL DEFAULT 0,
      lease_token INTEGER NOT NULL DEFAULT 0,
      owner INTEGER REFERENCES mainstay_owner (id),
      idem_key TEXT NOT NULL UNIQUE,
      error_code TEXT,
      error_message TEXT,
      error_words TEXT,
      checkpoint BLOB,
      timeout INTEGER,
      payload BLOB NOT NULL,
      CHECK ((state = 'leased') = (owner IS NOT NULL)),
      CHECK ((state = 'scheduled') <= (run_at IS NOT NULL)),
      CHECK ((run_at IS NOT NULL) <= (state IN ('scheduled', 'waiting'))),
      CHECK ((state = 'waiting') <= (run_at IS NOT NULL OR cause = 'constraint'))
    );

    CREATE TABLE mainstay_dead (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      codec TEXT NOT NULL,
      lane TEXT NOT NULL,
      ordering_key BLOB,
      priority INTEGER NOT NULL DEFAULT 2,
      rank INTEGER NOT NULL DEFAULT 0,
      expendable INTEGER NOT NULL DEFAULT 0,
      constraints TEXT,
      enqueued_at INTEGER NOT NULL,
      expires_at INTEGER,
      attempt INTEGER NOT NULL,
      crashes INTEGER NOT NULL,
      merges INTEGER NOT NULL DEFAULT 0,
      effect TEXT NOT NULL,
      lease_token INTEGER NOT NULL,
      idem_key TEXT NOT NULL UNIQUE,
      error_code TEXT,
      error_message TEXT,
      error_words TEXT,
      checkpoint BLOB,
      timeout INTEGER,
      payload BLOB NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      holds_key INTEGER NOT NULL
    );

    CREATE TABLE mainstay_conflict (
      op INTEGER PRIMARY KEY,
      remote BLOB,
      fields TEXT,
      since INTEGER NOT NULL
    );

    CREATE TABLE mainstay_lane (name TEXT PRIMARY KEY, cause TEXT, until INTEGER, wait INTEGER)
      WITHOUT ROWID;

    CREATE TABLE mainstay_receipt (
      kind TEXT NOT NULL,
      reason TEXT NOT NULL,
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (kind, reason)
    ) WITHOUT ROWID;

    CREATE TABLE mainstay_dep (
      op INTEGER NOT NULL,
      needs INTEGER NOT NULL,
      policy TEXT NOT NULL,
      PRIMARY KEY (op, needs)
    ) WITHOUT ROWID;

    CREATE TABLE mainstay_outcome (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      reason TEXT NOT NULL,
      output BLOB,
      at INTEGER NOT NULL
    );

    CREATE TABLE mainstay_latest (key BLOB PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;

    """

  /// All partial: rows that nothing can be done with cost nothing where work is looked for.
  ///
  /// `head` also holds the rule that at most one operation of an ordering key is not blocked.
  private static let indexes = """
    CREATE INDEX mainstay_op_ready ON mainstay_op (lane, kind, version, rank, id)
      WHERE state = 'ready';
    CREATE INDEX mainstay_op_due ON mainstay_op (run_at) WHERE run_at IS NOT NULL;
    CREATE INDEX mainstay_op_lease ON mainstay_op (owner) WHERE owner IS NOT NULL;
    CREATE INDEX mainstay_op_key ON mainstay_op (ordering_key, id) WHERE ordering_key IS NOT NULL;
    CREATE UNIQUE INDEX mainstay_op_head ON mainstay_op (ordering_key)
      WHERE ordering_key IS NOT NULL AND state <> 'blocked';
    CREATE UNIQUE INDEX mainstay_op_unique ON mainstay_op (unique_key)
      WHERE unique_key IS NOT NULL;
    CREATE INDEX mainstay_op_parked ON mainstay_op (kind, version) WHERE state = 'parked';
    CREATE INDEX mainstay_op_expiry ON mainstay_op (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX mainstay_op_expendable ON mainstay_op (priority, id) WHERE expendable;
    CREATE INDEX mainstay_dead_key ON mainstay_dead (ordering_key)
      WHERE ordering_key IS NOT NULL AND holds_key;
    CREATE INDEX mainstay_dep_needs ON mainstay_dep (needs);

    """

  private static let triggers = """
    CREATE TRIGGER mainstay_op_in AFTER INSERT ON mainstay_op BEGIN
      UPDATE mainstay_meta SET value = value + 1 WHERE key = 'pending';
      UPDATE mainstay_meta SET value = value + length(new.payload) WHERE key = 'bytes';
    END;
    CREATE TRIGGER mainstay_op_out AFTER DELETE ON mainstay_op BEGIN
      UPDATE mainstay_meta SET value = value - 1 WHERE key = 'pending';
      UPDATE mainstay_meta SET value = value - length(old.payload) WHERE key = 'bytes';
    END;
    CREATE TRIGGER mainstay_op_settled AFTER DELETE ON mainstay_op
      WHEN old.state = 'conflicted' BEGIN
      DELETE FROM mainstay_conflict WHERE op = old.id;
    END;
    CREATE TRIGGER mainstay_op_payload AFTER UPDATE OF payload ON mainstay_op BEGIN
      UPDATE mainstay_meta SET value = value + length(new.payload) - length(old.payload)
        WHERE key = 'bytes';
    END;
    """
}
