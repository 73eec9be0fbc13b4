// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of one intended effect, by which the other side knows a repeated request.
///
/// It is made once, when the effect is wanted, and stays the same for all attempts. While one is
/// active, a call whose outcome is unknown may be repeated.
///
/// Source: draft-ietf-httpapi-idempotency-key-header.
public struct IdempotencyKey: Sendable, Hashable {
  /// The key as text.
  public let rawValue: String

  /// The key of the effect that the current task works on; nil where there is none.
  @TaskLocal public static var current: IdempotencyKey?

  /// Makes a new key.
  public init() { rawValue = UUID().uuidString.lowercased() }

  /// Makes a key from text that somebody else made: 1 to 255 visible ASCII characters; nil for
  /// anything else.
  public init?(_ text: some StringProtocol) {
    let bytes = text.utf8
    guard (1...255).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    rawValue = String(text)
  }

  /// The key of one of several effects that belong to this one, such as the payment and the parcel
  /// of an order.
  ///
  /// A key names one effect: a service that gets it twice takes the second call for a repetition of
  /// the first. The derived key is the same wherever and whenever it is made, so a repeated order
  /// repeats both calls. It says nothing about this one.
  ///
  /// ```swift
  /// let key = IdempotencyKey.current ?? IdempotencyKey()
  /// try await payments.pay(order, key: key.derived(for: "payment"))
  /// try await parcels.send(order, key: key.derived(for: "parcel"))
  /// ```
  ///
  /// - Parameter effect: What tells the effects apart, taken byte by byte: a word that stands in
  ///   the code, or one with a number of the order's; any text.
  /// - Returns: A UUID of version 8, made of the SHA-256 of both, as text of 36 characters.
  public func derived(for effect: String) -> IdempotencyKey {
    // No key has a line break, so no two pairs make the same bytes.
    let words = SHA256.hash(Array("\(rawValue)\n\(effect)".utf8))
    let high = UInt64(words[0]) << 32 | UInt64(words[1])
    let low = UInt64(words[2]) << 32 | UInt64(words[3])
    // Source: RFC 9562, section 5.8.
    return IdempotencyKey(
      rawValue: Self.uuid(
        high & 0xffff_ffff_ffff_0fff | 0x8000, low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000))
  }

  private init(rawValue: String) { self.rawValue = rawValue }

  private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (word, breaks) in [(high, [8, 12]), (low, [0, 4])] {
      for place in 0..<16 {
        if breaks.contains(place) { text.append(UInt8(ascii: "-")) }
        text.append(digits[Int(word >> UInt64(60 - 4 * place) & 15)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Runs an operation that works on the effect of this key.
  public func active<T>(_ operation: () async throws -> T) async rethrows -> T {
    try await Self.$current.withValue(self, operation: operation)
  }
}

extension IdempotencyKey: LosslessStringConvertible {
  /// The key as text.
  public var description: String { rawValue }
}

extension IdempotencyKey: Codable {
  /// Decodes a key from its text.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where the text is not a legal key.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let key = IdempotencyKey(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not 1 to 255 visible ASCII characters")
    }
    self = key
  }

  /// Encodes the key as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
