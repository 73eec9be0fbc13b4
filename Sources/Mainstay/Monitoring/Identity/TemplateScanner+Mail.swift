// SPDX-License-Identifier: Apache-2.0

/// Addresses of mail, also those whose names are not ASCII (RFC 6531).
extension TemplateScanner {
  private static let maximumName = 64
  private static let maximumHost = 253

  /// Where the address ends that begins with the word here, and has letters that are not ASCII.
  ///
  /// What was looked at once in vain is not looked at again from the middle of the word.
  mutating func endOfForeignEmail() -> Int? {
    guard position >= noEmailBefore else { return nil }
    if let end = endOfEmail(from: position) { return end }
    noEmailBefore = endOfName(from: position, isBare: true).end
    return nil
  }

  func endOfEmail(from start: Int) -> Int? {
    let name = endOfName(from: start, isBare: false)
    guard byte(name.end) == UInt8(ascii: "@"), name.end > start, name.isWhole else { return nil }
    return endOfMailHost(from: name.end + 1)
  }

  /// Where the name before the `@` ends that begins at an index.
  ///
  /// Where words have no gaps between them, an address in ASCII may follow a word at once. So a
  /// name that begins with such a letter has to end with one.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - isBare: Whether a name that begins without gaps ends where these letters do.
  /// - Returns: The end, and whether all of it can be one name.
  private func endOfName(from start: Int, isBare: Bool) -> (end: Int, isWhole: Bool) {
    let isGapless = foreignLetter(at: start)?.hasGaps == false
    var isWhole = true
    var end = start
    while end < start + Self.maximumName {
      if let letter = foreignLetter(at: end) {
        guard letter.hasGaps || isGapless, !(isBare && isGapless && letter.hasGaps) else { break }
        isWhole = !isGapless || !letter.hasGaps
        end = letter.end
      } else {
        guard isLabel(end) || isLocalMark(end), !(isBare && isGapless) else { break }
        isWhole = !isGapless
        end += 1
      }
    }
    return (end, isWhole)
  }

  private func isLocalMark(_ index: Int) -> Bool {
    switch byte(index) {
    case UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "+"): true
    default: false
    }
  }

  /// Where the host of an address ends: two names or more, the last of letters.
  private func endOfMailHost(from start: Int) -> Int? {
    var end = start
    for count in 1...32 {
      let label = end
      let isGapless = foreignLetter(at: label)?.hasGaps == false
      guard beginsName(at: label) else { return nil }
      while end < start + Self.maximumHost {
        if isLabel(end) {
          end += 1
        } else if let letter = foreignLetter(at: end), letter.hasGaps || isGapless {
          end = letter.end
        } else {
          break
        }
      }
      if byte(end) == UInt8(ascii: "."), beginsName(at: end + 1) {
        end += 1
        continue
      }
      let last = bytes[label..<end]
      let isHost = count > 1 && last.count >= 2 && end < start + Self.maximumHost
      return isHost && last.allSatisfy { $0 >= 0x80 || Byte.isLetter($0) } ? end : nil
    }
    return nil
  }

  private func beginsName(at index: Int) -> Bool {
    isAlphanumeric(index) || foreignLetter(at: index) != nil
  }

  /// A letter that is not ASCII: where it ends, and whether its script has gaps between words.
  private func foreignLetter(at index: Int) -> (end: Int, hasGaps: Bool)? {
    let (first, second) = (byte(index), byte(index + 1))
    guard first >= 0xc3, second & 0xc0 == 0x80 else { return nil }
    switch (first, second) {
    case (0xc3, 0x97), (0xc3, 0xb7): return nil  // signs of arithmetic
    case (0xd8, 0x8c), (0xd8, 0x9b), (0xd8, 0x9f), (0xd9, 0xaa...0xad): return nil  // Arabic marks
    case (0xc3...0xdf, _): return (index + 2, true)
    case (0xe0, 0xb8...0xbb): return (index + 3, false)  // Thai, Lao
    case (0xe0, _): return (index + 3, true)
    case (0xe1, _): return (index + 3, second >= 0xb8)  // Latin with two marks, ancient Greek
    case (0xe3, 0x80): return nil  // marks of Chinese and Japanese
    case (0xe3...0xed, _): return (index + 3, false)
    default: return nil
    }
  }
}
