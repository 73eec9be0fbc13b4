// SPDX-License-Identifier: Apache-2.0

internal import Mustache

/// Escapes values for HTML, byte by byte.
///
/// Mustache's own escaping goes by characters, and a quotation mark with an accent after it is one
/// character that it does not know: such a name would end the attribute that it stands in.
package struct EscapedHTML: MustacheContentType {
  /// What templates call it.
  package static let name = "MAINSTAYHTML"

  package init() {}

  package func escapeText(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
