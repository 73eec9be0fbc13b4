// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A parameter of a statement; an array is one parameter.
///
/// The server infers its type from the statement, so that `$1::uuid` takes a text.
package enum PostgresValue: Sendable, Hashable {
  case null
  case text(String)
  case int(Int64)
  case double(Double)
  case bool(Bool)
  case bytes(Data)
  case texts([String?])
  case ints([Int64?])
  case doubles([Double?])
  case bools([Bool?])
  case bytesArray([Data?])
}

extension PostgresValue {
  /// A text, or null.
  package static func text(_ value: String?) -> PostgresValue { value.map { .text($0) } ?? .null }
  /// A number, or null.
  package static func int(_ value: Int64?) -> PostgresValue { value.map { .int($0) } ?? .null }
  /// Bytes, or null.
  package static func bytes(_ value: Data?) -> PostgresValue { value.map { .bytes($0) } ?? .null }
}

/// Parameters in one piece of memory, as libpq takes them.
struct EncodedValues {
  private var bytes: [UInt8] = []
  private var starts: [Int?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  /// - Throws: ``PostgresError`` where a text holds a zero byte, which no text of a server may.
  init(_ values: [PostgresValue]) throws(PostgresError) {
    guard values.count <= 65_535 else {
      throw PostgresError(.value, "A statement has at most 65535 parameters.")
    }
    for value in values { try append(value) }
  }

  /// The parameters, for as long as the call lasts.
  func withPointers<T>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>, UnsafePointer<Int32>
    ) -> T
  ) -> T {
    bytes.withUnsafeBytes { memory in
      let first = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
      let pointers = starts.map { start in start.flatMap { first?.advanced(by: $0) } }
      return body(Int32(starts.count), pointers, lengths, formats)
    }
  }

  private mutating func append(_ value: PostgresValue) throws(PostgresError) {
    switch value {
    case .null: add(start: nil, isBinary: false)
    case .text(let text): add(try Self.checked(text).utf8, isBinary: false)
    case .int(let number): add(String(number).utf8, isBinary: false)
    case .double(let number): add(Self.text(number).utf8, isBinary: false)
    case .bool(let isTrue): add((isTrue ? "t" : "f").utf8, isBinary: false)
    case .bytes(let data): add(data, isBinary: true)
    case .texts(let texts):
      var elements: [String?] = []
      for text in texts {
        if let text { elements.append(try Self.quoted(text)) } else { elements.append(nil) }
      }
      add(elements)
    case .ints(let numbers): add(numbers.map { $0.map { String($0) } })
    case .doubles(let numbers): add(numbers.map { $0.map(Self.text) })
    case .bools(let truths): add(truths.map { $0.map { $0 ? "t" : "f" } })
    case .bytesArray(let pieces): add(pieces.map { $0.map(Self.hex) })
    }
  }

  private mutating func add(_ value: some Sequence<UInt8>, isBinary: Bool) {
    let start = bytes.count
    bytes.append(contentsOf: value)
    add(start: start, isBinary: isBinary)
    // What is text ends with a zero byte, which does not count.
    bytes.append(0)
  }

  private mutating func add(start: Int?, isBinary: Bool) {
    starts.append(start)
    lengths.append(Int32(clamping: bytes.count - (start ?? bytes.count)))
    formats.append(isBinary ? 1 : 0)
  }

  private mutating func add(_ elements: [String?]) {
    let text = "{" + elements.map { $0 ?? "NULL" }.joined(separator: ",") + "}"
    add(text.utf8, isBinary: false)
  }

  private static func checked(_ text: String) throws(PostgresError) -> String {
    guard !text.utf8.contains(0) else {
      throw PostgresError(.value, "A text holds a zero byte, which PostgreSQL does not keep.")
    }
    return text
  }

  private static func quoted(_ text: String) throws(PostgresError) -> String {
    var quoted = "\""
    for character in try checked(text).unicodeScalars {
      if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }

  private static func text(_ number: Double) -> String {
    number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
  }

  /// The form of bytes in an array: quoted, with the backslash doubled.
  private static func hex(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\"\\\\x".utf8)
    text.reserveCapacity(data.count * 2 + 5)
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    text.append(UInt8(ascii: "\""))
    return String(decoding: text, as: UTF8.self)
  }
}
