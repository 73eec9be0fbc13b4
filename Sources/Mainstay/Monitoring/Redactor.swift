// SPDX-License-Identifier: Apache-2.0

/// One pass over one text.
///
/// Each step copies a byte or replaces a stretch of bytes; no byte is looked at more than a fixed
/// number of times. What is replaced becomes a mark in angle brackets, and a mark is never replaced
/// again, which is why a second pass changes nothing. Where a step asks what stands before it, it
/// asks the output, which is the same in both passes.
struct Redactor {
  enum Expectation {
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
  static let longestWord = 512
  static let marks = ["<redacted>", "<email>", "<user>", "<data>", "<card>", "<iban>"]
    .map { Array($0.utf8) }
  static let longestMark = 10
  static let cut = " <cut>"
  /// How far it looks ahead where a text is cut: farther than the longest word, and than any
  /// address that people use.
  static let lookahead = 1_024

  let bytes: [UInt8]
  /// Where it ends; what begins before is taken to its own end.
  private let end: Int
  /// Whether there was more of the text.
  let isCut: Bool
  var position = 0
  var output: [UInt8] = []
  var expected = Expectation.nothing
  var holder: Holder?
  var endOfCheckedRun = 0
  var addressRun: AddressRun?
  var path = PathRun()
  /// How many bytes were looked at before it was decided what becomes of them.
  var effort = 0

  /// Redacts what begins in the first so many bytes; by default, all.
  init(_ text: String, until end: Int = .max, isCut: Bool = false) {
    self.init(bytes: Array(text.utf8), until: end, isCut: isCut)
  }

  init(bytes: [UInt8], until end: Int = .max, isCut: Bool = false) {
    self.bytes = bytes
    self.end = min(end, bytes.count)
    self.isCut = isCut
  }

  /// Whether some bytes are the beginning of a mark, and not all of it.
  static func isPartOfMark(_ bytes: some Collection<UInt8>) -> Bool {
    marks.contains { $0.count > bytes.count && $0.starts(with: bytes) }
  }

  mutating func run() -> String {
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

  mutating func step() {
    let byte = bytes[position]
    if case .value(let name) = expected, takeValue(name) { return }
    if case .credentials(let isBearer) = expected, takeCredentials(isBearer) { return }
    if takeKeyBlock() || takeData() { return }
    if let length = lengthOfSchemeEnd(at: position) {
      takeURL(from: position + length)
    } else if let sign = encodedSign(at: position) {
      copyGap(sign.byte, length: sign.length)
    } else if Byte.isGap(byte) {
      if !takeQuery() && !copyComma() { copyGap(byte) }
    } else {
      takeWord()
    }
  }

  mutating func replace(to end: Int, with mark: String) {
    output += mark.utf8
    position = end
    expected = .nothing
  }

  mutating func copy(to end: Int) {
    output += bytes[position..<end]
    position = end
  }
}

// MARK: Gaps and words

extension Redactor {
  private mutating func copyGap(_ byte: UInt8, length: Int = 1) {
    switch expected {
    case .separator(let name):
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") || separatesPair(byte) {
        expected = .value(name)
      } else if !isQuoteOrSpace(byte), byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "]"),
        byte != UInt8(ascii: ")") || !isAfterQuote && !standsBeforeEquals
      {
        expected = .nothing
      }
    case .person:
      if byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") { expected = .nothing }
    case .credentials: if !isQuoteOrSpace(byte) { expected = .nothing }
    case .value, .nothing: break
    }
    countBracket(byte)
    copy(to: position + length)
  }

  /// Whether a `=` follows the brackets that close here, as in `Key (token)=(…)` of a database.
  private var standsBeforeEquals: Bool {
    mutating get {
      let end = bytes[position...].firstIndex { $0 != UInt8(ascii: ")") } ?? bytes.count
      effort += end - position
      return end < bytes.count && bytes[end] == UInt8(ascii: "=")
    }
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
    if let length = lengthOfEmail(word) {
      return replace(to: position + length, with: "<email>")
    }
    if let end = endOfEmail(behind: word) { return replace(to: end, with: "<email>") }
    if takeNumber(word) { return }
    let follows = expectation(after: word)
    plain(to: end)
    expected = follows
    guard case .separator = follows else { return }
    takeElement()
    if word.starts(with: "--".utf8), isBeforeArgument { expected = .value(.value) }
  }

  /// Whether an argument of a command follows behind spaces: no other option, and no sign of a
  /// shell.
  private var isBeforeArgument: Bool {
    mutating get {
      var index = position
      while index < bytes.count, bytes[index] == 32 { index += 1 }
      defer { effort += index - position }
      guard index > position, index < bytes.count, bytes[index] != UInt8(ascii: "-") else {
        return false
      }
      return Byte.isQuote(bytes[index]) || !Byte.isGap(bytes[index])
    }
  }

  private mutating func plain(to end: Int) {
    copy(to: end)
    expected = .nothing
  }

  var endOfWord: Int { endOfWord(from: position) }

  private func endOfWord(from start: Int) -> Int {
    // A word without end is cut between two characters, so that no step is longer than the limit.
    var end = start
    while end < bytes.count, !Byte.isGap(bytes[end]) {
      if end - start >= Self.longestWord, bytes[end] & 0xc0 != 0x80 { break }
      if bytes[end] == UInt8(ascii: "%") || bytes[end] == UInt8(ascii: "-"), end > start,
        encodedSign(at: end) != nil || startsKeyBlock(at: end)
      {
        break
      }
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

  static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    let lowercased = word.lazy.map { Byte.isLetter($0) ? $0 | 0x20 : $0 }
    return lowercased.elementsEqual("bearer".utf8) || lowercased.elementsEqual("basic".utf8)
  }

  /// The length of the email address at the start of a word; nil where it is none.
  ///
  /// In an address of a page its sign is written as `%40`, and as `%2540` in one that stands in
  /// another one.
  func lengthOfEmail(_ word: ArraySlice<UInt8>) -> Int? {
    Self.lengthOfEmail(word, sign: "@") ?? Self.lengthOfEmail(word, sign: "%40")
      ?? Self.lengthOfEmail(word, sign: "%2540")
  }

  /// Where an email address ends that begins with a word and an apostrophe, such as
  /// `o'brien@example.com`; nil where none does.
  private mutating func endOfEmail(behind word: ArraySlice<UInt8>) -> Int? {
    var end = word.endIndex
    for _ in 0..<3 {
      guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "'"), !Byte.isGap(bytes[end + 1])
      else { return nil }
      let next = endOfWord(from: end + 1)
      effort += next - end
      if let length = lengthOfEmail(bytes[(end + 1)..<next]) { return end + 1 + length }
      end = next
    }
    return nil
  }

  private static func lengthOfEmail(_ word: ArraySlice<UInt8>, sign: StaticString) -> Int? {
    let length = sign.utf8CodeUnitCount
    guard let at = lastIndex(of: sign, in: word), at > word.startIndex else { return nil }
    var end = word.endIndex
    while end > at + length, word[end - 1] == UInt8(ascii: ".") { end -= 1 }
    guard let dot = word[(at + length)..<end].lastIndex(of: UInt8(ascii: ".")), dot > at + length,
      word[dot..<end].contains(where: { Byte.isLetter($0) || $0 > 127 })  // not a version
    else { return nil }
    return end - word.startIndex
  }

  private static func lastIndex(of sign: StaticString, in word: ArraySlice<UInt8>) -> Int? {
    sign.withUTF8Buffer { sign in
      var index = word.endIndex - sign.count
      while index >= word.startIndex {
        if word[index] == sign[0], word[index...].starts(with: sign) { return index }
        index -= 1
      }
      return nil
    }
  }

  /// Whether a word is a JSON web token or a key with a well-known beginning.
  func isKey(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count >= 16 else { return false }
    if word.starts(with: "eyJ".utf8) { return word.contains(UInt8(ascii: ".")) || word.count > 40 }
    let length = word.count
    return Self.beginnings.contains { $0.length <= length && word.starts(with: $0.bytes) }
  }

  /// How keys of well-known services begin, and how long a word is at least that is one.
  ///
  /// Those that people write as well, such as `npm_config_registry`, are told by the length.
  private static let beginnings: [(bytes: [UInt8], length: Int)] =
    [
      "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "ghp_", "gho_", "ghs_", "ghu_",
      "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xapp-",
      "AKIA", "ASIA", "AIza",
    ].map { (Array($0.utf8), 16) } + ["sk-", "npm_", "SG."].map { (Array($0.utf8), 32) }
}
