// SPDX-License-Identifier: Apache-2.0

/// One pass over one message.
///
/// Each step copies a gap or a word, or replaces what begins here by a mark in angle brackets. No
/// step looks further ahead than it goes, but for a fixed number of bytes, so the time is linear.
/// What stands together with a mark, without a gap, comes from an earlier pass and is copied as it
/// is: a second pass changes nothing.
struct TemplateScanner {
  /// What may follow a `=` or the colon after a JSON key.
  enum Expectation { case nothing, value }

  let bytes: [UInt8]
  var position = 0
  var output: [UInt8] = []
  var expected = Expectation.nothing
  /// The brackets that are open; true for those of an `Optional(…)` that was taken off.
  var brackets: [Bool] = []
  /// The last word that was copied, by which a number after a hyphen may belong to it.
  var lastWord = 0..<0
  /// Up to where it is known that no address of mail begins with a letter that is not ASCII.
  var noEmailBefore = 0
  /// Up to where it is known that no mark of an earlier pass stands.
  private var checked = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(min(bytes.count + 64, TemplateText.maximumOutput + 64))
  }

  mutating func run() -> String {
    while position < bytes.count {
      let before = output.count
      step(bytes[position])
      if output.count > TemplateText.maximumOutput {
        output.removeSubrange(before...)
        return String(decoding: TemplateText.cut(output + [0x20]), as: UTF8.self)
      }
    }
    while output.last == 0x20 { output.removeLast() }
    return String(decoding: output, as: UTF8.self)
  }

  private mutating func step(_ byte: UInt8) {
    if Byte.isSpace(byte) { return copySpace(byte) }
    if position >= checked, copyEarlierTemplate() { return }
    if expected == .value, takeValue(byte) { return }
    expected = .nothing
    if Byte.isLetter(byte) {
      takeWord()
    } else if Byte.isDigit(byte) {
      takeNumber(signed: false)
    } else if byte >= 0x80 {
      takeOther(byte)
    } else {
      takeMark(byte)
    }
  }

  /// The byte at an index; zero where there is none.
  func byte(_ index: Int) -> UInt8 { index >= 0 && index < bytes.count ? bytes[index] : 0 }

  func isAlphanumeric(_ index: Int) -> Bool {
    let byte = byte(index)
    return Byte.isLetter(byte) || Byte.isDigit(byte)
  }

  mutating func replace(to end: Int, with mark: StaticString) {
    let count = mark.utf8CodeUnitCount
    let text = UnsafeBufferPointer(start: mark.utf8Start, count: count)
    position = end
    // One mark stands for a list of the same.
    var before = output.count
    if before > 0, output[before - 1] == 0x20 { before -= 1 }
    if before > count, output[before - 1] == UInt8(ascii: ","),
      output[(before - 1 - count)..<(before - 1)].elementsEqual(text)
    {
      output.removeSubrange((before - 1)...)
      return
    }
    output.append(contentsOf: text)
  }

  mutating func copy(to end: Int) {
    output.append(contentsOf: bytes[position..<end])
    position = end
  }

  private mutating func copySpace(_ byte: UInt8) {
    position += 1
    if Byte.isNewline(byte) {
      while output.last == 0x20 { output.removeLast() }
      output.append(byte == 13 ? 10 : byte)
      expected = .nothing
    } else if let last = output.last, last != 0x20, last != 10 {
      output.append(0x20)
    }
  }

  /// Where the white space of the line that begins at an index ends.
  func skippingSpaces(_ index: Int) -> Int {
    var index = index
    while index < bytes.count, Byte.isSpace(bytes[index]), !Byte.isNewline(bytes[index]) {
      index += 1
    }
    return index
  }
}

// MARK: Templates of an earlier pass

extension TemplateScanner {
  private static let marks: Set<[UInt8]> = Set(
    [
      "email", "url", "host", "ip", "mac", "trace", "uuid", "hex", "sha1", "md5", "git", "date",
      "duration", "size", "version", "pointer", "id", "float", "int", "path", "bundle", "token",
      "quoted", "bool", "value",
    ].map { Array($0.utf8) })

  /// Copies what stands here up to the next gap, where a mark is in it that no closing tag follows.
  private mutating func copyEarlierTemplate() -> Bool {
    var end = position
    var hasMark = false
    while end < bytes.count, !Byte.isSpace(bytes[end]) {
      if !hasMark, bytes[end] == UInt8(ascii: "<") { hasMark = isMark(at: end) }
      end += 1
    }
    checked = end
    guard hasMark else { return false }
    while position < end {
      if bytes[position] == UInt8(ascii: "(") { brackets.append(false) }
      if bytes[position] == UInt8(ascii: ")"), brackets.popLast() == true {
        position += 1
      } else {
        copy(to: position + 1)
      }
    }
    expected = .nothing
    return true
  }

  private func isMark(at index: Int) -> Bool {
    var end = index + 1
    while end < index + 10, isAlphanumeric(end) { end += 1 }
    guard byte(end) == UInt8(ascii: ">") else { return false }
    let name = Array(bytes[(index + 1)..<end])
    guard Self.marks.contains(name) else { return false }
    // XML may have elements of these names.
    let closing = [UInt8(ascii: "<"), UInt8(ascii: "/")] + name
    for start in end..<min(bytes.count, end + 128) where bytes[start] == closing[0] {
      if bytes[start...].starts(with: closing) { return false }
    }
    return true
  }
}

// MARK: Marks and other scripts

extension TemplateScanner {
  private mutating func takeMark(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "<"): if takeTag() { return }
    case UInt8(ascii: "/"), UInt8(ascii: "~"), UInt8(ascii: "."), UInt8(ascii: "\\"):
      if takePath() { return }
    case UInt8(ascii: "-"), UInt8(ascii: "+"): if takeSign() { return }
    case UInt8(ascii: "="): expected = .value
    case UInt8(ascii: ":"):
      if begins("::", at: position), !isAlphanumeric(position - 1),
        let end = endOfIPv6(from: position)
      {
        return replace(to: end, with: "<ip>")
      }
      if output.last == UInt8(ascii: "\"") { expected = .value }
    case UInt8(ascii: "("): brackets.append(false)
    case UInt8(ascii: ")"):
      if brackets.popLast() == true {
        position += 1
        return
      }
    default: break
    }
    copy(to: position + 1)
  }

  /// Copies a tag such as `<id>`, so that nothing in it is taken for a word.
  private mutating func takeTag() -> Bool {
    var end = position + 1
    while end < position + 16, isAlphanumeric(end) { end += 1 }
    guard end > position + 1, byte(end) == UInt8(ascii: ">") else { return false }
    copy(to: end + 1)
    return true
  }

  /// A hyphen or plus is a sign where a number begins and nothing stands before it.
  private mutating func takeSign() -> Bool {
    guard Byte.isDigit(byte(position + 1)) else { return false }
    switch byte(position - 1) {
    case 0, 10, 13, 9, 0x20, UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "="),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"):
      position += 1
      takeNumber(signed: true)
      return true
    default: return false
    }
  }

  /// Copies a character that is not ASCII, or replaces a number in the digits of another script.
  private mutating func takeOther(_ byte: UInt8) {
    if let end = endOfForeignEmail() { return replace(to: end, with: "<email>") }
    var end = position
    var isFloat = false
    while let next = LocalizedDigit.end(in: bytes, at: end) {
      end = next
      if let separator = LocalizedDigit.separator(in: bytes, at: end),
        LocalizedDigit.end(in: bytes, at: separator.end) != nil
      {
        isFloat = isFloat || separator.isDecimal
        end = separator.end
      }
    }
    if end > position { return replace(to: end, with: isFloat ? "<float>" : "<int>") }
    end = position + 1
    while end < bytes.count, bytes[end] & 0xc0 == 0x80 { end += 1 }
    copy(to: end)
  }
}

/// Digits of other scripts, as number formatters write them.
private enum LocalizedDigit {
  /// Where the digit that begins at an index ends; nil where there is none.
  static func end(in bytes: [UInt8], at index: Int) -> Int? {
    guard index + 1 < bytes.count else { return nil }
    let second = bytes[index + 1]
    switch bytes[index] {
    case 0xd9: return (0xa0...0xa9).contains(second) ? index + 2 : nil  // Arabic
    case 0xdb: return (0xb0...0xb9).contains(second) ? index + 2 : nil  // Persian, Urdu
    case 0xe0, 0xef: break
    default: return nil
    }
    guard index + 2 < bytes.count else { return nil }
    let third = bytes[index + 2]
    let isDigit =
      switch (bytes[index], second) {
      case (0xe0, 0xa5), (0xe0, 0xa7): (0xa6...0xaf).contains(third)  // Devanagari, Bengali
      case (0xe0, 0xb9): (0x90...0x99).contains(third)  // Thai
      case (0xef, 0xbc): (0x90...0x99).contains(third)  // full width
      default: false
      }
    return isDigit ? index + 3 : nil
  }

  static func separator(in bytes: [UInt8], at index: Int) -> (end: Int, isDecimal: Bool)? {
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "."): return (index + 1, true)
    case UInt8(ascii: ","): return (index + 1, false)
    case 0xd9 where index + 1 < bytes.count && bytes[index + 1] == 0xab: return (index + 2, true)
    case 0xd9 where index + 1 < bytes.count && bytes[index + 1] == 0xac: return (index + 2, false)
    default: return nil
    }
  }
}
