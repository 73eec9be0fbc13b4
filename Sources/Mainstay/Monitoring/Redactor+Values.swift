// SPDX-License-Identifier: Apache-2.0

// Where the values of secrets end.

extension Redactor {
  /// How far a quote inside a word is followed to the one that closes it.
  private static let longestQuote = 256

  /// Whether an earlier pass has taken the value out already.
  var isRedactedHere: Bool {
    guard bytes[position...].starts(with: Self.marks[0]) else { return false }
    let next = position + Self.marks[0].count
    return next == bytes.count || Byte.isSpace(bytes[next]) || Byte.isClosing(bytes[next])
      || endsValue(at: next)
  }

  /// Where a value ends: at white space or a comma that stands in no quotes, no brackets and no
  /// private key.
  mutating func endOfValue(from start: Int) -> Int {
    var depth = 0
    var index = start
    var backslashes = 0
    while start > backslashes, bytes[start - backslashes - 1] == UInt8(ascii: "\\") {
      backslashes += 1
    }
    defer { effort += index - start }
    while index < bytes.count {
      let byte = bytes[index]
      if Byte.isQuote(byte),
        let end = index == start || depth > 0
          ? endOfQuotes(from: index, behind: backslashes, within: bytes.count)
          : endOfQuotesInWord(from: index, behind: backslashes)
      {
        (index, backslashes) = (end, 0)
        continue
      }
      if Byte.isOpening(byte) {
        depth += 1
      } else if Byte.isClosing(byte) {
        guard depth > 0 else { break }
        depth -= 1
      } else if depth == 0, Byte.isSpace(byte) || endsValue(at: index) {
        let block = index - Self.keyBlock.count + 1
        guard block >= start, startsKeyBlock(at: block) else { break }
        index = endOfKeyBlock(at: block)
        backslashes = 0
        continue
      }
      backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
      index += 1
    }
    return index
  }

  /// Whether a value ends here: what stands in an encoded query ends at an encoded sign.
  func endsValue(at index: Int) -> Bool {
    if Self.endsValue(bytes[index]) { return true }
    guard let sign = encodedSign(at: index), sign.byte == UInt8(ascii: "&") else { return false }
    return sign.length <= lengthOfSeparator
  }

  static func endsValue(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "&")
  }

  func endOfBackslashes(from start: Int) -> Int {
    bytes[start...].firstIndex { $0 != UInt8(ascii: "\\") } ?? bytes.count
  }
}

// MARK: Quotes

extension Redactor {
  /// Where quotes end that stand inside a word, as shells read them; nil where nothing closes them
  /// soon, and for a quote in which the word itself stands.
  private mutating func endOfQuotesInWord(from start: Int, behind backslashes: Int) -> Int? {
    guard start + 1 < bytes.count, !Byte.isGap(bytes[start + 1]) else { return nil }
    let bound = min(bytes.count, start + Self.longestQuote)
    let line = bytes[start..<bound].firstIndex(where: Byte.isNewline) ?? bound
    let end = endOfQuotes(from: start, behind: backslashes, within: line)
    if end == nil { effort += line - start }
    return end
  }

  /// Where quotes end that are opened behind so many backslashes.
  ///
  /// - Returns: The index behind them; the end of the text where nothing closes them, and nil where
  ///   nothing does before a bound in it.
  private func endOfQuotes(from start: Int, behind opening: Int, within bound: Int) -> Int? {
    var index = start + 1
    var backslashes = 0
    while index < bound {
      let byte = bytes[index]
      index += 1
      if byte == bytes[start], Self.closes(backslashes, opening) { return index }
      backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
    }
    return bound == bytes.count ? bound : nil
  }

  /// Whether a quote behind some backslashes closes what one behind others opened.
  ///
  /// Each time that JSON is put into a string of JSON, every run of them is doubled, and one comes
  /// before each quote.
  private static func closes(_ backslashes: Int, _ opening: Int) -> Bool {
    var (inside, level) = (backslashes, opening)
    while level > 0 {
      guard !inside.isMultiple(of: 2) else { return true }  // closes a string around it
      (inside, level) = (inside / 2, level / 2)
    }
    return inside.isMultiple(of: 2)
  }
}

// MARK: Encoded signs

extension Redactor {
  /// A `=`, `:` or `&` that stands here encoded, such as `%3D`, or `%253D` in a query in a query.
  func encodedSign(at index: Int) -> (byte: UInt8, length: Int)? {
    Self.encodedSign(in: bytes, at: index)
  }

  /// How long the sign is that ends the output: three and more where it is encoded.
  var lengthOfSeparator: Int {
    for length in [3, 5, 7] where output.count >= length {
      if Self.encodedSign(in: output, at: output.count - length)?.length == length {
        return length
      }
    }
    return 1
  }

  private static func encodedSign(in bytes: [UInt8], at start: Int) -> (byte: UInt8, length: Int)? {
    guard bytes[start] == UInt8(ascii: "%") else { return nil }
    var index = start + 1
    while index < start + 5, bytes[index...].starts(with: "25".utf8) { index += 2 }
    guard index + 1 < bytes.count else { return nil }
    let sign: Unicode.Scalar
    switch (Unicode.Scalar(bytes[index]), Unicode.Scalar(bytes[index + 1] | 0x20)) {
    case ("3", "d"): sign = "="
    case ("3", "a"): sign = ":"
    case ("2", "6"): sign = "&"
    default: return nil
    }
    return (UInt8(ascii: sign), index + 2 - start)
  }
}

// MARK: Private keys

extension Redactor {
  static let keyBlock = Array("-----BEGIN ".utf8)
  private static let longestHeader = 48

  /// Takes a private key in the form of PEM, from its first line to its last.
  mutating func takeKeyBlock() -> Bool {
    guard startsKeyBlock(at: position) else { return false }
    let end = endOfKeyBlock(at: position)
    effort += end - position
    replace(to: end, with: "<redacted>")
    return true
  }

  func startsKeyBlock(at start: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: "-"), bytes[start...].starts(with: Self.keyBlock) else {
      return false
    }
    var index = start + Self.keyBlock.count
    let bound = min(bytes.count, index + Self.longestHeader)
    while index < bound, Byte.isLetter(bytes[index]) || bytes[index] == 32 {
      if bytes[index...].starts(with: "PRIVATE KEY".utf8) { return true }
      index += 1
    }
    return false
  }

  /// Where a block ends that begins here: the end of the text where its last line is missing.
  func endOfKeyBlock(at start: Int) -> Int {
    var index = start + Self.keyBlock.count
    while index < bytes.count, !isMark("-----END ", at: index) { index += 1 }
    let bound = min(bytes.count, index + Self.longestHeader + Self.keyBlock.count)
    index += "-----END ".utf8.count
    while index < bound {
      if isMark("-----", at: index) { return index + 5 }
      index += 1
    }
    return bytes.count
  }

  private func isMark(_ mark: String, at index: Int) -> Bool {
    bytes[index] == UInt8(ascii: "-") && bytes[index...].starts(with: mark.utf8)
  }
}
