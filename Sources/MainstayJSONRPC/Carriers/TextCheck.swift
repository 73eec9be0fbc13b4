// SPDX-License-Identifier: Apache-2.0

/// Whether bytes are a text of UTF-8, without making that text.
///
/// Source: RFC 3629, section 4.
enum TextCheck {
  static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if index + 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
        continue
      }
      guard let length = length(of: bytes, at: index) else { return false }
      index += length
    }
    return true
  }

  /// How many bytes the character has that begins here; nil where it is none.
  private static func length(of bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    let (length, second): (Int, ClosedRange<UInt8>)
    switch bytes[index] {
    case 0x00...0x7f: return 1
    case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    // Halves of pairs are no characters.
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: return nil
    }
    guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
    for next in (index + 2)..<max(index + length, index + 2)
    where bytes[next] & 0xc0 != 0x80 { return nil }
    return length
  }
}
