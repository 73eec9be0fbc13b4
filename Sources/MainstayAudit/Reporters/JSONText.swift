// SPDX-License-Identifier: Apache-2.0

/// A JSON document whose members stay in the order that they are given in.
indirect enum JSONText {
  case null
  case bool(Bool)
  case number(Int)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText?)])

  static func strings(_ texts: some Sequence<String>) -> JSONText {
    .array(texts.map { .string($0) })
  }

  static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

  /// The document with two spaces to a level and a line end; members without a value are left out.
  var document: String {
    var text = ""
    write(to: &text, indent: "")
    return text + "\n"
  }

  private func write(to text: inout String, indent: String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += String(value)
    case .string(let value): Self.write(value, to: &text)
    case .array(let elements):
      Self.write(elements, between: "[", "]", to: &text, indent) { element, text, indent in
        element.write(to: &text, indent: indent)
      }
    case .object(let members):
      let present = members.compactMap { member in member.1.map { (member.0, $0) } }
      Self.write(present, between: "{", "}", to: &text, indent) { member, text, indent in
        Self.write(member.0, to: &text)
        text += ": "
        member.1.write(to: &text, indent: indent)
      }
    }
  }

  private static func write<Part>(
    _ parts: [Part], between open: String, _ close: String, to text: inout String,
    _ indent: String, _ write: (Part, inout String, String) -> Void
  ) {
    text += open
    for (place, part) in parts.enumerated() {
      text += (place == 0 ? "\n" : ",\n") + indent + "  "
      write(part, &text, indent + "  ")
    }
    text += parts.isEmpty ? close : "\n" + indent + close
  }

  /// Writes a text in quotes; what no terminal should see goes as `\u`.
  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      default:
        if scalar.isASCII ? scalar.value >= 0x20 && scalar.value != 0x7F : scalar.isVisible {
          text.unicodeScalars.append(scalar)
        } else {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        }
      }
    }
    text += "\""
  }
}
