// SPDX-License-Identifier: Apache-2.0

/// A moment as HTTP headers write it, read by hand: no locale and no calendar of the device plays a
/// part.
///
/// Source: RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, and the two old forms
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
package struct HTTPDate: Sendable, Hashable {
  /// Seconds since the start of 1970; in `Int`, those of a watch would end in 2038.
  package let seconds: Int64

  /// Reads a date; nil where the text is in none of the three forms.
  ///
  /// - Parameters:
  ///   - text: The text; spaces around it do not matter, nor whether the weekday is right.
  ///   - now: The present, in seconds since the start of 1970; by it a year of two digits is found.
  package init?(_ text: some StringProtocol, now: Int64) {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard let first = words.first, Self.isWeekday(first) else { return nil }
    let day: (year: Int, month: Int, day: Int)?
    let time: Substring
    switch words.count {
    case 6 where first.hasSuffix(",") && words[5] == "GMT":
      day = Self.day(words[3], words[2], words[1], digits: 2)
      time = Substring(words[4])
    case 4 where first.hasSuffix(",") && words[3] == "GMT":
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let short = Self.number(parts[2], digits: 2...2),
        let date = Self.day("0000", parts[1], parts[0], digits: 2)
      else { return nil }
      day = (Self.year(short, now: now), date.month, date.day)
      time = Substring(words[2])
    case 5 where !first.hasSuffix(","):
      day = Self.day(words[4], words[1], words[2], digits: 1)
      time = Substring(words[3])
    default: return nil
    }
    guard let day, day.day <= Self.days(in: day.month, of: day.year),
      let clock = Self.time(time)
    else { return nil }
    seconds = Int64(Self.daysSince1970(day)) * 86_400 + Int64(clock)
  }

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func isWeekday(_ word: some StringProtocol) -> Bool {
    weekdays.contains(word.prefix(3).lowercased())
  }

  private static func day(
    _ year: some StringProtocol, _ month: some StringProtocol, _ day: some StringProtocol,
    digits: Int
  ) -> (year: Int, month: Int, day: Int)? {
    guard let year = number(year, digits: 4...4), let day = number(day, digits: digits...2),
      let month = months.firstIndex(where: { $0 == month }), (1...31).contains(day)
    else { return nil }
    return (year, month + 1, day)
  }

  /// Seconds since midnight; a leap second counts as the one after it.
  private static func time(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], digits: 2...2),
      let minute = number(parts[1], digits: 2...2), let second = number(parts[2], digits: 2...2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
    let bytes = text.utf8
    guard digits.contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// A year of two digits: never more than 50 years in the future.
  private static func year(_ short: Int, now: Int64) -> Int {
    let present = year(at: now)
    let year = present / 100 * 100 + short
    return year > present + 50 ? year - 100 : year
  }

  /// The year of a moment; a day too early or too late does no harm, since it is only compared.
  private static func year(at seconds: Int64) -> Int {
    1970 + Int((Double(seconds) / 31_556_952).rounded(.down))
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days in the Gregorian calendar, counted in years that begin in March.
  private static func daysSince1970(_ date: (year: Int, month: Int, day: Int)) -> Int {
    let year = date.month > 2 ? date.year : date.year - 1
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
