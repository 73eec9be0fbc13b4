// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// How values are read, in both forms in which a server sends them.
@Suite(.ends(withinMinutes: 10))
struct PostgresRowsTests {
  private func connection() async throws -> PostgresConnection {
    try await .patient(PostgresServer.common().address())
  }

  @Test(arguments: [false, true])
  func `each form says the same`(isBinary: Bool) async throws {
    let rows = try await connection().query(
      """
      SELECT 'ä'::text, (-2)::smallint, (-70000)::integer, '-9223372036854775808'::bigint,
        '9223372036854775807'::bigint, 0.1::double precision, true, false, '\\x00ff10'::bytea,
        ''::bytea, ''::text, '6f0c1bd2-9d5e-4c53-9a6f-2f6a1b1c0d0e'::uuid, null::bigint
      """, isBinary: isBinary)
    let row = try #require(rows.first)
    #expect(try row.text(0) == "ä" && row.text(10) == "")
    let numbers = try (1..<5).map { try row.int($0) }
    #expect(numbers == [-2, -70_000, .min, .max])
    #expect(try row.double(5) == 0.1)
    #expect(try row.bool(6) && !row.bool(7))
    #expect(try row.data(8) == Data([0, 255, 16]) && row.data(9) == Data())
    #expect(try row.uuid(ifAny: 11) == UUID(uuidString: "6F0C1BD2-9D5E-4C53-9A6F-2F6A1B1C0D0E"))
    #expect(row.isNull(12) && row.isNull(13))
    #expect(try row.int(ifAny: 12) == nil && row.int(ifAny: 13) == nil)
    #expect(throws: PostgresError.self) { try row.int(12) }
    #expect(throws: PostgresError.self) { try row.int(13) }
  }

  @Test func `what is of another type is refused in the form of the server, and not misread`()
    async throws
  {
    let rows = try await connection().query(
      "SELECT 1::numeric, now(), '{1}'::integer[], 1::bigint, true, 'a'::text, 1.5::float8",
      isBinary: true)
    let row = try #require(rows.first)
    for column in 0..<3 {
      #expect(throws: PostgresError.self) { try row.text(column) }
      #expect(throws: PostgresError.self) { try row.data(column) }
    }
    for column in [0, 1, 2, 4, 5, 6] {
      #expect(throws: PostgresError.self) { try row.int(column) }
    }
    for column in 0..<6 { #expect(throws: PostgresError.self) { try row.double(column) } }
    for column in [0, 3, 5] { #expect(throws: PostgresError.self) { try row.bool(column) } }
    for column in [3, 5, 6] { #expect(throws: PostgresError.self) { try row.uuid(ifAny: column) } }
  }

  @Test func `a number that is none, or too large, is refused`() async throws {
    let rows = try await connection().query(
      """
      SELECT t FROM unnest('{9223372036854775808,-9223372036854775809,-,1x,"",1.0}'::text[]) AS t
      """
    )
    #expect(rows.count == 6)
    for row in rows { #expect(throws: PostgresError.self) { try row.int(0) } }
  }

  @Test func `a long value is the same in both forms, also when the session is over`() async throws
  {
    let connection = try await connection()
    let long = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let sql = "SELECT $1::bytea FROM generate_series(1, 3)"
    let text = try await connection.query(sql, [.bytes(long)])
    let binary = try await connection.query(sql, [.bytes(long)], isBinary: true)
    connection.close()
    #expect(try text.map { row throws in try row.data(0) } == [long, long, long])
    #expect(try binary.map { row throws in try row.data(0) } == [long, long, long])
  }
}
