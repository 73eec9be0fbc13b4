// SPDX-License-Identifier: Apache-2.0

/// A message without what changes from one time to the next.
///
/// ```swift
/// MessageTemplate("Order 4,150,908 of ada@example.com failed after 1.5 s").description
/// // "Order <int> of <email> failed after <duration>"
/// ```
///
/// It is made in one pass from left to right, in time linear in the message. The most specific is
/// replaced first:
///
/// - addresses of mail and web, hosts, IP and MAC addresses
/// - trace ids, UUIDs, hashes
/// - dates and times, durations, sizes, versions
/// - pointers, hexadecimal numbers, random ids, floats, integers in many scripts
/// - paths but for the ending, bundle ids
/// - after `=` or a JSON key also quoted values and booleans
///
/// Kept are words, and numbers that belong to a name, such as `utf-8`.
///
/// The first two lines that are not empty count, and 1,024 bytes of the template at most. The
/// template of a template is itself.
public struct MessageTemplate: Sendable, Hashable, CustomStringConvertible {
  /// The template in words.
  public let description: String

  /// Makes the template of a message.
  ///
  /// - Parameter message: The message.
  public init(_ message: some StringProtocol) {
    let beginning =
      message.utf8.withContiguousStorageIfAvailable { TemplateText.beginning(of: $0) }
      ?? TemplateText.beginning(of: message.utf8)
    self.init(beginning: beginning)
  }

  /// Makes the template of a message that may not be valid UTF-8; what is not is shown as `�`.
  ///
  /// - Parameter bytes: The message.
  public init(utf8 bytes: [UInt8]) {
    self.init(String(decoding: TemplateText.beginning(of: bytes), as: UTF8.self))
  }

  private init(beginning: [UInt8]) {
    var scanner = TemplateScanner(beginning)
    self.init(written: scanner.run())
  }

  private init(written description: String) { self.description = description }

  /// The template that an author wrote: the wording with `<value>` where the arguments go.
  ///
  /// Nothing is guessed, unless the text is ``LocalizableText/init(verbatim:)``.
  ///
  /// - Parameter text: The text.
  public init(of text: LocalizableText) {
    if text.key == nil, text.pattern == "{0}" {
      self.init(text.description)
    } else {
      self.init(written: TemplateText.withoutArguments(text.pattern))
    }
  }
}

extension MessageTemplate {
  /// The template without anybody's data: for what decides about groups, and is shown and stored.
  var redacted: String { Redaction.redact(description) }
}

/// What of a message is looked at.
enum TemplateText {
  static let maximumInput = 4096
  static let maximumOutput = 1024

  /// The first two lines that are not empty, without the white space around them.
  static func beginning(of bytes: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var lines = 0
    var rest = bytes[...]
    while lines < 2, let start = rest.firstIndex(where: { !Byte.isSpace($0) }) {
      rest = rest[start...]
      let room = maximumInput - result.count
      let line = rest.prefix(room).prefix { !Byte.isNewline($0) }
      if lines > 0 { result.append(UInt8(ascii: "\n")) }
      result += line
      lines += 1
      if line.count == room { return cut(result) }
      while let last = result.last, Byte.isSpace(last) { result.removeLast() }
      rest = rest[line.endIndex...]
    }
    return result
  }

  /// The bytes to the last gap, so that no word is cut in two where that can be helped.
  static func cut(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if let space = bytes.suffix(256).lastIndex(where: Byte.isSpace) {
      bytes.removeSubrange(space...)
      while let last = bytes.last, Byte.isSpace(last) { bytes.removeLast() }
      return bytes
    }
    while let last = bytes.last, last & 0xc0 == 0x80 { bytes.removeLast() }
    if let last = bytes.last, last >= 0xc0 { bytes.removeLast() }
    return bytes
  }

  /// A pattern with `<value>` in place of `{0}`, `{1}` and so on.
  static func withoutArguments(_ pattern: String) -> String {
    let bytes = Array(pattern.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if byte == UInt8(ascii: "{"), Byte.isDigit(next) {
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count - 1
        result += "<value>".utf8
        index = end + 1
      } else {
        result.append(byte)
        index += byte == next && (byte == 123 || byte == 125) ? 2 : 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
