// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 10))
struct PostgresConnectionTests {
  private func open(
    _ settings: PostgresConnection.Settings = .patient
  ) async throws -> PostgresConnection {
    try await .open(try await PostgresServer.common().address(), settings: settings)
  }

  @Test func `each value comes back as it went`() async throws {
    let connection = try await open()
    let megabyte = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let text = #"a "quote", a \ backslash, {braces}, 'one', NULL, 日本 🙂"# + "\nand a line"
    let row = try #require(
      try await connection.query(
        "SELECT $1::text, $2::bigint, $3::double precision, $4::boolean, $5::bytea, $6::text",
        [.text(text), .int(.min), .double(0.1), .bool(true), .bytes(megabyte), .null]
      ).first)
    #expect(try row.text(0) == text)
    #expect(try row.int(1) == .min)
    #expect(try row.double(2) == 0.1)
    #expect(try row.bool(3))
    #expect(try row.data(4) == megabyte)
    #expect(row.isNull(5))
    #expect(try row.text(ifAny: 5) == nil)
  }

  @Test func `each element of an array comes back as it went`() async throws {
    let connection = try await open()
    let texts = ["", "a", "NULL", #"{"x": "\"}"#, ",", " ", "é🙂", nil]
    let pieces = [Data(), Data([0, 1, 255]), Data(#"\"'"#.utf8), nil]
    let ids = [UUID(), nil, UUID()]
    let rows = try await connection.query(
      """
      SELECT * FROM unnest(
        $1::text[], $2::bytea[], $3::bigint[], $4::double precision[], $5::boolean[], $6::uuid[]
      ) WITH ORDINALITY AS t(t, b, i, d, o, u, n) ORDER BY n
      """,
      [
        .texts(texts), .bytesArray(pieces), .ints([.max, nil, 0]),
        .doubles([-.infinity, 1e-300, nil]), .bools([true, false, nil]), .uuids(ids),
      ])
    #expect(rows.count == texts.count)
    #expect(try rows.map { row throws in try row.text(ifAny: 0) } == texts)
    #expect(try rows.prefix(4).map { row throws in try row.data(ifAny: 1) } == pieces)
    #expect(try rows.prefix(3).map { row throws in try row.int(ifAny: 2) } == [.max, nil, 0])
    #expect(
      try rows.prefix(3).map { row throws in try row.double(ifAny: 3) } == [
        -.infinity, 1e-300, nil,
      ])
    #expect(try rows.prefix(3).map { row throws in try row.bool(ifAny: 4) } == [true, false, nil])
    #expect(
      try rows.prefix(3).map { row throws in try row.text(ifAny: 5) }
        == ids.map { $0?.uuidString.lowercased() })
  }

  @Test func `an empty array is an array`() async throws {
    let connection = try await open()
    let empty: [PostgresValue] = [
      .texts([]), .ints([]), .doubles([]), .bools([]), .bytesArray([]), .uuids([]),
    ]
    let row = try #require(
      try await connection.query(
        """
        SELECT cardinality($1::text[]), cardinality($2::bigint[]), \
        cardinality($3::double precision[]), cardinality($4::boolean[]), cardinality($5::bytea[]), \
        cardinality($6::uuid[])
        """, empty
      ).first)
    for column in 0..<6 { #expect(try row.int(column) == 0) }
  }

  @Test(arguments: [PostgresValue.text("a\0b"), .texts(["x", "\0"])])
  func `a zero byte in a text is refused before anything is sent`(
    value: PostgresValue
  ) async throws {
    let connection = try await open()
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT $1::text", [value])
    }
    #expect(error?.kind == .value)
    #expect(error?.mayHaveHappened == false)
    #expect(try await connection.query("SELECT 1").count == 1)
  }

  @Test func `a value of another type is said and not guessed`() async throws {
    let row = try #require(try await open().query("SELECT 'x', NULL, 2.5").first)
    for column in 0..<4 {
      let error = #expect(throws: PostgresError.self) { try row.int(column) }
      #expect(error?.kind == .value)
    }
    #expect(try row.double(2) == 2.5)
  }

  @Test func `statements are counted and named`() async throws {
    let connection = try await open()
    try await connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)")
    let rows = try await connection.query("INSERT INTO t SELECT generate_series(2, 10)")
    #expect(rows.affected == 9)
    #expect(rows.tag == "INSERT 0 9")
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("INSERT INTO t VALUES ($1)", [.int(5)])
    }
    #expect(error?.sqlState == "23505")
    #expect(error?.constraint == "t_pkey")
    #expect(error?.text.contains("(a)=(5)") == false)
    #expect(error?.mayHaveHappened == false)
  }

  @Test func `an error of data does not repeat the data`() async throws {
    let connection = try await open()
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT $1::text::int", [.text("geheim")])
    }
    #expect(error?.sqlState == "22P02")
    #expect(error?.description.contains("geheim") == false)
  }

  @Test func `only so many statements stay prepared, and all of them work`() async throws {
    var settings = PostgresConnection.Settings.patient
    settings.preparedStatements = 3
    let connection = try await open(settings)
    for round in 0..<3 {
      for number in 0..<10 {
        let rows = try await connection.query("SELECT \(number) + $1::int", [.int(Int64(round))])
        #expect(try rows.first?.int(0) == Int64(number + round))
      }
    }
    let count = try await connection.query("SELECT count(*) FROM pg_prepared_statements")
    #expect(try count.first?.int(0) == 3)
  }

  @Test func `a statement goes on when its table has changed`() async throws {
    let connection = try await open()
    try await connection.script("CREATE TEMP TABLE t (a int); INSERT INTO t VALUES (1)")
    #expect(try await connection.query("SELECT * FROM t").first?.int(0) == 1)
    try await connection.script("ALTER TABLE t ADD COLUMN b text DEFAULT 'x'")
    #expect(try await connection.query("SELECT * FROM t").first?.text(1) == "x")
    try await connection.script("DEALLOCATE ALL")
    #expect(try await connection.query("SELECT * FROM t").count == 1)
  }

  @Test func `a session is set up as statements expect it`() async throws {
    // These are the limits that a session has by default.
    let connection = try await open(.init(connecting: .patience, grace: .patience))
    for (name, value) in [
      ("TimeZone", "UTC"), ("client_encoding", "UTF8"), ("application_name", "mainstay"),
      ("statement_timeout", "10s"), ("lock_timeout", "5s"),
      ("idle_in_transaction_session_timeout", "30s"),
    ] {
      let rows = try await connection.query("SELECT current_setting($1)", [.text(name)])
      #expect(try rows.first?.text(0) == value, "\(name)")
    }
  }
}
