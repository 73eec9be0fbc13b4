// SPDX-License-Identifier: Apache-2.0

/// Texts as JSON writes them.
///
/// Source: RFC 8259, section 7.
package enum JSONText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Writes a text in quotes; what is no control character stays as it is.
  package static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case ..<0x20, 0x7f:
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
