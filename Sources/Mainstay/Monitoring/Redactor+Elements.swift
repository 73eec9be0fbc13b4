// SPDX-License-Identifier: Apache-2.0

// Elements of XML whose names speak of secrets.

extension Redactor {
  private static let longestElement = 512

  /// Takes what stands in an element whose name, just copied, is that of a secret.
  ///
  /// Attributes go with it. An element that nothing closes has one word.
  mutating func takeElement() {
    guard let name = nameOfElement, let start = endOfTag else { return }
    if let close = closing(of: name, from: start) {
      let content = bytes[start..<close]
      let isEmpty = content.allSatisfy(Byte.isSpace)
      if !isEmpty, !content.elementsEqual(Self.marks[0]) { takeContent(to: close) }
      return
    }
    guard output.count == name.count + 1 || isGapBefore(output.count - name.count - 1) else {
      return  // a generic type, such as `Array<Token>`
    }
    var end = start
    while end < bytes.count, !Byte.isSpace(bytes[end]), bytes[end] != UInt8(ascii: "<") { end += 1 }
    effort += end - start
    if end > start { takeContent(to: end) }
  }

  private mutating func takeContent(to end: Int) {
    output.append(UInt8(ascii: ">"))
    replace(to: end, with: "<redacted>")
  }

  private func isGapBefore(_ index: Int) -> Bool { Byte.isGap(output[index - 1]) }

  /// The name with its prefix that has just been copied, where a `<` stands before it.
  private var nameOfElement: ArraySlice<UInt8>? {
    var start = output.endIndex
    while start > 0, output.endIndex - start < 96, Self.isNameByte(output[start - 1]) { start -= 1 }
    guard start > 0, output[start - 1] == UInt8(ascii: "<") else { return nil }
    return output[start...]
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    if Byte.isLetter(byte) || Byte.isDigit(byte) { return true }
    return [":", "_", "-", "."].contains(Unicode.Scalar(byte))
  }

  /// Where the content begins: behind the `>` of a tag that is no closed one.
  private var endOfTag: Int? {
    guard position < bytes.count else { return nil }
    let bound = min(bytes.count, position + Self.longestElement)
    let ends = { (byte: UInt8) in byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") }
    guard let end = bytes[position..<bound].firstIndex(where: ends),
      bytes[end] == UInt8(ascii: ">"), bytes[end - 1] != UInt8(ascii: "/"),
      end == position || Byte.isSpace(bytes[position])
    else { return nil }
    return end + 1
  }

  /// Where the tag begins that closes an element.
  private mutating func closing(of name: ArraySlice<UInt8>, from start: Int) -> Int? {
    let bound = min(bytes.count, start + Self.longestElement)
    var index = start
    defer { effort += index - start }
    while index < bound {
      if bytes[index] == UInt8(ascii: "<"), bytes[index...].starts(with: "</".utf8),
        bytes[(index + 2)...].starts(with: name)
      {
        return index
      }
      index += 1
    }
    return nil
  }
}
