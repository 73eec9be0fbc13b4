// SPDX-License-Identifier: Apache-2.0

// Numbers that bear a check sum: those of cards and of accounts.

extension Redactor {
  /// How cards are written in groups, with a space or a dash between them.
  private static let cardGroups = [[4, 4, 4, 4, 3], [4, 4, 4, 4], [4, 6, 5], [4, 6, 4]]

  /// Takes the number of a card or of an account that begins with a word; false where none does.
  mutating func takeNumber(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count >= 4, let first = word.first else { return false }
    if (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(first) {
      guard let end = endOfCard(word) else { return false }
      replace(to: end, with: "<card>")
      return true
    }
    guard Self.isUpper(first), let end = endOfAccount(word) else { return false }
    replace(to: end, with: "<iban>")
    return true
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (65...90).contains(byte) }

  /// Whether nothing goes on here that belongs to what stands before.
  private func isEnd(_ index: Int) -> Bool {
    guard index < bytes.count, !Byte.isGap(bytes[index]), !startsKeyBlock(at: index) else {
      return true
    }
    // A full stop ends a sentence.
    return bytes[index] == UInt8(ascii: ".")
      && (index + 1 == bytes.count || Byte.isSpace(bytes[index + 1]))
  }
}

// MARK: Cards

extension Redactor {
  private mutating func endOfCard(_ word: ArraySlice<UInt8>) -> Int? {
    let run = word.prefix(while: Byte.isDigit)
    if run.count > 4 {
      return isEnd(run.endIndex) && Self.isCard(Array(run)) ? run.endIndex : nil
    }
    guard run.count == 4 else { return nil }
    for groups in Self.cardGroups {
      if let (digits, end) = digits(in: groups, from: position), isEnd(end), Self.isCard(digits) {
        return end
      }
    }
    return nil
  }

  /// The digits of groups that follow each other, and where they end.
  private mutating func digits(in groups: [Int], from start: Int) -> (digits: [UInt8], end: Int)? {
    var digits: [UInt8] = []
    var index = start
    defer { effort += index - start }
    for (number, count) in groups.enumerated() {
      if number > 0 {
        guard index < bytes.count, [32, UInt8(ascii: "-")].contains(bytes[index]) else {
          return nil
        }
        index += 1
      }
      guard index + count <= bytes.count else { return nil }
      let group = bytes[index..<(index + count)]
      guard group.allSatisfy(Byte.isDigit) else { return nil }
      digits += group
      index += count
    }
    return (digits, index)
  }

  /// Whether digits are those of a card: by its length, how it begins, and its check digit.
  ///
  /// One number in ten has the right check digit, so that alone says little. Thirteen digits are
  /// those of a barcode.
  static func isCard(_ digits: [UInt8]) -> Bool {
    let values = digits.map { Int($0 - UInt8(ascii: "0")) }
    guard (14...19).contains(values.count), isIssued(values) else { return false }
    let sum = values.reversed().enumerated().reduce(0) { sum, place in
      let (index, value) = place
      let doubled = index.isMultiple(of: 2) ? value : 2 * value
      return sum + doubled / 10 + doubled % 10
    }
    return sum.isMultiple(of: 10)
  }

  private static func isIssued(_ values: [Int]) -> Bool {
    let beginning = values[..<4].reduce(0) { 10 * $0 + $1 }
    switch beginning {
    case 4000...4999: return values.count == 16 || values.count == 19
    case 2221...2720, 5100...5599: return values.count == 16
    case 3400...3499, 3700...3799: return values.count == 15
    case 3000...3099, 3600...3699, 3800...3999: return values.count <= 16
    case 3528...3589, 5000...5099, 5600...6999: return values.count >= 16
    default: return false
    }
  }
}

// MARK: Accounts

extension Redactor {
  private static let accountLengths = 15...34

  private mutating func endOfAccount(_ word: ArraySlice<UInt8>) -> Int? {
    let start = word.startIndex
    guard Self.isUpper(word[start + 1]), Byte.isDigit(word[start + 2]),
      Byte.isDigit(word[start + 3])
    else { return nil }
    let run = word.prefix { Byte.isDigit($0) || Self.isUpper($0) }
    if run.count > 4 {
      return isEnd(run.endIndex) && Self.isAccount(Array(run)) ? run.endIndex : nil
    }
    // In groups of four, the last of which may be shorter. What follows may look like one of them.
    var account = Array(run)
    var index = run.endIndex
    var end: Int?
    while let group = accountGroup(from: index), account.count + group.count <= 34 {
      account += group
      index = group.endIndex
      if Self.isAccount(account) { end = index }
      if group.count < 4 { break }
    }
    effort += index - start
    return end
  }

  /// Up to four letters and digits behind a space.
  private func accountGroup(from space: Int) -> ArraySlice<UInt8>? {
    guard space < bytes.count, bytes[space] == 32 else { return nil }
    let group = bytes[(space + 1)...].prefix(5).prefix { Byte.isDigit($0) || Self.isUpper($0) }
    return (1...4).contains(group.count) && isEnd(group.endIndex) ? group : nil
  }

  /// Whether it is the number of an account, an IBAN: modulo 97, with the beginning put last, it
  /// is 1.
  static func isAccount(_ letters: [UInt8]) -> Bool {
    guard accountLengths.contains(letters.count) else { return false }
    let remainder = (letters[4...] + letters[..<4]).reduce(0) { remainder, byte in
      if Byte.isDigit(byte) { return (remainder * 10 + Int(byte - UInt8(ascii: "0"))) % 97 }
      return (remainder * 100 + Int(byte - UInt8(ascii: "A")) + 10) % 97
    }
    return remainder == 1
  }
}
