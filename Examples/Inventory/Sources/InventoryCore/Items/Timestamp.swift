// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A moment to the millisecond, written as ISO 8601 in UTC: `2026-11-21T09:52:02.125Z`.
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970.
  package let milliseconds: Int64

  private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let whole = Date.ISO8601FormatStyle()
  private static let wordsFormat = Date.VerbatimFormatStyle(
    format: """
      \(day: .defaultDigits) \(month: .abbreviated) \(year: .defaultDigits), \
      \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
      """,
    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
    calendar: Calendar(identifier: .gregorian))
  private static let range = -62_135_596_800_000.0...253_402_300_799_999.0

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The moment of a date, cut to the years 1 to 9999.
  package init(_ date: Date) {
    let value = date.timeIntervalSince1970 * 1000
    let isNumber = value == value
    let finite = isNumber ? min(max(value, Self.range.lowerBound), Self.range.upperBound) : 0
    milliseconds = Int64(finite.rounded())
  }

  /// The text of the moment.
  package var text: String {
    // The format cuts, so a moment that lies a hair below its millisecond would lose one.
    Self.format.format(date.addingTimeInterval(0.0002))
  }

  /// The moment for people, to the minute: `21 Nov 2026, 09:52 UTC`.
  package var words: String { date.formatted(Self.wordsFormat) + " UTC" }

  /// The moment as a date.
  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Timestamp: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = (try? Self.format.parse(text)) ?? (try? Self.whole.parse(text)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a time: \(text)")
    }
    self.init(date)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
