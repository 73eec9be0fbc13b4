// SPDX-License-Identifier: Apache-2.0

// Names of secrets and the secrets in places beside each other.

extension Redactor {
  private static let longestKey = 64

  /// An object or a list of arguments that holds the name of a secret, such as
  /// `{"name": "token", "value": "…"}`.
  struct Holder {
    let name: SecretName
    /// Whether it is an element with attributes, which ends at its `>`.
    var isElement = false
    /// How many brackets are open inside.
    var depth = 0
  }

  /// The name of a member, and where its `:` or `=` stands.
  private struct Key {
    let end: Int
    let isOfValue: Bool
    let sign: UInt8
  }

  /// Copies a comma in an object that holds the name of a secret, or the space between attributes;
  /// with it the key of the secret where that follows.
  ///
  /// - Returns: False for anything else.
  mutating func copyComma() -> Bool {
    let isSpace = Byte.isSpace(bytes[position])
    guard isSpace || bytes[position] == UInt8(ascii: ",") else { return false }
    var name: SecretName?
    if case .separator(let read) = expected {
      if isAfterQuote { name = read } else if !isSpace, copyColumns() { return true }
    }
    let isHeld = holder?.depth == 0 && (!isSpace || holder?.isElement == true)
    guard name != nil || isHeld, let key = keyAhead,
      !isSpace || key.sign == UInt8(ascii: "=")
    else { return false }
    if let name { holder = Holder(name: name, isElement: isSpace) }
    if key.isOfValue, let holder {
      copy(to: key.end)
      expected = .value(holder.name)
      self.holder = nil
    } else {
      copy(to: position + 1)
      expected = .nothing
    }
    return true
  }

  /// Copies the rest of a list of columns that begins with the name of a secret, such as
  /// `(token, id)=(…)`; what follows stays its value.
  private mutating func copyColumns() -> Bool {
    var index = position
    while index < min(bytes.count, position + 4 * Self.longestKey), Self.isOfColumns(bytes[index]) {
      index += 1
    }
    effort += index - position
    guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: ")"),
      bytes[index + 1] == UInt8(ascii: "=")
    else { return false }
    copy(to: index)
    return true
  }

  private static func isOfColumns(_ byte: UInt8) -> Bool {
    isKeyByte(byte) || byte == UInt8(ascii: ",") || byte == 32
  }

  /// Follows how deep in the object with the name of a secret it is.
  mutating func countBracket(_ byte: UInt8) {
    guard let holder else { return }
    if holder.isElement, byte == UInt8(ascii: ">") {
      self.holder = nil
    } else if Byte.isOpening(byte) {
      self.holder?.depth += 1
    } else if Byte.isClosing(byte) {
      if holder.depth == 0 { self.holder = nil } else { self.holder?.depth -= 1 }
    }
  }

  var isAfterQuote: Bool { position > 0 && Byte.isQuote(bytes[position - 1]) }

  /// Whether a comma stands between a name and a value that are both in quotes.
  mutating func separatesPair(_ byte: UInt8) -> Bool {
    guard byte == UInt8(ascii: ","), isAfterQuote else { return false }
    let next = endOfSpace(from: position + 1)
    effort += next - position
    return next < bytes.count && Byte.isQuote(bytes[next])
  }

  /// The key behind the comma that stands here, in quotes or not; nil where none follows.
  private var keyAhead: Key? {
    mutating get {
      var index = endOfSpace(from: position + 1)
      defer { effort += index - position }
      var quote: UInt8?
      if index < bytes.count, Byte.isQuote(bytes[index]) {
        quote = bytes[index]
        index += 1
      }
      let start = index
      while index < min(bytes.count, start + Self.longestKey), Self.isKeyByte(bytes[index]) {
        index += 1
      }
      let word = bytes[start..<index]
      if let quote {
        index = endOfBackslashes(from: index)
        guard index < bytes.count, bytes[index] == quote else { return nil }
        index = endOfSpace(from: index + 1)
      }
      guard !word.isEmpty, index < bytes.count,
        bytes[index] == UInt8(ascii: ":") || bytes[index] == UInt8(ascii: "=")
      else { return nil }
      return Key(end: index, isOfValue: Self.isOfValue(word), sign: bytes[index])
    }
  }

  private func endOfSpace(from start: Int) -> Int {
    bytes[start...].firstIndex { !Byte.isSpace($0) && $0 != UInt8(ascii: "\\") } ?? bytes.count
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    Byte.isLetter(byte) || Byte.isDigit(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }

  /// Whether a key says that the value stands under it, such as `value` or `stringValue`.
  private static func isOfValue(_ key: ArraySlice<UInt8>) -> Bool {
    let key = String(decoding: key, as: UTF8.self).lowercased()
    return key.contains("value") || ["val", "v", "content", "contents"].contains(key)
  }
}
