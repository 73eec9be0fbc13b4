// SPDX-License-Identifier: Apache-2.0

/// Dates and times in the common forms.
extension TemplateScanner {
  /// Where the date or time that begins with a number ends.
  func endOfDate(_ run: AlphanumericRun) -> Int? {
    let digits = endOfDigits(run.start)
    let next = byte(digits)
    switch digits - run.start {
    case 4 where next == UInt8(ascii: "-") || next == UInt8(ascii: "/"):
      guard let end = endOfDay(after: digits, separator: next) else { return nil }
      return endWithTime(end)
    case 8 where next == UInt8(ascii: "T"):
      let time = endOfDigits(digits + 1)
      guard time - digits == 5 || time - digits == 7 else { return nil }
      return endOfZone(time)
    case 1...2:
      return endOfShortDate(digits, next)
    default: return nil
    }
  }

  private func endOfShortDate(_ digits: Int, _ next: UInt8) -> Int? {
    if next == UInt8(ascii: ":") {
      return byte(position - 1) == UInt8(ascii: ":") ? nil : endOfTime(position)
    }
    if next == UInt8(ascii: "."), let end = endOfDay(after: digits, separator: next) {
      guard endOfDigits(end) == end, byte(end - 3) != next else { return nil }
      return endWithTime(end)
    }
    if next == UInt8(ascii: "/") || next == UInt8(ascii: "-"),
      let end = endOfDay(after: digits, separator: next), byte(end - 3) != next
    {
      return endWithTime(end)
    }
    // 02 Jan 2006, 2-Jan-2006
    guard next == 0x20 || next == UInt8(ascii: "-"), let month = endOfMonth(digits + 1),
      byte(month) == next || byte(month) == UInt8(ascii: ","), Byte.isDigit(byte(month + 1))
    else { return nil }
    let year = endOfDigits(month + 1)
    guard year - month == 5 || year - month == 3, !isAlphanumeric(year) else { return nil }
    return endWithTime(year)
  }

  /// Where two more numbers end that follow the first of a date.
  private func endOfDay(after first: Int, separator: UInt8) -> Int? {
    let second = endOfDigits(first + 1)
    guard (1...2).contains(second - first - 1), byte(second) == separator else { return nil }
    let third = endOfDigits(second + 1)
    let count = third - second - 1
    let isYearFirst = first - position == 4
    guard isYearFirst ? (1...2).contains(count) : count == 4 || count == 2 else { return nil }
    guard number(first + 1, second) <= 31, isYearFirst || number(position, first) <= 31 else {
      return nil
    }
    let goesOn = byte(third) == separator && Byte.isDigit(byte(third + 1))
    let hasTime = byte(third) == UInt8(ascii: "T") && Byte.isDigit(byte(third + 1))
    return goesOn || isAlphanumeric(third) && !hasTime ? nil : third
  }

  private func number(_ start: Int, _ end: Int) -> Int {
    bytes[start..<end].prefix(9).reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  /// The end of a date with the time after it, where there is one.
  private func endWithTime(_ date: Int) -> Int {
    let time =
      switch byte(date) {
      case UInt8(ascii: "T"), UInt8(ascii: "t"): date + 1
      case UInt8(ascii: ","), 0x20: skippingSpaces(date + 1)
      default: date
      }
    return time > date && Byte.isDigit(byte(time)) ? endOfTime(time) ?? date : date
  }

  /// Where hours, minutes and what follows them end.
  private func endOfTime(_ start: Int) -> Int? {
    let hours = endOfDigits(start)
    guard (1...2).contains(hours - start), number(start, hours) < 24,
      byte(hours) == UInt8(ascii: ":"), endOfDigits(hours + 1) == hours + 3,
      number(hours + 1, hours + 3) < 60
    else { return nil }
    var end = hours + 3
    if byte(end) == UInt8(ascii: ":") {
      guard endOfDigits(end + 1) == end + 3, number(end + 1, end + 3) <= 60 else { return nil }
      end += 3
      if byte(end) == UInt8(ascii: ".") || byte(end) == UInt8(ascii: ","),
        Byte.isDigit(byte(end + 1))
      {
        end = endOfDigits(end + 1)
      }
    } else if hours - start == 1, !isHalf(end) {
      return nil
    }
    guard byte(end) != UInt8(ascii: ":") else { return nil }
    return endOfZone(end)
  }

  private func isHalf(_ end: Int) -> Bool {
    let half = skippingSpaces(end)
    return isWord("am", at: half) || isWord("pm", at: half)
  }

  /// Where the half of the day and the zone after a time end.
  private func endOfZone(_ time: Int) -> Int? {
    var end = time
    if isHalf(end) { end = skippingSpaces(end) + 2 }
    if byte(end) | 0x20 == UInt8(ascii: "z"), !isAlphanumeric(end + 1) { return end + 1 }
    let zone = byte(end) == 0x20 ? end + 1 : end
    if byte(zone) == UInt8(ascii: "+") || byte(zone) == UInt8(ascii: "-") {
      let digits = endOfDigits(zone + 1)
      if digits == zone + 5 { return digits }
      if digits == zone + 3 {
        let hasMinutes = byte(digits) == UInt8(ascii: ":") && endOfDigits(digits + 1) == digits + 3
        return hasMinutes ? digits + 3 : digits
      }
    }
    for name in ["utc", "gmt", "cet", "cest", "est", "edt", "pst", "pdt"]
    where zone > end && isWord(name, at: zone) { return zone + name.utf8.count }
    return isAlphanumeric(end) ? nil : end
  }

  // MARK: Names of days and months

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ].map { Array($0.utf8) }

  private static let days = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ].map { Array($0.utf8) }

  private func isNamed(_ names: [[UInt8]], _ start: Int, _ end: Int) -> Bool {
    guard (3...9).contains(end - start) else { return false }
    let word = bytes[start..<end].map { $0 | 0x20 }
    return names.contains { $0 == word || word.count == 3 && $0.starts(with: word) }
  }

  private func endOfMonth(_ start: Int) -> Int? {
    var end = start
    while end < start + 10, Byte.isLetter(byte(end)) { end += 1 }
    return isNamed(Self.months, start, end) ? end : nil
  }

  /// Where the date that begins with the name of a day or month ends.
  func endOfNamedDate(_ run: AlphanumericRun) -> Int? {
    guard (3...9).contains(run.count) else { return nil }
    var index = run.start
    if isNamed(Self.days, run.start, run.end) {
      index = byte(run.end) == UInt8(ascii: ",") ? run.end + 1 : run.end
      let next = skippingSpaces(index)
      guard next > index else { return nil }
      index = next
    }
    if let month = endOfMonth(index) { return endOfMonthDate(month) }
    guard index > run.start else { return nil }
    // Mon, 02 Jan 2006
    let day = endOfDigits(index)
    guard (1...2).contains(day - index), byte(day) == 0x20 || byte(day) == UInt8(ascii: "-"),
      let month = endOfMonth(day + 1), Byte.isDigit(byte(month + 1))
    else { return nil }
    let year = endOfDigits(month + 1)
    return year - month == 5 && !isAlphanumeric(year) ? endWithTime(year) : nil
  }

  /// Where a date such as `Jan 2 15:04:05 2006` or `Jan 2, 2006` ends, after the month.
  private func endOfMonthDate(_ month: Int) -> Int? {
    let start = skippingSpaces(month)
    let day = endOfDigits(start)
    guard start > month, (1...2).contains(day - start), !isAlphanumeric(day) else { return nil }
    let timed = endWithTime(day)
    var next = timed
    if byte(next) == UInt8(ascii: ",") { next += 1 }
    next = skippingSpaces(next)
    let year = endOfDigits(next)
    guard next > timed, year - next == 4, !isAlphanumeric(year) else { return timed }
    return timed > day ? year : endWithTime(year)
  }
}
