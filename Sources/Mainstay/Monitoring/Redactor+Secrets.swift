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
    if byte == UInt8(ascii: "\\") {
      let next = endOfBackslashes(from: position)
      let isEscape =
        next == bytes.count || Byte.isQuote(bytes[next]) || lengthOfMark(at: next) != nil
      guard !isEscape else {
        copy(to: next)
        return true
      }
      replace(to: endOfValue(from: position), with: "<redacted>")
      return true
    }
    if let length = lengthOfSkipped {
      copy(to: position + length)
      return true
    }
    if Byte.isClosing(byte) || endsValue(at: position) {
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

  /// How long a sign or white space is that may stand before a value; nil where the value begins.
  private var lengthOfSkipped: Int? {
    let byte = bytes[position]
    if Byte.isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") { return 1 }
    if byte == UInt8(ascii: ">"), output.last == UInt8(ascii: "=") { return 1 }
    guard let sign = encodedSign(at: position), sign.byte != UInt8(ascii: "&"),
      sign.length <= lengthOfSeparator
    else { return nil }
    return sign.length
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
    let word = bytes[position..<min(end, endOfWord)]
    guard encodedSign(at: position) == nil, SecretName(word.suffix(64)) != nil, !isKey(word),
      lengthOfEmail(word) == nil
    else { return false }
    var next = word.endIndex
    while next < min(bytes.count, end + 4),
      Byte.isQuote(bytes[next]) || bytes[next] == UInt8(ascii: "\\")
    {
      next += 1
    }
    return next < bytes.count
      && (bytes[next] == UInt8(ascii: "=") || bytes[next] == UInt8(ascii: ":"))
  }

  /// Takes a run of encoded data that is longer than any word.
  mutating func takeData() -> Bool {
    guard position >= endOfCheckedRun else { return false }
    var end = position
    while end < bytes.count, Byte.isData(bytes[end]) { end += 1 }
    let block = end - Self.keyBlock.count + 1
    if block > position, startsKeyBlock(at: block) { end = block }
    endOfCheckedRun = end
    effort += end - position
    guard end - position > Self.longestWord else { return false }
    replace(to: end, with: "<data>")
    return true
  }
}
