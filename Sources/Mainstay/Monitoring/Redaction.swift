// SPDX-License-Identifier: Apache-2.0

/// Takes out of technical text what is nobody's business, before it is stored or sent.
///
/// Replaced are:
///
/// - user info, queries and fragments of URLs
/// - values of names that speak of secrets, in text, JSON, lists of pairs, XML, options of commands
///   and encoded queries
/// - bearer and basic credentials, JSON web tokens, private keys and keys with well-known
///   beginnings
/// - email addresses, and the name of the person in home folders
/// - numbers of cards and of accounts
/// - runs of encoded data
///
/// Not looked for are telephone numbers, IP addresses, coordinates, and names of persons.
///
/// Of an address without a scheme, the query is known by a `/` before it and a `=` in it. It takes
/// out too much rather than too little. It goes over the text once, in time linear in its length,
/// looks at its first 64,000 bytes, and keeps 16,000 at most. Redacting twice is the same as
/// redacting once.
package enum Redaction {
  private static let longestInput = 64_000

  package static func redact(_ text: String) -> String {
    if text.isEmpty || isPlainlyPublic(text) { return text }
    guard text.utf8.count > longestInput else {
      var redactor = Redactor(text)
      return redactor.run()
    }
    let redacted = start(of: text, longestInput)
    return redacted.hasSuffix(Redactor.cut) ? redacted : redacted + Redactor.cut
  }

  /// How many bytes are looked at ahead of being copied or taken out: the work beyond one pass.
  package static func effort(redacting text: String) -> Int {
    var redactor = Redactor(BoundedText.cut(text, to: longestInput))
    _ = redactor.run()
    return redactor.effort
  }

  /// The beginning of a text without anybody's data, of so many bytes at most.
  ///
  /// What stands where it is cut is known by what comes after it, and no mark is cut in two.
  static func redact(_ text: String, first limit: Int) -> String {
    let redacted = text.utf8.count > limit ? start(of: text, limit) : redact(text)
    guard redacted.utf8.count > limit else { return redacted }
    let cut = BoundedText.cut(redacted, to: limit)
    guard let mark = cut.utf8.suffix(Redactor.longestMark).lastIndex(of: UInt8(ascii: "<")),
      Redactor.isPartOfMark(cut.utf8[mark...])
    else { return cut }
    return String(cut[..<mark])
  }

  /// What begins within so many bytes, seen together with the bytes after them.
  private static func start(of text: String, _ limit: Int) -> String {
    let seen = BoundedText.cut(text, to: limit + Redactor.lookahead)
    var redactor = Redactor(seen, until: limit, isCut: seen.utf8.count < text.utf8.count)
    return redactor.run()
  }

  /// Whether a text consists of a few ordinary words, in which nothing is ever taken out; most
  /// names of operations do.
  ///
  /// What is taken out follows a sign such as `:`, `=`, `/` or `@`, is one word of 16 letters or
  /// more, or follows "Bearer" or "Basic".
  private static func isPlainlyPublic(_ text: String) -> Bool {
    guard text.utf8.count <= 100 else { return false }
    var length = 0
    for byte in text.utf8 {
      let isLetter = Byte.isLetter(byte)
      let isOrdinary = isLetter || byte == 32 || byte == UInt8(ascii: ".")
      guard isOrdinary, byte | 0x20 != UInt8(ascii: "b"), length < 15 else { return false }
      length = byte == 32 ? 0 : length + 1
    }
    return true
  }

  /// Redacts the values, each seen together with its name: `token` takes out what stands under it.
  package static func redact(_ metadata: [String: String]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: metadata.map { name, value in
        (name, SecretName(name.utf8) == nil ? redact(value) : "<redacted>")
      })
  }
}

/// A name whose value is a secret, such as `X-Api-Key` or `accessToken`.
enum SecretName {
  /// The value is one word, or what stands in quotes or brackets.
  case value
  /// The value is the rest of the line: headers whose values have parts.
  case line

  private static let lines = ["authorization", "cookie"].map { Array($0.utf8) }
  private static let values = [
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "apikey",
    "accesskey", "privatekey", "secretkey", "credential", "signature", "sessionid", "sessionkey",
    "sessid", "accountkey", "signingkey", "encryptionkey", "masterkey",
    // In the other languages that the package speaks; letters beyond ASCII are passed over.
    "passwort", "kennwort", "contrasena", "contrasea", "motdepasse",
  ].map { Array($0.utf8) }
  /// Words that mean nothing else, wherever they stand: `passwordConfirmation`.
  private static let anywhere = ["password", "passphrase", "apikey", "privatekey"]
    .map { Array($0.utf8) }
  /// Words that mean something else as the end of a longer one, such as `bypass`.
  private static let lastWords = [
    "pass", "jwt", "jwts", "otp", "otps", "csrf", "xsrf", "cvc", "cvv",
  ].map { Array($0.utf8) }
  /// The same, but in names of types, such as `URLSession`.
  private static let lastWordsOfValues = ["auth", "session", "pin"].map { Array($0.utf8) }
  /// Words that say nothing: `tokenValue`, `token_v2`.
  private static let fillers = ["value", "v"].map { Array($0.utf8) }

  /// Nil for a name that says nothing about secrets.
  init?(_ name: some Sequence<UInt8>) {
    var words = NameWords(name)
    if Self.fillers.contains(where: { words.last == $0[...] }) { words.removeLast() }
    let isLastWord =
      Self.lastWords.contains { words.last == $0[...] }
      || !words.isTypeName && Self.lastWordsOfValues.contains { words.last == $0[...] }
    var letters = words.letters
    if letters.last == UInt8(ascii: "s") { letters.removeLast() }
    let ends = { (word: [UInt8]) in letters.suffix(word.count) == word[...] }
    if Self.lines.contains(where: ends) {
      self = .line
    } else if isLastWord || Self.values.contains(where: ends) {
      self = .value
    } else if Self.hasWord(letters[min(words.part, letters.count)...]) {
      self = .value
    } else {
      return nil
    }
  }

  private static func hasWord(_ letters: ArraySlice<UInt8>) -> Bool {
    letters.indices.contains { index in
      (letters[index] == UInt8(ascii: "p") || letters[index] == UInt8(ascii: "a"))
        && anywhere.contains { letters[index...].starts(with: $0) }
    }
  }
}

/// The letters of a name, in small ones, and where its last words begin.
private struct NameWords {
  private(set) var letters: [UInt8] = []
  /// Where the part behind the last full stop begins: `PasswordView.swift:42` names a file.
  private(set) var part = 0
  private var lastWord = 0
  private var wordBefore = 0
  /// Whether the last word is joined to the one before it, as in `dbPass`.
  private var isJoined = false
  private var beginsUpper = false

  init(_ name: some Sequence<UInt8>) {
    var previous: UInt8 = 0
    for byte in name {
      if Byte.isLetter(byte) {
        if letters.isEmpty { beginsUpper = !Self.isLower(byte) }
        if Self.startsWord(byte, after: previous) {
          beginWord(at: letters.count, isJoined: Byte.isLetter(previous))
        }
        if Self.startedWord(previous, before: byte) {
          beginWord(at: letters.count - 1, isJoined: true)
        }
        letters.append(byte | 0x20)
      } else if byte == UInt8(ascii: ".") {
        part = letters.count
      }
      previous = byte
    }
  }

  var last: ArraySlice<UInt8> { letters[lastWord...] }

  /// Whether it is written as names of types are, such as `URLSession`.
  var isTypeName: Bool { beginsUpper && isJoined }

  /// Takes the last word off, where there is another one.
  mutating func removeLast() {
    guard lastWord > 0 else { return }
    letters.removeSubrange(lastWord...)
    lastWord = wordBefore
    part = min(part, letters.count)
  }

  private mutating func beginWord(at index: Int, isJoined: Bool) {
    guard index != lastWord else { return }
    (wordBefore, lastWord) = (lastWord, index)
    self.isJoined = isJoined
  }

  /// Whether a word of a name begins with a letter, as in `db_pass` and `dbPass`.
  private static func startsWord(_ letter: UInt8, after previous: UInt8) -> Bool {
    !Byte.isLetter(previous) || !isLower(letter) && isLower(previous)
  }

  /// Whether a word of a name began with the letter before, as in `HTTPPass`.
  private static func startedWord(_ previous: UInt8, before letter: UInt8) -> Bool {
    Byte.isLetter(previous) && !isLower(previous) && isLower(letter)
  }

  private static func isLower(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
}

/// Classes of bytes.
///
/// All that has a meaning here is ASCII; other bytes are parts of words.
enum Byte {
  static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

  static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  static func isNewline(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  static func isQuote(_ byte: UInt8) -> Bool { byte == 34 || byte == 39 || byte == 96 }

  static func isOpening(_ byte: UInt8) -> Bool { byte == 40 || byte == 91 || byte == 123 }

  static func isClosing(_ byte: UInt8) -> Bool { byte == 41 || byte == 93 || byte == 125 }

  /// Whether a byte ends a word.
  static func isGap(_ byte: UInt8) -> Bool {
    if isSpace(byte) || isQuote(byte) || isOpening(byte) || isClosing(byte) { return true }
    switch Unicode.Scalar(byte) {
    case "<", ">", ",", ";", "|", "&", "=", ":", "/", "\\", "!", "?", "#": return true
    default: return false
    }
  }

  /// Whether a byte stands in base64, base64url or hexadecimal data.
  static func isData(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch Unicode.Scalar(byte) {
    case "+", "/", "=", "_", "-": return true
    default: return false
    }
  }
}
