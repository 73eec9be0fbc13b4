// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension HybridLogicalClock {
  /// When something happened: a time of day, a counter, and who says so, compared in this order.
  ///
  /// As text it has 34 characters, `0191f0a3b2c4-0007-9f1c33d2a0b4e567`: milliseconds since 1970,
  /// counter and node in hexadecimal digits. Texts sort as the stamps do.
  public struct Stamp: Sendable, Hashable {
    /// Milliseconds since 1970 in the upper 48 bits, the counter in the lower 16.
    let time: UInt64
    /// Who gave it.
    public let node: Node

    static let counterBits: UInt64 = 16
    static let counterMask: UInt64 = 0xffff
    /// The last millisecond of the year 9999, which no time of day is later than.
    static let latestDate: UInt64 = 253_402_300_799_999

    init(time: UInt64, node: Node) {
      self.time = time
      self.node = node
    }

    /// Makes a stamp from its parts; nil where the milliseconds take more than 48 bits.
    ///
    /// - Parameters:
    ///   - milliseconds: Milliseconds since 1970; 48 bits last beyond the year 10000.
    ///   - counter: What tells stamps of one millisecond apart.
    ///   - node: Who gives it.
    public init?(milliseconds: UInt64, counter: UInt16, node: Node) {
      guard milliseconds < 1 << 48 else { return nil }
      self.init(time: milliseconds << Self.counterBits | UInt64(counter), node: node)
    }

    /// Whether a clock can have got there: by the latest time of day, and a year ahead of it.
    var isPossible: Bool { milliseconds < Self.latestDate + 2 * 365 * 86_400_000 }

    /// Milliseconds since 1970.
    public var milliseconds: UInt64 { time >> Self.counterBits }
    /// What tells stamps of one millisecond apart.
    public var counter: UInt16 { UInt16(truncatingIfNeeded: time) }
    /// The time of day; for people to read, never to compare.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The count of a time of day, with the counter at zero.
    ///
    /// It is rounded, since a date does not keep its milliseconds exactly.
    @inline(__always)
    static func time(of date: Date) -> UInt64 {
      let milliseconds = date.timeIntervalSince1970 * 1000
      guard milliseconds > 0 else { return 0 }  // nor is it for what is not a number
      return UInt64(min(milliseconds + 0.5, Double(latestDate))) << counterBits
    }
  }
}

extension HybridLogicalClock.Stamp {
  /// Makes a stamp from the `updatedAt` of a record; discouraged.
  ///
  /// It trusts the clocks of all devices: one that is an hour fast wins every conflict for an hour,
  /// and edits within its resolution are a tie that the node decides. Use it only for records of a
  /// service that knows nothing else.
  ///
  /// - Parameters:
  ///   - date: The date; dates outside of 1970 to 9999 count as the nearest inside.
  ///   - node: Who wrote it; one number for each writer, where that is known.
  public init(discouragedUpdatedAt date: Date, node: HybridLogicalClock.Node) {
    self.init(time: Self.time(of: date), node: node)
  }
}

extension HybridLogicalClock.Stamp: Comparable {
  /// Whether it is earlier: by time, then counter, then node.
  public static func < (left: Self, right: Self) -> Bool {
    left.time != right.time ? left.time < right.time : left.node < right.node
  }
}

extension HybridLogicalClock.Stamp: LosslessStringConvertible {
  /// The 34 characters.
  public var description: String {
    let milliseconds = HexDigits.text(self.milliseconds, digits: 12)
    return "\(milliseconds)-\(HexDigits.text(UInt64(counter), digits: 4))-\(node)"
  }

  /// Reads the 34 characters; nil for anything else, capital letters included.
  public init?(_ description: String) {
    let bytes = Array(description.utf8.prefix(35))
    guard bytes.count == 34, bytes[12] == HexDigits.dash, bytes[17] == HexDigits.dash,
      let milliseconds = HexDigits.number(bytes[..<12]),
      let counter = HexDigits.number(bytes[13..<17]), let node = HexDigits.number(bytes[18...])
    else { return nil }
    self.init(
      milliseconds: milliseconds, counter: UInt16(truncatingIfNeeded: counter),
      node: HybridLogicalClock.Node(rawValue: node))
  }
}

extension HybridLogicalClock.Stamp: Codable {
  /// Decodes the 34 characters.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let stamp = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text.prefix(40))\" is no stamp: 12, 4 and 16 hexadecimal digits")
    }
    self = stamp
  }

  /// Encodes the 34 characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Numbers as small hexadecimal digits of a fixed count.
enum HexDigits {
  static let dash = UInt8(ascii: "-")
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ number: UInt64, digits count: Int) -> String {
    let shifts = stride(from: 4 * (count - 1), through: 0, by: -4)
    return String(decoding: shifts.map { digits[Int(number >> $0 & 15)] }, as: UTF8.self)
  }

  /// At most sixteen digits; nil where something else is among them.
  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for byte in bytes {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      number = number << 4 | UInt64(digit)
    }
    return number
  }
}
