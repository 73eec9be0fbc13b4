// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
package import Foundation

/// What a statement returned.
package struct PostgresRows: Sendable {
  /// A column, for whoever does not know what was asked.
  package struct Column: Sendable, Hashable {
    /// How its values can be read.
    package enum ValueType: Sendable {
      case int, double, bool, bytes, uuid, text, other
    }

    package let name: String
    package let type: ValueType
    fileprivate let isBinary: Bool

    /// The numbers are those of PostgreSQL's catalogue `pg_type`.
    fileprivate init(_ result: OpaquePointer, _ place: Int32) {
      name = PQfname(result, place).map { String(cString: $0) } ?? ""
      isBinary = PQfformat(result, place) == 1
      type =
        switch PQftype(result, place) {
        case 20, 21, 23: .int
        case 701: .double
        case 16: .bool
        case 17: .bytes
        case 2950: .uuid
        case 25, 1043: .text
        default: .other
        }
    }
  }

  /// What libpq has read, for as long as somebody has rows of it; nothing changes it any more.
  private final class Answer: Sendable {
    private let address: UInt

    init(_ result: OpaquePointer) { address = UInt(bitPattern: result) }

    deinit { PQclear(result) }

    var result: OpaquePointer? { OpaquePointer(bitPattern: address) }
  }

  /// The columns, in order.
  package private(set) var columns: [Column] = []
  private var answer: Answer?
  /// How many rows there are.
  package private(set) var count = 0
  /// How many rows a statement changed, or returned.
  package private(set) var affected = 0
  /// What the server says that it did, such as `COMMIT`.
  package private(set) var tag = ""

  /// No rows.
  package init() {}

  /// Takes a result over, and clears it in the end.
  init(adopting result: OpaquePointer) {
    answer = Answer(result)
    count = Int(PQntuples(result))
    columns = (0..<PQnfields(result)).map { Column(result, $0) }
    affected = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
  }

  /// Lends a value; nil for null, and where there is no such column.
  fileprivate func read<T>(_ row: Int, _ column: Int, _ body: (PostgresCell) -> T) -> T? {
    guard columns.indices.contains(column), let answer else { return nil }
    return withExtendedLifetime(answer) {
      let (row, place) = (Int32(row), Int32(column))
      guard let result = answer.result, PQgetisnull(result, row, place) == 0,
        let value = PQgetvalue(result, row, place)
      else { return nil }
      let length = Int(PQgetlength(result, row, place))
      return body(
        PostgresCell(
          bytes: UnsafeRawBufferPointer(start: value, count: length), type: columns[column].type,
          isBinary: columns[column].isBinary))
    }
  }
}

extension PostgresRows: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }
  package subscript(position: Int) -> PostgresRow {
    precondition((0..<count).contains(position), "there are \(count) rows, and none \(position)")
    return PostgresRow(rows: self, index: position)
  }
}

/// One row; each reading throws where the value is null or of another type.
package struct PostgresRow: Sendable {
  fileprivate let rows: PostgresRows
  fileprivate let index: Int

  /// Whether a column is null, or not there at all.
  package func isNull(_ column: Int) -> Bool { rows.read(index, column) { _ in true } == nil }

  package func text(_ column: Int) throws(PostgresError) -> String {
    try some(column, text(ifAny: column))
  }

  package func int(_ column: Int) throws(PostgresError) -> Int64 {
    try some(column, int(ifAny: column))
  }

  package func double(_ column: Int) throws(PostgresError) -> Double {
    try some(column, double(ifAny: column))
  }

  package func bool(_ column: Int) throws(PostgresError) -> Bool {
    try some(column, bool(ifAny: column))
  }

  package func data(_ column: Int) throws(PostgresError) -> Data {
    try some(column, data(ifAny: column))
  }

  /// A text; nil for null.
  package func text(ifAny column: Int) throws(PostgresError) -> String? {
    try read(column, "a text") { $0.text }
  }

  /// A whole number; nil for null.
  package func int(ifAny column: Int) throws(PostgresError) -> Int64? {
    try read(column, "a whole number") { $0.int }
  }

  /// A number; nil for null.
  package func double(ifAny column: Int) throws(PostgresError) -> Double? {
    try read(column, "a number") { $0.double }
  }

  /// True or false; nil for null.
  package func bool(ifAny column: Int) throws(PostgresError) -> Bool? {
    try read(column, "true or false") { $0.bool }
  }

  /// A UUID; nil for null.
  package func uuid(ifAny column: Int) throws(PostgresError) -> UUID? {
    try read(column, "a UUID") { $0.uuid }
  }

  /// Bytes; nil for null.
  package func data(ifAny column: Int) throws(PostgresError) -> Data? {
    try read(column, "bytes") { $0.data }
  }

  private func some<T>(_ column: Int, _ value: T?) throws(PostgresError) -> T {
    if let value { return value }
    guard rows.columns.indices.contains(column) else {
      throw PostgresError(.value, "The row has no column \(column).")
    }
    throw wrong(column, "a value")
  }

  private func read<T>(
    _ column: Int, _ kind: String, _ reading: (PostgresCell) -> T?
  ) throws(PostgresError) -> T? {
    guard let found = rows.read(index, column, reading) else { return nil }
    guard let value = found else { throw wrong(column, kind) }
    return value
  }

  private func wrong(_ column: Int, _ kind: String) -> PostgresError {
    PostgresError(.value, "Column \(column) of a row is not \(kind).")
  }
}
