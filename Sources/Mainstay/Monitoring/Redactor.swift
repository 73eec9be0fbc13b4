// SPDX-License-Identifier: Apache-2.0

/// One pass over one text.
///
/// Each step copies a byte or replaces a stretch of bytes; no byte is looked at more than a fixed
/// number of times. What is replaced becomes a mark in angle brackets, and a mark is never replaced
/// again, which is why a second pass changes nothing.
struct Redactor {
  private enum Expectation {
    case nothing
    /// A name was read; a `=` or `:` makes it the name of a secret.
    case separator(SecretName)
    /// The secret follows.
    case value(SecretName)
    /// A scheme such as "Bearer" was read; credentials may follow.
    case credentials(isBearer: Bool)
    /// `Users` or `home` was read between slashes; the name of a person follows.
    case person
  }

  private static let limit = 16_000
  private static let longestWord = 512
  private static let marks = ["<redacted>", "<email>", "<user>", "<data>"].map { Array($0.utf8) }
  static let longestMark = 10
  static let cut = " <cut>"
  /// How far it looks ahead where a text is cut: farther than the longest word, and than any
  /// address that people use.
  static let lookahead = 1_024

  private let bytes: [UInt8]
  /// Where it ends; what begins before is taken to its own end.
  private let end: Int
  /// Whether there was more of the text.
  private let isCut: Bool
  private var position = 0
  private var output: [UInt8] = []
  private var expected = Expectation.nothing
  private var endOfCheckedRun = 0

  /// Redacts what begins in the first so many bytes; by default, all.
  init(_ text: String, until end: Int = .max, isCut: Bool = false) {
    self.init(bytes: Array(text.utf8), until: end, isCut: isCut)
  }

  private init(bytes: [UInt8], until end: Int = .max, isCut: Bool = false) {
    self.bytes = bytes
    self.end = min(end, bytes.count)
    self.isCut = isCut
  }

  /// Whether some bytes are the beginning of a mark, and not all of it.
  static func isPartOfMark(_ bytes: some Collection<UInt8>) -> Bool {
    marks.contains { $0.count > bytes.count && $0.starts(with: bytes) }
  }

  consuming func run() -> String {
    while position < end, !restIsCut {
      let before = output.count
      step()
      // What has no end in what is seen may be anything, such as the password of an address.
      if isCut, position == bytes.count, output.last != UInt8(ascii: ">") {
        return String(decoding: output[..<before], as: UTF8.self)
      }
      // Cut between two steps: the next pass takes the same steps and comes to the same end.
      if output.count > Self.limit {
        return String(decoding: output[..<before], as: UTF8.self) + Self.cut
      }
    }
    // Nothing is left but the mark of an earlier cut, where that is so.
    let rest = end == bytes.count ? bytes[position...] : []
    return String(decoding: output + rest, as: UTF8.self)
  }

  /// Whether nothing but the mark of an earlier cut is left.
  private var restIsCut: Bool {
    bytes.count - position == Self.cut.utf8.count
      && Self.cut.utf8.elementsEqual(bytes[position...])
  }

  private mutating func step() {
    let byte = bytes[position]
    if case .value(let name) = expected, takeValue(name) { return }
    if case .credentials(let isBearer) = expected, takeCredentials(isBearer) { return }
    if takeData() { return }
    if beginsURL(at: position) {
      takeURL(from: position + 3)
    } else if Byte.isGap(byte) {
      copyGap(byte)
    } else {
      takeWord()
    }
  }

  private mutating func replace(to end: Int, with mark: String) {
    output += mark.utf8
    position = end
    expected = .nothing
  }

  private mutating func copy(to end: Int) {
    output += bytes[position..<end]
    position = end
  }
}

// MARK: Gaps and words

extension Redactor {
  private mutating func copyGap(_ byte: UInt8) {
    switch expected {
    case .separator(let name):
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") {
        expected = .value(name)
      } else if !isQuoteOrSpace(byte), byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "]") {
        expected = .nothing
      }
    case .person:
      if byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") { expected = .nothing }
    case .credentials: if !isQuoteOrSpace(byte) { expected = .nothing }
    case .value, .nothing: break
    }
    copy(to: position + 1)
  }

  private func isQuoteOrSpace(_ byte: UInt8) -> Bool {
    Byte.isQuote(byte) || Byte.isSpace(byte) && !Byte.isNewline(byte)
  }

  private mutating func takeWord() {
    let end = endOfWord
    let word = bytes[position..<end]
    if case .person = expected {
      let isShared = word.elementsEqual("Shared".utf8)
      return isShared ? plain(to: end) : replace(to: end, with: "<user>")
    }
    if isKey(word) { return replace(to: end, with: "<redacted>") }
    if word.contains(UInt8(ascii: "@")), let length = Self.lengthOfEmail(word) {
      return replace(to: position + length, with: "<email>")
    }
    let follows = expectation(after: word)
    plain(to: end)
    expected = follows
  }

  private mutating func plain(to end: Int) {
    copy(to: end)
    expected = .nothing
  }

  private var endOfWord: Int {
    // A word without end is cut between two characters, so that no step is longer than the limit.
    var end = position
    while end < bytes.count, !Byte.isGap(bytes[end]) {
      if end - position >= Self.longestWord, bytes[end] & 0xc0 != 0x80 { break }
      end += 1
    }
    return end
  }

  private func expectation(after word: ArraySlice<UInt8>) -> Expectation {
    guard word.count <= 64 else {
      return SecretName(word.suffix(64)).map(Expectation.separator) ?? .nothing
    }
    if Self.isScheme(word) { return .credentials(isBearer: word.count == 6) }
    if let name = SecretName(word) { return .separator(name) }
    let isHome =
      position > 0 && [UInt8(ascii: "/"), UInt8(ascii: "\\")].contains(bytes[position - 1])
      && ["Users", "home"].contains { word.elementsEqual($0.utf8) }
    return isHome ? .person : .nothing
  }

  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    let lowercased = word.lazy.map { Byte.isLetter($0) ? $0 | 0x20 : $0 }
    return lowercased.elementsEqual("bearer".utf8) || lowercased.elementsEqual("basic".utf8)
  }

  /// The length of the email address at the start of a word; nil where it is none.
  private static func lengthOfEmail(_ word: ArraySlice<UInt8>) -> Int? {
    var end = word.endIndex
    while end > word.startIndex, word[end - 1] == UInt8(ascii: ".") { end -= 1 }
    guard let at = word[..<end].lastIndex(of: UInt8(ascii: "@")), at > word.startIndex,
      let dot = word[at..<end].lastIndex(of: UInt8(ascii: ".")), dot > at + 1,
      word[dot..<end].contains(where: { Byte.isLetter($0) || $0 > 127 })  // not a version
    else { return nil }
    return end - word.startIndex
  }

  /// Whether a word is a JSON web token or a key with a well-known beginning.
  private func isKey(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count >= 16 else { return false }
    if word.starts(with: "eyJ".utf8) { return word.contains(UInt8(ascii: ".")) || word.count > 40 }
    return ["sk_live_", "sk_test_", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "AKIA"]
      .contains { word.starts(with: $0.utf8) }
  }
}

// MARK: Secrets, data and addresses

extension Redactor {
  /// Takes the value of a secret; false where a gap stands before it.
  private mutating func takeValue(_ name: SecretName) -> Bool {
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
        !Byte.isQuote(bytes[position + 1])
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
  private func endOfValue(from start: Int) -> Int {
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
  private mutating func takeCredentials(_ isBearer: Bool) -> Bool {
    guard !Byte.isGap(bytes[position]) else { return false }
    expected = .nothing
    let end = endOfValue(from: position)
    let value = bytes[position..<end]
    guard SecretName(value.suffix(64)) == nil else { return false }
    let isEncoded =
      value.count >= 8
      && value.contains { Byte.isDigit($0) || (65...90).contains($0) || $0 == UInt8(ascii: "=") }
    guard isBearer || isEncoded else { return false }
    replace(to: end, with: "<redacted>")
    return true
  }

  /// Takes a run of encoded data that is longer than any word.
  private mutating func takeData() -> Bool {
    guard position >= endOfCheckedRun else { return false }
    var end = position
    while end < bytes.count, Byte.isData(bytes[end]) { end += 1 }
    endOfCheckedRun = end
    guard end - position > Self.longestWord else { return false }
    replace(to: end, with: "<data>")
    return true
  }

  /// Keeps scheme, host and path; takes out user info, query and fragment.
  private mutating func takeURL(from start: Int) {
    var end = start
    while end < bytes.count, let next = endOfURLPart(at: end) { end = next }
    // Where it goes on beyond what is seen, nothing is known to be at its end.
    if !isCut || end < bytes.count {
      while end > start, Self.isTrailing(bytes[end - 1]) { end -= 1 }
    }
    let rest = bytes[start..<end]
    let tail = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? end
    copy(to: start)
    expected = .nothing
    let slash = bytes[start..<tail].firstIndex(of: UInt8(ascii: "/")) ?? tail
    if let at = bytes[start..<slash].lastIndex(of: UInt8(ascii: "@")) {
      position = at + 1
    }
    copyPath(to: tail)
    if tail < end {
      output += "?<redacted>".utf8
      position = end
    }
  }

  /// Goes over host and path as over any text, which knows home folders, emails and tokens.
  private mutating func copyPath(to end: Int) {
    var inner = Redactor(bytes: Array(bytes[position..<end]))
    while inner.position < inner.bytes.count { inner.step() }
    output += inner.output
    position = end
  }

  /// Whether the end of a scheme stands here.
  private func beginsURL(at index: Int) -> Bool {
    bytes[index] == UInt8(ascii: ":") && bytes[index...].starts(with: "://".utf8)
  }

  /// Where a URL goes on; nil where it ends, which is also before another one inside it.
  private func endOfURLPart(at index: Int) -> Int? {
    let byte = bytes[index]
    if byte == UInt8(ascii: "<") {
      let mark = Self.marks.first { bytes[index...].starts(with: $0) }
      return mark.map { index + $0.count }
    }
    let ends =
      Byte.isSpace(byte) || Byte.isQuote(byte) || byte == UInt8(ascii: ">")
      || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "|") || beginsURL(at: index)
    return ends ? nil : index + 1
  }

  private static func isTrailing(_ byte: UInt8) -> Bool {
    Byte.isClosing(byte)
      || [".", ",", ";", ":", "!"].contains(Unicode.Scalar(byte))
  }
}
