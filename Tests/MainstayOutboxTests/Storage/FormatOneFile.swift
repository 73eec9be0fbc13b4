// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A file as builds wrote it that knew format 1 only, with an operation in each state.
///
/// Its owner died while it ran the fourth operation. Columns are only ever added, so a file like
/// this one must be readable for ever.
enum FormatOneFile {
  static func write(to url: URL) throws {
    let queue = try DatabaseQueue(patientAt: url)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF;")
      try db.execute(sql: dump)
    }
    try queue.close()
  }

  private static let dump = """
    BEGIN TRANSACTION;
    CREATE TABLE conflict (
      op INTEGER PRIMARY KEY REFERENCES op (id) ON DELETE CASCADE,
      remote BLOB,
      since INTEGER NOT NULL
    );
    INSERT INTO "conflict" VALUES(9,X'7B7D',1795351955597);
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
    INSERT INTO "dead" VALUES(10, X'0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A', 'note', 1,'json',
      'main',  X'64', 1795351955597,NULL, 25, 0,'notSent', 5,'key-10', NULL, NULL,
      X'7B2274657874223A223130227D', 'attemptsUsedUp', 1795351955597,1);
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO "grdb_migrations" VALUES('mainstay.outbox.1');
    CREATE TABLE lane (name TEXT PRIMARY KEY, cause TEXT, until INTEGER, wait INTEGER)
      WITHOUT ROWID;
    INSERT INTO "lane" VALUES('main',NULL,NULL,NULL);
    INSERT INTO "lane" VALUES('side','paused',NULL,NULL);
    CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    INSERT INTO "meta" VALUES('enqueued',12);
    INSERT INTO "meta" VALUES('min_reader',1);
    INSERT INTO "meta" VALUES('min_writer',1);
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
    INSERT INTO "op" VALUES(3, X'03030303030303030303030303030303', 'note', 1,'json', 'main',
      NULL, 'ready', NULL, NULL, NULL, 1795351955600,NULL, 0, 0, 0,'notSent', 0,NULL, 'key-3',
      NULL, NULL,  X'7B2274657874223A2233227D');
    INSERT INTO "op" VALUES(4, X'04040404040404040404040404040404', 'note', 1,'json', 'main',
      X'6B', 'leased', NULL, NULL, NULL, 1795351955601,NULL, 2, 0, 0,'notSent',
      12884901889,3,'key-4', NULL, NULL,  X'7B2274657874223A2234227D');
    INSERT INTO "op" VALUES(5, X'05050505050505050505050505050505', 'note', 1,'json', 'main',
      X'6B', 'blocked', NULL, NULL, NULL, 1795351955602,NULL, 0, 0, 0,'notSent', 0,NULL,
      'key-5', NULL, NULL,  X'7B2274657874223A2235227D');
    INSERT INTO "op" VALUES(6, X'06060606060606060606060606060606', 'note', 1,'json', 'main',
      NULL, 'scheduled', NULL, 1795352015597,60000,1795351955603,NULL, 1, 0, 0,'notSent',
      0,NULL, 'key-6', 'http.503', 'The service is busy.',  X'7B2274657874223A2236227D');
    INSERT INTO "op" VALUES(7, X'07070707070707070707070707070707', 'note', 1,'json', 'side',
      NULL, 'waiting', NULL, 1795351956597,1000,1795351955604,NULL, 0, 0, 0,'notSent', 0,NULL,
      'key-7', NULL, NULL,  X'7B2274657874223A2237227D');
    INSERT INTO "op" VALUES(8, X'08080808080808080808080808080808', 'from-the-future',
      1,'json', 'main', NULL, 'parked', 'unknownType', NULL, NULL, 1795351955605,NULL, 0, 0,
      0,'notSent', 0,NULL, 'key-8', NULL, NULL,  X'7B2274657874223A2238227D');
    INSERT INTO "op" VALUES(9, X'09090909090909090909090909090909', 'note', 1,'json', 'main',
      X'63', 'conflicted', NULL, NULL, NULL, 1795351955606,NULL, 0, 0, 0,'notSent', 0,NULL,
      'key-9', NULL, NULL,  X'7B2274657874223A2239227D');
    CREATE TABLE owner (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      lock TEXT NOT NULL UNIQUE,
      pid INTEGER NOT NULL,
      boot TEXT,
      since INTEGER NOT NULL
    );
    INSERT INTO "owner" VALUES(3,'outbox.sqlite-owner-gone',1,'boot',1795351955597);
    CREATE TABLE receipt (
      kind TEXT NOT NULL,
      reason TEXT NOT NULL,
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (kind, reason)
    ) WITHOUT ROWID;
    INSERT INTO "receipt" VALUES('note','done',4,26,1795351955597,1795351955597);
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
    DELETE FROM "sqlite_sequence";
    INSERT INTO "sqlite_sequence" VALUES('owner',3);
    INSERT INTO "sqlite_sequence" VALUES('op',12);
    COMMIT;
    """
}
