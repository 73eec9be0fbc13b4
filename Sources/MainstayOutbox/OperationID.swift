// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// The identity of one queued operation; it stays the same until the operation is gone.
///
/// New ones are UUIDs of version 7 (RFC 9562): they sort by the time at which they were made.
public struct OperationID: Sendable, Hashable {
  /// The UUID.
  public let uuid: UUID

  /// Makes the identity that a UUID stands for.
  public init(_ uuid: UUID) { self.uuid = uuid }

  /// Makes a new identity.
  ///
  /// - Parameters:
  ///   - date: The time that it begins with; dates before 1970 count as 1970.
  ///   - generator: Where its random bits come from.
  /// - Returns: A UUID of version 7.
  public static func new(
    at date: Date, using generator: inout some RandomNumberGenerator
  ) -> OperationID {
    let seconds = max(date.timeIntervalSince1970, 0)
    let milliseconds = UInt64(min(seconds * 1000, 281_474_976_710_655))
    let (a, b) = (generator.next() as UInt64, generator.next() as UInt64)
    func byte(_ value: UInt64, _ shift: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: value >> shift)
    }
    return OperationID(
      UUID(
        uuid: (
          byte(milliseconds, 40), byte(milliseconds, 32), byte(milliseconds, 24),
          byte(milliseconds, 16), byte(milliseconds, 8), byte(milliseconds, 0),
          0x70 | (byte(a, 8) & 0x0f), byte(a, 0), 0x80 | (byte(b, 56) & 0x3f), byte(b, 48),
          byte(b, 40), byte(b, 32), byte(b, 24), byte(b, 16), byte(b, 8), byte(b, 0)
        )))
  }
}

extension OperationID: LosslessStringConvertible {
  /// Reads an identity that ``description`` has written; nil for what is no UUID.
  ///
  /// - Parameter description: The UUID, in small or capital letters.
  public init?(_ description: String) {
    guard let uuid = UUID(uuidString: description) else { return nil }
    self.uuid = uuid
  }

  /// The UUID in small letters.
  public var description: String {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var place = 0
        for (number, byte) in bytes.enumerated() {
          if number == 4 || number == 6 || number == 8 || number == 10 {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          text[place] = Self.digit(byte >> 4)
          text[place + 1] = Self.digit(byte & 15)
          place += 2
        }
        return place
      }
    }
  }

  /// The letter of a number below 16.
  fileprivate static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }
}

extension OperationID: Comparable {
  /// Whether one was made before another, as far as their times say it.
  public static func < (one: OperationID, other: OperationID) -> Bool {
    withUnsafeBytes(of: one.uuid.uuid) { one in
      withUnsafeBytes(of: other.uuid.uuid) { one.lexicographicallyPrecedes($0) }
    }
  }
}

extension OperationID: Codable {
  /// Decodes an identity from its UUID.
  public init(from decoder: any Decoder) throws {
    uuid = try decoder.singleValueContainer().decode(UUID.self)
  }

  /// Encodes the identity as its UUID.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(uuid)
  }
}

extension IdempotencyKey {
  /// The key of an operation for which nobody chose one.
  ///
  /// Keys that sort by time stand side by side in an index, and random ones touch all of it.
  init(_ id: OperationID) { self = IdempotencyKey(id.description) ?? IdempotencyKey() }

  /// Another key of an operation for which nobody chose one, since it sends something else now.
  ///
  /// It is a UUID that ends as the identity does, by which it is known again.
  init(anotherOf id: OperationID) {
    let key = UUID().uuidString.lowercased().dropLast(12) + id.description.suffix(12)
    self = IdempotencyKey(key) ?? IdempotencyKey()
  }

  /// Whether it was made for an operation for which nobody chose one: nobody asks for it by this.
  func isMade(for id: OperationID) -> Bool {
    let text = rawValue.utf8
    guard text.count == 36 else { return false }
    return withUnsafeBytes(of: id.uuid.uuid) { bytes in
      zip(text.suffix(12), 20...).allSatisfy { letter, place in
        let byte = bytes[place / 2]
        return letter == OperationID.digit(place.isMultiple(of: 2) ? byte >> 4 : byte & 15)
      }
    }
  }
}
