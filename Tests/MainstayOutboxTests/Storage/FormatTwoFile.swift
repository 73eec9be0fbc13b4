// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A file as builds wrote it that knew format 2 only: what they made of one of format 1.
enum FormatTwoFile {
  static func write(to url: URL) throws {
    try FormatOneFile.write(to: url)
    let queue = try DatabaseQueue(patientAt: url)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.inTransaction {
        try db.execute(sql: growth)
        return .commit
      }
    }
    try queue.close()
  }

  private static let growth = """
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

    CREATE TABLE dep (
      op INTEGER NOT NULL,
      needs INTEGER NOT NULL,
      policy TEXT NOT NULL,
      PRIMARY KEY (op, needs)
    ) WITHOUT ROWID;

    CREATE INDEX op_ready ON op (lane, kind, version, rank, id) WHERE state = 'ready';
    CREATE UNIQUE INDEX op_unique ON op (unique_key) WHERE unique_key IS NOT NULL;
    CREATE INDEX op_held ON op (id) WHERE state = 'waiting' AND run_at IS NULL;
    CREATE INDEX dep_needs ON dep (needs);
    CREATE INDEX op_suspect ON op (id) WHERE state = 'ready' AND crashes > 0;
    CREATE INDEX op_due ON op (run_at) WHERE run_at IS NOT NULL;
    CREATE INDEX op_lease ON op (owner) WHERE owner IS NOT NULL;
    CREATE INDEX op_key ON op (ordering_key, id) WHERE ordering_key IS NOT NULL;
    CREATE UNIQUE INDEX op_head ON op (ordering_key)
      WHERE ordering_key IS NOT NULL AND state <> 'blocked';
    CREATE INDEX op_parked ON op (kind, version) WHERE state = 'parked';
    CREATE INDEX op_expiry ON op (expires_at) WHERE expires_at IS NOT NULL;
    INSERT INTO grdb_migrations VALUES ('mainstay.outbox.2');
    UPDATE meta SET value = 2 WHERE key = 'min_writer';
    """
}
