// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Writes JSON; what is open lies in an array, so that no depth can overflow the stack.
struct JSONWriter {
  /// An array or object of which some is still to be written.
  private enum Open {
    case array(ArraySlice<JSONValue>)
    case object(ArraySlice<(key: String, value: JSONValue)>)
  }

  private(set) var bytes: [UInt8] = []
  private var open: [Open] = []

  mutating func write(_ value: JSONValue) {
    begin(value)
    while let next = open.popLast() {
      switch next {
      case .array(var elements):
        guard let element = elements.popFirst() else {
          bytes.append(UInt8(ascii: "]"))
          continue
        }
        separate(after: UInt8(ascii: "["))
        open.append(.array(elements))
        begin(element)
      case .object(var members):
        guard let member = members.popFirst() else {
          bytes.append(UInt8(ascii: "}"))
          continue
        }
        separate(after: UInt8(ascii: "{"))
        open.append(.object(members))
        JSONText.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        begin(member.value)
      }
    }
  }

  private mutating func begin(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += value ? "true".utf8 : "false".utf8
    case .number(let number): bytes += number.text.utf8
    case .string(let text): JSONText.write(text, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      open.append(.array(elements[...]))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      open.append(.object(members.sorted { $0.key < $1.key }[...]))
    }
  }

  /// A comma, unless this is the first inside; a text never ends with the sign of a beginning.
  private mutating func separate(after beginning: UInt8) {
    if bytes.last != beginning { bytes.append(UInt8(ascii: ",")) }
  }
}
