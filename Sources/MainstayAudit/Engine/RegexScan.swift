// SPDX-License-Identifier: Apache-2.0

/// Where literals of regular expressions end, as the lexer of Swift sees it.
///
/// A quote or the begin of a comment in one would otherwise hide the code behind it.
struct RegexScan {
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Where `/…/` ends.
  ///
  /// - Parameters:
  ///   - slash: Where it begins.
  ///   - isCertain: Whether nothing else can stand here, so that it may also lack its end.
  /// - Returns: Its last byte; nil where the slash is an operator or begins a comment.
  func end(from slash: Int, isCertain: Bool) -> Int? {
    let first = byte(slash + 1)
    guard first != UInt8(ascii: "*"), first != UInt8(ascii: "/"),
      slash == 0 || bytes[slash - 1] != UInt8(ascii: "*")
    else { return nil }
    if Self.isBlank(first), !isCertain { return nil }
    var index = slash + 1
    var (groups, classes) = (0, 0)
    var blank = -1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "/"):
        let next = byte(index + 1)
        let isOver = next != UInt8(ascii: "*") && next != UInt8(ascii: "/")
        return isCertain || (isOver && blank != index - 1) ? index : nil
      case 0x0A, 0x0D: return isCertain ? index - 1 : nil
      case UInt8(ascii: "\\") where !Self.isLineEnd(byte(index + 1)): index += 1
      case UInt8(ascii: "(") where classes == 0: groups += 1
      case UInt8(ascii: ")") where classes == 0:
        guard groups > 0 || isCertain else { return nil }
        groups = max(0, groups - 1)
      case UInt8(ascii: "["): classes += 1
      case UInt8(ascii: "]"): classes = max(0, classes - 1)
      case let byte where Self.isBlank(byte): blank = index
      default: break
      }
      index += 1
    }
    return isCertain ? bytes.count - 1 : nil
  }

  /// Where `#/…/#` ends, which may have several lines.
  ///
  /// - Parameters:
  ///   - slash: Its first slash.
  ///   - hashes: How many `#` there are before it.
  /// - Returns: Its last byte.
  func end(from slash: Int, hashes: Int) -> Int {
    var index = slash + 1
    while Self.isBlank(byte(index)) { index += 1 }
    let lineEnd = index
    let hasLines = Self.isLineEnd(byte(index))
    if !hasLines { index = slash + 1 }
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "/"):
        var last = index
        while byte(last + 1) == UInt8(ascii: "#") { last += 1 }
        if last - index >= hashes { return last }
      case let byte where Self.isLineEnd(byte) && !hasLines: return index - 1
      case UInt8(ascii: "\\") where hasLines || !Self.isLineEnd(byte(index + 1)): index += 1
      default: break
      }
      index += 1
    }
    // One of several lines that has no end ends with the first.
    return hasLines ? lineEnd - 1 : bytes.count - 1
  }

  private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
