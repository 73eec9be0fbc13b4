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
    case .string(let text): JSONText.write(text, to: &bytes)
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
        JSONText.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
