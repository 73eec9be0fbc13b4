// SPDX-License-Identifier: Apache-2.0

/// A run of ASCII letters and digits, and what it is made of.
struct AlphanumericRun {
  let start: Int
  let end: Int
  private(set) var digits = 0
  private(set) var upper = 0
  private(set) var lower = 0
  private(set) var isHex = true
  /// How often a letter stands next to a digit.
  private(set) var changes = 0

  var count: Int { end - start }

  /// At most 256 bytes are told apart; what is longer is as long as that.
  init(in bytes: [UInt8], at start: Int) {
    self.start = start
    var index = start
    var wasDigit = false
    while index < bytes.count {
      let byte = bytes[index]
      let isDigit = Byte.isDigit(byte)
      if isDigit {
        digits += 1
      } else if Byte.isLetter(byte) {
        if byte & 0x20 == 0 { upper += 1 } else { lower += 1 }
        if byte | 0x20 > UInt8(ascii: "f") { isHex = false }
      } else {
        break
      }
      if index > start, isDigit != wasDigit { changes += 1 }
      wasDigit = isDigit
      index += 1
    }
    end = index
  }

  private var hasOneCase: Bool { upper == 0 || lower == 0 }
  private var isMixed: Bool { digits > 0 && upper + lower > 0 }

  /// The mark for a hash; nil where it is none.
  var hash: StaticString? {
    guard isHex, isMixed, hasOneCase else { return nil }
    switch count {
    case 40: return "<sha1>"
    case 32: return "<md5>"
    case 8...128: return "<hex>"
    case 7: return upper == 0 ? "<git>" : nil
    default: return nil
    }
  }

  /// Whether it looks as if chance had written it.
  var isRandom: Bool {
    guard isMixed, count >= 8 else { return false }
    if hasOneCase { return changes >= 4 }
    return changes >= 3 || count >= 20 && changes >= 2
  }
}

extension TemplateScanner {
  /// Takes what begins with a letter.
  mutating func takeWord() {
    let run = AlphanumericRun(in: bytes, at: position)
    let next = byte(run.end)
    if let (end, mark) = address(run, next: next) { return take(to: end, as: mark) }
    if next >= 0x80, let end = endOfForeignEmail() { return replace(to: end, with: "<email>") }
    if next == UInt8(ascii: "("), beginsOptional(run) {
      brackets.append(true)
      position = run.end + 1
      return
    }
    if run.digits > 0 {
      if let mark = run.hash { return replace(to: run.end, with: mark) }
      if let end = endOfVersion(run) { return replace(to: end, with: "<version>") }
      if run.isRandom { return replace(to: run.end, with: "<id>") }
      if let digits = trailingNumber(run) {
        copy(to: digits)
        return replace(to: run.end, with: "<int>")
      }
    } else if let end = endOfNamedDate(run) {
      return replace(to: end, with: "<date>")
    }
    lastWord = run.start..<run.end
    copy(to: run.end)
  }

  /// Replaces an address; of a path the ending is kept.
  mutating func take(to end: Int, as mark: StaticString) {
    let isPath = mark.withUTF8Buffer { $0.elementsEqual("<path>".utf8) }
    if isPath { replacePath(to: end) } else { replace(to: end, with: mark) }
  }

  /// Where `v1.2.3` ends.
  private func endOfVersion(_ run: AlphanumericRun) -> Int? {
    guard bytes[run.start] | 0x20 == UInt8(ascii: "v"), run.digits == run.count - 1 else {
      return nil
    }
    var end = run.end
    while byte(end) == UInt8(ascii: "."), Byte.isDigit(byte(end + 1)) {
      end = endOfDigits(end + 1)
    }
    return end > run.end && !isAlphanumeric(end) ? end : nil
  }

  /// Where the number at the end of a word begins, as in `order12345`.
  ///
  /// Upper case before it is a code such as `TS2345`, and some words have numbers of their own.
  private func trailingNumber(_ run: AlphanumericRun) -> Int? {
    guard run.digits >= 3, run.changes == 1, run.lower > 0 else { return nil }
    let digits = run.end - run.digits
    return NumberedName.contains(bytes[run.start..<digits]) ? nil : digits
  }

  /// Whether an `Optional(…)` begins here that stands for itself, so that it can be taken off.
  private func beginsOptional(_ run: AlphanumericRun) -> Bool {
    guard run.count == 8, bytes[run.start..<run.end].elementsEqual("Optional".utf8) else {
      return false
    }
    switch output.last ?? 0x20 {
    case 0x20, 10, UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: ","): break
    default: return false
    }
    var depth = 1
    var index = run.end + 1
    while index < min(bytes.count, run.end + 512), depth > 0 {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
      index += 1
    }
    guard depth == 0 else { return false }
    switch byte(index) {
    case 0, 0x20, 9, 10, 13, UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"): return true
    default: return false
    }
  }

  /// Takes a quoted value or a boolean after `=` or a JSON key.
  mutating func takeValue(_ first: UInt8) -> Bool {
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      guard let end = endOfQuotes(from: position) else { return false }
      expected = .nothing
      replace(to: end, with: "<quoted>")
      return true
    }
    guard first | 0x20 == UInt8(ascii: "t") || first | 0x20 == UInt8(ascii: "f") else {
      guard first == UInt8(ascii: "O") else { return false }
      let before = output.count
      takeWord()
      if output.count != before { expected = .nothing }
      return true
    }
    for word in ["true", "false"] where isWord(word, at: position) {
      expected = .nothing
      replace(to: position + word.utf8.count, with: "<bool>")
      return true
    }
    return false
  }

  /// Whether a word stands alone at an index, in any case.
  func isWord(_ word: String, at index: Int) -> Bool {
    var end = index
    for expected in word.utf8 {
      let found = byte(end)
      guard (Byte.isLetter(found) ? found | 0x20 : found) == expected else { return false }
      end += 1
    }
    return !isAlphanumeric(end)
  }

  /// The index after the quotes that end what begins here; nil where the line ends before.
  func endOfQuotes(from start: Int) -> Int? {
    var index = start + 1
    while index < min(bytes.count, start + 1024), !Byte.isNewline(bytes[index]) {
      if bytes[index] == bytes[start] { return index + 1 }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}

/// Words with a number that belongs to their name, such as `utf-8` and `sha256`.
enum NumberedName {
  private static let all: Set<[UInt8]> = Set(
    [
      "utf", "ucs", "iso", "sha", "md", "base", "cp", "windows", "win", "latin", "aes", "rsa",
      "ec", "x", "h", "ip", "ipv", "tls", "ssl", "http", "rfc", "mp", "vp", "arm", "int", "uint",
      "float", "oauth", "ieee", "crc", "ed", "secp", "x86", "koi", "gb", "python", "swift", "es",
      "css", "html", "armv", "aarch", "amd", "fnv", "simd", "fp",
    ].map { Array($0.utf8) })

  static func contains(_ word: ArraySlice<UInt8>) -> Bool {
    word.count <= 8 && all.contains(word.map { Byte.isLetter($0) ? $0 | 0x20 : $0 })
  }
}
