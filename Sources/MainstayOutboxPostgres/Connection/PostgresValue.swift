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
  case uuids([UUID?])
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
    case .texts(let texts): try add(quoting: texts)
    case .ints(let numbers): add(bare: numbers.map { $0.map { String($0) } })
    case .doubles(let numbers): add(bare: numbers.map { $0.map(Self.text) })
    case .bools(let truths): add(bare: truths.map { $0.map { $0 ? "t" : "f" } })
    case .bytesArray(let pieces):
      add(pieces, of: Self.bytea) { $1.append(contentsOf: $0) }
    case .uuids(let ids):
      add(ids, of: Self.uuid) { id, bytes in
        withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) }
      }
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

  private mutating func add(bare elements: [String?]) {
    let text = "{" + elements.map { $0 ?? "NULL" }.joined(separator: ",") + "}"
    add(text.utf8, isBinary: false)
  }

  private mutating func add(quoting texts: [String?]) throws(PostgresError) {
    let start = bytes.count
    bytes.append(UInt8(ascii: "{"))
    for (place, text) in texts.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      guard let text else {
        bytes.append(contentsOf: "NULL".utf8)
        continue
      }
      bytes.append(Self.quote)
      for byte in try Self.checked(text).utf8 {
        if byte == Self.quote || byte == Self.backslash { bytes.append(Self.backslash) }
        bytes.append(byte)
      }
      bytes.append(Self.quote)
    }
    bytes.append(UInt8(ascii: "}"))
    add(start: start, isBinary: false)
    bytes.append(0)
  }

  /// An array in the server's own form, which neither side writes as digits and reads again: one
  /// dimension that begins at 1, and each element behind its length.
  private mutating func add<Element>(
    _ elements: [Element?], of type: Int32, _ write: (Element, inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    append(elements.isEmpty ? 0 : 1)
    append(elements.contains { $0 == nil } ? 1 : 0)
    append(type)
    if !elements.isEmpty {
      append(Int32(clamping: elements.count))
      append(1)
    }
    for element in elements {
      let start = bytes.count
      append(-1)
      guard let element else { continue }
      write(element, &bytes)
      let length = Int32(clamping: bytes.count - start - 4)
      withUnsafeBytes(of: length.bigEndian) { digits in
        bytes.replaceSubrange(start..<(start + 4), with: digits)
      }
    }
    add(start: start, isBinary: true)
    bytes.append(0)
  }

  private mutating func append(_ number: Int32) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func checked(_ text: String) throws(PostgresError) -> String {
    guard !text.utf8.contains(0) else {
      throw PostgresError(.value, "A text holds a zero byte, which PostgreSQL does not keep.")
    }
    return text
  }

  private static func text(_ number: Double) -> String {
    number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
  }

  // What the server calls the types of elements; these numbers are fixed for all versions.
  private static let bytea: Int32 = 17
  private static let uuid: Int32 = 2950

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
}
