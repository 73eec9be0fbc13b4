// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A moment to the millisecond, written as ISO 8601 in UTC: `2026-11-21T09:52:02.125Z`.
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970.
  let milliseconds: Int64

  private static let seconds = Date.ISO8601FormatStyle()
  private static let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// The time of day now.
  package static var now: Timestamp { Timestamp(Date.now) }

  package init(_ date: Date) {
    milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
  }

  /// The text of the moment.
  package var text: String {
    // The format style cuts fractions off where they are not exact, so they are written here.
    let whole = Self.seconds.format(Date(timeIntervalSince1970: Double(milliseconds / 1000)))
    let digits = String(milliseconds % 1000)
    return whole.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Timestamp: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = try? Self.fractions.parse(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a time: \(text)")
    }
    self.init(date)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
