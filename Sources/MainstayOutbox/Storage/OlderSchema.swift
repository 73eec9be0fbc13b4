// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of formats 1 and 2, from which a file grows to the present format.
///
/// Their names had no prefix, so that they could only live in a file of their own.
enum OlderSchema {
  /// Whether a file has one of these formats.
  static func isPresent(_ db: Database) throws -> Bool {
    guard try db.tableExists("meta"), try db.tableExists("grdb_migrations") else { return false }
    return try Bool.fetchOne(
      db,
      sql: "SELECT EXISTS (SELECT 1 FROM grdb_migrations WHERE identifier = 'mainstay.outbox.1')")
      ?? false
  }

  /// The formats that a build must know to read and to write the file.
  static func format(_ db: Database) throws -> Schema.Format {
    var format = Schema.Format()
    for row in try Row.fetchAll(db, sql: "SELECT key, value FROM meta WHERE key LIKE 'min%'") {
      format.note(row)
    }
    return format
  }

  /// Moves everything to the tables of the present format, which are there and empty.
  ///
  /// What format 1 lacks is what each column of the present format stands for by default, but for
  /// the rank: that of an operation without a priority is the time at which it was enqueued.
  static func move(_ db: Database) throws {
    for table in ["owner", "op", "dead", "conflict", "lane", "receipt", "dep"]
    where try db.tableExists(table) {
      let columns = try db.columns(in: table).map(\.name).joined(separator: ", ")
      try db.execute(
        sql: "INSERT INTO mainstay_\(table) (\(columns)) SELECT \(columns) FROM \(table)")
    }
    if try !db.columns(in: "op").contains(where: { $0.name == "rank" }) {
      try db.execute(sql: "UPDATE mainstay_op SET rank = enqueued_at")
    }
    try db.execute(
      sql: """
        UPDATE mainstay_meta SET value = (SELECT value FROM meta WHERE key = 'enqueued')
          WHERE key = 'enqueued';
        DELETE FROM sqlite_sequence WHERE name IN ('mainstay_op', 'mainstay_owner');
        INSERT INTO sqlite_sequence (name, seq)
          SELECT 'mainstay_' || name, seq FROM sqlite_sequence WHERE name IN ('op', 'owner');
        DROP TABLE IF EXISTS dep;
        DROP TABLE conflict;
        DROP TABLE dead;
        DROP TABLE op;
        DROP TABLE owner;
        DROP TABLE lane;
        DROP TABLE receipt;
        DROP TABLE meta;
        DROP TABLE grdb_migrations;
        """)
  }
}
