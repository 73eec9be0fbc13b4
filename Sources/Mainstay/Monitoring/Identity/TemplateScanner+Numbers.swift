// SPDX-License-Identifier: Apache-2.0

extension TemplateScanner {
  /// Takes what begins with a digit.
  ///
  /// - Parameter signed: Whether a sign before it was taken, so that it is a number in any case.
  mutating func takeNumber(signed: Bool) {
    let run = AlphanumericRun(in: bytes, at: position)
    if signed {
      let end = endOfNumber(run)
      return replace(to: end.index, with: mark(after: end))
    }
    if let (end, mark) = address(run, next: byte(run.end)) { return take(to: end, as: mark) }
    if let end = endOfTrace(run) { return replace(to: end, with: "<trace>") }
    if let end = endOfDate(run) { return replace(to: end, with: "<date>") }
    if let mark = run.hash { return replace(to: run.end, with: mark) }
    if isPrefixedHex(run) {
      return replace(to: run.end, with: run.count > 10 ? "<pointer>" : "<hex>")
    }
    if belongsToName(run) {
      lastWord = run.start..<run.end
      return copy(to: run.end)
    }
    takePlainNumber(run)
  }

  private mutating func takePlainNumber(_ run: AlphanumericRun) {
    let end = endOfNumber(run)
    let isWhole = !isAlphanumeric(end.index)
    if let dotted = endOfDotted(run) { return replace(to: dotted, with: "<version>") }
    if let (unit, mark) = endOfUnit(after: end.index) { return replace(to: unit, with: mark) }
    if isWhole { return replace(to: end.index, with: mark(after: end)) }
    if run.isRandom { return replace(to: run.end, with: "<id>") }
    if isOrdinal(run) { return replace(to: run.end, with: "<int>") }
    lastWord = run.start..<run.end
    copy(to: run.end)
  }

  private func mark(after number: (index: Int, isFloat: Bool)) -> StaticString {
    number.isFloat ? "<float>" : "<int>"
  }

  func endOfDigits(_ start: Int) -> Int {
    var end = start
    while Byte.isDigit(byte(end)) { end += 1 }
    return end
  }

  /// Where a number ends that may have groups of three, a fraction and an exponent.
  private func endOfNumber(_ run: AlphanumericRun) -> (index: Int, isFloat: Bool) {
    var end = endOfDigits(run.start)
    var isFloat = false
    if end - run.start <= 3 {
      while isGroup(end) { end += 4 }
    }
    while byte(end) == UInt8(ascii: "_"), Byte.isDigit(byte(end + 1)) { end = endOfDigits(end + 1) }
    if byte(end) == UInt8(ascii: "."), Byte.isDigit(byte(end + 1)) {
      end = endOfDigits(end + 1)
      isFloat = true
    }
    if byte(end) | 0x20 == UInt8(ascii: "e") {
      let sign = byte(end + 1) == UInt8(ascii: "-") || byte(end + 1) == UInt8(ascii: "+")
      let digits = end + (sign ? 2 : 1)
      if Byte.isDigit(byte(digits)) {
        end = endOfDigits(digits)
        isFloat = true
      }
    }
    return (end, isFloat)
  }

  /// Whether a comma and exactly three digits stand at an index.
  private func isGroup(_ index: Int) -> Bool {
    byte(index) == UInt8(ascii: ",") && endOfDigits(index + 1) == index + 4
  }

  /// Where three or more numbers with dots between them end; an IP address is none of these.
  private func endOfDotted(_ run: AlphanumericRun) -> Int? {
    var end = endOfDigits(run.start)
    var count = 1
    while byte(end) == UInt8(ascii: "."), Byte.isDigit(byte(end + 1)) {
      end = endOfDigits(end + 1)
      count += 1
    }
    return count >= 3 && !isAlphanumeric(end) ? end : nil
  }

  private func isPrefixedHex(_ run: AlphanumericRun) -> Bool {
    guard run.count > 2, bytes[run.start] == UInt8(ascii: "0"), byte(run.start + 1) | 0x20 == 120
    else { return false }
    return AlphanumericRun(in: bytes, at: run.start + 2).isHex
  }

  private func isOrdinal(_ run: AlphanumericRun) -> Bool {
    let digits = endOfDigits(run.start)
    guard run.end - digits == 2 else { return false }
    return ["st", "nd", "rd", "th"].contains { isWord($0, at: digits) }
  }

  /// Whether a hyphen or underscore joins it to a word that has numbers of its own.
  private func belongsToName(_ run: AlphanumericRun) -> Bool {
    let joint = byte(run.start - 1)
    return run.count <= 5 && (joint == UInt8(ascii: "-") || joint == UInt8(ascii: "_"))
      && lastWord.upperBound == run.start - 1 && !lastWord.isEmpty
      && (NumberedName.contains(bytes[lastWord]) || Byte.isDigit(bytes[lastWord.lowerBound]))
  }
}

// MARK: Units

extension TemplateScanner {
  private enum Unit { case duration, size }

  private static let units: [[UInt8]: Unit] = {
    var units: [[UInt8]: Unit] = [:]
    for unit in [
      "ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute",
      "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days", "week", "weeks", "m",
      "millisecond", "milliseconds", "microsecond", "microseconds", "nanosecond", "nanoseconds",
      "µs",
    ] { units[Array(unit.utf8)] = .duration }
    for unit in [
      "b", "kb", "mb", "gb", "tb", "pb", "kib", "mib", "gib", "tib", "byte", "bytes",
    ] { units[Array(unit.utf8)] = .size }
    return units
  }()

  /// Where the unit after a number ends, and those of `1h 2m 3s`.
  private func endOfUnit(after number: Int) -> (end: Int, mark: StaticString)? {
    guard let first = unit(at: number) else { return nil }
    let unit = first.unit
    var end = first.end
    while unit == .duration {
      let digits = byte(end) == 0x20 ? end + 1 : end
      let next = endOfDigits(digits)
      guard next > digits, next - digits <= 6, let more = self.unit(at: next),
        more.unit == .duration
      else { break }
      end = more.end
    }
    return (end, unit == .duration ? "<duration>" : "<size>")
  }

  /// The unit that stands at an index, or after one space; of single letters only `s` and `h`.
  private func unit(at index: Int) -> (end: Int, unit: Unit)? {
    let hasSpace = byte(index) == 0x20
    let start = hasSpace ? index + 1 : index
    var end = start
    while end < start + 13, Byte.isLetter(byte(end)) || byte(end) >= 0x80 { end += 1 }
    let isShort = end == start + 1
    if hasSpace, isShort, byte(start) != UInt8(ascii: "s"), byte(start) != UInt8(ascii: "h") {
      return nil
    }
    if hasSpace, Byte.isDigit(byte(end)) { return nil }
    guard end > start, !isWordByte(end),
      let unit = Self.units[bytes[start..<end].map { Byte.isLetter($0) ? $0 | 0x20 : $0 }]
    else { return nil }
    return (end, unit)
  }

  /// Whether a word goes on at an index; a digit after a unit begins the next part.
  private func isWordByte(_ index: Int) -> Bool {
    Byte.isLetter(byte(index)) || byte(index) >= 0x80
  }
}
