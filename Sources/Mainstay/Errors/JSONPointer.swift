// SPDX-License-Identifier: Apache-2.0

/// The place of a value inside a JSON document, such as `/address/street` (RFC 6901).
///
/// Errors use it to name the field that they are about, so that a form can show them under it.
public struct JSONPointer: Sendable, Hashable {
  /// The names and indices on the way to the value, unescaped; none for the whole document.
  public let tokens: [String]

  /// Makes a pointer from the names and indices on the way to the value.
  public init(tokens: [String]) { self.tokens = tokens }

  /// Reads a pointer from text.
  ///
  /// Legal is the empty text or one that begins with `/`, where `~` stands only in `~0` and `~1`;
  /// the result is nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    // Scalars, not characters: a slash and an accent after it are one character.
    let scalars = String(text).unicodeScalars
    guard scalars.first == "/" else { return nil }
    var tokens: [String] = []
    for part in scalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let token = Self.unescaped(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
    var result = String.UnicodeScalarView()
    var iterator = part.makeIterator()
    while let scalar = iterator.next() {
      guard scalar == "~" else {
        result.append(scalar)
        continue
      }
      switch iterator.next() {
      case "0": result.append("~")
      case "1": result.append("/")
      default: return nil
      }
    }
    return String(result)
  }
}

extension JSONPointer: LosslessStringConvertible {
  /// The pointer as text, escaped.
  public var description: String {
    var result: [UInt8] = []
    for token in tokens {
      result.append(UInt8(ascii: "/"))
      for byte in token.utf8 {
        switch byte {
        case UInt8(ascii: "~"): result += [byte, UInt8(ascii: "0")]
        case UInt8(ascii: "/"): result += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: result.append(byte)
        }
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension JSONPointer: ExpressibleByStringLiteral {
  /// Makes a pointer from a literal; stops the program where it is not a legal pointer.
  public init(stringLiteral value: StaticString) {
    guard let pointer = JSONPointer(value.description) else {
      preconditionFailure(
        """
        JSONPointer "\(value)" is not legal: empty, or beginning with "/" and with "~" only in \
        "~0" and "~1" (RFC 6901)
        """)
    }
    self = pointer
  }
}

extension JSONPointer: Codable {
  /// Decodes a pointer from its text.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where the text is not a legal pointer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let pointer = JSONPointer(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text.prefix(128))\" is not a JSON pointer (RFC 6901)")
    }
    self = pointer
  }

  /// Encodes the pointer as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
