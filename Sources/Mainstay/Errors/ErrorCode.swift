// SPDX-License-Identifier: Apache-2.0

/// A stable, dotted name of one thing that can go wrong, such as `network.timeout`.
///
/// Programs, logs and dashboards go by the code, so a code that was released is never renamed and
/// never reused for something else. Legal are 1 to 128 characters: segments of `a-z`, `0-9` and
/// `-`, joined by single dots.
public struct ErrorCode: Sendable, Hashable {
  /// The code as text.
  public let rawValue: String

  /// Makes a code from text that was not written in the source, or nil where it is not a legal
  /// code.
  public init?(_ text: some StringProtocol) {
    guard Self.isLegal(Substring(text).utf8) else { return nil }
    rawValue = String(text)
  }

  /// A positive number that stays the same for this code in every process and release.
  ///
  /// It is what `NSError.code` shows: FNV-1a over the text, folded to 31 bits so that it is the
  /// same on 32-bit devices. Zero is left out, since it reads as success.
  public var number: Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let folded = Int((hash ^ (hash >> 32)) & 0x7fff_ffff)
    return folded == 0 ? 1 : folded
  }

  private static func isLegal(_ bytes: Substring.UTF8View) -> Bool {
    guard (1...128).contains(bytes.count) else { return false }
    var previous = UInt8(ascii: ".")
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "-"), UInt8(ascii: "."): if previous == UInt8(ascii: ".") { return false }
      default: return false
      }
      previous = byte
    }
    return previous != UInt8(ascii: ".")
  }
}

extension ErrorCode: ExpressibleByStringLiteral {
  /// Makes a code from a literal; stops the program where the literal is not a legal code.
  public init(stringLiteral value: StaticString) {
    guard let code = ErrorCode(value.description) else {
      preconditionFailure(
        """
        ErrorCode "\(value)" is not legal: 1 to 128 characters, segments of a-z, 0-9 and "-", \
        joined by single dots
        """)
    }
    self = code
  }
}

extension ErrorCode: LosslessStringConvertible {
  /// The code as text.
  public var description: String { rawValue }
}

extension ErrorCode: Codable {
  /// Decodes a code from its text.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where the text is not a legal code.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let code = ErrorCode(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text.prefix(128))\" is not a legal error code")
    }
    self = code
  }

  /// Encodes the code as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
