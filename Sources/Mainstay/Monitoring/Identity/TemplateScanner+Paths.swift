// SPDX-License-Identifier: Apache-2.0

/// Paths of files, of which the ending is kept.
extension TemplateScanner {
  private static let longest = 512

  /// Takes an absolute path, or one that begins with a dot or tilde.
  mutating func takePath() -> Bool {
    switch byte(position - 1) {
    case 0, 9, 10, 13, 0x20, UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "="),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "`"), UInt8(ascii: "{"):
      break
    default: return false
    }
    let isBackslash = bytes[position] == UInt8(ascii: "\\")
    if isBackslash, !begins("\\\\", at: position) { return false }
    let end = isBackslash ? endOfBackslashes(from: position + 2) : endOfSlashes(from: position)
    guard let end, end > position + 2 else { return false }
    replacePath(to: end)
    return true
  }

  /// Replaces a path up to an index, and copies the ending of its last part.
  mutating func replacePath(to end: Int) {
    let start = beginningOfEnding(position, end)
    replace(to: start, with: "<path>")
    if start < end { copy(to: end) }
  }

  /// Where `.swift` begins; the end where the last part has no ending.
  private func beginningOfEnding(_ start: Int, _ end: Int) -> Int {
    var index = end - 1
    while index > start, end - index <= 9, isAlphanumeric(index) { index -= 1 }
    guard index > start, byte(index) == UInt8(ascii: "."), end - index > 1, end - index <= 9,
      Byte.isLetter(byte(index + 1)), isPathByte(index - 1), byte(index - 1) != UInt8(ascii: "."),
      AlphanumericRun(in: bytes, at: index + 1).digits <= 1
    else { return end }
    return index
  }

  private func isPathByte(_ index: Int) -> Bool {
    if isLabel(index) || byte(index) >= 0x80 { return true }
    switch byte(index) {
    case UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "+"),
      UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
      return true
    default: return false
    }
  }

  /// The end of a path with slashes: two of them, or one and an ending.
  private func endOfSlashes(from start: Int) -> Int? {
    var lead = start
    while lead < start + 2, byte(lead) == UInt8(ascii: ".") || byte(lead) == UInt8(ascii: "~") {
      lead += 1
    }
    guard byte(lead) == UInt8(ascii: "/"), isPathByte(lead + 1) else { return nil }
    let quote = byte(start - 1)
    if Byte.isQuote(quote), let end = endOfQuotedPath(from: start, quote) { return end }
    var end = lead
    while end < start + Self.longest, isPathByte(end) || byte(end) == UInt8(ascii: "/") { end += 1 }
    end = trimmed(end)
    return isPath(start, end) ? end : nil
  }

  /// A path in quotes may have spaces in it.
  private func endOfQuotedPath(from start: Int, _ quote: UInt8) -> Int? {
    guard let end = endOfQuotes(from: start - 1), isPath(start, end - 1) else { return nil }
    return end - 1
  }

  private func isPath(_ start: Int, _ end: Int) -> Bool {
    var slashes = 0
    for index in start..<max(start, end) where bytes[index] == UInt8(ascii: "/") { slashes += 1 }
    return slashes >= 2 || slashes == 1 && beginningOfEnding(start, end) < end
      || slashes == 1 && bytes[start] != UInt8(ascii: "/")
  }

  /// The end of a path such as `Sources/App/Main.swift`: without an ending it may be any words.
  func endOfRelativePath(_ run: AlphanumericRun) -> Int? {
    var end = run.end
    var slashes = 0
    while end < run.start + 256, isPathByte(end) || byte(end) == UInt8(ascii: "/") {
      if bytes[end] == UInt8(ascii: "/") { slashes += 1 }
      end += 1
    }
    end = trimmed(end)
    guard slashes > 0, beginningOfEnding(run.start, end) < end else { return nil }
    return end
  }

  /// The end of `C:\Windows\win.ini`.
  func endOfDrivePath(_ run: AlphanumericRun) -> Int? {
    guard run.count == 1, Byte.isLetter(bytes[run.start]),
      begins(":\\", at: run.end) || begins(":/", at: run.end)
    else { return nil }
    return endOfBackslashes(from: run.end + 2)
  }

  private func endOfBackslashes(from start: Int) -> Int? {
    var end = start
    while end < start + Self.longest,
      isPathByte(end) || byte(end) == UInt8(ascii: "\\") || byte(end) == UInt8(ascii: "/")
    { end += 1 }
    return end > start ? trimmed(end) : nil
  }
}
