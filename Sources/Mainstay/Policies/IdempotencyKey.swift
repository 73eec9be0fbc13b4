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

  /// Runs an operation that works on the effect of this key.
  public func active<T>(_ operation: () async throws -> T) async rethrows -> T {
    try await Self.$current.withValue(self, operation: operation)
  }
}

extension IdempotencyKey: CustomStringConvertible {
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
