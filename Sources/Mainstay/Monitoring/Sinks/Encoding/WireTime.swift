// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Moments as services and files write them, whatever the clock said.
package enum WireTime {
  /// ISO 8601 in UTC, rounded to milliseconds, such as `2026-11-22T03:25:47.123Z`; years 1 to 9999.
  package static func iso(_ date: Date) -> String {
    let milliseconds = clamped(date, scale: 1_000, from: -62_135_596_800, to: 253_402_300_799.999)
    let (seconds, fraction) = milliseconds.quotientAndRemainder(byFloored: 1_000)
    let (days, time) = seconds.quotientAndRemainder(byFloored: 86_400)
    let (year, month, day) = civil(daysSince1970: days)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + padded(time / 3_600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
      + "." + padded(fraction, 3) + "Z"
  }

  /// Reads what ``iso(_:)`` writes, with or without a fraction; nil for anything else.
  static func date(iso text: String) -> Date? {
    guard text.utf8.count <= 40 else { return nil }
    let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return (try? precise.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
  }

  /// Nanoseconds since 1970, as a string; zero for anything before.
  static func nanoseconds(_ date: Date) -> String {
    // Microseconds: more than that no date of today holds.
    let microseconds = clamped(date, scale: 1_000_000, from: 0, to: 9_000_000_000)
    return microseconds == 0 ? "0" : String(microseconds) + "000"
  }

  // In `Int64`, since `Int` has 32 bits on watches.
  private static func clamped(_ date: Date, scale: Double, from: Double, to: Double) -> Int64 {
    let seconds = date.timeIntervalSince1970
    guard seconds.isFinite else { return 0 }
    return Int64((min(max(seconds, from), to) * scale).rounded())
  }

  private static func padded(_ number: Int64, _ length: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, length - text.utf8.count)) + text
  }

  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  private static func civil(
    daysSince1970 days: Int64
  ) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(byFloored: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    let month = index < 10 ? index + 3 : index - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * index + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func quotientAndRemainder(byFloored divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
