// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// A moment, for programs and for people.
struct TimeView: Sendable {
  let iso: String
  let text: String

  init(_ time: Timestamp) {
    iso = time.text
    text = time.date.formatted(Self.format) + " UTC"
  }

  private static let format = Date.VerbatimFormatStyle(
    format: """
      \(day: .defaultDigits) \(month: .abbreviated) \(year: .defaultDigits), \
      \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
      """,
    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
    calendar: Calendar(identifier: .gregorian))
}
