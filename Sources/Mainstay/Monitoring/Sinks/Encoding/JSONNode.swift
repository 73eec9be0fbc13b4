// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON document whose members stay in the order in which they were written, so that the same
/// report always gives the same bytes.
enum JSONNode: Sendable {
  case string(String)
  case integer(Int)
  case bool(Bool)
  case array([JSONNode])
  case object([(name: String, value: JSONNode)])

  /// An object of what is there.
  static func members(_ members: KeyValuePairs<String, JSONNode?>) -> Self {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// An object with its members in the order of their names.
  static func sorted(_ values: [String: String]) -> Self {
    .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }

  /// The document as UTF-8, without line breaks.
  var encoded: Data {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return Data(bytes)
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .string(let text): Self.write(text, to: &bytes)
    case .integer(let number): bytes += String(number).utf8
    case .bool(let value): bytes += String(value).utf8
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case ..<0x20, 0x7f:
        bytes += "\\u00".utf8
        bytes += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0xf)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
