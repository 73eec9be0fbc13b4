// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
package import Foundation

/// What a statement returned.
package struct PostgresRows: Sendable {
  /// A column, for whoever does not know what was asked.
  package struct Column: Sendable, Hashable {
    /// How its values can be read.
    package enum ValueType: Sendable {
      case int, bool, bytes, other
    }

    package let name: String
    package let type: ValueType

    /// The numbers are those of PostgreSQL's catalogue `pg_type`.
    fileprivate init(_ result: OpaquePointer, _ place: Int32) {
      name = PQfname(result, place).map { String(cString: $0) } ?? ""
      type =
        switch PQftype(result, place) {
        case 20, 21, 23: .int
        case 16: .bool
        case 17: .bytes
        default: .other
        }
    }
  }

  /// The columns, in order.
  package private(set) var columns: [Column] = []
  private var bytes: [UInt8] = []
  /// Where each value lies; nil for null.
  private var places: [Range<Int>?] = []
  private var width = 0
  /// How many rows there are.
  package private(set) var count = 0
  /// How many rows a statement changed, or returned.
  package private(set) var affected = 0
  /// What the server says that it did, such as `COMMIT`.
  package private(set) var tag = ""

  /// No rows.
  package init() {}

  /// Copies a result, which stays the caller's.
  init(_ result: OpaquePointer) {
    count = Int(PQntuples(result))
    width = Int(PQnfields(result))
    columns = (0..<Int32(width)).map { Column(result, $0) }
    affected = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
    places.reserveCapacity(count * width)
    for row in 0..<Int32(count) {
      for column in 0..<Int32(width) {
        guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
        else {
          places.append(nil)
          continue
        }
        let length = Int(PQgetlength(result, row, column))
        places.append(bytes.count..<(bytes.count + length))
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: length))
      }
    }
  }

  fileprivate func value(_ row: Int, _ column: Int) throws(PostgresError) -> ArraySlice<UInt8>? {
    guard (0..<width).contains(column) else {
      throw PostgresError(.value, "The row has no column \(column).")
    }
    return places[row * width + column].map { bytes[$0] }
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
  package func isNull(_ column: Int) -> Bool {
    do { return try rows.value(index, column) == nil } catch { return true }
  }

  package func text(_ column: Int) throws(PostgresError) -> String {
    String(decoding: try value(column), as: UTF8.self)
  }

  package func int(_ column: Int) throws(PostgresError) -> Int64 {
    try read(column, "a whole number") { Int64($0) }
  }

  package func double(_ column: Int) throws(PostgresError) -> Double {
    try read(column, "a number") { Double($0) }
  }

  package func bool(_ column: Int) throws(PostgresError) -> Bool {
    try read(column, "true or false") { ["t": true, "f": false][$0] }
  }

  package func data(_ column: Int) throws(PostgresError) -> Data {
    let value = try value(column)
    let isHex = value.starts(with: [Self.backslash, UInt8(ascii: "x")])
    // The other form never begins like that, but any text may be of it.
    let isEscaped = !isHex && rows.columns[column].type == .bytes
    guard let data = isEscaped ? Self.escaped(value) : isHex ? Self.hex(value.dropFirst(2)) : nil
    else { throw wrong(column, "bytes") }
    return data
  }

  /// A text; nil for null.
  package func text(ifAny column: Int) throws(PostgresError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// A whole number; nil for null.
  package func int(ifAny column: Int) throws(PostgresError) -> Int64? {
    isNull(column) ? nil : try int(column)
  }

  /// A number; nil for null.
  package func double(ifAny column: Int) throws(PostgresError) -> Double? {
    isNull(column) ? nil : try double(column)
  }

  /// True or false; nil for null.
  package func bool(ifAny column: Int) throws(PostgresError) -> Bool? {
    isNull(column) ? nil : try bool(column)
  }

  /// Bytes; nil for null.
  package func data(ifAny column: Int) throws(PostgresError) -> Data? {
    isNull(column) ? nil : try data(column)
  }

  private func value(_ column: Int) throws(PostgresError) -> ArraySlice<UInt8> {
    guard let value = try rows.value(index, column) else { throw wrong(column, "a value") }
    return value
  }

  private func read<T>(
    _ column: Int, _ kind: String, _ reading: (String) -> T?
  ) throws(PostgresError) -> T {
    guard let value = reading(try text(column)) else { throw wrong(column, kind) }
    return value
  }

  private func wrong(_ column: Int, _ kind: String) -> PostgresError {
    PostgresError(.value, "Column \(column) of a row is not \(kind).")
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func hex(_ digits: ArraySlice<UInt8>) -> Data? {
    guard digits.count % 2 == 0 else { return nil }
    var isLegal = true
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { memory, count in
      var position = digits.startIndex
      while position < digits.endIndex {
        guard let high = digit(digits[position]), let low = digit(digits[position + 1]) else {
          isLegal = false
          return
        }
        memory[count] = high << 4 | low
        count += 1
        position += 2
      }
    }
    return isLegal ? Data(bytes) : nil
  }

  /// The form that a database may be set to: behind a pooler no session says which one it wants.
  private static func escaped(_ text: ArraySlice<UInt8>) -> Data? {
    var data = Data(capacity: text.count)
    var rest = text
    while let first = rest.popFirst() {
      if first != backslash {
        data.append(first)
      } else if rest.first == backslash {
        data.append(backslash)
        rest.removeFirst()
      } else {
        // Three digits to the base of eight, from 000 to 377.
        let digits = rest.prefix(3).compactMap { digit($0) }
        guard digits.count == 3, digits[0] < 4, digits[1] < 8, digits[2] < 8 else { return nil }
        data.append(digits[0] << 6 | digits[1] << 3 | digits[2])
        rest.removeFirst(3)
      }
    }
    return data
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 48...57: letter - 48
    case 97...102: letter - 87
    case 65...70: letter - 55
    default: nil
    }
  }
}
