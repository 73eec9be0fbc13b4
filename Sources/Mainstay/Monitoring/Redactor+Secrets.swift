// SPDX-License-Identifier: Apache-2.0

// Values of names that speak of secrets, credentials and encoded data.

extension Redactor {
  /// Takes the value of a secret; false where a gap stands before it.
  mutating func takeValue(_ name: SecretName) -> Bool {
    let byte = bytes[position]
    if Byte.isNewline(byte), name == .line { expected = .nothing }
    if isRedactedHere {
      copy(to: position + Self.marks[0].count)
      expected = .nothing
      return true
    }
    let skipped = [UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "\\")]
    if Byte.isSpace(byte) || skipped.contains(byte) {
      if case .value = expected, byte == UInt8(ascii: "\\"), position + 1 < bytes.count,
        !Byte.isQuote(bytes[position + 1]), lengthOfMark(at: position + 1) == nil
      {
        replace(to: endOfValue(from: position), with: "<redacted>")
        return true
      }
      copy(to: position + 1)
      return true
    }
    if [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&")].contains(byte)
      || Byte.isClosing(byte)
    {
      expected = .nothing
      return false
    }
    if Byte.isQuote(byte) || Byte.isOpening(byte) {
      replace(to: endOfValue(from: position), with: "<redacted>")
      return true
    }
    if name == .line {
      var end = position
      while end < bytes.count, !Byte.isNewline(bytes[end]) { end += 1 }
      replace(to: end, with: "<redacted>")
      return true
    }
    var end = endOfValue(from: position)
    if Self.isScheme(bytes[position..<end]) {  // the credentials themselves come after it
      var next = end
      while next < bytes.count, Byte.isSpace(bytes[next]) { next += 1 }
      if next < bytes.count { end = endOfValue(from: next) }
    }
    replace(to: end, with: "<redacted>")
    return true
  }

  /// Whether an earlier pass has taken the value out already.
  private var isRedactedHere: Bool {
    guard bytes[position...].starts(with: Self.marks[0]) else { return false }
    let next = position + Self.marks[0].count
    return next == bytes.count || Byte.isSpace(bytes[next]) || Byte.isClosing(bytes[next])
      || Self.endsValue(bytes[next])
  }

  /// Where a value ends: at white space or a comma that stands in no quotes and no brackets.
  private mutating func endOfValue(from start: Int) -> Int {
    let isEscaped = start > 0 && bytes[start - 1] == UInt8(ascii: "\\")
    var depth = 0
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if Byte.isQuote(byte), index == start || depth > 0 {
        index = endOfQuotes(from: index, isEscaped: isEscaped && index == start)
        continue
      }
      if Byte.isOpening(byte) {
        depth += 1
      } else if Byte.isClosing(byte) {
        guard depth > 0 else { break }
        depth -= 1
      } else if depth == 0, Byte.isSpace(byte) || Self.endsValue(byte) {
        break
      }
      index += 1
    }
    effort += index - start
    return index
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "&")
  }

  private func endOfQuotes(from start: Int, isEscaped: Bool) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != bytes[start] {
      index += bytes[index] == UInt8(ascii: "\\") && !isEscaped ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// Takes what follows "Bearer" or "Basic"; false where a gap stands before it or it is a word.
  mutating func takeCredentials(_ isBearer: Bool) -> Bool {
    guard !Byte.isGap(bytes[position]) else { return false }
    expected = .nothing
    let end = endOfCredentials(from: position, isBearer)
    guard !isName(upTo: end) else { return false }
    let value = bytes[position..<end]
    let isEncoded =
      value.count >= 8
      && value.contains { Byte.isDigit($0) || (65...90).contains($0) || $0 == UInt8(ascii: "=") }
    guard isBearer || isEncoded else { return false }
    replace(to: end, with: "<redacted>")
    return true
  }

  /// Where credentials end: at white space, a quote, a bracket or what separates values; those of
  /// "Basic" are encoded, so that they end at a colon too.
  private mutating func endOfCredentials(from start: Int, _ isBearer: Bool) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if Byte.isSpace(byte) || Byte.isQuote(byte) || Byte.isOpening(byte) || Byte.isClosing(byte)
        || Self.endsValue(byte) || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
        || (!isBearer && byte == UInt8(ascii: ":"))
      {
        break
      }
      if byte == UInt8(ascii: "\\"), end + 1 < bytes.count, Byte.isQuote(bytes[end + 1]) { break }
      end += 1
    }
    effort += end - start
    return end
  }

  /// Whether a name of a secret stands here, with a `=` or `:` after it, rather than the secret.
  private func isName(upTo end: Int) -> Bool {
    let isSign = { (byte: UInt8) in byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") }
    if let sign = bytes[position..<end].firstIndex(where: isSign) {
      return SecretName(bytes[position..<sign].suffix(64)) != nil
    }
    var next = end
    while next < min(bytes.count, end + 4),
      Byte.isQuote(bytes[next]) || bytes[next] == UInt8(ascii: "\\")
    {
      next += 1
    }
    return next < bytes.count && isSign(bytes[next])
      && SecretName(bytes[position..<end].suffix(64)) != nil
  }

  /// Takes a run of encoded data that is longer than any word.
  mutating func takeData() -> Bool {
    guard position >= endOfCheckedRun else { return false }
    var end = position
    while end < bytes.count, Byte.isData(bytes[end]) { end += 1 }
    endOfCheckedRun = end
    effort += end - position
    guard end - position > Self.longestWord else { return false }
    replace(to: end, with: "<data>")
    return true
  }
}
