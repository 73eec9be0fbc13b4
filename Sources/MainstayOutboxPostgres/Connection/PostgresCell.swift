// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One value of a row, as the server sent it; its bytes are lent for as long as somebody reads it.
struct PostgresCell {
  let bytes: UnsafeRawBufferPointer
  let type: PostgresRows.Column.ValueType
  /// Whether it came in the server's own form, and not as a text.
  let isBinary: Bool
}

// Each is nil where the value is of another type.
extension PostgresCell {
  var text: String? {
    guard !isBinary || type == .text else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  var int: Int64? {
    guard isBinary else { return Self.int(bytes) }
    guard type == .int else { return nil }
    switch bytes.count {
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: return nil
    }
  }

  var double: Double? {
    guard isBinary else { return Double(String(decoding: bytes, as: UTF8.self)) }
    guard type == .double, bytes.count == 8 else { return nil }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  var bool: Bool? {
    guard bytes.count == 1, let byte = bytes.first, !isBinary || type == .bool else { return nil }
    switch byte {
    case isBinary ? 1 : UInt8(ascii: "t"): return true
    case isBinary ? 0 : UInt8(ascii: "f"): return false
    default: return nil
    }
  }

  var uuid: UUID? {
    guard isBinary else { return UUID(uuidString: String(decoding: bytes, as: UTF8.self)) }
    guard type == .uuid, bytes.count == 16 else { return nil }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  var data: Data? {
    if isBinary {
      guard type == .bytes else { return nil }
      return bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
    if bytes.count >= 2, bytes[0] == Self.backslash, bytes[1] == UInt8(ascii: "x") {
      return Self.hex(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2)))
    }
    // The other form never begins like that, but any text may be of it.
    return type == .bytes ? Self.escaped(bytes[...]) : nil
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func int(_ digits: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = digits.first == UInt8(ascii: "-")
    let rest = digits.dropFirst(isNegative ? 1 : 0)
    guard !rest.isEmpty else { return nil }
    var number: Int64 = 0
    for letter in rest {
      guard (48...57).contains(letter) else { return nil }
      let digit = Int64(letter) - 48
      let tenfold = number.multipliedReportingOverflow(by: 10)
      // The least number has no positive one.
      let next =
        isNegative
        ? tenfold.partialValue.subtractingReportingOverflow(digit)
        : tenfold.partialValue.addingReportingOverflow(digit)
      guard !tenfold.overflow, !next.overflow else { return nil }
      number = next.partialValue
    }
    return number
  }

  private static func hex(_ digits: UnsafeRawBufferPointer) -> Data? {
    guard digits.count % 2 == 0 else { return nil }
    var data = Data(count: digits.count / 2)
    let isLegal = data.withUnsafeMutableBytes { memory in
      for place in 0..<memory.count {
        guard let high = digit(digits[2 * place]), let low = digit(digits[2 * place + 1]) else {
          return false
        }
        memory[place] = high << 4 | low
      }
      return true
    }
    return isLegal ? data : nil
  }

  /// The form that a database may be set to: behind a pooler no session says which one it wants.
  private static func escaped(_ text: Slice<UnsafeRawBufferPointer>) -> Data? {
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
