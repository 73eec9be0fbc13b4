// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// The tables of an outbox in a database: what state they are in, and how they grow.
struct Tables {
  /// What the database says about them.
  struct Present: Equatable {
    /// The steps that were taken, as the ledger says.
    var steps: Set<Int> = []
    var minimumReader = 1
    var minimumWriter = 1
    /// Whether the table of operations is there.
    var hasOperations = false

    /// The first step that was not taken; nil where none is missing.
    var next: Migration? { Migration.all.first { !steps.contains($0.number) } }
  }

  let pool: PostgresPool
  let address: PostgresAddress
  let schema: String
  /// How often it is looked whether the server still answers, while something takes long.
  let pulse: Duration

  /// Refuses a database that cannot keep every letter: it would refuse the words of an error, or an
  /// operation, each time that they are sent.
  func checkEncoding() async throws {
    let rows = try await pool.read { connection in
      try await connection.query("SELECT current_setting('server_encoding'), current_database()")
    }
    guard let row = rows.first else { throw OutboxError(.failed, details: "no answer") }
    let encoding = try row.text(0)
    guard !["UTF8", "SQL_ASCII"].contains(encoding) else { return }
    throw OutboxError(
      .unavailable,
      details: "The database “\(try row.text(1))” of \(address) has the encoding \(encoding), "
        + "which lacks letters that are kept: use one that was made WITH ENCODING 'UTF8' TEMPLATE "
        + "template0.")
  }

  /// Looks at the tables; nothing is changed, and no right to create anything is needed.
  func look() async throws -> Present {
    let there = try await pool.read { connection in
      try await connection.query(
        "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
        [.text("\(schema).migration"), .text("\(schema).op")])
    }
    guard let row = there.first else { throw OutboxError(.failed, details: "no answer") }
    var present = Present()
    present.hasOperations = try row.bool(1)
    guard try row.bool(0) else { return present }
    let rows = try await pool.read { connection in
      try await connection.query(
        Migration.text(
          "SELECT number, min_reader, min_writer FROM mainstay.migration", schema: schema))
    }
    for row in rows {
      present.steps.insert(Int(try row.int(0)))
      present.minimumReader = max(present.minimumReader, Int(try row.int(1)))
      present.minimumWriter = max(present.minimumWriter, Int(try row.int(2)))
    }
    return present
  }

  /// How long a step may take, and how long others wait for it: tables may be large.
  private static let patience = Duration.seconds(3_600)

  /// Takes the steps that are missing, one transaction each; others that do the same wait.
  func grow() async throws {
    while true {
      let isDone = try await pool.transaction { connection in
        try await connection.query(
          "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)"
        )
        try await connection.query(
          "SELECT pg_advisory_xact_lock(hashtext('mainstay.migration'), hashtext($1))",
          [.text(schema)], within: Self.patience)
        let home = try await connection.query(
          "SELECT to_regnamespace($1) IS NOT NULL", [.text(schema)])
        if try home.first?.bool(0) != true {
          try await connection.script(Migration.text(Migration.home, schema: schema))
        }
        try await connection.script(Migration.text(Migration.ledger, schema: schema))
        let rows = try await connection.query(
          Migration.text("SELECT number FROM mainstay.migration", schema: schema))
        let taken = Set(try rows.map { Int(try $0.int(0)) })
        guard let next = Migration.all.first(where: { !taken.contains($0.number) }) else {
          return true
        }
        do {
          try await connection.script(
            Migration.text(next.script, schema: schema), within: Self.patience)
        } catch let error as PostgresError
          where ["42P07", "42710", "42723"].contains(error.sqlState)
        {
          throw OutboxError(
            .corrupted,
            details: "Step \(next.number) (\(next.name)) of the tables in schema \(schema) of "
              + "\(address) meets something that is there already (\(error)), so an earlier try "
              + "was half done by hand: remove what it left, or use another schema.")
        }
        return false
      }
      if isDone { return }
    }
  }

  /// Brings the tables up to date where that is wanted and needed.
  ///
  /// - Throws: `OutboxError` `newerFormat` where they belong to a newer build, `unavailable`
  ///   where they have to grow first, and `corrupted` where something is missing.
  func prepare(isMigrating: Bool) async throws {
    var present = try await look()
    try check(present, reads: false)
    guard let next = present.next else { return }
    guard isMigrating else {
      let state = present.steps.isEmpty ? "are not there" : "lack step \(next.number)"
      throw OutboxError(
        .unavailable,
        details: "The tables in schema \(schema) of \(address) \(state): let a user with the right "
          + "to create tables call migrate() or run what schemaSQL() returns, then open again.")
    }
    try await whileAnswering { try await grow() }
    present = try await look()
    try check(present, reads: false)
  }

  /// Refuses what this build must not touch, in a sentence that says what to do.
  func check(_ present: Present, reads: Bool) throws {
    let needed = reads ? present.minimumReader : max(present.minimumReader, present.minimumWriter)
    guard needed <= Migration.format else {
      throw OutboxError(
        .newerFormat,
        details: "The tables in schema \(schema) of \(address) need format \(needed) to be "
          + "\(reads ? "read" : "worked with") and this build has \(Migration.format): update "
          + "this build; nothing was changed or lost.")
    }
    guard present.steps.isEmpty || present.hasOperations else {
      throw OutboxError(
        .corrupted,
        details: "The tables in schema \(schema) of \(address) are gone, though their steps are "
          + "recorded: restore them from a backup, or drop the schema to begin anew.")
    }
  }
}
